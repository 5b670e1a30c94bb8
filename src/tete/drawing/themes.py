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

    Beyond the classes' clear colours come `shades` of them: what they are mixed with, black (0) or white (255), and
    how much. Of the scale of numbers only what lies above `scale_start` shows on the paper.
    """

    paper: str
    ink: str
    unknown: str
    colors: tuple[str, ...]
    shades: tuple[tuple[int, float], ...]
    scale_start: float


# Okabe and Ito's colours, which people with any kind of colour vision tell apart.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#B8A800")
MARKERS = "os^DvPX*"  # matplotlib's; they change when the colours are used up
LIGHT = Theme("#FFFFFF", "#222222", "#BBBBBB", COLORS, ((0, 0.0), (0, 0.5), (255, 0.55)), 0.0)
# On dark paper blue must be lighter and black is white; the scale's darkest third would not show.
DARK_COLORS = ("#3B9BE0", *COLORS[1:6], "#FFFFFF", "#D6C92A")
DARK = Theme("#16181D", "#E4E4E4", "#5A5F69", DARK_COLORS, ((0, 0.0), (255, 0.6), (0, 0.4)), 0.35)


def class_color(theme: Theme, rank: int) -> str:
    """The colour of the class that is number `rank` by size."""
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
    """Cividis, which looks the same to almost everyone, as far as it shows on the paper."""
    import numpy as np  # noqa: PLC0415
    from matplotlib import colormaps  # noqa: PLC0415  (loaded only when something is drawn)
    from matplotlib.colors import ListedColormap  # noqa: PLC0415

    return ListedColormap(colormaps["cividis"](np.linspace(theme.scale_start, 1.0, 256)))


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
