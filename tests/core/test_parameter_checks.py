"""The checks of `core.validation` that every estimator uses, by themselves."""

import numpy as np
import pytest

from tete.core.validation import check_choice, check_interval, check_map, check_whole
from tete.exceptions import InvalidParameterError


@pytest.mark.parametrize("value", [2, np.int64(3), np.uint8(2)])
def test_whole_numbers(value):
    check_whole("n", value, least=2)


@pytest.mark.parametrize("value", [1, 2.0, True, "2", None, np.array([2])])
def test_no_whole_numbers(value):
    with pytest.raises(InvalidParameterError, match="`n` must be a whole number of at least 2, got"):
        check_whole("n", value, least=2)


@pytest.mark.parametrize(
    ("value", "closed", "rule"),
    [
        (2.1, True, r"\[1, 2\]"),
        (np.nan, True, r"\[1, 2\]"),
        (1.0, False, r"\(1, 2\)"),
        (2, False, r"\(1, 2\)"),
        (True, True, r"\[1, 2\]"),
        ("1.5", True, r"\[1, 2\]"),
    ],
)
def test_what_lies_outside_an_interval(value, closed, rule):
    with pytest.raises(InvalidParameterError, match=rf"`t` must be in {rule}, got "):
        check_interval("t", value, 1.0, 2.0, closed=closed)


def test_ends_belong_to_a_closed_interval_and_infinity_to_none():
    check_interval("t", 1, 1.0, 2.0)
    check_interval("t", np.float32(2.0), 1.0, 2.0)
    with pytest.raises(InvalidParameterError, match=r"`t` must be in \[0, inf\), got inf\."):
        check_interval("t", np.inf, 0.0, np.inf)


def test_choices():
    check_choice("far", "half", ("half", "outside", "authors"))
    for value in ("Half", None, 1):
        with pytest.raises(InvalidParameterError, match="`far` must be 'half', 'outside' or 'authors', got"):
            check_choice("far", value, ("half", "outside", "authors"))


def test_maps_are_finite_tables_of_numbers():
    assert check_map("embedding", [[1, 2], [3, 4]]).dtype == np.float64
    with pytest.raises(ValueError, match="Input embedding contains NaN"):
        check_map("embedding", [[np.nan, 0.0]])
    with pytest.raises(ValueError, match="Expected 2D array"):
        check_map("embedding", [1.0, 2.0])
