"""One look for all figures: a colour and a marker for each method, curves with error bars, maps with names."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.drawing.label_placement import place_labels
from tete.drawing.themes import COLORS, LIGHT, MARKERS, class_color

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["START_NAMES", "draw_curves", "draw_digits", "draw_named", "draw_points", "method_style", "share_legend"]

CLASS_COLORS = (*COLORS, "#999999")

START_NAMES = {"ours": "our start", "paper": "paper's start", "random": "random start, L-BFGS"}

STYLES = {
    "GNMDS": (COLORS[6], "v"),
    "CKL": (COLORS[4], "D"),
    "STE": (COLORS[1], "^"),
    "t-STE": (COLORS[5], "s"),
    "t-ETE": (COLORS[0], "o"),
    "t-ETE (default)": (COLORS[2], "P"),
    "t-SNE": (COLORS[5], "s"),
    "Weighted t-ETE": (COLORS[0], "o"),
    "Listwise t-ETE": (COLORS[2], "P"),
}


def method_style(method: str, number: int = 0) -> dict[str, Any]:
    """Colour and marker of a method, or of the `number`-th of other things; variants after a comma are dashed."""
    name, _, variant = method.partition(", ")
    color, marker = STYLES.get(name, (COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]))
    hollow = {"linestyle": "--", "markerfacecolor": "white"} if variant and name in STYLES else {"linestyle": "-"}
    return {"color": color, "marker": marker, "markersize": 4.0, "linewidth": 1.2, **hollow}


def draw_curves(axes: "Axes", table: "pd.DataFrame", x: str, y: str, *, by: str = "method") -> None:
    """Means over the rows that share `x` and `by`, with bars of one standard deviation to both sides.

    Curves are moved aside a little, so that their bars do not cover each other.
    """
    names = list(dict.fromkeys(table[by]))
    places = np.sort(table[x].unique())
    width = min(0.5 * np.min(np.diff(places)), 0.04 * np.ptp(places)) if len(places) > 1 else 0.1
    for number, name in enumerate(names):
        groups = table[table[by] == name].groupby(x)[y]
        mean, spread = groups.mean(), groups.std(ddof=1).fillna(0.0)
        aside = width * ((number + 0.5) / len(names) - 0.5)
        style = method_style(name, number)
        axes.errorbar(
            mean.index.to_numpy(dtype=float) + aside,
            mean.to_numpy(),
            spread.to_numpy(),
            label=name,
            capsize=1.5,
            elinewidth=0.7,
            zorder=3 if name.startswith("t-ETE") else 2,
            **style,
        )
    axes.set(xlabel=x, ylabel=y)
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def share_legend(axes: "Axes", columns: int) -> None:
    """One legend below the whole figure, from one of its axes."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)


def draw_digits(axes: "Axes", places: NDArray[np.float64], digits: NDArray[Any]) -> None:
    """A map of handwritten digits, each drawn as the digit that it is."""
    size = float(np.clip(14000.0 / len(places), 4.0, 22.0))
    for digit in np.unique(digits):
        here = places[digits == digit]
        color = class_color(LIGHT, int(digit))
        axes.scatter(here[:, 0], here[:, 1], color=color, marker=f"${int(digit)}$", s=size, linewidths=0.2)
    axes.set(xticks=[], yticks=[], aspect="equal")


def draw_points(axes: "Axes", places: NDArray[np.float64], values: ArrayLike, *, classes: bool) -> None:
    """A map coloured by classes or by a measurement, without a legend: there is no room under small pictures."""
    colors = np.asarray(values)
    if classes:
        codes = np.unique(colors, return_inverse=True)[1]
        shades: Any = {"c": codes, "cmap": "tab10" if codes.max() < 10 else "tab20"}
    else:
        shades = {"c": colors, "cmap": "viridis"}
    area = float(np.clip(6000.0 / len(places), 0.4, 12.0))
    axes.scatter(places[:, 0], places[:, 1], s=area, linewidths=0, rasterized=True, **shades)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.margins(0.03)


def draw_named(
    axes: "Axes", places: NDArray[np.float64], classes: NDArray[Any], names: list[str], *, size: float
) -> None:
    """A map with classes in colours and the names of its points wherever there is room."""
    for number, label in enumerate(np.unique(classes)):
        here = places[classes == label]
        axes.scatter(
            here[:, 0],
            here[:, 1],
            s=8.0,
            linewidths=0,
            color=CLASS_COLORS[number % len(CLASS_COLORS)],
            label=str(label),
        )
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.margins(0.06)
    place_labels(axes, places, names, radius=1.6, size=size, longest=34)
