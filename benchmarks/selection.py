"""Measure `TETECV`, `place_new` and `suggest`; writes `results/selection.md`. Name sections to measure those alone.

choice: human answers, a fifth held out, three draws. Peers get the dimension that `TETECV` chose, and, as an oracle,
the best of four dimensions by the held-out answers themselves, which nobody could choose in practice.
newcomers: 60 points in the plane, 60 answers each, then 10 new points with 20 answers each, some reversed; the mean
distance of the new points to their true places, in units of the plane's standard deviation, after alignment (few draws:
peers are slow). newcomer ellipses: how often these hold the true place, with few and many answers.
questions: the answers that exist are the pool. From a random first set, batches are asked by `suggest` or at random,
and the map is fitted again; held-out accuracy after each batch, and what suggestions gain on the same draws.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from environments import cblearn_python, data_folder, machine
from lifting import human_sets
from tete import CKL, GNMDS, SOE, STE, TETE, TETECV, TSTE, Triplets
from tete.datasets import make_uniform_triplets
from tete.embedding.temperatures import described
from tete.metrics.alignment import procrustes_align
from tete.selection.suggestion import suggest
from triplets import RESULTS, as_markdown, fit_peer

PEERS: dict[str, Callable[[int], object]] = {
    "STE": STE,
    "t-STE": TSTE,
    "CKL": CKL,
    "GNMDS": lambda dims: GNMDS(dims, max_iter=3000),
    "SOE": SOE,
    "t-ETE(2)": lambda dims: TETE(dims, t=2.0, t_prime=2.0),
}
ORACLE_DIMS = (1, 2, 4, 8)
COSTS = ("iterations x triplets", "processor seconds")
SETS = ("Music", "Food", "30 eggs", "300 eggs")
N_KNOWN, N_NEW = 60, 10
N_DRAWS = 12
QUESTIONS = {"30 eggs": (1, 90, 30), "300 eggs": (1, 900, 300), "Music": (2, 1600, 400)}  # dimensions, first, batch


def timed(work: Callable[[], object]) -> tuple[object, float]:
    """What it returns, and the processor seconds it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def measure_choice(name: str) -> dict[str, list[dict[str, object]]]:
    rows, in_its_dimension = [], []
    triplets = Triplets.from_array(human_sets(data_folder())[name])
    TETECV((1, 2)).fit(triplets.select(np.arange(1000)))  # loads compiled code, whose time is not to be measured
    for seed in range(3):
        train, test = triplets.split(0.2, random_state=seed)
        model, cost = timed(lambda seed=seed, train=train: TETECV(random_state=seed, n_jobs=1).fit(train))
        one, cost_of_one = timed(lambda model=model, train=train: TETE(**model.best_params_, n_jobs=1).fit(train))
        dims = model.best_params_["n_components"]
        scores = {
            (peer, d): make(d).fit(train).score(test) for peer, make in PEERS.items() for d in {*ORACLE_DIMS, dims}
        }
        same = max((scores[peer, dims], peer) for peer in PEERS)
        oracle = max((score, f"{peer}, {d}-D") for (peer, d), score in scores.items())
        iterations = 0.8 * model.cv_results_["n_iter"].sum() + one.n_iter_  # a fold has 4 of 5 triplets
        costs = [iterations / one.n_iter_, cost / cost_of_one]
        row = {"draw": seed, "chosen": f"{dims}-D, {described(model.best_params_)}"}
        row |= {"TETECV": f"{model.score(test):.4f}", "best peer in its dimension": f"{same[0]:.4f} ({same[1]})"}
        row |= {"oracle": f"{oracle[0]:.4f} ({oracle[1]})"}
        row |= {"standard error": f"{np.sqrt(oracle[0] * (1 - oracle[0]) / len(test)):.4f}"}
        row |= {f"cost in fits, {unit}": f"{each:.1f}" for unit, each in zip(COSTS, costs, strict=True)}
        rows.append(row)
        in_its_dimension.append({"TETECV": model.score(test)} | {peer: scores[peer, dims] for peer in PEERS})
        print(name, rows[-1], flush=True)
    means = {method: float(np.mean([scores[method] for scores in in_its_dimension])) for method in in_its_dimension[0]}
    best = max(PEERS, key=lambda peer: means[peer])
    row = dict.fromkeys(rows[0], "") | {"draw": "mean", "TETECV": f"{means['TETECV']:.4f}"}
    rows.append(row | {"best peer in its dimension": f"{means[best]:.4f} ({best})"})
    return {f"Dimension and temperatures, {name}": rows}


