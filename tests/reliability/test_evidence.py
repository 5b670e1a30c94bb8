from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from tete.reliability import evidence as evidence_module
from tete.reliability.evidence import (
    LEVELS,
    benjamini_hochberg,
    better_than_chance,
    holm,
    worse_than_chance,
    worse_than_expected,
)


def exact_lower_tail(evidence, positive):
    """By listing all patterns of signs."""
    total = 0.0
    for signs in product((1.0, -1.0), repeat=len(evidence)):
        if np.dot(signs, np.abs(evidence)) <= np.sum(evidence) + 1e-9:
            total += np.prod(np.where(np.array(signs) > 0, positive, 1.0 - positive))
    return total


@pytest.fixture
def only_bounds(monkeypatch):
    monkeypatch.setattr(evidence_module, "FEW_ANSWERS", 0)


@pytest.mark.parametrize("n_answers", [1, 4, 10])
def test_tails_of_few_answers_are_exact(rng, n_answers):
    unit = np.zeros(n_answers, dtype=np.int64)
    for _ in range(20):
        levels = rng.integers(-LEVELS, LEVELS + 1, n_answers)
        levels[0] = LEVELS  # the largest is rounded to the last level, so that nothing else is rounded
        evidence = 0.1 * levels
        chances = expit(np.abs(evidence))
        assert worse_than_expected(evidence, unit, 1)[0] == pytest.approx(exact_lower_tail(evidence, chances))
        assert worse_than_chance(evidence, unit, 1)[0] == pytest.approx(exact_lower_tail(evidence, 0.5))


def test_rounding_keeps_the_level(rng):
    n_units, n_answers = 4000, 12
    size = rng.gamma(1.0, size=n_units * n_answers)
    evidence = np.where(rng.random(len(size)) < expit(size), size, -size)
    p_values = worse_than_expected(evidence, np.repeat(np.arange(n_units), n_answers), n_units)
    for level in (0.01, 0.05, 0.2):
        share = np.mean(p_values <= level)
        assert 0.5 * level < share < level + 3.0 * np.sqrt(level / n_units)


@pytest.mark.usefixtures("only_bounds")
@pytest.mark.parametrize("n_answers", [1, 4, 10])
def test_bounds_are_never_below_the_exact_probability(rng, n_answers):
    unit = np.zeros(n_answers, dtype=np.int64)
    for _ in range(20):
        evidence = rng.normal(scale=2.0, size=n_answers)
        assert worse_than_expected(evidence, unit, 1)[0] >= exact_lower_tail(evidence, expit(np.abs(evidence))) - 1e-12
        assert worse_than_chance(evidence, unit, 1)[0] >= exact_lower_tail(evidence, 0.5) - 1e-12


@pytest.mark.usefixtures("only_bounds")
def test_bounds_are_not_far_from_the_exact_probability():
    evidence = np.where(np.arange(100) < 50, 1.5, -1.5)
    exact = binom.cdf(50, 100, expit(1.5))
    assert exact <= worse_than_expected(evidence, np.zeros(100, dtype=np.int64), 1)[0] < 20 * exact


def test_few_and_many_answers_are_told_apart_by_unit(monkeypatch):
    evidence = np.tile(np.where(np.arange(20) < 9, 1.5, -1.5), 2)
    units = np.repeat([0, 1], [20, 20])
    exact = binom.cdf(9, 20, expit(1.5))
    np.testing.assert_allclose(worse_than_expected(evidence, units, 2), exact)
    monkeypatch.setattr(evidence_module, "FEW_ANSWERS", 20)
    units[-1] = 0  # one has 21 answers now, the other 19
    more, fewer = worse_than_expected(evidence, units, 2)
    assert fewer == pytest.approx(binom.cdf(9, 19, expit(1.5)))
    assert more > binom.cdf(9, 21, expit(1.5))


def test_units_are_apart_and_may_be_empty():
    evidence = np.array([-3.0, -3.0, -3.0, 2.0, 2.0, 2.0])
    units = np.array([0, 0, 0, 2, 2, 2])
    worse = worse_than_expected(evidence, units, 3)
    assert worse[0] < 0.01
    np.testing.assert_allclose(worse[1:], 1.0)
    assert better_than_chance(evidence, units, 3)[2] == pytest.approx(worse_than_chance(-evidence, units, 3)[2])


def test_adjustments_by_hand():
    p_values = np.array([0.04, 0.01, 0.03])
    np.testing.assert_allclose(holm(p_values), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(benjamini_hochberg(p_values), [0.04, 0.03, 0.04])
    assert holm(np.array([0.9, 0.8])).max() == 1.0
