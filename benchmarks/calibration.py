"""Do errors hold? P(wrong), intervals of the share of wrong answers, ellipses and accuracy for new people.

Writes `results/calibration.md`. The truth is known: maps of human answers (Food, two sets of eggs, Music) are taken for
the truth, the same questions are answered by them with the close calls that people have, and a share of the answers is
reversed ("off" counts the tenths of P(wrong) that are off by more than .05, "clearly" those by two standard errors
more); or places are drawn, and people who see them a little differently answer. Seeds are those of the draws, 0, 1
and so on (30,000 and so on for reversed answers: none that anything was chosen on). Without arguments all sections are
measured, else those named; `--draws` takes fewer.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from environments import data_folder, machine
from tete import TETE, Triplets, position_uncertainty, trust
from tete.datasets import answer_by_distance, load_alien_eggs, load_food, load_music, make_uniform_triplets
from tete.embedding.answer_model import AnswerModel, fit_answer_model, log_likelihood, powers, support
from tete.embedding.distance_margins import distance_margins
from tete.exceptions import UnpredictableAnswersError
from tete.metrics.alignment import procrustes_align
from tete.reliability.held_out import held_out_answers, held_out_margins
from tete.reliability.lapses import WIDEST_INTERVAL
from tete.reliability.people_errors import errors_of_people, held_out_people
from tete.reliability.trust_report import report_on
from triplets import RESULTS, as_markdown

Rows = list[dict[str, object]]
Difference = tuple[float, float]  # and its standard error

LARGEST_DIFFERENCE = 0.05  # of P(wrong) from the truth that is allowed in a tenth

FRESH = 30_000  # the first seed of draws that nothing was looked at on: 0 to 9,000 were used while designing
SHARES = (0.05, 0.15, 0.3)
HUMAN = ("Food, 6,000 answers", "Food, 20,000 answers", "30 eggs", "300 eggs", "Music")


@cache
def human_answers(name: str) -> Triplets:
    if name.startswith("Food"):
        triplets = load_food(folder=data_folder()).triplets
        size = int(name.split()[1].replace(",", ""))
        return triplets.select(np.random.default_rng(0).permutation(len(triplets))[:size])
    if name == "Music":
        return load_music(folder=data_folder()).triplets
    return load_alien_eggs(int(name.split(maxsplit=1)[0]), folder=data_folder()).triplets


@cache
def human_truth(name: str) -> tuple[np.ndarray, float]:
    """A map of the answers, and how steeply the answers of people follow its distances."""
    triplets = human_answers(name)
    fitted = TETE(2).fit(triplets)
    margins = held_out_margins(fitted, triplets)
    known = np.isfinite(margins)
    return fitted.embedding_, fit_answer_model(margins[known], np.ones(known.sum())).steepness


def planted(name: str, share: float, seed: int) -> tuple[Triplets, np.ndarray]:
    """The questions people were asked, answered by the map with their close calls, and some of the answers reversed."""
    rng = np.random.default_rng([seed, int(100 * share)])
    questions, (places, steepness) = human_answers(name), human_truth(name)
    margins = distance_margins(places, questions.anchor, questions.near, questions.far)
    answered = questions.flip_where(rng.random(len(questions)) > expit(steepness * margins))
    is_wrong = rng.random(len(questions)) < share
    return answered.flip_where(is_wrong), is_wrong


def measure_wrong(n_draws: int) -> Rows:
    rows: Rows = []
    held = []
    said: list[Difference | None] = []
    for name in HUMAN:
        for share in SHARES:
            probability, with_share, is_wrong, estimates, refused = [], [], [], [], 0
            for seed in range(FRESH, FRESH + n_draws):
                answers, wrong = planted(name, share, seed)
                try:
                    held_out = held_out_answers(TETE(2).fit(answers), answers, random_state=seed)
                    report = report_on(held_out)
                except UnpredictableAnswersError:
                    refused += 1
                    continue
                probability.append(report.probability_wrong)
                with_share.append(at_share(held_out.margins, report.model, share))
                is_wrong.append(wrong)
                estimates.append((report.wrong_share, *report.wrong_interval))
            estimate, low, high = np.array(estimates).T
            row = {"truth": name, "reversed": f"{share:.0%}", "draws": len(estimates), "refused": refused}
            row |= {"estimate": f"{estimate.mean():.3f} ± {estimate.std():.3f}", "width": np.mean(high - low)}
            row["intervals that hold it"] = np.mean((low <= share) & (share <= high))
            found = tenths(probability, is_wrong)
            row["off"] = f"{sum(map(is_off, found))}, {sum(map(is_clearly_off, found))} clearly"
            told = tenths(with_share, is_wrong)
            row["off, the share being known"] = f"{sum(map(is_off, told))}, {sum(map(is_clearly_off, told))} clearly"
            rows.append(row | {f".{number}": as_text(each) for number, each in enumerate(found)})
            held.append(row["intervals that hold it"])
            if np.mean(high - low) <= WIDEST_INTERVAL:
                said += [each for each in found if each is not None]
            print(rows[-1], flush=True)
    whole = {"truth": "all", "draws": len(held) * n_draws, "intervals that hold it": np.mean(held)}
    counts = (sum(map(is_off, said)), len(said), sum(map(is_clearly_off, said)))
    whole["off"] = "{} of {} where the interval is not vague, {} clearly".format(*counts)
    return [*rows, {name: whole.get(name, "") for name in rows[0]}]


def at_share(margins: np.ndarray, model: AnswerModel, share: float) -> np.ndarray:
    """P(wrong) if the share of wrong answers were known: only the steepness is fitted."""
    powered = powers(margins, model.exponent)
    points, masses = support(powered[np.isfinite(powered)], np.ones(np.isfinite(powered).sum()))
    scale = np.log(np.mean(np.abs(points)))
    bounds = (-4.0 - scale, 5.0 - scale)
    found = minimize_scalar(lambda each: -log_likelihood(points, masses, share, each), bounds=bounds, method="bounded")
    return AnswerModel(share, float(np.exp(found.x))).probability_wrong(powered)


def tenths(probability: list[np.ndarray], is_wrong: list[np.ndarray]) -> list[Difference | None]:
    """In each tenth of the predictions the share that is wrong minus the prediction, and its error by draws.

    None below 100 answers. The answers of a draw share its map and its model, so that draws are independent and answers
    are not.
    """
    found: list[Difference | None] = []
    for number in range(10):
        inside = [np.minimum((10.0 * each).astype(int), 9) == number for each in probability]
        total = sum(int(each.sum()) for each in inside)
        sums = [float(np.sum((w - p)[i])) for p, w, i in zip(probability, is_wrong, inside, strict=True)]
        error = float(np.sqrt(np.sum(np.square(sums)))) / max(total, 1)
        found.append((sum(sums) / total, error) if total >= 100 else None)
    return found


def is_off(difference: Difference | None) -> bool:
    return difference is not None and abs(difference[0]) > LARGEST_DIFFERENCE


def is_clearly_off(difference: Difference | None) -> bool:
    """By more than two standard errors beyond what is allowed."""
    return difference is not None and abs(difference[0]) - 2.0 * difference[1] > LARGEST_DIFFERENCE


def as_text(difference: Difference | None) -> str:
    if difference is None:
        return "-"
    return f"{difference[0]:+.2f}" + (f" ± {difference[1]:.2f}" if is_off(difference) else "")


def people_about(
    rng: np.random.Generator, points: np.ndarray, n_people: int, per_person: int, difference: float
) -> Triplets:
    """Everybody weighs the axes and places the objects in their own way, and answers by what they see."""
    parts = []
    for _ in range(n_people):
        seen = points * np.exp(difference * rng.normal(size=points.shape[1]))
        seen = seen + difference * rng.normal(size=points.shape)
        questions = make_uniform_triplets(seen, per_person, random_state=rng)
        parts.append(answer_by_distance(seen, questions, sharpness=3.0, random_state=rng))
    rows = np.concatenate([part.to_array() for part in parts])
    return Triplets.from_array(rows, n_objects=len(points), annotators=np.repeat(np.arange(n_people), per_person))


PEOPLE = ((30, 600, 0.3), (15, 600, 0.3), (30, 100, 0.3), (60, 50, 0.3), (30, 100, 0.0))


def measure_ellipses(n_draws: int) -> Rows:
    rows = []
    for dims in (1, 2, 3):
        for per_object in (33, 67, 200):
            row = {"dimensions": dims, "answers an object": per_object}
            for kind in ("close calls", "a tenth reversed"):
                inside, chosen = [], []
                for seed in range(n_draws):
                    points = np.random.default_rng(seed).normal(size=(40, dims))
                    answers = make_uniform_triplets(points, 40 * per_object, random_state=seed)
                    if kind == "close calls":
                        answers = answer_by_distance(points, answers, sharpness=3.0, random_state=seed)
                    else:
                        answers = answers.flip(0.1, random_state=seed)
                    fitted = TETE(dims).fit(answers)
                    chosen.append(setting(fitted))
                    sure = position_uncertainty(fitted, answers, by="answers", random_state=seed)
                    inside.append(share_inside(sure, fitted.embedding_, points))
                row |= {kind: mean_and_error(inside), f"{kind}: temperatures": most_frequent(chosen)}
            rows.append(row)
            print(row, flush=True)
    return rows


def measure_people_ellipses(n_draws: int) -> Rows:
    rows = []
    for dims in (1, 2, 3):
        for n_people, per_person, difference in PEOPLE:
            row = {"dimensions": dims, "people": n_people, "answers each": per_person, "difference": difference}
            inside: dict[str, list[float]] = {"answers": [], "annotators": []}
            for seed in range(n_draws):
                rng = np.random.default_rng([seed, n_people, per_person])
                points = rng.normal(size=(40, dims))
                answers = people_about(rng, points, n_people, per_person, difference)
                fitted = TETE(dims).fit(answers)
                for by, found in inside.items():
                    sure = position_uncertainty(fitted, answers, by=by, random_state=seed)
                    found.append(share_inside(sure, fitted.embedding_, points))
            rows.append(row | {f"by {by}": mean_and_error(found) for by, found in inside.items()})
            print(rows[-1], flush=True)
    return rows


def measure_new_people(n_draws: int) -> Rows:
    """The 95 % interval of held-out accuracy, against the accuracy of the same kind of map for 1,000 new people.

    These answer as many questions as the others. Their sharpness is relative to the margins of the questions they get,
    so that with 20 questions they would agree with their maps .002 more often than with 100.
    """
    rows = []
    for n_people, per_person, difference in PEOPLE:
        held: dict[str, list[bool]] = {"answers": [], "annotators": []}
        for seed in range(n_draws):
            rng = np.random.default_rng([seed, n_people, per_person])
            points = rng.normal(size=(40, 2))
            answers = people_about(rng, points, n_people, per_person, difference)
            fitted = TETE(2).fit(answers)
            others = people_about(rng, points, 1000, per_person, difference)
            expected = fitted.score(replace(others, annotators=None))
            by_answers = trust(fitted, answers, random_state=seed)
            reach = 1.96 * by_answers.accuracy_error
            held["answers"].append(abs(by_answers.accuracy - expected) <= reach)
            found = held_out_people(fitted, answers, n_folds=5, random_state=seed)
            low, high = errors_of_people(found).accuracy_interval
            held["annotators"].append(low <= expected <= high)
        row = {"people": n_people, "answers each": per_person, "difference": difference, "draws": n_draws}
        rows.append(row | {f"by {by}": np.mean(each) for by, each in held.items()})
        print(rows[-1], flush=True)
    return rows


def setting(fitted: TETE) -> str:
    """The chosen temperatures of a fit."""
    return f"distance, {fitted.t_:g}" if fitted.kernel_ == "distance" else f"{fitted.t_:g}, {fitted.t_prime_:g}"


def most_frequent(values: list[str]) -> str:
    names, counts = np.unique(values, return_counts=True)
    return str(names[counts.argmax()])


def share_inside(sure, places: np.ndarray, truth: np.ndarray) -> float:
    steps = procrustes_align(places, truth) - places
    distances = np.einsum("ni,nij,nj->n", steps, np.linalg.inv(sure.covariances), steps)
    return float(np.mean(distances <= sure.radius(0.9) ** 2))


def mean_and_error(values: list[float]) -> str:
    return f"{np.mean(values):.2f} ± {np.std(values) / np.sqrt(max(len(values) - 1, 1)):.2f}"


SECTIONS: dict[str, tuple[str, Callable[[int], Rows], int]] = {
    "wrong": ("Reversed answers: 95 % intervals, and P(wrong) by tenths (observed minus predicted)", measure_wrong, 24),
    "ellipses": ("90 % ellipses by answers: share of true places inside, 40 objects", measure_ellipses, 10),
    "people": ("90 % ellipses where people differ: share of true places inside", measure_people_ellipses, 8),
    "new": (
        "95 % intervals of held-out accuracy: share that holds the accuracy for new people",
        measure_new_people,
        24,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all")
    parser.add_argument("--draws", type=int, help="default: as many as the section says")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    file = Path(RESULTS, "calibration.json")
    for name in arguments.sections or list(SECTIONS):
        print(f"measuring {name} ...", flush=True)
        title, measure, n_draws = SECTIONS[name]
        n_draws = arguments.draws or n_draws
        table = as_markdown(measure(n_draws))
        stored = json.loads(file.read_text()) if file.exists() else {}  # others may have written meanwhile
        stored[name] = {"title": f"{title}, {n_draws} draws", "machine": machine(), "table": table}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [
            f"## {stored[each]['title']}\n\n{stored[each]['table']}\n\n`{json.dumps(stored[each]['machine'])}`"
            for each in SECTIONS
            if each in stored
        ]
        (RESULTS / "calibration.md").write_text("\n\n".join([f"# Calibration\n\n{__doc__}", *parts]) + "\n")


if __name__ == "__main__":
    main()
