"""Are wrong answers, bad annotators and unsure places found? Writes `results/trust.md`.

MNIST as in `triplets.py`; Food and Music with some of their real answers reversed; alien eggs, whose truth is known;
annotators and maps made here. Without arguments all sections are measured, else those named.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from calibration import setting
from environments import data_folder, machine
from lifting import human_sets
from tete import TETE, Triplets, position_uncertainty, trust
from tete.datasets import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets
from tete.embedding.losses import TETELoss, log_ratios
from tete.metrics.alignment import procrustes_align
from tete.reliability.lapses import fit_lapses
from triplets import RESULTS, as_markdown, noise_data

Rows = list[dict[str, object]]

N_MAPS = 12  # of ellipses, for each kind of answers


def interval(report) -> str:
    return f"{report.wrong_share:.1%} ({report.wrong_interval[0]:.1%} to {report.wrong_interval[1]:.1%})"


def measure_reversed() -> Rows:
    rows = []
    for seed in range(3):
        images, _, source = noise_data(seed)
        truth = make_triplets(images, 100, random_state=2 * seed)
        for noise in (0.0, 0.1, 0.2, 0.3):
            noisy = truth.flip(noise, random_state=seed)
            started = time.process_time()
            fitted = TETE(n_jobs=1).fit(noisy)
            fitting = time.process_time() - started
            report = trust(fitted, noisy)
            seconds = time.process_time() - started - fitting
            area = roc_auc_score(noisy.near != truth.near, report.probability_wrong) if noise else np.nan
            row = {"data": f"{source}, draw {seed}", "reversed": f"{noise:.0%}", "estimate": interval(report)}
            rows.append(row | {"AUC": area, "processor seconds of the fit": fitting, "of trust": seconds})
    return rows


def measure_added() -> Rows:
    """What flips add to real disagreement: eps becomes eps0 + s (1 - 2 eps0), both at the temperatures of the former.

    At other temperatures real disagreement is another: what is far apart on one map may be a close call on another.
    """
    rows = []
    for name in ("Food", "Music"):
        real = human_sets(data_folder())[name]
        truth = Triplets.from_array(np.unique(real, return_inverse=True)[1].reshape(real.shape))
        for noise in (0.0, 0.1, 0.2, 0.3):
            noisy = truth.flip(noise, random_state=0)
            fitted = TETE().fit(noisy)
            report = trust(fitted, noisy)
            before = trust(fitted.settled(), truth) if noise else report
            area = roc_auc_score(noisy.near != truth.near, report.probability_wrong) if noise else np.nan
            added = (report.wrong_share - before.wrong_share) / (1.0 - 2.0 * before.wrong_share)
            row = {"data": name, "reversed": f"{noise:.0%}", "temperatures": setting(fitted)}
            row |= {"held-out accuracy": report.accuracy, "estimate": interval(report)}
            row |= {"before, at the same temperatures": f"{before.wrong_share:.1%}", "of which added": f"{added:.1%}"}
            rows.append(row | {"AUC": area})
    return rows


def measure_people() -> Rows:
    rows = []
    eggs = np.load(data_folder() / "alien_eggs" / "alien_eggs.npz")
    for name in ("next30", "eggs300"):
        triplets = eggs[f"{name}_triplets"]
        size = eggs[f"{name}_spikiness"].astype(float)
        near, far = (np.abs(size[triplets[:, 0]] - size[triplets[:, column]]) for column in (1, 2))
        answers = Triplets.from_array(triplets, annotators=eggs[f"{name}_participant"])
        rows.append({"data": f"alien eggs, {len(size)}", "agree with the truth": f"{np.mean(near < far):.1%}"})
        rows[-1] |= describe(trust(TETE().fit(answers), answers))
    accents = np.load(data_folder() / "accents" / "accents_oddoneout.npz")
    answers = Triplets.from_odd_one_out(accents["stimuli"], accents["odd"], annotators=accents["annotator"])
    rows.append({"data": "accents", "agree with the truth": "unknown"} | describe(trust(TETE().fit(answers), answers)))
    return rows


def describe(report) -> dict[str, object]:
    people = report.annotators
    flagged = people[people["at_chance"] | people["reversed"]]["agreement"]
    return {
        "held out, agree with the map": f"{report.accuracy:.1%}",
        "wrong beyond close calls": interval(report),
        "annotators": len(people),
        "median agreement": f"{people['agreement'].median():.1%}",
        "at chance": int(people["at_chance"].sum()),
        "reversed": int(people["reversed"].sum()),
        "highest agreement of these": f"{flagged.max():.1%}" if len(flagged) else "-",
    }


def people_of(seed: int, per_person: int, behavior: str, n_bad: int = 10) -> tuple[np.ndarray, Triplets, np.ndarray]:
    """60 annotators who find close calls hard, some of them bad, about 60 points in the plane."""
    points = np.random.default_rng(seed).normal(size=(60, 2))
    questions = make_uniform_triplets(points, 60 * per_person, random_state=seed)
    answers = answer_by_distance(points, questions, sharpness=4.0, random_state=seed)
    return points, *assign_annotators(answers, 60, n_bad=n_bad, behavior=behavior, random_state=seed)


def uneven_people_of(seed: int, per_person: int) -> tuple[np.ndarray, Triplets, np.ndarray]:
    """60 annotators, none of whom is bad, but everybody has lapses, from none to three in ten answers."""
    points, answers, nobody = people_of(seed, per_person, "random", n_bad=0)
    rng = np.random.default_rng(seed)
    lapses = rng.uniform(0.0, 0.3, size=60)[np.unique(answers.annotators, return_inverse=True)[1]]
    return points, answers.flip_where(rng.random(len(answers)) < lapses), nobody


def measure_annotators() -> Rows:
    rows = []
    for kind in ("10 random", "10 reversed", "0, lapses of 0 to 30 %"):
        for per_person in (40, 100):
            found = missed = false = 0
            for seed in range(20):
                bad = kind.split()[1]
                people = uneven_people_of(seed, per_person) if bad == "lapses" else people_of(seed, per_person, bad)
                _, answers, is_bad = people
                table = trust(TETE(), answers).annotators
                flagged = (table["at_chance"] | table["reversed"]).to_numpy()
                found, missed = found + int((flagged & is_bad).sum()), missed + int((~flagged & is_bad).sum())
                false += int((flagged & ~is_bad).sum())
            row = {"bad ones of 60": kind, "answers each": per_person}
            rows.append(row | {"found, 20 draws": found, "missed": missed, "others flagged": false})
    return rows


def measure_refit() -> Rows:
    rows = []
    for n_bad in (0, 10, 18):
        plain, weighted = [], []
        for seed in range(5):
            points, answers, _ = people_of(seed, 100, "reversed", n_bad)
            unseen = make_uniform_triplets(points, 5000, random_state=100 + seed)
            fitted = TETE().fit(answers)
            plain.append(fitted.score(unseen))
            weighted.append(trust(fitted, answers).refit(TETE(), answers).score(unseen))
        row = {"reversed annotators of 60": n_bad, "true answers satisfied": np.mean(plain)}
        rows.append(row | {"after the weighted refit": np.mean(weighted)})
    return rows


def answers_of(kind: str, points: np.ndarray, n_answers: int, seed: int) -> Triplets:
    questions = make_uniform_triplets(points, n_answers, random_state=seed)
    if kind == "a tenth reversed":
        return questions.flip(0.1, random_state=seed)
    if kind == "close calls by distance":
        return answer_by_distance(points, questions, sharpness=2.0, random_state=seed)
    columns = questions.anchor, questions.near, questions.far
    wrong = expit(log_ratios(TETELoss(2.0, 1.75), 3.0 * points, *columns))
    return questions.flip_where(np.random.default_rng(seed + 1000).random(n_answers) < wrong)


def measure_ellipses() -> Rows:
    """On seeds that were not looked at while the ellipses were designed."""
    rows = []
    for dims, t_prime in ((1, 1.75), (2, 1.75), (3, 1.5), (3, 1.75)):
        for kind in ("close calls by distance", "close calls by the model", "a tenth reversed"):
            row = {"dimensions": dims, "t'": t_prime, "answers": kind}
            for per_object in (33, 67, 200):
                inside = []
                for seed in range(1000, 1000 + N_MAPS):
                    points = np.random.default_rng(seed).normal(size=(40, dims))
                    answers = answers_of(kind, points, 40 * per_object, seed)
                    fitted = TETE(dims, t=2.0, t_prime=t_prime).fit(answers)
                    sure = position_uncertainty(fitted, answers, random_state=seed)
                    inside.append(share_inside(sure, fitted.embedding_, points))
                error = np.std(inside) / np.sqrt(N_MAPS - 1)
                row[f"{per_object} answers an object"] = f"{np.mean(inside):.2f} ± {error:.2f}"
            rows.append(row)
            print(row, flush=True)
    return rows


def share_inside(sure, places: np.ndarray, truth: np.ndarray) -> float:
    steps = procrustes_align(places, truth) - places
    distances = np.einsum("ni,nij,nj->n", steps, np.linalg.inv(sure.covariances), steps)
    return float(np.mean(distances <= sure.radius(0.9) ** 2))


def measure_coverage() -> Rows:
    """Intervals of the share when margins follow the model: one triplet an answer, and four that are wrong together."""
    rows = []
    for share in (0.0, 0.02, 0.2):
        for size in (1, 4):
            rng = np.random.default_rng(0)
            hits = [
                low_high[0] <= share <= low_high[1] for low_high in (one_interval(rng, share, size) for _ in range(200))
            ]
            rows.append({"true share": share, "triplets an answer": size, "intervals that hold it": np.mean(hits)})
    return rows


def one_interval(rng: np.random.Generator, share: float, size: int) -> tuple[float, float]:
    answers = np.repeat(np.arange(1000), size)
    margins = np.abs(rng.normal(scale=3.0, size=1000))[answers] * rng.uniform(0.5, 1.5, size=len(answers))
    wrong = (rng.random(1000) < share)[answers] ^ (rng.random(len(answers)) > expit(margins))
    model = fit_lapses(np.where(wrong, -margins, margins), answers, np.full(len(answers), 1.0 / size))
    return model.low, model.high


SECTIONS: dict[str, tuple[str, Callable[[], Rows]]] = {
    "reversed": (
        "Reversed answers: estimated share with 95 % interval, and how well single ones are found",
        measure_reversed,
    ),
    "added": ("Real answers, some reversed: what these add to the disagreement that is there", measure_added),
    "people": ("People", measure_people),
    "annotators": ("Bad annotators", measure_annotators),
    "refit": ("One refit with annotators weighted by reliability", measure_refit),
    "ellipses": (f"90 % ellipses: share of true places inside, 40 objects, {N_MAPS} draws", measure_ellipses),
    "coverage": ("95 % intervals of the share of wrong answers, 1,000 answers", measure_coverage),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all")
    names = parser.parse_args().sections or list(SECTIONS)
    warnings.simplefilter("ignore")
    file = Path(RESULTS, "trust.json")
    stored = json.loads(file.read_text()) if file.exists() else {}
    for name in names:
        print(f"measuring {name} ...", flush=True)
        title, measure = SECTIONS[name]
        stored[name] = {"title": title, "machine": machine(), "table": as_markdown(measure())}
        print(stored[name]["table"], flush=True)
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [
            f"## {stored[each]['title']}\n\n{stored[each]['table']}\n\n`{json.dumps(stored[each]['machine'])}`"
            for each in SECTIONS
            if each in stored
        ]
        (RESULTS / "trust.md").write_text("\n\n".join([f"# Trust\n\n{__doc__}", *parts]) + "\n")


if __name__ == "__main__":
    main()
