import pytest
from matplotlib.colors import to_rgb

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
    assert all(contrast(color, theme.paper) > 2 for color in theme.colors)
    assert contrast(theme.unknown, theme.paper) > 1.5
    assert contrast(color_scale(theme)(0.0)[:3], theme.paper) > (2 if theme is DARK else 7)


def test_twenty_four_classes_have_their_own_colours():
    for theme in (LIGHT, DARK):
        assert [class_color(theme, rank) for rank in range(len(theme.colors))] == list(map(str.upper, theme.colors))
        assert (
            len({class_color(theme, rank) for rank in range(24)}) >= 23
        )  # black has no darker shade, white no lighter one


def test_a_dark_map(rng):
    axes = plot_map(rng.normal(size=(30, 2)), labels=rng.random(30), names=range(30), title="Night", theme="dark")
    assert axes.figure.get_facecolor()[:3] == pytest.approx(to_rgb(DARK.paper))
    bar = axes.figure.axes[1]
    assert {text.get_color() for text in [axes.title, *axes.texts, bar.yaxis.label]} == {DARK.ink}


def test_unknown_theme():
    assert theme_of("dark") is DARK
    with pytest.raises(InvalidParameterError, match="`theme` must be 'light' or 'dark', got 'blue'"):
        theme_of("blue")
