"""Static pictures of maps: points by class, by number or by density, with names, ellipses and contradicted answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.triplets import Triplets
from tete.core.geometry import principal_axes
from tete.core.validation import check_map
from tete.drawing.class_order import class_texts, given_colors, ordered_classes
from tete.drawing.density import draw_density
from tete.drawing.figure_size import figure_size, legend_width
from tete.drawing.figures import new_figure
from tete.drawing.label_placement import keep_inside, place_labels
from tete.drawing.placed_objects import draw_placed
from tete.drawing.point_looks import DENSE_POINTS, point_area, point_look, rgb
from tete.drawing.themes import COLORS, MARKERS, Theme, ThemeName, class_color, color_scale, dress, theme_of
from tete.exceptions import InvalidParameterError
from tete.metrics.satisfaction import satisfied

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

    from tete.reliability.uncertainty import Uncertainty

__all__ = ["ellipse_reach", "is_number_scale", "plane_of", "plot_map"]

MOST_CLASSES = len(COLORS) * len(MARKERS)  # that look different; those beyond are grey
MOST_LEGEND_ENTRIES = 30  # about as many fit beside a figure of the largest height
LONGEST_NAME = 24  # letters of a class in its midst
MOST_CODES = 12  # this many small whole numbers are codes of classes


def plot_map(
    embedding: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    label_name: str | None = None,
    classes: Sequence[Any] | None = None,
    colors: Mapping[Any, str] | None = None,
    class_names: bool = False,
    names: Sequence[Any] | None = None,
    background: ArrayLike | None = None,
    unlike: ArrayLike | None = None,
    violated: Triplets | None = None,
    uncertainty: "Uncertainty | None" = None,
    title: str | None = None,
    theme: ThemeName = "light",
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw a map.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
        The map. Beyond two dimensions the first two principal axes are drawn.
    labels : array of n_objects classes or numbers, optional
        Classes get colours, markers and a legend; many different numbers get a colour scale. Beyond 150,000 objects
        the density of the points and their mean colour are drawn.
    label_name : str, optional
        The title of the legend or of the colour scale.
    classes : sequence of classes, optional
        All that there are, in the order of their colours, so that several pictures agree; by default those of `labels`,
        sorted.
    colors : mapping of classes to colours like "#1f77b4", optional
        Colours of some classes; the others have those of the theme.
    class_names : bool, default=False
        Whether to write the name of each class in its midst.
    names : sequence of n_objects names, optional
        Written beside the points wherever there is room.
    background : array of shape (n_others, n_components), optional
        Places of the objects of a finished map that these were placed on: pale, behind them.
    unlike : array of n_objects truth values, optional
        Objects that hardly belong to the map, as a `novelty` above 3 says: they get a ring.
    violated : Triplets, optional
        Of these, the ones that the map contradicts are drawn: a line to near, which should be the shorter one.
    uncertainty : Uncertainty, optional
        From `tete.position_uncertainty`: an ellipse about each place, where it lies with probability 0.9.
    title : str, optional
        What to write above the map.
    theme : "light" or "dark", default="light"
        Dark writes and draws on dark paper, that of the whole figure.
    axes : matplotlib axes, optional
        Where to draw; by default a new figure, to be had as ``axes.figure``.

    Returns
    -------
    matplotlib axes
        What was drawn on.

    Examples
    --------
    >>> from tete import plot_map
    >>> axes = plot_map([[0.0, 0.0], [1.0, 0.0], [3.0, 2.0]], labels=["tea", "tea", "cocoa"], names=["a", "b", "c"])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['cocoa', 'tea']
    """
    looks, given = theme_of(theme), given_colors(colors)
    places, others = plane_of(check_map("embedding", embedding), background)
    ellipses = None if uncertainty is None else uncertainty.ellipses(embedding)
    values = None if labels is None else _check_labels(labels, len(places), "labels")
    own_figure = axes is None
    if axes is None:
        reach = 0.0 if ellipses is None else ellipse_reach(ellipses)
        beside = 0.0 if values is None else legend_width(_legend_texts(values, label_name))
        axes = new_figure(*figure_size(np.concatenate([places, others]), reach, beside=beside))[1]
    assert axes is not None
    if violated is not None:
        _draw_violated(axes, check_map("embedding", embedding), places, violated)
    if ellipses is not None:
        _draw_ellipses(axes, places, ellipses)
    marked = None if unlike is None else _check_labels(unlike, len(places), "unlike").astype(bool)
    draw_placed(axes, places, others, marked, colored=values is not None, theme=looks)
    written: list[Annotation] = []
    if values is None:
        _draw_plain(axes, places, looks)
    elif is_number_scale(values):
        _draw_numbers(axes, places, values.astype(np.float64), label_name, looks)
    else:
        written = _draw_classes(axes, places, values, Drawn(classes, given, class_names, label_name), looks)
    # In a figure of its own, a frame that is flatter than the figure grows rather than leave paper blank beside it.
    axes.set(xticks=[], yticks=[], aspect="equal", adjustable="datalim" if own_figure else "box")
    axes.margins(0.04)
    if title is not None:
        axes.set_title(title)
    if written:
        keep_inside(axes, written)
    if names is not None:
        radius = np.sqrt(point_area(len(places))) / 2
        place_labels(axes, places, [str(name) for name in names], radius=radius, color=looks.ink)
    dress(axes, looks)
    return axes


