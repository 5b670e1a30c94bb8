import matplotlib.pyplot as plt
import numpy as np
import pytest

from tete.drawing.label_placement import place_labels
from tete.exceptions import MissingLettersWarning


@pytest.fixture
def axes():
    figure, axes = plt.subplots(figsize=(4, 4))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    yield axes
    plt.close(figure)


def boxes(axes):
    axes.figure.draw_without_rendering()
    return [text.get_window_extent() for text in axes.texts]


def test_no_name_covers_another_or_leaves_the_frame(axes, rng):
    places = rng.random((60, 2))
    n_written = place_labels(axes, places, [f"thing {number}" for number in range(60)])
    found = boxes(axes)
    assert 0 < n_written == len(found) < 60
    frame = axes.get_window_extent().padded(1.0)
    assert all(frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1) for box in found)
    assert not any(one.overlaps(other) for place, one in enumerate(found) for other in found[:place])


def test_lonely_points_are_named_first(axes):
    places = np.array([[0.5, 0.5], [0.5001, 0.5], [0.2, 0.2]])
    place_labels(axes, places, ["crowded", "as crowded", "lonely"])
    assert axes.texts[0].get_text() == "lonely"


def test_long_names_are_cut_and_lines_joined(axes):
    place_labels(axes, np.array([[0.2, 0.2]]), ["two\nlines that go on"], longest=10)
    assert axes.texts[0].get_text() == "two lines…"


def test_letters_that_the_font_lacks_are_boxes(axes):
    with pytest.warns(
        MissingLettersWarning, match="lacks letters of 1 names, which are drawn as boxes, first '\U00013000'"
    ):
        place_labels(axes, np.array([[0.2, 0.2], [0.8, 0.8]]), ["\U00013000", "plain"])
    assert {text.get_text() for text in axes.texts} == {"\N{WHITE SQUARE}", "plain"}
