"""Static pictures of maps. Figures are made without pyplot, so that nothing global is touched and nothing leaks."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.continuation import principal_axes
from tete.cross_validation import best_of_each_dimension
from tete.exceptions import InvalidParameterError
from tete.io.sources import AnyPath
from tete.io.writing import atomic_write
from tete.label_placement import place_labels
from tete.metrics import satisfied
from tete.triplets import Triplets
from tete.validation import check_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLORS",
    "PICTURES",
    "is_number_scale",
    "new_figure",
    "plot_choice",
    "plot_convergence",
    "plot_map",
    "save_picture",
]

# Okabe and Ito's colours, which people with any kind of colour vision tell apart; then the markers change.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#B8A800")
MARKERS = "os^DvPX*"
PICTURES = (".png", ".svg", ".pdf")

MOST_CLASSES = len(COLORS) * len(MARKERS)
MOST_LEGEND_ENTRIES = 30
MOST_CODES = 12  # this many small whole numbers are codes of classes
MANY_POINTS = 20_000  # from here on a picture of points is a blot, and a density says more


def new_figure(width: float = 7.0, height: float = 6.0, rows: int = 1, columns: int = 1) -> tuple["Figure", Any]:
    """A figure and its axes (an array of them if there are several)."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (loaded only when something is drawn)
    except ImportError as error:
        raise ImportError("plotting needs matplotlib: pip install 'tete[plot]'") from error
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def save_picture(path: AnyPath, figure: "Figure", *, force: bool = False) -> None:
    """Write a figure as PNG, SVG or PDF, by the extension."""
    extension = Path(path).suffix.lower()
    if extension not in PICTURES:
        raise InvalidParameterError(f"`path` must end in {', '.join(PICTURES)}, got {extension!r}.")
    with atomic_write(path, force=force) as stream:
        figure.savefig(stream, format=extension[1:], dpi=150)