def is_number_scale(values: NDArray[Any]) -> bool:
    """Whether labels are measurements, for a colour scale, rather than classes."""
    if values.dtype.kind not in "iuf":
        return False
    different = np.unique(values[np.isfinite(values)])
    codes = len(different) <= MOST_CODES and np.all(different == np.round(different))
    return not (codes and np.ptp(different) < 2 * MOST_CODES) if len(different) else False


def plane_of(
    embedding: NDArray[np.float64], background: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two coordinates of each object, and of each of those behind them, whose axes are taken where there are some."""
    behind = embedding[:0] if background is None else check_map("background", background)
    if behind.shape[1] != embedding.shape[1]:
        raise InvalidParameterError(
            f"`background` must have {embedding.shape[1]} columns like `embedding`, got {behind.shape[1]}."
        )
    base = behind if len(behind) else embedding
    if embedding.shape[1] == 1:
        return np.pad(embedding, ((0, 0), (0, 1))), np.pad(behind, ((0, 0), (0, 1)))
    return principal_axes(embedding, 2, of=base), principal_axes(behind, 2, of=base)


def _check_labels(labels: ArrayLike, length: int, name: str) -> NDArray[Any]:
    values = np.asarray(labels)
    if values.shape != (length,):
        raise InvalidParameterError(f"`{name}` must have one entry for each of {length} objects, got {values.shape}.")
    return values


def _draw_plain(axes: "Axes", places: NDArray[np.float64], theme: Theme) -> None:
    if len(places) > DENSE_POINTS:
        draw_density(axes, places, np.broadcast_to(rgb(theme.colors[0]), (len(places), 3)))
    else:
        axes.scatter(places[:, 0], places[:, 1], color=theme.colors[0], **point_look(len(places)))


def _draw_numbers(
    axes: "Axes", places: NDArray[np.float64], values: NDArray[np.float64], name: str | None, theme: Theme
) -> None:
    from matplotlib.cm import ScalarMappable  # noqa: PLC0415
    from matplotlib.colors import Normalize  # noqa: PLC0415

    known = np.isfinite(values)
    scale = ScalarMappable(Normalize(values[known].min(), values[known].max()), color_scale(theme))
    colors = np.full((len(places), 3), np.nan)
    colors[known] = scale.to_rgba(values[known])[:, :3]
    if len(places) > DENSE_POINTS:
        draw_density(axes, places, colors)
    else:
        axes.scatter(places[known, 0], places[known, 1], c=colors[known], **point_look(len(places)))
    bar = axes.figure.colorbar(scale, ax=axes, shrink=0.7, label=name or "")
    for part in (bar.ax.yaxis.label, bar.outline):
        part.set(color=theme.ink)
    bar.ax.tick_params(colors=theme.ink)


class Drawn(NamedTuple):
    """What is known of classes beside who is in them: their order, colours, whether to name them, and their title."""

    order: Sequence[Any] | None
    colors: Mapping[str, str]
    named: bool
    title: str | None


def _draw_classes(
    axes: "Axes", places: NDArray[np.float64], labels: NDArray[Any], known: Drawn, theme: Theme
) -> "list[Annotation]":
    """Draw points by class; returns the names that were written."""
    texts = class_texts(labels)
    order = ordered_classes(texts, [str(each) for each in known.order or ()])
    rank_of = {text: rank for rank, text in enumerate(order)}
    found = set(texts)
    different = [text for text in ("", *rank_of) if text in found]
    looks = [_class_look(text, rank_of.get(text, MOST_CLASSES), theme) for text in different]
    looks = [
        look | {"color": known.colors.get(text, look["color"])} for text, look in zip(different, looks, strict=True)
    ]
    number_of = {text: number for number, text in enumerate(different)}
    codes = np.array([number_of[text] for text in texts])
    if dense := len(places) > DENSE_POINTS:
        draw_density(axes, places, np.array([rgb(look["color"]) for look in looks])[codes])
    for code, look in enumerate(looks):
        shown = places[:0] if dense else places[codes == code]
        axes.scatter(shown[:, 0], shown[:, 1], **look, **point_look(len(places)))
    if len(different) <= MOST_LEGEND_ENTRIES:
        _add_legend(axes, known.title)
    if not known.named:
        return []
    return [_write_in_the_midst(axes, places[codes == code], text, theme) for code, text in enumerate(different)]


def _legend_texts(values: NDArray[Any], name: str | None) -> list[str]:
    """What a legend of these values will say; nothing where they have none."""
    different = set() if is_number_scale(values) else set(class_texts(values))
    return [*different, name or ""] if 0 < len(different) <= MOST_LEGEND_ENTRIES else []


def _add_legend(axes: "Axes", title: str | None) -> None:
    legend = axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title=title, frameon=False)
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set(sizes=[30.0])


def _write_in_the_midst(axes: "Axes", places: NDArray[np.float64], text: str, theme: Theme) -> "Annotation":
    """The name of a class at that of its objects which is nearest to their median: it may be bent, or in two parts."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415

    away = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    halo = [withStroke(linewidth=3.0, foreground=theme.paper)]
    place = places[int(np.argmin(away))]
    text = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3]}..."
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": theme.ink, "weight": "bold", "in_layout": False}
    return axes.annotate(
        text, (place[0], place[1]), xytext=(0, 0), textcoords="offset points", path_effects=halo, **look
    )


