import numpy as np
import pytest
from matplotlib.colors import to_rgb
from scipy.spatial.distance import pdist

from tete.drawing.map_picture import plot_map
from tete.drawing.themes import DARK, LIGHT, class_color, color_scale, theme_of
from tete.exceptions import InvalidParameterError


def luminance(color):
    """Relative luminance (WCAG)."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(color)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, two):
    dark, light = sorted([luminance(one), luminance(two)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_everything_shows_on_its_paper(theme):
    assert contrast(theme.ink, theme.paper) > 7
    assert all(contrast(class_color(theme, rank), theme.paper) >= 3 for rank in range(30))
    assert contrast(theme.unknown, theme.paper) >= 3
    assert all(contrast(color_scale(theme)(part)[:3], theme.paper) >= 3 for part in (0.0, 0.5, 1.0))


# How colours look to people who lack a kind of cone, on linear red, green and blue (Machado et al. 2009).
VISION = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(linear):
    """CIELAB of linear sRGB."""
    to_xyz = [[0.412456, 0.357576, 0.180438], [0.212673, 0.715152, 0.072175], [0.019334, 0.119192, 0.950304]]
    shares = np.clip(linear, 0, 1) @ np.transpose(to_xyz) / [0.95047, 1.0, 1.08883]
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_everyone_tells_the_clear_colours_apart(theme, vision):
    shares = np.array([to_rgb(color) for color in theme.colors])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    assert pdist(lab(linear @ np.transpose(VISION[vision]))).min() > 20


def test_thirty_classes_have_their_own_colours():
    for theme in (LIGHT, DARK):
        assert [class_color(theme, rank) for rank in range(len(theme.colors))] == list(map(str.upper, theme.colors))
        # black has no darker shade, white no lighter one
        assert len({class_color(theme, rank) for rank in range(30)}) >= 29


def test_a_dark_map(rng):
    axes = plot_map(rng.normal(size=(30, 2)), labels=rng.random(30), names=range(30), title="Night", theme="dark")
    assert axes.figure.get_facecolor()[:3] == pytest.approx(to_rgb(DARK.paper))
    bar = axes.figure.axes[1]
    assert {text.get_color() for text in [axes.title, *axes.texts, bar.yaxis.label]} == {DARK.ink}


def test_unknown_theme():
    assert theme_of("dark") is DARK
    with pytest.raises(InvalidParameterError, match="`theme` must be 'light' or 'dark', got 'blue'"):
        theme_of("blue")
