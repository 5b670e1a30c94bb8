"""Names beside points, none of which covers another name or a point; names without room are left out."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import MissingLettersWarning, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

__all__ = ["keep_inside", "place_labels"]

FRAME_GAP = 2.0  # points between a text that was moved and the frame
MOST_TRIED = 2000  # names; each is measured by matplotlib, and later ones hardly ever find room
MISSING = "\N{WHITE SQUARE}"  # drawn for a letter that the font lacks

# Where the name goes: horizontal and vertical alignment, and the direction from the point.
SIDES = (
    ("left", "center", 1, 0),
    ("right", "center", -1, 0),
    ("center", "bottom", 0, 1),
    ("center", "top", 0, -1),
    ("left", "bottom", 1, 1),
    ("left", "top", 1, -1),
    ("right", "bottom", -1, 1),
    ("right", "top", -1, -1),
)


def place_labels(
    axes: "Axes",
    places: NDArray[np.float64],
    names: list[str],
    *,
    radius: float = 2.0,
    size: float = 7.0,
    longest: int = 28,
    color: str = "black",
) -> int:
    """Write names beside their points wherever there is room, lonely points first; returns how many were written.

    `radius` is that of the points, `size` that of the letters, both in points; names are cut to `longest` letters.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles the layout, and so where points are in pixels
    points = axes.transData.transform(places)
    frame = axes.get_window_extent()
    pixels = figure.dpi / 72.0  # in a point
    gap = radius + 1.0
    taken = np.column_stack([points - radius * pixels, points + radius * pixels])  # left, bottom, right, top
    written = 0
    names = _drawable(names)
    for number in _lonely_first(points)[:MOST_TRIED]:
        name = names[number] if len(names[number]) <= longest else f"{names[number][: longest - 1]}…"
        name = name.replace("$", r"\$")  # names are data, never formulas
        text = axes.text(0.0, 0.0, name, fontsize=size)
        extent = text.get_window_extent()
        text.remove()
        others = np.delete(taken, number, axis=0)
        for horizontal, vertical, right, up in SIDES:
            box = _box(points[number], gap * pixels, extent.width, extent.height, right, up)
            inside = box[0] >= frame.x0 and box[1] >= frame.y0 and box[2] <= frame.x1 and box[3] <= frame.y1
            if inside and not _overlaps(box, others):
                axes.annotate(
                    name,
                    places[number],
                    xytext=(right * gap, up * gap),
                    textcoords="offset points",
                    ha=horizontal,
                    va=vertical,
                    fontsize=size,
                    color=color,
                    in_layout=False,
                )
                taken = np.vstack([taken, box])
                written += 1
                break
    return written


def keep_inside(axes: "Axes", texts: "Sequence[Annotation]") -> None:
    """Move texts that run over the frame of the axes into it, as far as there is room."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles the layout, and so where texts are in pixels
    frame, pixels = axes.get_window_extent(), figure.dpi / 72.0
    gap = FRAME_GAP * pixels
    for text in texts:
        box = text.get_window_extent()
        right = max(frame.x0 + gap - box.x0, 0.0) or min(frame.x1 - gap - box.x1, 0.0)
        up = max(frame.y0 + gap - box.y0, 0.0) or min(frame.y1 - gap - box.y1, 0.0)
        across, along = text.get_position()
        text.set_position((across + right / pixels, along + up / pixels))


def _drawable(names: list[str]) -> list[str]:
    """The names on one line each, with boxes for letters that the font lacks, of which matplotlib would say much."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # noqa: PLC0415

    known = get_font(findfont(FontProperties())).get_charmap()
    lines = [" ".join(name.split()) for name in names]
    drawable = ["".join(letter if ord(letter) in known else MISSING for letter in line) for line in lines]
    lacking = [line for line, shown in zip(lines, drawable, strict=True) if line != shown]
    if lacking:
        warn(
            f"The font of the picture lacks letters of {len(lacking)} names, which are drawn as boxes, "
            f"first {lacking[0]!r}; a page shows them.",
            MissingLettersWarning,
        )
    return drawable


def _lonely_first(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """The points' order by the distance to their nearest neighbour, the largest first."""
    from scipy.spatial import KDTree  # noqa: PLC0415

    if len(points) < 2:
        return np.arange(len(points))
    distances = np.asarray(KDTree(points).query(points, k=2)[0])[:, 1]
    return np.argsort(-distances, kind="stable")


def _box(
    point: NDArray[np.float64], gap: float, width: float, height: float, right: int, up: int
) -> NDArray[np.float64]:
    left = point[0] + right * gap + (0.0 if right > 0 else -width if right < 0 else -width / 2)
    bottom = point[1] + up * gap + (0.0 if up > 0 else -height if up < 0 else -height / 2)
    return np.array([left, bottom, left + width, bottom + height])


def _overlaps(box: NDArray[np.float64], boxes: NDArray[np.float64]) -> bool:
    apart = (boxes[:, 2] < box[0]) | (boxes[:, 0] > box[2]) | (boxes[:, 3] < box[1]) | (boxes[:, 1] > box[3])
    return not bool(apart.all())
