"""Figure 6: maps of feature data, t-SNE above Weighted t-ETE above the listwise loss."""

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from tete.core.printing import counted
from tete.datasets import make_sphere, make_swiss_roll
from tete.drawing.figures import new_figure
from tete.experiments.claims_figure6 import claims
from tete.experiments.experiment import Experiment, Maps, Outcome, Row, Setting
from tete.experiments.inputs import load
from tete.experiments.means import means_and_spreads, rows_of
from tete.experiments.style import draw_points
from tete.experiments.tearing import pieces, torn_share
from tete.metrics import global_score, neighborhood_accuracy, neighborhood_recall, random_triplet_accuracy
from tete.reduction.estimators import ListwiseTETE, WeightedTETE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

SIZES = {
    "Wine": 178,
    "Sphere": 1000,
    "Swiss Roll": 3000,
    "Faces": 400,
    "COIL-20": 1440,
    "MNIST": 10_000,
    "USPS": 11_000,
    "Letters": 20_000,
}
METHODS = ("t-SNE", "Weighted t-ETE", "Listwise t-ETE")
PAPER_START = "Weighted t-ETE, paper's start"
RANDOM_START = "t-SNE, random start"  # as t-SNE was run when the paper was written
GENERATORS = {"Sphere": make_sphere, "Swiss Roll": make_swiss_roll}
SMALL_DATA, SEEDS = 5000, 3  # data sets up to this size are mapped from so many seeds
USPS_DIGITS = (3, 7, 8)  # the digits of which the paper says that t-SNE divides them


def settings(quick: bool) -> list[Setting]:
    """Every data set and method; t-SNE's random start not on the two largest that the paper does not speak of."""
    found: list[Setting] = []
    for data, size in SIZES.items():
        n_points = min(size, 400) if quick else size
        for method in (*METHODS, PAPER_START, RANDOM_START):
            if method == RANDOM_START and data in {"MNIST", "Letters"}:
                continue
            several = size <= SMALL_DATA and method != PAPER_START and not quick
            seeds = range(SEEDS if several else 1)
            found += [{"data": data, "n_points": n_points, "method": method, "seed": seed} for seed in seeds]
    return found


@lru_cache(maxsize=1)
def _rows(data: str, n_points: int, seed: int) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.float64] | None]:
    """Features, what colours the map, and the flat truth of the Swiss Roll; what is generated is drawn by the seed."""
    found = GENERATORS[data](n_points, random_state=seed) if data in GENERATORS else load(data)
    size = len(found.data)
    chosen = np.sort(np.random.default_rng(0).choice(size, min(n_points, size), replace=False))
    features = np.asarray(found.data, dtype=np.float32)[chosen]
    if data == "Wine":  # its columns have units of very different sizes
        features = StandardScaler().fit_transform(features)
    colors = np.asarray(found.truth[:, 0] if found.target is None else found.target)[chosen]  # faces: where they look
    return features, colors, found.truth[chosen] if data == "Swiss Roll" else None


def run(setting: Setting, n_jobs: int) -> Outcome:
    """One map with its seconds and measures of quality."""
    data, method = str(setting["data"]), str(setting["method"])
    features, colors, truth = _rows(data, int(setting["n_points"]), int(setting["seed"]))
    _warm_up(method, n_jobs)
    started, cpu_started = time.perf_counter(), time.process_time()
    places = _fit(method, features, 10 if data == "COIL-20" else 20, int(setting["seed"]), n_jobs)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    row = {"seconds": seconds, "cpu_seconds": cpu_seconds, **_measures(data, features, colors, truth, places)}
    keep = {"embedding": places.astype(np.float32), "colors": colors} if setting["seed"] == 0 else {}
    return Outcome([row], keep)


def _fit(method: str, features: NDArray[np.float32], m: int, seed: int, n_jobs: int) -> NDArray[np.float64]:
    if method in {"t-SNE", RANDOM_START}:
        from openTSNE import TSNE  # noqa: PLC0415  (an extra)

        reduced = PCA(50, random_state=0).fit_transform(features) if features.shape[1] > 50 else features
        start = "random" if method == RANDOM_START else "pca"
        return np.asarray(TSNE(initialization=start, random_state=seed, n_jobs=n_jobs).fit(reduced), dtype=np.float64)
    estimator: WeightedTETE | ListwiseTETE
    if method == "Listwise t-ETE":
        estimator = ListwiseTETE(random_state=seed, n_jobs=n_jobs)
    else:
        how: dict[str, Any] = {"max_iter": 400}
        if method == PAPER_START:
            how = {"init": "random", "optimizer": "gradient_descent", "max_iter": 1000}
        estimator = WeightedTETE(n_neighbors=m, n_outliers=m, random_state=seed, n_jobs=n_jobs, **how)
    return estimator.fit_transform(features).astype(np.float64)


@lru_cache(maxsize=8)
def _warm_up(method: str, n_jobs: int) -> None:
    """Compile what is compiled on first use, so that seconds are those of the map alone."""
    _fit(method, np.random.default_rng(0).normal(size=(200, 60)).astype(np.float32), 10, 0, n_jobs)


