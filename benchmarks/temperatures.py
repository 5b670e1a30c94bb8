"""Measure the choice of temperatures; writes `results/temperatures.md`. Name stages or cells to measure those alone.

cells: every fixed setting and every other method against `TETE()`, on points with 60 answers each (d = 2, 3, 5
dimensions, 50 and 200 points; answers true, a fifth reversed, or close calls by a logistic curve of slope 2 on the
difference of distances; tested on 20,000 true answers), on 1,000 digits of MNIST with 100 answers each (tested on as
many true ones), and on human answers, a fifth of which is held out by question. The regret is how far a method is below
the best of all in the cell, as a mean over draws. Costs are processor seconds of one thread, in units of one fit at the
temperatures that were chosen.
tetecv: the regret of `TETECV` in the same dimension, on the same draws.
cblearn: its SOE (ten starts, its default) and t-STE on the first draw of each cell; they count among the best. Where
ten starts take more than 600 processor seconds, one start is taken, and the table says so; `--one-start` takes one at
once.
ellipses: share of true places in the 90 % ellipses, 40 objects, three draws, by temperatures given and chosen.
size: the price of the choice for a million answers.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from environments import cblearn_python, data_folder, machine
from lifting import human_sets
from tete import CKL, GNMDS, SOE, STE, TETE, TETECV, TSTE, Triplets, position_uncertainty
from tete.datasets import load_mnist, make_triplets, make_uniform_triplets
from tete.metrics.alignment import procrustes_align
from tete.metrics.classes import nearest_neighbor_error
from tete.metrics.satisfaction import triplet_error
from triplets import RESULTS, as_markdown, fit_peer

PAIRS = [(t, t_prime) for t in (2.0, 1.0) for t_prime in (2.0, 1.75, 1.5, 1.25, 1.0)]
FIXED: dict[str, Callable[[int], Any]] = {
    **{f"{t:g}, {u:g}": lambda d, t=t, u=u: TETE(d, t=t, t_prime=u, n_jobs=1) for t, u in PAIRS},
    **{f"{t:g}, distances": lambda d, t=t: TETE(d, t=t, kernel="distance", n_jobs=1) for t in (2.0, 1.5, 1.0)},
    "STE": lambda d: STE(d, n_jobs=1),
    "t-STE": lambda d: TSTE(d, n_jobs=1),
    "CKL": lambda d: CKL(d, n_jobs=1),
    "GNMDS": lambda d: GNMDS(d, max_iter=3000, n_jobs=1),
    "SOE": lambda d: SOE(d, n_jobs=1),
}
HUMAN = ("Music", "Food", "30 eggs", "300 eggs")
KINDS = {"true": "true", "reversed": "a fifth reversed", "close": "close calls"}
LIMIT = 600  # processor seconds of a peer's fit
DRAWS = {"points": 4, "people": 3, "MNIST": 2}
Tables = dict[str, list[dict[str, object]]]


class Cell(NamedTuple):
    """Where methods are compared."""

    group: str
    name: str
    dims: int
    load: Callable[[int], tuple[Triplets, Triplets, np.ndarray | None]]


def points_with(kind: str, dims: int, n_points: int, seed: int) -> tuple[Triplets, Triplets, None]:
    rng = np.random.default_rng(100 * seed + dims)
    points = rng.normal(size=(n_points, dims))
    answers = make_uniform_triplets(points, 60 * n_points, random_state=seed)
    if kind == "reversed":
        answers = answers.flip(0.2, random_state=seed)
    if kind == "close":
        to_near, to_far = (
            np.linalg.norm(points[answers.anchor] - points[other], axis=1) for other in (answers.near, answers.far)
        )
        answers = answers.flip_where(rng.random(len(answers)) > 1.0 / (1.0 + np.exp(2.0 * (to_near - to_far))))
    return answers, make_uniform_triplets(points, 20_000, random_state=1000 + seed), None


def digits_with(noise: float, seed: int) -> tuple[Triplets, Triplets, np.ndarray]:
    digits = load_mnist(folder=data_folder())
    chosen = np.random.default_rng(seed).choice(len(digits.data), 1000, replace=False)
    images = digits.data[chosen].astype(np.float64)
    train, test = (make_triplets(images, 100, random_state=2 * seed + part) for part in (0, 1))
    return train.flip(noise, random_state=seed), test, digits.target[chosen]


@cache
def people() -> dict[str, np.ndarray]:
    return human_sets(data_folder())


def people_split(name: str, seed: int) -> tuple[Triplets, Triplets, None]:
    return *Triplets.from_array(people()[name]).split(0.2, random_state=seed), None


def cells() -> Iterator[Cell]:
    for dims in (2, 3, 5):
        for n_points in (50, 200):
            for kind, said in KINDS.items():
                name = f"{n_points} points, {dims}-D, {said}"
                yield Cell("points", name, dims, lambda s, k=kind, d=dims, n=n_points: points_with(k, d, n, s))
    for name in HUMAN:
        for dims in (2, 3, 5):
            yield Cell("people", f"{name}, {dims}-D", dims, lambda seed, name=name: people_split(name, seed))
    for dims in (2, 5):
        for noise in (0.0, 0.2, 0.4):
            yield Cell("MNIST", f"MNIST, {dims}-D, {noise:.0%} reversed", dims, lambda s, n=noise: digits_with(n, s))


def fitted(estimator: Any, cell: Cell, draw: int) -> tuple[Any, dict[str, float]]:
    """The estimator, and what its map is worth."""
    train, test, labels = cell.load(draw)
    started = time.process_time()
    model = estimator.fit(train)
    found = {"seconds": time.process_time() - started, "accuracy": 1.0 - triplet_error(model.embedding_, test)}
    if labels is not None:
        found["1-NN"] = 1.0 - nearest_neighbor_error(model.embedding_, labels)
    return model, found


def measure_cell(cell: Cell, draw: int, known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {name: fitted(make(cell.dims), cell, draw)[1] for name, make in FIXED.items() if name not in known}
    model, found["TETE()"] = fitted(TETE(cell.dims, n_jobs=1), cell, draw)
    _, once = fitted(model.settled(), cell, draw)
    found["TETE()"] |= {"fits": found["TETE()"]["seconds"] / once["seconds"], "chosen": said_of(model)}
    return found


def said_of(model: TETE) -> str:
    return f"{model.t_:g}, distances" if model.t_prime_ is None else f"{model.t_:g}, {model.t_prime_:g}"


def measure_tetecv(cell: Cell, draw: int, _: dict[str, Any]) -> dict[str, dict[str, Any]]:
    model, found = fitted(TETECV(cell.dims, n_jobs=1), cell, draw)
    _, once = fitted(model.best_estimator_.settled(), cell, draw)
    return {"TETECV": found | {"fits": found["seconds"] / once["seconds"], "chosen": said_of(model.best_estimator_)}}


def measure_cblearn(
    cell: Cell, draw: int, known: dict[str, Any], *, one_start: bool = False
) -> dict[str, dict[str, Any]]:
    train, test, _ = cell.load(draw)
    found = {}
    for method in ("SOE", "TSTE"):
        if f"cblearn {method}" in known:
            continue
        tried = method == "TSTE" or not one_start
        fit, starts = fit_peer(cblearn_python(), method, train, cell.dims, limit=LIMIT) if tried else None, {}
        if fit is None and method == "SOE":
            fit, starts = fit_peer(cblearn_python(), "SOE, one start", train, cell.dims, limit=LIMIT), {"starts": 1}
        if fit is None:
            found[f"cblearn {method}"] = {"stopped": LIMIT}
            continue
        accuracy = 1.0 - triplet_error(fit.embedding, test)
        found[f"cblearn {method}"] = {"seconds": fit.processor_seconds, "accuracy": accuracy, **starts}
    return found


# What is said of the measurements -------------------------------------------------------------------------------------


def accuracies(stored: dict[str, Any], cell: Cell, method: str) -> list[float]:
    draws = stored["cells"].get(cell.name, {})
    found = [draws[draw].get(method, {}) for draw in sorted(draws)]
    return [each["accuracy"] for each in found if "accuracy" in each]


def best_of(stored: dict[str, Any], cell: Cell, draws: int) -> float:
    """The best of all fixed settings and methods, as a mean over the draws that the method judged has.

    Unknown while a cell is measured anew and has nothing else yet.
    """
    found = [accuracies(stored, cell, method) for method in (*FIXED, "cblearn SOE", "cblearn TSTE")]
    return max((float(np.mean(each[:draws])) for each in found if len(each) >= draws), default=np.nan)


def regret_table(stored: dict[str, Any]) -> list[dict[str, object]]:
    rows = []
    for method in ("TETE()", "TETECV", *FIXED, "cblearn SOE", "cblearn TSTE"):
        regrets: dict[str, list[float]] = {}
        for cell in cells():
            found = accuracies(stored, cell, method)
            if found:
                regret = best_of(stored, cell, len(found)) - float(np.mean(found))
                regrets.setdefault(cell.group, []).append(regret)
                regrets.setdefault("all", []).append(regret)
        if regrets:
            row = {"method": method, "cells": len(regrets["all"])}
            row |= {"mean regret": f"{np.mean(regrets['all']):.4f}", "largest": f"{np.max(regrets['all']):.4f}"}
            row |= {group: f"{np.mean(regrets[group]):.4f}" if group in regrets else "-" for group in DRAWS}
            rows.append(row)
    return rows


def cell_table(stored: dict[str, Any]) -> list[dict[str, object]]:
    rows = []
    for cell in cells():
        draws = stored["cells"].get(cell.name, {})
        ours = [draws[draw]["TETE()"] for draw in sorted(draws) if "TETE()" in draws[draw]]
        if not ours:
            continue
        means = {method: float(np.mean(accuracies(stored, cell, method))) for method in FIXED}
        best = max(means, key=means.__getitem__)
        row = {"cell": cell.name, "draws": len(ours), "TETE()": float(np.mean([each["accuracy"] for each in ours]))}
        row |= {"best fixed": f"{means[best]:.3f} ({best})"}
        row |= {"regret": f"{best_of(stored, cell, len(ours)) - row['TETE()']:.4f}"}
        row |= {"chosen": "; ".join(dict.fromkeys(each["chosen"] for each in ours))}
        rows.append(row | {"cost in fits": f"{np.median([each['fits'] for each in ours]):.1f}"})
    return rows


def cost_table(stored: dict[str, Any]) -> list[dict[str, object]]:
    rows = []
    for method in ("TETE()", "TETECV"):
        costs = [
            found[method]["fits"] for draws in stored["cells"].values() for found in draws.values() if method in found
        ]
        if costs:
            row = {"method": method, "mean": f"{np.mean(costs):.2f}", "median": f"{np.median(costs):.2f}"}
            rows.append(row | {"95 of 100 below": f"{np.quantile(costs, 0.95):.2f}", "most": f"{np.max(costs):.2f}"})
    return rows


def purity_table(stored: dict[str, Any]) -> list[dict[str, object]]:
    digits = [cell for cell in cells() if cell.group == "MNIST" and stored["cells"].get(cell.name)]
    rows = []
    for method in ("TETE()", *FIXED):
        row: dict[str, object] = {"method": method}
        for cell in digits:
            draws = [found for found in stored["cells"][cell.name].values() if method in found]
            shares = [found[method]["1-NN"] for found in draws]
            row[cell.name.removeprefix("MNIST, ")] = float(np.mean(shares)) if shares else "-"
        rows.append(row)
    return rows


def speed_table(stored: dict[str, Any]) -> list[dict[str, object]]:
    rows = []
    for cell in cells():
        first = stored["cells"].get(cell.name, {}).get("0", {})
        if not {"cblearn SOE", "SOE"} <= first.keys():
            continue
        theirs, ours = first["cblearn SOE"], first["SOE"]
        if "stopped" in theirs:
            said = {"cblearn's SOE": f"stopped after {theirs['stopped']} s", "its starts": "1", "ratio": "-"}
            rows.append({"cell": cell.name, "our SOE": ours["accuracy"], "its seconds": "-", "ours": ours["seconds"]})
            rows[-1] |= said
            continue
        row = {"cell": cell.name, "our SOE": ours["accuracy"], "its seconds": theirs["seconds"]}
        row |= {"ours": ours["seconds"], "cblearn's SOE": theirs["accuracy"], "its starts": theirs.get("starts", 10)}
        rows.append(row | {"ratio": f"{theirs['seconds'] / ours['seconds']:.0f}"})
    return rows


# Ellipses and size ----------------------------------------------------------------------------------------------------


def measure_ellipses(n_draws: int = 3) -> list[dict[str, object]]:
    """On seeds that were not looked at while the ellipses or the choice were designed."""
    makers: dict[str, Callable[[int], TETE]] = {
        "chosen": TETE,
        "1, distances": lambda d: TETE(d, t=1.0, kernel="distance"),
        "2, distances": lambda d: TETE(d, t=2.0, kernel="distance"),
    }
    rows = []
    for dims in (1, 2, 3):
        for kind, said in KINDS.items():
            for name, make in makers.items():
                row: dict[str, object] = {"dimensions": dims, "answers": said, "temperatures": name}
                for per_object in (33, 67, 200):
                    inside = [share_inside(make(dims), kind, dims, per_object, 2000 + s) for s in range(n_draws)]
                    error = np.std(inside) / np.sqrt(n_draws - 1)
                    row[f"{per_object} answers an object"] = f"{np.mean(inside):.2f} ± {error:.2f}"
                rows.append(row)
                print(row, flush=True)
    return rows


def share_inside(model: TETE, kind: str, dims: int, per_object: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, dims))
    answers = make_uniform_triplets(points, 40 * per_object, random_state=seed)
    if kind == "reversed":
        answers = answers.flip(0.2, random_state=seed)
    if kind == "close":
        to_near, to_far = (
            np.linalg.norm(points[answers.anchor] - points[other], axis=1) for other in (answers.near, answers.far)
        )
        answers = answers.flip_where(rng.random(len(answers)) > 1.0 / (1.0 + np.exp(2.0 * (to_near - to_far))))
    model.fit(answers)
    sure = position_uncertainty(model, answers, random_state=seed)
    away = procrustes_align(model.embedding_, points) - model.embedding_
    distances = np.sqrt(np.einsum("ni,nij,nj->n", away, np.linalg.inv(sure.covariances), away))
    return float(np.mean(distances <= sure.radius(0.9)))


def measure_size() -> list[dict[str, object]]:
    rows = []
    for n_answers, n_points in ((100_000, 1_000), (300_000, 3_000), (1_000_000, 10_000), (1_000_000, 1_000)):
        points = np.random.default_rng(0).normal(size=(n_points, 2))
        answers = make_uniform_triplets(points, n_answers, random_state=1).flip(0.1, random_state=2)
        unseen = make_uniform_triplets(points, 50_000, random_state=3)
        times, models = [], [TETE(n_jobs=1)]
        for _ in range(2):
            started = time.process_time()
            models[-1].fit(answers)
            times.append(time.process_time() - started)
            models.append(models[-1].settled())
        model = models[0]
        row = {"answers": f"{n_answers:,}", "objects": f"{n_points:,}", "chosen": said_of(model)}
        row |= {"processor seconds": times[0], "of one fit": times[1], "cost in fits": times[0] / times[1]}
        others = {
            name: FIXED[name](2).fit(answers).score(unseen) for name in ("2, 1.75", "2, distances", "1, distances")
        }
        rows.append(row | {"TETE()": model.score(unseen), **others})
        print(rows[-1], flush=True)
    return rows


# Stages ---------------------------------------------------------------------------------------------------------------

STAGES = {"cells": measure_cell, "tetecv": measure_tetecv, "cblearn": measure_cblearn}
TABLES = {"ellipses": measure_ellipses, "size": measure_size}


def warm_up() -> None:
    """Load compiled code, which would count as a part of the first fits."""
    answers, _, _ = points_with("true", 2, 50, 0)
    for estimator in (*(make(2) for make in FIXED.values()), TETE(n_jobs=1), TETECV([2], n_jobs=1)):
        estimator.fit(answers)


def measure(stage: str, wanted: str, stored: dict[str, Any], save: Callable[[], None]) -> None:
    """Measure what is not stored yet, draw after draw, and save after each."""
    for cell in (cell for cell in cells() if wanted in cell.name):
        for draw in range(1 if stage == "cblearn" else DRAWS[cell.group]):
            found = stored["cells"].setdefault(cell.name, {}).setdefault(str(draw), {})
            done = {"cells": "TETE()", "tetecv": "TETECV", "cblearn": "cblearn TSTE"}[stage]
            if done in found:
                continue
            found |= STAGES[stage](cell, draw, found)
            print(stage, cell.name, draw, flush=True)
            save()


def forget(stages: list[str], wanted: str, stored: dict[str, Any]) -> None:
    """What these stages have measured."""
    for name, draws in stored["cells"].items():
        for found in draws.values() if wanted in name else ():
            for method in list(found):
                by = "cblearn" if method.startswith("cblearn") else "tetecv" if method == "TETECV" else "cells"
                if by in stages:
                    del found[method]


def render(stored: dict[str, Any]) -> str:
    tables: Tables = {
        "Regret over cells, against the best of all": regret_table(stored),
        "Cost in fits": cost_table(stored),
        "Cell by cell": cell_table(stored),
        "Leave-one-out 1-NN accuracy on MNIST": purity_table(stored),
        "SOE beside cblearn's (processor seconds)": speed_table(stored),
    }
    titles = {"ellipses": "90 % ellipses: share of true places inside", "size": "Many answers (a tenth reversed, 2-D)"}
    tables |= {titles[name]: stored[name] for name in TABLES if name in stored}
    parts = [f"# Temperatures chosen by the answers\n\n{__doc__}"]
    parts += [f"## {title}\n\n{as_markdown(rows)}" for title, rows in tables.items() if rows]
    parts += [f"{stage}: `{json.dumps(made)}`" for stage, made in stored["machines"].items()]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", help=f"default: all of {', '.join([*STAGES, *TABLES])}")
    parser.add_argument("--cells", default="", help="measure only cells whose names have this in them")
    parser.add_argument("--one-start", action="store_true", help="let cblearn's SOE start once, not ten times")
    parser.add_argument("--anew", action="store_true", help="measure again what these stages have stored")
    arguments = parser.parse_args()
    STAGES["cblearn"] = partial(measure_cblearn, one_start=arguments.one_start)
    warnings.simplefilter("ignore")  # objects that a few answers do not mention, and GNMDS out of iterations
    file = RESULTS / "temperatures.json"
    stored = json.loads(file.read_text()) if file.exists() else {"cells": {}}
    stages = arguments.stages or [*STAGES, *TABLES]
    if arguments.anew:
        forget(stages, arguments.cells, stored)
    machines = stored.setdefault("machines", {})  # by stage, as of its last measurement

    def save() -> None:
        file.write_text(json.dumps(stored, indent=1) + "\n")
        (RESULTS / "temperatures.md").write_text(render(stored))

    warm_up()
    for stage in stages:
        machines[stage] = machine()
        if stage in STAGES:
            measure(stage, arguments.cells, stored, save)
        else:
            stored[stage] = TABLES[stage]()
            save()
    save()


if __name__ == "__main__":
    main()
