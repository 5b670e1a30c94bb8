import numpy as np
import pytest

from tete.drawing.class_order import class_texts, given_colors, ordered_classes
from tete.exceptions import InvalidParameterError


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (np.array([1, 2]), ["1", "2"]),
        (np.array([1.0, 2.5, np.nan]), ["1", "2.5", ""]),
        (np.array(["a", ""]), ["a", ""]),
        (np.array(["a", None, float("nan"), 3.0], dtype=object), ["a", "", "", "3"]),
        (np.array([True, False]), ["True", "False"]),
    ],
)
def test_what_classes_are_called(values, texts):
    assert class_texts(values) == texts


@pytest.mark.parametrize(
    ("texts", "ordered"),
    [
        (["b", "", "a", "b"], ["a", "b"]),
        (["class 10", "class 9", "Class 2"], ["Class 2", "class 9", "class 10"]),
        (["10", "9", "-1", "2.5"], ["-1", "2.5", "9", "10"]),
        (["nan", "2", "10"], ["2", "10", "nan"]),
        (["²", "2", "x"], ["2", "x", "²"]),
    ],
)
def test_their_order(texts, ordered):
    assert ordered_classes(texts) == ordered
    assert ordered_classes(reversed(texts)) == ordered


def test_known_classes_come_first_as_they_are():
    assert ordered_classes(["d", "b", "a"], ["c", "b"]) == ["c", "b", "a", "d"]


def test_colours_that_are_given():
    assert given_colors(None) == {}
    assert given_colors({"oak": "#1f77B4", 3.0: "#000000"}) == {"oak": "#1f77B4", "3": "#000000"}
    for wrong in ("red", "#fff", 3):
        with pytest.raises(InvalidParameterError, match=r"`colors\['oak'\]` must be a colour like '#1f77b4'"):
            given_colors({"oak": wrong})
