"""Colours of pictures and pages, on white and on dark paper."""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tete.core.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap

__all__ = [
    "COLORS",
    "DARK",
    "LIGHT",
    "MARKERS",
    "Theme",
    "ThemeName",
    "class_color",
    "color_scale",
    "dress",
    "theme_of",
]

ThemeName: TypeAlias = Literal["light", "dark"]


class Theme(NamedTuple):
    """Colours of the paper, of writing, of what has no class and of classes.

    Beyond the classes' clear colours come `shades` of them: what they are mixed with, from black (0) to white (255),
    and how much. Numbers have the part of the colour map `scale` that shows on the paper, from one end to the other.
    """

    paper: str
    ink: str
    unknown: str
    colors: tuple[str, ...]
    shades: tuple[tuple[int, float], ...]
    scale: Literal["plasma", "cividis"]
    scale_ends: tuple[float, float]


# Found by a search: each has a contrast of 3 to its paper, and people with any kind of colour vision tell them apart.
COLORS = (
    *("#115B98", "#B4895D", "#00A699", "#7800FF", "#79A100"),
    *("#9D0000", "#000000", "#FF2AE2", "#110481", "#790049"),
)
DARK_COLORS = (
    *("#01C7FF", "#ED7F00", "#18985A", "#A312FF", "#DECC70"),
    *("#D5002E", "#FFFFFF", "#8D6C84", "#7768DA", "#B0FF00"),
)
MARKERS = "os^DvPX*"  # matplotlib's; they change when the colours are used up
LIGHT = Theme("#FFFFFF", "#222222", "#8F8F8F", COLORS, ((0, 0.0), (128, 0.5), (0, 0.5)), "plasma", (0.0, 0.63))
DARK = Theme("#16181D", "#E4E4E4", "#6A707B", DARK_COLORS, ((0, 0.0), (255, 0.6), (140, 0.5)), "cividis", (0.38, 1.0))


def class_color(theme: Theme, rank: int) -> str:
    """The colour of the class that is number `rank` in order."""
    other, share = theme.shades[rank // len(theme.colors) % len(theme.shades)]
    channels = [
        round((1.0 - share) * int(theme.colors[rank % len(theme.colors)][digit : digit + 2], 16) + share * other)
        for digit in (1, 3, 5)
    ]
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def theme_of(name: str) -> Theme:
    """The theme of this name."""
    check_choice("theme", name, ("light", "dark"))
    return LIGHT if name == "light" else DARK


def color_scale(theme: Theme) -> "ListedColormap":
    """The colours of numbers, from low to high."""
    import numpy as np  # noqa: PLC0415
    from matplotlib import colormaps  # noqa: PLC0415  (loaded only when something is drawn)
    from matplotlib.colors import ListedColormap  # noqa: PLC0415

    return ListedColormap(colormaps[theme.scale](np.linspace(*theme.scale_ends, 256)))


def dress(axes: "Axes", theme: Theme) -> None:
    """Paint paper, frame and writing of axes and of their legend."""
    figure: Any = axes.get_figure(root=True)
    figure.set_facecolor(theme.paper)
    axes.set_facecolor(theme.paper)
    axes.tick_params(colors=theme.ink, which="both")
    for line in axes.spines.values():
        line.set_color(theme.ink)
    legend = axes.get_legend()
    texts = [axes.title, axes.xaxis.label, axes.yaxis.label]
    for text in texts if legend is None else [*texts, legend.get_title(), *legend.get_texts()]:
        text.set_color(theme.ink)
