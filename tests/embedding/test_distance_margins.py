"""Tests `embedding.triplet_distances` as well, through what is made of them."""

import numpy as np
import pytest

from samples import random_triplets
from tete import Triplets
from tete.embedding.distance_margins import distance_margins
from tete.metrics.satisfaction import satisfied


def margins_of(places, triplets):
    return distance_margins(places, triplets.anchor, triplets.near, triplets.far)


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_they_are_differences_of_distances(rng, n_components):
    places, triplets = rng.normal(size=(12, n_components)), random_triplets(rng)
    expected = [
        np.linalg.norm(places[i] - places[k]) - np.linalg.norm(places[i] - places[j]) for i, j, k in triplets.to_array()
    ]
    np.testing.assert_allclose(margins_of(places, triplets), expected, atol=1e-12)


def test_signs_are_those_of_the_answers_that_agree(rng):
    places, triplets = rng.integers(3, size=(12, 2)).astype(float), random_triplets(rng)  # with ties
    margins = margins_of(places, triplets)
    np.testing.assert_array_equal(margins > 0.0, satisfied(places, triplets))
    np.testing.assert_array_equal(margins_of(places, triplets.flip_where(np.ones(200, dtype=bool))), -margins)


def test_objects_at_one_place_are_a_tie():
    triplets = Triplets.from_array([(0, 1, 2), (1, 0, 2)], n_objects=3)
    assert margins_of(np.zeros((3, 2)), triplets).tolist() == [0.0, 0.0]


def test_the_closest_calls_keep_their_sign():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.5e-8]])  # the squares differ in the last bit, the roots do not
    assert margins_of(places, Triplets.from_array([(0, 1, 2)]))[0] > 0.0