def plot_map(
    embedding: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    label_name: str | None = None,
    names: Sequence[Any] | None = None,
    violated: Triplets | None = None,
    title: str | None = None,
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw a map.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
        Beyond two dimensions the first two principal axes are drawn.
    labels : array of n_objects classes or numbers, optional
        Classes get colours, markers and a legend; many different numbers get a colour scale.
    label_name : str, optional
        The title of the legend or of the colour scale.
    names : sequence of n_objects names, optional
        Written beside the points wherever there is room.
    violated : Triplets, optional
        Of these, the ones that the map contradicts are drawn: a line to near, which should be the shorter one.
    title : str, optional
    axes : matplotlib axes, optional
        Where to draw; by default a new figure, to be had as ``axes.figure``.
    """
    places = _plane(check_map("embedding", embedding))
    if axes is None:
        axes = new_figure()[1]
    assert axes is not None
    if violated is not None:
        _draw_violated(axes, check_map("embedding", embedding), places, violated)
    if labels is None:
        _draw_plain(axes, places)
    else:
        values = _check_labels(labels, len(places))
        if is_number_scale(values):
            _draw_numbers(axes, places, values.astype(np.float64), label_name)
        else:
            _draw_classes(axes, places, values, label_name)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.margins(0.04)
    if title is not None:
        axes.set_title(title)
    if names is not None:
        place_labels(axes, places, [str(name) for name in names], radius=np.sqrt(_point_area(len(places))) / 2)
    return axes


def plot_convergence(history: ArrayLike, *, axes: "Axes | None" = None) -> "Axes":
    """Draw the value of the objective after each iteration."""
    if axes is None:
        axes = new_figure(6.0, 3.5)[1]
    assert axes is not None
    values = np.asarray(history, dtype=np.float64)
    axes.plot(np.arange(1, len(values) + 1), values, color=COLORS[0])
    axes.set(xlabel="iteration", ylabel="objective")
    return axes


def plot_choice(results: dict[str, Any], chosen: dict[str, Any], *, axes: "Axes | None" = None) -> "Axes":
    """Draw held-out error against dimension from a `TETECV`'s `cv_results_` and `best_params_`.

    Bars are one standard error; of each dimension the best temperatures are drawn, and the chosen candidate is ringed.
    """
    if axes is None:
        axes = new_figure(6.0, 4.0)[1]
    assert axes is not None
    places = best_of_each_dimension(results, chosen)
    dims, errors = results["param_n_components"][places], 100.0 * (1.0 - results["mean_test_score"][places])
    axes.errorbar(dims, errors, yerr=100.0 * results["standard_error"][places], color=COLORS[0], marker="o", capsize=3)
    ringed = results["params"].index(chosen)
    label = f"chosen: {chosen['n_components']}-D, t = {chosen['t']:g}, t' = {chosen['t_prime']:g}"
    error = 100.0 * (1.0 - results["mean_test_score"][ringed])
    axes.scatter([chosen["n_components"]], [error], s=160, facecolors="none", edgecolors=COLORS[5], label=label)
    axes.set(xlabel="dimensions", ylabel="held-out answers contradicted (%)", xticks=dims)
    axes.legend(frameon=False)
    return axes


def is_number_scale(values: NDArray[Any]) -> bool:
    """Whether labels are measurements, for a colour scale, rather than classes."""
    if values.dtype.kind not in "iuf":
        return False
    different = np.unique(values[np.isfinite(values)])
    codes = len(different) <= MOST_CODES and np.all(different == np.round(different))
    return not (codes and np.ptp(different) < 2 * MOST_CODES) if len(different) else False


def _plane(embedding: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two coordinates of each object."""
    if embedding.shape[1] == 1:
        return np.column_stack([embedding[:, 0], np.zeros(len(embedding))])
    return principal_axes(embedding, 2)


def _check_labels(labels: ArrayLike, length: int) -> NDArray[Any]:
    values = np.asarray(labels)
    if values.shape != (length,):
        raise InvalidParameterError(f"`labels` must have one entry for each of {length} objects, got {values.shape}.")
    return values


def _point_area(n_points: int) -> float:
    """Smaller points for more of them, in square points."""
    return float(np.clip(6000.0 / n_points, 0.5, 30.0))


def _draw_plain(axes: "Axes", places: NDArray[np.float64]) -> None:
    if len(places) > MANY_POINTS:
        axes.hexbin(places[:, 0], places[:, 1], gridsize=200, bins="log", mincnt=1, cmap="cividis", linewidths=0.0)
    else:
        axes.scatter(places[:, 0], places[:, 1], s=_point_area(len(places)), color=COLORS[0], linewidths=0)


def _draw_numbers(axes: "Axes", places: NDArray[np.float64], values: NDArray[np.float64], name: str | None) -> None:
    points = axes.scatter(
        places[:, 0],
        places[:, 1],
        s=_point_area(len(places)),
        c=values,
        cmap="cividis",
        linewidths=0,
        plotnonfinite=False,
        rasterized=len(places) > MANY_POINTS,
    )
    axes.figure.colorbar(points, ax=axes, shrink=0.7, label=name or "")


def _draw_classes(axes: "Axes", places: NDArray[np.float64], classes: NDArray[Any], name: str | None) -> None:
    different, counts = np.unique(classes, return_counts=True)
    by_size = np.argsort(-counts, kind="stable")  # the largest classes get the clearest colours
    rank_of = {different[place]: rank for rank, place in enumerate(by_size)}
    for label in different:
        here, rank = places[classes == label], rank_of[label]
        color, marker, text = COLORS[rank % len(COLORS)], MARKERS[rank // len(COLORS) % len(MARKERS)], str(label)
        if rank >= MOST_CLASSES or text == "":
            color, marker, text = "#BBBBBB", ".", "none"
        axes.scatter(
            here[:, 0],
            here[:, 1],
            s=_point_area(len(places)),
            color=color,
            marker=marker,
            linewidths=0,
            label=text,
            rasterized=len(places) > MANY_POINTS,
        )
    if len(different) <= MOST_LEGEND_ENTRIES:
        legend = axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title=name, frameon=False)
        for handle in legend.legend_handles:
            if handle is not None:
                handle.set(sizes=[30.0])


def _draw_violated(
    axes: "Axes", embedding: NDArray[np.float64], places: NDArray[np.float64], triplets: Triplets, most: int = 200
) -> None:
    """The worst of the contradicted triplets, as lines from anchor to near and fainter ones to far."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    contradicted = ~satisfied(embedding, triplets)
    if not contradicted.any():
        return
    wrong = triplets.select(contradicted)
    anchor = embedding[wrong.anchor]
    excess = np.linalg.norm(anchor - embedding[wrong.near], axis=1) - np.linalg.norm(
        anchor - embedding[wrong.far], axis=1
    )
    rows = np.argsort(-excess, kind="stable")[:most]
    for others, color, style in ((wrong.near, COLORS[5], "solid"), (wrong.far, COLORS[4], "dotted")):
        lines = np.stack([places[wrong.anchor[rows]], places[others[rows]]], axis=1)
        axes.add_collection(
            LineCollection(list(lines), colors=color, linestyles=style, linewidths=0.6, alpha=0.6, zorder=0)
        )
