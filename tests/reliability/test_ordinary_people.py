import numpy as np
import pytest
from scipy.special import expit

from tete.reliability.ordinary_people import probability_ordinary

N_PEOPLE = 30


def answers_of(rng, kinds, per_person=60):
    """Margins of people of each kind: 0 ordinary, 1 toss coins, 2 answer the reverse."""
    people = np.repeat(np.arange(len(kinds)), per_person)
    sizes = rng.exponential(2.0, size=len(people))
    right = expit(sizes)
    chances = np.choose(np.asarray(kinds)[people], [right, np.full(len(people), 0.5), 1.0 - right])
    return np.where(rng.random(len(people)) < chances, sizes, -sizes), people


@pytest.mark.parametrize("bad", [1, 2])
@pytest.mark.parametrize("n_bad", [0, 1, 9, 13])
def test_each_kind_is_found(rng, bad, n_bad):
    kinds = np.where(np.arange(N_PEOPLE) < n_bad, bad, 0)
    margins, people = answers_of(rng, kinds)
    ordinary = probability_ordinary(margins, np.ones(len(margins)), people, N_PEOPLE)
    np.testing.assert_array_equal(ordinary > 0.5, kinds == 0)


@pytest.mark.parametrize("n_bad", [17, 24])
def test_a_majority_is_taken_for_ordinary(rng, n_bad):
    margins, people = answers_of(rng, np.arange(N_PEOPLE) < n_bad)
    ordinary = probability_ordinary(margins, np.ones(len(margins)), people, N_PEOPLE)
    np.testing.assert_array_equal(ordinary, np.ones(N_PEOPLE))


def test_people_without_weight_are_not_counted(rng):
    """Three of four have no weight, so the fourth is all there is to compare with."""
    margins, people = answers_of(rng, [0, 0, 0, 1])
    ordinary = probability_ordinary(margins, (people == 3).astype(float), people, 4)
    assert ordinary[3] > 0.5


def test_weights_are_repeats(rng):
    margins, people = answers_of(rng, [0, 0, 0, 0, 1], per_person=10)
    twice = probability_ordinary(np.tile(margins, 2), np.ones(2 * len(margins)), np.tile(people, 2), 5)
    np.testing.assert_allclose(probability_ordinary(margins, np.full(len(margins), 2.0), people, 5), twice, atol=1e-6)
