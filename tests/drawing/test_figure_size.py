import numpy as np
import pytest

from tete.drawing.figure_size import LARGEST_HEIGHT, LARGEST_WIDTH, SMALLEST_SIDE, figure_size, legend_width
from tete.drawing.map_picture import plot_map

SQUARE = np.array([[0.0, 0.0], [1.0, 1.0]])


def test_a_figure_has_the_shape_of_the_map():
    assert figure_size(SQUARE, 0.0, beside=0.0) == (LARGEST_HEIGHT, LARGEST_HEIGHT)
    assert figure_size(SQUARE * [10.0, 1.0], 0.0, beside=1.0) == (LARGEST_WIDTH + 1.0, SMALLEST_SIDE)
    assert figure_size(SQUARE * 0.0, 0.0, beside=0.0) == (SMALLEST_SIDE, SMALLEST_SIDE)
    wide = figure_size(SQUARE, np.array([[0.5, 0.0]]), beside=0.0)
    assert wide == pytest.approx((LARGEST_WIDTH, LARGEST_WIDTH / 2))


@pytest.mark.parametrize("length", [1, 12, 45])
def test_a_legend_has_the_room_that_it_takes(length):
    name = "m" * (length // 3) + "penguin "[: length % 8] + "i" * (length // 3)
    axes = plot_map(SQUARE, labels=[name, "other"])
    axes.figure.canvas.draw()
    taken = axes.get_legend().get_window_extent().width / axes.figure.dpi
    assert taken <= 1.3 * legend_width([name, "other"])
    frame = axes.get_window_extent()
    assert frame.width > 0.7 * frame.height  # legends with long names squeezed it


def test_colour_scales_and_endless_names_have_limits():
    assert legend_width([]) == legend_width(["short"]) == 1.0
    assert legend_width(["x" * 1000]) == 5.0