def newcomer_data(seed: int, noise: float, per_object: int = 20) -> tuple[np.ndarray, Triplets, Triplets]:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(N_KNOWN + N_NEW, 2))
    old = make_uniform_triplets(points[:N_KNOWN], 60 * N_KNOWN, random_state=seed).flip(noise, random_state=seed)
    rows = []
    for new in range(N_KNOWN, N_KNOWN + N_NEW):
        for turn in range(per_object):
            one, other = rng.choice(N_KNOWN, 2, replace=False)
            rows.append((new, one, other) if turn % 2 else (one, new, other))
    rows = np.array(rows)
    to_near, to_far = (np.linalg.norm(points[rows[:, 0]] - points[rows[:, place]], axis=1) for place in (1, 2))
    swapped = (to_near > to_far) ^ (rng.random(len(rows)) < noise)
    return points, old, Triplets.from_array(rows).flip_where(swapped)


def measure_newcomers() -> dict[str, list[dict[str, object]]]:
    rows = []
    python = cblearn_python()
    for noise in (0.0, 0.1, 0.2):
        found: dict[str, list[float]] = {}
        unmoved = True
        for seed in range(5):
            points, old, new = newcomer_data(seed, noise)
            model = TETE().fit(old)
            before = model.embedding_.copy()
            placed = model.place_new(new)
            unmoved &= bool(np.array_equal(before, model.embedding_))
            everything = Triplets.from_array(np.concatenate([old.to_array(), new.to_array()]))
            maps = {"TETE, place_new": np.concatenate([before, placed.embedding])}
            maps["TETE, fitted again"] = TETE().fit(everything).embedding_
            for peer in ("TSTE", "SOE, one start"):
                maps[f"cblearn {peer}, fitted again"] = fit_peer(python, peer, everything).embedding
            for name, embedding in maps.items():
                away = procrustes_align(points, embedding)[N_KNOWN:] - points[N_KNOWN:]
                found.setdefault(name, []).append(float(np.linalg.norm(away, axis=1).mean()))
        distances = {name: f"{np.mean(values):.3f}" for name, values in found.items()}
        rows.append({"reversed": f"{noise:.0%}"} | distances | {"map unmoved": unmoved})
    return {"New objects: distance to the true place (20 answers each, 5 draws of 10 new objects)": rows}


def measure_newcomer_ellipses() -> dict[str, list[dict[str, object]]]:
    rows = []
    for noise in (0.0, 0.1, 0.2):
        inside: dict[int, list[float]] = {per_object: [] for per_object in (10, 20, 40, 80)}
        for seed in range(1000, 1025):
            model = TETE().fit(newcomer_data(seed, noise)[1])
            for per_object, shares in inside.items():
                points, _, new = newcomer_data(seed, noise, per_object)
                shares.append(model.place_new(new).contains(places_on_map(points, model.embedding_)).mean())
        cells = {
            f"{per_object} answers": f"{np.mean(shares):.3f} ± {np.std(shares) / np.sqrt(len(shares) - 1):.3f}"
            for per_object, shares in inside.items()
        }
        rows.append({"reversed": f"{noise:.0%}"} | cells)
    return {"New objects: share of true places in the 90 % ellipse (25 draws of 10 new objects)": rows}