def _measures(
    data: str,
    features: NDArray[np.float32],
    colors: NDArray[Any],
    truth: NDArray[np.float64] | None,
    places: NDArray[np.float64],
) -> Row:
    found: Row = {
        "recall_15": neighborhood_recall(features, places),
        "random_triplets": random_triplet_accuracy(features, places),
        "global_score": global_score(features, places),
        "pieces": pieces(places),
    }
    if truth is not None:
        found["torn_share"] = torn_share(truth, places)
    if colors.dtype.kind in "iu":
        found["accuracy_10nn"] = neighborhood_accuracy(places, colors)
    if data == "USPS":
        found |= {f"pieces_of_{digit}": pieces(places[colors == digit], least=0.05) for digit in USPS_DIGITS}
    return found


def draw(table: "pd.DataFrame", maps: Maps) -> "Figure":
    """A column for each data set, a row for each method."""
    shown = list(dict.fromkeys(str(setting["data"]) for setting, _ in maps))
    figure, axes = new_figure(2.6 * len(shown), 8.6, len(METHODS), len(shown))
    grid = axes.reshape(len(METHODS), len(shown))
    for panel in grid.flat:
        panel.set_axis_off()
    for setting, arrays in maps:
        if setting["method"] in METHODS:
            line, column = METHODS.index(str(setting["method"])), shown.index(str(setting["data"]))
            _draw_map(grid[line, column], setting, arrays["embedding"], arrays["colors"], table)
    return figure


def _draw_map(
    axes: "Axes", setting: Setting, places: NDArray[np.float64], colors: NDArray[Any], table: "pd.DataFrame"
) -> None:
    row = rows_of(table, data=setting["data"], method=setting["method"], seed=0).iloc[0]
    axes.set_axis_on()
    draw_points(axes, places, colors, classes=colors.dtype.kind in "iu")
    axes.set_title(f"{setting['data']}: {setting['method']}", fontsize=9)
    classes = f", 10-NN {row['accuracy_10nn']:.3f}" if row["accuracy_10nn"] == row["accuracy_10nn"] else ""
    lines = (
        f"{row['seconds']:.1f} s, {counted(round(row['pieces']), 'piece')}{classes}",
        f"recall {row['recall_15']:.3f}, triplets {row['random_triplets']:.3f}, global {row['global_score']:.2f}",
    )
    axes.set_xlabel("\n".join(lines), fontsize=7)


def summary(table: "pd.DataFrame") -> "pd.DataFrame":
    """Means over seeds."""
    measures = [
        "seconds",
        "cpu_seconds",
        "accuracy_10nn",
        "recall_15",
        "random_triplets",
        "global_score",
        "pieces",
        "torn_share",
    ]
    measures += [f"pieces_of_{digit}" for digit in USPS_DIGITS]
    return means_and_spreads(table, ["data", "n_points", "method"], [name for name in measures if name in table])


EXPERIMENT = Experiment(
    name="figure6",
    title="Figure 6: dimensionality reduction, t-SNE and Weighted t-ETE",
    version="3",
    paper="Eight pairs of pictures without numbers. The paper says that t-SNE tears manifolds and divides clusters "
    "(USPS 3, 7 and 8), that Weighted t-ETE does not, that it is faster, and that plain gradient descent suffices.",
    protocol=(
        "Wine (178, standardised), Sphere (1,000), Swiss Roll (3,000), Faces (400 of 698, 32 x 32), COIL-20 (32 x 32), "
        "MNIST (10,000), USPS (11,000), Letters (20,000; the paper does not say how many).",
        "t-SNE is openTSNE with its defaults (perplexity 30, a start by principal components) "
        "and from a random start, on 50 principal components where there are more columns. "
        "Weighted t-ETE: t = t' = 2, m = 20 neighbours and outliers (COIL-20: 10), gamma = .01, 400 iterations. "
        "Listwise t-ETE is our own, with its defaults.",
        "Three seeds up to 5,000 rows (of Sphere and Swiss Roll three draws), one above. "
        "Seconds are wall time on all cores, from features to map, compiled "
        "code loaded, with nothing else of this run beside; CPU seconds depend less on what else the machine does.",
        "Pieces: connected parts of the map with at least 1 % of the points (of one digit: 5 % of its points), where "
        "points are joined that are nearer than 3 times the median distance to the fifth neighbour. Torn: share of "
        "the 10 nearest neighbours on the unrolled roll that are farther apart on the map than 5 times their median.",
        "Recall of the 15 nearest neighbours, accuracy of random triplets and TriMap's global score are those of "
        "tete.metrics. Weighted t-ETE as in the paper (random start, 1,000 steps of gradient descent) and "
        "t-SNE from a random start are in the table only.",
    ),
    settings=settings,
    run=run,
    draw=draw,
    summary=summary,
    claims=claims,
    tried="openTSNE with its default start from principal components, and from random starts, as t-SNE was run in the "
    "paper's time. Weighted t-ETE with the library's optimiser, and with plain gradient descent from a random start "
    "for 1,000 steps, as in the paper. Quality is compared at small and at large distances.",
    timed=True,
)
