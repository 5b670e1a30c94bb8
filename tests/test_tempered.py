import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tete.exceptions import InvalidParameterError
from tete.tempered import exp_t, log_t, robust

TEMPERATURES = [0.1, 0.5, 0.9, 1.0, 1.1, 1.5, 1.75, 1.999, 2.0]
temperatures = st.floats(0.05, 2.0)
positive = st.floats(1e-6, 1e6)


@pytest.mark.parametrize("t", TEMPERATURES)
def test_log_and_exp_equal_the_formulas_of_the_paper(t):
    x = np.array([0.01, 0.3, 1.0, 2.0, 50.0])
    np.testing.assert_allclose(log_t(x, t), reference.log_t(x, t), rtol=1e-12)
    np.testing.assert_allclose(exp_t(-x, t), reference.exp_t(-x, t), rtol=1e-12)


@pytest.mark.parametrize("t", TEMPERATURES)
def test_exp_is_the_inverse_of_log(t):
    x = np.geomspace(1e-3, 1e3, 50)
    np.testing.assert_allclose(exp_t(log_t(x, t), t), x, rtol=1e-9)


@given(temperatures, positive, positive)
def test_log_does_not_decrease(t, x, y):
    low, high = sorted([x, y])
    assert log_t(low, t) <= log_t(high, t)


@given(temperatures, positive, positive)
def test_log_is_concave(t, x, y):
    middle = log_t((x + y) / 2, t)
    chord = (log_t(x, t) + log_t(y, t)) / 2
    assert middle >= chord - 1e-9 * max(1.0, abs(chord))


@pytest.mark.parametrize("t", [1.1, 1.5, 2.0])
def test_log_reaches_the_cap(t):
    assert log_t(1e300, t) <= 1 / (t - 1)
    assert log_t(np.inf, t) == pytest.approx(1 / (t - 1))


@pytest.mark.parametrize("t", [1.1, 1.5, 1.9])
def test_exp_has_a_heavier_tail_than_the_exponential(t):
    x = np.array([1.0, 5.0, 20.0])
    assert (exp_t(-x, t) > np.exp(-x)).all()
    assert np.all(np.diff(exp_t(-x, t) / np.exp(-x)) > 0)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("distance", [1e-15, 1e-12, 1e-9, 1e-6])
def test_both_are_continuous_at_one(sign, distance):
    x, t = np.array([0.01, 0.5, 3.0, 100.0]), 1.0 + sign * distance
    np.testing.assert_allclose(log_t(x, t), np.log(x), atol=30 * distance + 1e-14)
    np.testing.assert_allclose(exp_t(-x, t), np.exp(-x), atol=distance + 1e-15)


def test_one_is_taken_by_its_limit():
    x = np.array([0.1, 2.0])
    np.testing.assert_allclose(log_t(x, 1.0), np.log(x), rtol=1e-15)
    np.testing.assert_allclose(exp_t(x, 1), np.exp(x), rtol=1e-15)


def test_beyond_the_range_of_log_exp_is_zero_or_infinite():
    assert exp_t(-10.0, 0.5) == 0.0
    assert exp_t(10.0, 1.5) == np.inf
    assert log_t(0.0, 0.5) == -2.0
    assert log_t(0.0, 1.5) == -np.inf


@pytest.mark.parametrize("t", [1.0, 1.3, 2.0])
def test_robust_transformation(t):
    loss = np.array([0.0, 1e-9, 0.5, 10.0, 1e12])
    values = robust(loss, t)
    assert values[0] == 0.0
    np.testing.assert_allclose(values, log_t(1 + loss, t), rtol=1e-6)
    slope = np.gradient(robust(np.geomspace(1, 1e6, 200), t), np.geomspace(1, 1e6, 200))
    assert slope[-1] < 1e-5  # the derivative vanishes
    if t > 1:
        assert values.max() <= 1 / (t - 1)
    else:
        assert robust(1e300, t) > 600  # not capped


def test_arrays_of_any_shape_are_kept_and_left_alone():
    x = np.full((2, 3), 2.0)
    assert log_t(x, 1.5).shape == (2, 3)
    assert np.ndim(log_t(2, 1.5)) == 0
    assert (x == 2.0).all()


@pytest.mark.parametrize("t", [0.0, -1.0, 2.1, np.nan, "1", np.ones(2)], ids=str)
@pytest.mark.parametrize("function", [log_t, exp_t, robust])
def test_temperature_out_of_range(function, t):
    with pytest.raises(InvalidParameterError, match=r"`t` must be in \(0, 2\], got"):
        function(1.0, t)


def test_values_out_of_range():
    with pytest.raises(InvalidParameterError, match=r"`x` must be non-negative, got -1.0\."):
        log_t([1.0, -1.0], 1.5)
    with pytest.raises(InvalidParameterError, match=r"`loss` must be non-negative, got -2.0\."):
        robust(-2.0, 1.5)
    with pytest.raises(InvalidParameterError, match=r"`x` must not contain NaN, got 1 of them\."):
        exp_t([np.nan, 0.0], 1.5)
