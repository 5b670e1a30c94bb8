"""The maps that the page shows, side by side, as Bokeh draws them: empty, since `page.js` brings the points.

So points are drawn once only, with their colours and names. Maps beside the first show the same points at other places,
and Bokeh marks what is selected on one of them on all.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.randomness import make_generator
from tete.drawing.map_picture import ellipse_reach

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

__all__ = ["linked_maps"]

MOST_BEHIND = 50_000  # pale points behind the others, about half a MB in the file
MOVING_POINTS = 5000  # about as many are drawn while the map moves, where no graphics card draws them
MOST_NAMES_BESIDE = 60  # as many objects have their names beside them where there is room; more would cover the map
MOST_HOVERED = 4  # in a crowd, the tooltips of all objects under the mouse would cover the map

# Bokeh escapes what it puts in for @name and the like.
PLAIN_HOVER = [("", "@name"), ("", "@label")]
PICTURE_HOVER = '<div><img src="@image" alt="" style="min-width: 72px"><div>@name</div><div>@label</div></div>'
# What is known of each point in the drawing.
LOOKS = ("name", "label", "image", "color", "ink", "ring")
COLUMNS = (*LOOKS, "width", "height", "angle")
# And on each map: its place, the name beside it and where that is; on maps beside the first with a number, x1, y1, ...
PLACED = ("x", "y", "written", "align", "aside", "below")

# The colours are those of `page.css`, which does not reach into Bokeh's elements otherwise.
FOCUS_STYLE = ":host(:focus-visible) { outline: 3px solid var(--link); outline-offset: -3px; }"
FIGURE_LOOK: dict[str, Any] = {
    "name": "map",
    "stylesheets": [FOCUS_STYLE],
    "sizing_mode": "stretch_both",
    "output_backend": "webgl",
    "match_aspect": True,
    "lod_threshold": 2 * MOVING_POINTS,
    "tools": "pan,wheel_zoom,box_zoom,lasso_select,tap",
    "active_scroll": "wheel_zoom",
    "toolbar_location": None,  # the page has buttons of its own, which a keyboard reaches
    "x_axis_location": None,
    "y_axis_location": None,
}

# The page's own paper, light or dark. The style sheet draws the frame: Bokeh leaves an old one behind when the window
# changes its size.
PAPER_LOOK: dict[str, Any] = {
    "background_fill_color": None,
    "border_fill_color": None,
    "outline_line_color": None,
    "min_border": 0,
}
TITLE_LOOK: dict[str, Any] = {"text_color": "#808080", "offset": 6}
POINT_LOOK: dict[str, Any] = {
    "fill_color": "color",
    "line_color": None,
    "fill_alpha": 1.0,
    "nonselection_fill_alpha": 0.15,
}
BACKGROUND_LOOK: dict[str, Any] = {"name": "behind", "fill_color": "#8F8F8F", "fill_alpha": 0.35, "line_color": None}
NAME_LOOK: dict[str, Any] = {
    "text_color": "ink",
    "text_font_size": "11px",
    "text_baseline": "middle",
    "nonselection_text_alpha": 0.3,
}
RING_LOOK: dict[str, Any] = {"fill_color": None, "line_color": "ink", "line_width": 1.5, "nonselection_line_alpha": 0.3}
CLASS_NAME_LOOK: dict[str, Any] = {
    "text": "text",
    "text_color": "ink",
    "text_font_size": "14px",
    "text_font_style": "bold",
    "text_align": "center",
    "text_baseline": "middle",
}
# Of several maps, the point that the mouse is on is marked on all, and each but the first has a line on its left.
POINTED_LOOK: dict[str, Any] = {"hover_fill_color": "color", "hover_line_color": "ink", "hover_line_width": 3}
BESIDE_STYLE = ":host { box-shadow: -1px 0 var(--line); }"
ELLIPSE_LOOK: dict[str, Any] = {
    "width": "width",
    "height": "height",
    "angle": "angle",
    "fill_color": "color",
    "fill_alpha": 0.1,
    "line_color": "color",
    "line_alpha": 0.4,
    "nonselection_fill_alpha": 0.0,
    "nonselection_line_alpha": 0.05,
}


def linked_maps(
    plane: NDArray[np.float64],
    ellipses: NDArray[np.float64] | None,
    beside: Mapping[str, NDArray[np.float64]],
    name: str,
    *,
    behind: NDArray[np.float64],
    rings: bool = False,
    pictured: bool = False,
) -> "LayoutDOM":
    """A map on this plane, with all that the page knows to draw on it, and maps beside it."""
    try:
        from bokeh.layouts import row  # noqa: PLC0415
        from bokeh.models import BooleanFilter, CDSView, ColumnDataSource  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("the interactive page needs bokeh: pip install 'tete[plot]'") from error
    hover = PICTURE_HOVER if pictured else PLAIN_HOVER
    placed = [f"{column}{number or ''}" for number in range(len(beside) + 1) for column in PLACED]
    source = ColumnDataSource({name: [] for name in (*COLUMNS, *placed)}, name="points")
    view = CDSView(filter=BooleanFilter(name="visible"))
    plot = _figure(plane, hover, 0.0 if ellipses is None else ellipse_reach(ellipses), name, behind=behind)
    if len(behind):
        _add_background(plot, behind)
    links = ColumnDataSource({"x": [], "y": [], "to_x": [], "to_y": []}, name="links")
    plot.segment("x", "y", "to_x", "to_y", source=links, line_color="#999999", line_width=1.5)
    if ellipses is not None:
        plot.ellipse("x", "y", source=source, view=view, **ELLIPSE_LOOK)
    _add_points(plot, source, view, len(plane), **(POINTED_LOOK if beside else {}))
    if rings:
        plot.scatter("x", "y", source=source, view=view, size="ring", **RING_LOOK)
    named = ColumnDataSource({"x": [], "y": [], "text": [], "ink": []}, name="classes")
    plot.text("x", "y", source=named, **CLASS_NAME_LOOK)
    if not beside:
        return plot
    plots = [plot]
    for number, (title, other) in enumerate(beside.items(), start=1):
        plots.append(_figure(other, hover, 0.0, title, name=f"map{number}", stylesheets=[FOCUS_STYLE, BESIDE_STYLE]))
        _add_points(plots[-1], source, view, len(plane), number=str(number), **POINTED_LOOK)
    return row(plots, sizing_mode="stretch_both", spacing=1)


def _figure(
    plane: NDArray[np.float64],
    hover: Any,
    reach: float | NDArray[np.float64],
    title: str,
    behind: NDArray[np.float64] | None = None,
    **details: Any,
) -> "figure":
    """An empty map that holds its frame."""
    from bokeh.models.annotations import Title  # noqa: PLC0415
    from bokeh.plotting import figure  # noqa: PLC0415

    plot = figure(tooltips=hover, lod_factor=max(1, len(plane) // MOVING_POINTS), **(FIGURE_LOOK | details))
    plot.grid.visible = False
    plot.update(**PAPER_LOOK)
    if title:
        plot.title = Title(text=title, **TITLE_LOOK)
    corners = np.array([(plane - reach).min(axis=0), (plane + reach).max(axis=0)])
    _hold_frame(plot, corners if behind is None else np.concatenate([corners, behind]))
    return plot


def _add_background(plot: "figure", behind: NDArray[np.float64]) -> None:
    """The objects of the map that others were placed on; nothing can be done with them."""
    x, y = make_generator(0).permutation(behind)[:MOST_BEHIND].astype(np.float32).T
    plot.scatter(x, y, size=0.6 * _point_size(len(behind)), **BACKGROUND_LOOK)


def _add_points(plot: "figure", source: Any, view: Any, count: int, *, number: str = "", **details: Any) -> None:
    """The points at their places on the map of this number, with their names if they are few, and tools for them."""
    from bokeh.models import HoverTool, LassoSelectTool, TapTool  # noqa: PLC0415

    size = _point_size(count)
    x, y, written, align, aside, below = (f"{column}{number}" for column in PLACED)
    points = plot.scatter(x, y, source=source, view=view, size=size, **POINT_LOOK, **details)
    if count <= MOST_NAMES_BESIDE:
        beside: dict[str, Any] = {"text_align": align, "x_offset": aside, "y_offset": below, "name": f"names{number}"}
        plot.text(x, y, written, source=source, view=view, **NAME_LOOK, **beside)
    for tool in plot.tools:
        if isinstance(tool, (HoverTool, LassoSelectTool, TapTool)):
            tool.update(renderers=[points], **({"limit": MOST_HOVERED} if isinstance(tool, HoverTool) else {}))


def _hold_frame(plot: "figure", places: NDArray[np.float64]) -> None:
    """Let the frame follow the outermost of these places alone, so that hiding a group does not move the map."""
    corners = np.array([places.min(axis=0), places.max(axis=0)])
    outermost = plot.scatter(corners[:, 0], corners[:, 1], size=0)
    for axis in (plot.x_range, plot.y_range):
        axis.update(renderers=[outermost])


def _point_size(count: int) -> float:
    """In pixels."""
    return float(np.clip(600.0 / np.sqrt(count), 3.0, 11.0))
