import numpy as np
import pytest
from scipy.stats import norm

from tete.metrics.clustered_errors import share_error, share_interval


def test_answers_of_one_each_have_the_error_of_a_mean(rng):
    agreed = (rng.random(200) < 0.7).astype(float)
    assert share_error(agreed, np.ones(200)) == pytest.approx(agreed.std(ddof=1) / np.sqrt(200))


def test_people_are_the_formula(rng):
    weights = rng.integers(5, 50, size=20).astype(float)
    agreed = weights * rng.uniform(0.6, 0.9, size=20)
    share = agreed.sum() / weights.sum()
    expected = np.sqrt(20 / 19 * np.sum((weights * (agreed / weights - share)) ** 2)) / weights.sum()
    assert share_error(agreed, weights) == pytest.approx(expected)
    padded = share_error(np.append(agreed, 0.0), np.append(weights, 0.0))  # who gave no answer is nobody
    assert padded == pytest.approx(expected)


def test_copies_are_units_of_their_own(rng):
    agreed, copies = (rng.random(50) < 0.7).astype(float), rng.integers(1, 4, size=50)
    expected = share_error(np.repeat(agreed, copies), np.ones(copies.sum()))
    assert share_error(agreed * copies, copies.astype(float), copies.astype(float)) == pytest.approx(expected)


def test_one_unit_says_nothing():
    assert np.isnan(share_error(np.ones(1), np.ones(1)))
    assert np.isnan(share_error(np.array([3.0, 0.0]), np.array([4.0, 0.0])))


def test_few_units_make_wide_intervals():
    low, high = share_interval(0.8, 0.01, 10**6)
    assert (low, high) == pytest.approx((0.8 - 0.01 * norm.ppf(0.975), 0.8 + 0.01 * norm.ppf(0.975)), rel=1e-4)
    assert share_interval(0.8, 0.01, 5)[0] < low
    assert share_interval(0.99, 0.05, 5)[1] == 1.0
    assert share_interval(0.01, 0.05, 5)[0] == 0.0


def test_intervals_hold_for_new_people(rng):
    held = 0
    for _ in range(400):
        weights = rng.integers(20, 60, size=15)
        agreed = rng.binomial(weights, rng.beta(16, 4, size=15)).astype(float)
        error = share_error(agreed, weights.astype(float))
        low, high = share_interval(agreed.sum() / weights.sum(), error, 15)
        held += low <= 0.8 <= high
    assert 0.92 <= held / 400 <= 0.98