def _class_look(label: str, rank: int, theme: Theme) -> dict[str, Any]:
    """Colour, marker and name in the legend of the class that is number `rank` in order."""
    if rank >= MOST_CLASSES:
        return {"color": theme.unknown, "marker": ".", "label": "none"}
    marker = MARKERS[rank // len(theme.colors) % len(MARKERS)]
    return {"color": class_color(theme, rank), "marker": marker, "label": label}


def ellipse_reach(ellipses: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far ellipses, rows of (width, height, angle), reach from their centres to the side and up."""
    widths, heights, angles = ellipses.T
    across = np.column_stack([widths * np.cos(angles), widths * np.sin(angles)])
    along = np.column_stack([heights * np.sin(angles), heights * np.cos(angles)])
    return np.asarray(np.hypot(across, along) / 2.0)


def _draw_ellipses(axes: "Axes", places: NDArray[np.float64], ellipses: NDArray[np.float64]) -> None:
    from matplotlib.collections import EllipseCollection  # noqa: PLC0415

    widths, heights, angles = ellipses.T
    axes.add_collection(
        EllipseCollection(
            widths,
            heights,
            np.degrees(angles),
            units="xy",
            offsets=places,
            offset_transform=axes.transData,
            facecolors="#88888814",
            edgecolors="#88888888",
            linewidths=0.5,
            zorder=0,
        )
    )
    reach = ellipse_reach(ellipses)
    axes.update_datalim(np.concatenate([places - reach, places + reach]))


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