def places_on_map(points: np.ndarray, embedding: np.ndarray) -> np.ndarray:
    """True places of the new objects in the coordinates of the map."""
    known, new = (np.column_stack([part, np.ones(len(part))]) for part in (points[:N_KNOWN], points[N_KNOWN:]))
    return new @ np.linalg.lstsq(known, embedding, rcond=None)[0]


def question_keys(rows: np.ndarray) -> list[tuple[int, ...]]:
    return [(int(anchor), *sorted((int(one), int(other)))) for anchor, one, other in rows]


def learning_curve(pool: Triplets, test: Triplets, settings: tuple[int, int, int], how: str, seed: int) -> list[float]:
    dims, first, batch = settings
    rows = pool.to_array()
    order = np.random.default_rng(seed).permutation(len(pool)).tolist()
    asked, left, curve = order[:first], order[first:], []
    for _ in range(7):
        answers = Triplets.from_array(rows[asked], n_objects=pool.n_objects)
        model = TETE(dims).fit(answers)
        curve.append(model.score(test))
        taken = left[:batch]
        if how == "suggest":
            number_of = dict(zip(question_keys(rows[left]), left, strict=True))
            chosen = suggest(model, answers, n_questions=batch, candidates=rows[left])
            taken = [number_of[key] for key in question_keys(chosen[["center", "left", "right"]].to_numpy())]
        asked = asked + taken
        left = [number for number in left if number not in set(taken)]
    return curve


def measure_questions(name: str) -> dict[str, list[dict[str, object]]]:
    rows, curves = [], {}
    triplets, settings = Triplets.from_array(human_sets(data_folder())[name]), QUESTIONS[name]
    for how in ("random", "suggest"):
        curves[how] = np.empty((N_DRAWS, 7))
        for draw in range(N_DRAWS):
            pool, test = triplets.split(0.2, random_state=100 + draw)
            curves[how][draw] = learning_curve(pool, test, settings, how, 100 + draw)
    for label, values in (*curves.items(), ("gain", curves["suggest"] - curves["random"])):
        errors = np.std(values, axis=0) / np.sqrt(N_DRAWS - 1)
        steps = enumerate(zip(np.mean(values, axis=0), errors, strict=True))
        rows.append(
            {"questions": label} | {f"after {step}": f"{mean:.3f} ± {error:.3f}" for step, (mean, error) in steps}
        )
    gains = (curves["suggest"] - curves["random"])[:, 1:].mean(axis=1)
    rows[-1]["mean of all"] = f"{gains.mean():.4f} ± {gains.std() / np.sqrt(N_DRAWS - 1):.4f}"
    rows[0]["mean of all"], rows[1]["mean of all"] = (f"{each[:, 1:].mean():.4f}" for each in curves.values())
    print(name, rows, flush=True)
    dims, first, batch = settings
    title = f"Next questions, {name}: held-out accuracy in {dims}-D, {first} answers and then {batch} at a time"
    return {f"{title} ({N_DRAWS} draws)": rows}


SECTIONS: dict[str, Callable[[], dict[str, list[dict[str, object]]]]] = {
    **{f"choice {name}": partial(measure_choice, name) for name in SETS},
    "newcomers": measure_newcomers,
    "newcomer ellipses": measure_newcomer_ellipses,
    **{f"questions {name}": partial(measure_questions, name) for name in QUESTIONS},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"default: all of {', '.join(SECTIONS)}")
    warnings.simplefilter("ignore")  # objects that a few answers do not mention, and GNMDS out of iterations
    file = RESULTS / "selection.json"
    for name in parser.parse_args().sections or list(SECTIONS):
        measured = {"machine": machine(), "tables": SECTIONS[name]()}
        stored = (json.loads(file.read_text()) if file.exists() else {}) | {name: measured}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [f"# Choosing, placing, asking\n\n{__doc__}"]
        for each in (each for each in SECTIONS if each in stored):
            parts += [f"## {title}\n\n{as_markdown(rows)}" for title, rows in stored[each]["tables"].items()]
            parts.append(f"`{json.dumps(stored[each]['machine'])}`")
        (RESULTS / "selection.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
