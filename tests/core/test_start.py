import numpy as np
import pytest

from tete.core.start import given_start, random_start
from tete.exceptions import InvalidParameterError


def test_random_start_has_the_papers_variance(rng):
    start = random_start(100_000, 2, rng)
    assert start.var() == pytest.approx(1e-3, rel=0.02)
    assert abs(start.mean()) < 1e-3


def test_given_start_is_copied():
    given = np.ones((3, 2))
    start = given_start(given, 3, 2)
    start[:] = 0
    assert (given == 1).all()


def test_given_start_of_the_wrong_shape():
    with pytest.raises(
        InvalidParameterError, match=r"`init` must have shape \(4, 2\), one row for each object, got \(3, 2\)"
    ):
        given_start(np.ones((3, 2)), 4, 2)


def test_given_start_that_is_not_finite():
    with pytest.raises(InvalidParameterError, match=r"`init` must be finite, got 1 other values\."):
        given_start([[0.0, np.nan]], 1, 2)


def test_given_start_that_is_too_far_away():
    with pytest.raises(InvalidParameterError, match=r"`init` must be from -1e\+12 to 1e\+12, got 1e\+20 in size"):
        given_start([[0.0, -1e20]], 1, 2)
