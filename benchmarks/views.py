"""Are other views found, and only where there are any? Writes `results/views.md`.

Simulated people about 40 objects in the plane, some of them with an independent second map, three at random and two
reversed; people who weigh the axes of one map differently; raters of accents and of alien eggs. Without arguments all
sections are measured, else those named; `--draws` sets how many draws each row rests on.
"""

import argparse
import json
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from environments import data_folder, machine
from tete import TETE, MultiViewTETE, Triplets, trust
from tete.datasets import load_accents, load_alien_eggs, make_uniform_triplets
from triplets import RESULTS, as_markdown

Rows = list[dict[str, object]]

N_OBJECTS = 40
N_RANDOM, N_REVERSED = 3, 2
SHARPNESS = 3.0  # of distances on maps of spread 1: about 83 % of the answers are what the own map says
NOT_RELIABLE = {"at chance", "random or another view: too few answers to tell"}


def answered(rows: np.ndarray, seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Triplets with the answers of people who see places `seen` (one row of three places for each triplet)."""
    near, far = (np.linalg.norm(seen[:, 0] - seen[:, column], axis=1) for column in (1, 2))
    second = rng.random(len(rows)) > 1.0 / (1.0 + np.exp(-SHARPNESS * (far - near)))
    return np.where(second[:, None], rows[:, [0, 2, 1]], rows)


def study(seed: int, n_people: int, each: int, share: float) -> tuple[Triplets, np.ndarray, np.ndarray]:
    """Answers; the view of each person; what each is: 0 as they see it, 1 at random, 2 reversed."""
    rng = np.random.default_rng(seed)
    maps = rng.normal(size=(2, N_OBJECTS, 2))
    view = (np.arange(n_people) < round(share * n_people)).astype(int)
    kind = np.repeat([0, 2, 1], [n_people - N_RANDOM - N_REVERSED, N_REVERSED, N_RANDOM])
    people = np.repeat(np.arange(n_people), each)
    rows = make_uniform_triplets(maps[0], len(people), random_state=seed).to_array()
    rows = answered(rows, maps[view[people][:, None], rows], rng)
    turned = (kind[people] == 2) | ((kind[people] == 1) & (rng.random(len(people)) < 0.5))
    rows = np.where(turned[:, None], rows[:, [0, 2, 1]], rows)
    return Triplets.from_array(rows, annotators=people, n_objects=N_OBJECTS), view, kind


def continuum(seed: int, n_people: int, each: int, spread: float) -> Triplets:
    """People who weigh the two axes of one map differently."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(N_OBJECTS, 2))
    scales = np.exp(spread * rng.normal(size=(n_people, 2)))
    scales /= np.sqrt(np.mean(scales**2, axis=1, keepdims=True))
    people = np.repeat(np.arange(n_people), each)
    rows = make_uniform_triplets(places, len(people), random_state=seed).to_array()
    rows = answered(rows, places[rows] * scales[people][:, None, :], rng)
    return Triplets.from_array(rows, annotators=people, n_objects=N_OBJECTS)


def measure_simulated(draws: int) -> Rows:
    rows = []
    for n_people, each in ((30, 100), (30, 300), (60, 100), (60, 300)):
        for share in (0.1, 0.2, 0.4):
            found = [judged(seed, n_people, each, share) for seed in range(draws)]
            minority = round(share * n_people) * each
            row = {"people": n_people, "answers each": each, "second view": f"{share:.0%}"}
            row |= {"its answers an object": minority / N_OBJECTS, "draws": draws}
            rows.append(row | {name: float(np.mean([each[name] for each in found])) for name in found[0]})
            print(rows[-1], flush=True)
    return rows


def judged(seed: int, n_people: int, each: int, share: float) -> dict[str, float]:
    answers, view, kind = study(seed, n_people, each, share)
    started = time.process_time()
    model = MultiViewTETE(n_jobs=1).fit(answers)
    seconds = time.process_time() - started
    normal, verdict = kind == 0, model.people_["verdict"]
    report = trust(TETE(t=2.0, t_prime=1.5, n_jobs=1), answers).annotators["verdict"]
    minority = (view == 1) & normal
    return {
        "two views": float(model.n_views_ == 2),
        "adjusted Rand index": adjusted_rand_score(view[normal], model.view_of_[normal]),
        "random flagged": float(verdict[kind == 1].isin(NOT_RELIABLE).mean()),
        "random unclear": float((verdict[kind == 1] == "unclear").mean()),
        "reversed flagged": float((verdict[kind == 2] == "reversed").mean()),
        "views likelier than weights": float(model.axis_gain_ < 0.0),
        "minority, trust: another view": float(report[minority].str.startswith("consistent").mean()),
        "majority, trust: another view": float(report[normal & ~minority].str.startswith("consistent").mean()),
        "random, trust: another view": float(report[kind == 1].str.startswith("consistent").mean()),
        "seconds": seconds,
    }


def measure_one_view(draws: int) -> Rows:
    rows = []
    for n_people, each in ((30, 100), (30, 300), (60, 100), (60, 300)):
        chosen, gains, others, trusted = [], [], 0, 0
        for seed in range(draws):
            answers, _, kind = study(1000 + seed, n_people, each, 0.0)
            model = MultiViewTETE(n_jobs=1).fit(answers)
            chosen.append(model.n_views_ == 1)
            gains.append(max(model.summary().steps[0].gains))
            others += int(model.people_["verdict"][kind == 0].str.startswith("consistent").sum())
            report = trust(TETE(t=2.0, t_prime=1.5, n_jobs=1), answers).annotators["verdict"]
            trusted += int(report.str.startswith("consistent").sum())
        row = {"people": n_people, "answers each": each, "draws": draws, "one view chosen": float(np.mean(chosen))}
        row |= {"largest gain": max(gains), "ordinary people called another view": others}
        rows.append(row | {"by trust, of all people": trusted})
        print(rows[-1], flush=True)
    return rows


def measure_continuum(draws: int) -> Rows:
    rows = []
    for each in (100, 300):
        for spread in (0.5, 1.0):
            models = [MultiViewTETE(n_jobs=1).fit(continuum(seed, 30, each, spread)) for seed in range(draws)]
            row = {"people": 30, "answers each": each, "spread of log weights": spread, "draws": draws}
            row |= {"views chosen, mean": float(np.mean([model.n_views_ for model in models]))}
            likelier = float(np.mean([model.axis_gain_ > 0.0 for model in models]))
            rows.append(row | {"weights likelier than views": likelier})
    return rows


def measure_human(draws: int) -> Rows:
    folder = data_folder()
    sets = {
        "accents": load_accents(folder=folder).triplets,
        "alien eggs, 30": load_alien_eggs(30, folder=folder).triplets,
        "alien eggs, 300": load_alien_eggs(300, folder=folder).triplets,
    }
    rows = []
    for name, answers in sets.items():
        for seed in range(min(draws, 3)):
            started = time.process_time()
            model = MultiViewTETE(n_jobs=1, random_state=seed).fit(answers)
            seconds = time.process_time() - started
            summary = model.summary()
            steps = "; ".join(
                f"{step.n_views}: {', '.join(f'{gain:.0f}' for gain in step.gains)}"
                + ("" if step.agreement is None else f" (agreement {step.agreement:.2f})")
                for step in summary.steps
            )
            row = {"data": name, "seed": seed, "people": summary.n_units, "answers": int(summary.n_answers)}
            row |= {"views": model.n_views_, "gains of one view more": steps}
            counts = {key: len(those) for key, those in summary.verdicts.items()}
            row |= {"weights against views": f"{model.axis_gain_:+.0f}", "verdicts": str(counts), "seconds": seconds}
            rows.append(row)
            print(row, flush=True)
    return rows


SECTIONS = {
    "simulated": ("Two views: shares of draws, or of people of all draws", measure_simulated),
    "one_view": ("One view, with three random and two reversed people", measure_one_view),
    "continuum": ("No groups: everybody weighs the axes of one map in an own way", measure_continuum),
    "human": ("Human raters", measure_human),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all")
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    file = Path(RESULTS, "views.json")
    stored = json.loads(file.read_text()) if file.exists() else {}
    for name in options.sections or list(SECTIONS):
        title, measure = SECTIONS[name]
        table = as_markdown(partial(measure, options.draws)())
        stored[name] = {"title": title, "machine": machine(), "table": table}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [
            f"## {stored[each]['title']}\n\n{stored[each]['table']}\n\n`{json.dumps(stored[each]['machine'])}`"
            for each in SECTIONS
            if each in stored
        ]
        (RESULTS / "views.md").write_text("\n\n".join([f"# Views\n\n{__doc__}", *parts]) + "\n")


if __name__ == "__main__":
    main()
