"""Objects placed on a finished map: those of the map pale behind them, rings about those that hardly belong, a key."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.drawing.density import draw_density
from tete.drawing.point_looks import DENSE_POINTS, point_area, point_look, rgb
from tete.drawing.themes import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_placed"]

Looks: TypeAlias = dict[str, dict[str, Any]]  # by what they mean

PALE = 0.45  # share of the colour of what has no class; the rest is paper
KEY_LOOK: dict[str, Any] = {"handletextpad": 0.2, "columnspacing": 1.0, "borderpad": 0.2, "frameon": False}


def draw_placed(
    axes: "Axes",
    places: NDArray[np.float64],
    others: NDArray[np.float64],
    unlike: NDArray[np.bool_] | None,
    *,
    colored: bool,
    theme: Theme,
) -> None:
    """Draw the `others` of the map behind these places, rings about the `unlike` ones, and what these mean.

    Places that are not `colored` by anything else have the theme's first colour.
    """
    key = _draw_behind(axes, others, theme) if len(others) else {}
    if len(others) and not colored:
        key[f"placed on it ({len(places):,})"] = {"color": theme.colors[0], "linewidths": 0}
    if unlike is not None and unlike.any():
        key |= _draw_rings(axes, places[unlike], len(places), theme)
    if key:
        _add_key(axes, key, theme)


def _draw_behind(axes: "Axes", places: NDArray[np.float64], theme: Theme) -> Looks:
    color = PALE * rgb(theme.unknown) + (1.0 - PALE) * rgb(theme.paper)
    if len(places) > DENSE_POINTS:
        draw_density(axes, places, np.broadcast_to(color, (len(places), 3)))
    else:
        axes.scatter(places[:, 0], places[:, 1], color=color, zorder=0.5, **point_look(len(places)))
    return {f"the map ({len(places):,})": {"color": color, "linewidths": 0}}


def _draw_rings(axes: "Axes", places: NDArray[np.float64], n_points: int, theme: Theme) -> Looks:
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": theme.ink, "linewidths": 0.9}
    axes.scatter(places[:, 0], places[:, 1], s=max(3.0 * point_area(n_points), 20.0), zorder=3, **look)
    return {f"hardly belong ({len(places):,})": look}


def _add_key(axes: "Axes", looks: Looks, theme: Theme) -> None:
    """Below the map, because a legend of classes may stand beside it."""
    from matplotlib.legend import Legend  # noqa: PLC0415

    shown = [axes.scatter([], [], s=30.0, **look) for look in looks.values()]
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "ncols": len(looks)}
    key = Legend(axes, shown, list(looks), labelcolor=theme.ink, **place, **KEY_LOOK)
    axes.add_artist(key)
    key.set_clip_on(False)  # it is outside of the frame
