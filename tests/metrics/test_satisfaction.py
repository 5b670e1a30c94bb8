import numpy as np
import pytest

from samples import random_triplets
from tete import Triplets
from tete.metrics.satisfaction import TRIPLETS_AT_ONCE, satisfied, share_satisfied_error, triplet_error

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


class TestErrorOfTheShare:
    def test_a_weight_of_two_is_two_answers(self, rng):
        triplets, places = random_triplets(rng), rng.normal(size=(12, 2))
        twice = rng.random(200) < 0.3
        repeated = triplets.select(np.concatenate([np.arange(200), np.flatnonzero(twice)]))
        expected = share_satisfied_error(places, repeated)
        assert share_satisfied_error(places, triplets.with_weights(1.0 + twice)) == pytest.approx(expected)
        agrees = satisfied(places, repeated)
        assert expected == pytest.approx(agrees.std(ddof=1) / np.sqrt(len(agrees)))

    def test_people_with_an_answer_each_are_answers(self, rng):
        triplets, places = random_triplets(rng), rng.normal(size=(12, 2))
        by_people = share_satisfied_error(places, triplets, np.arange(200)[::-1])
        assert by_people == pytest.approx(share_satisfied_error(places, triplets))

    def test_one_answer_has_none(self):
        assert share_satisfied_error(LINE, Triplets.from_array([(0, 1, 2)])) is None


class TestTripletError:
    def test_counts_what_the_map_contradicts(self):
        assert triplet_error(LINE, [(0, 1, 2), (0, 2, 1), (3, 2, 0), (1, 0, 2)]) == 0.25

    def test_weights(self):
        assert triplet_error(LINE, [(0, 1, 2), (0, 2, 1)], sample_weight=[1, 3]) == 0.75
        assert triplet_error(LINE, Triplets.from_array([(0, 1, 2), (0, 2, 1)], weights=[4, 1])) == pytest.approx(0.2)

    def test_answers(self):
        assert triplet_error(LINE, [(0, 1, 2), (0, 2, 1)], [1, -1]) == 0.0

    def test_ties_are_errors(self):
        assert triplet_error(np.zeros((3, 2)), [(0, 1, 2)]) == 1.0

    def test_reversed_triplets_are_the_other_share(self, rng):
        triplets, embedding = random_triplets(rng), rng.normal(size=(12, 2))
        assert triplet_error(embedding, triplets) == pytest.approx(1 - triplet_error(embedding, triplets.reverse()))

    def test_many_triplets_in_chunks(self, rng):
        rows = np.tile([(0, 1, 2)], (TRIPLETS_AT_ONCE + 5, 1))
        rows[-1] = (0, 2, 1)
        assert triplet_error(LINE, rows) == pytest.approx(1 / (TRIPLETS_AT_ONCE + 5))

    def test_weights_that_are_all_zero(self):
        with pytest.raises(ValueError, match=r"The weights must not all be zero, got 1 zeros\."):
            triplet_error(LINE, [(0, 1, 2)], sample_weight=[0])

    def test_more_objects_than_places(self):
        with pytest.raises(ValueError, match=r"Row 0 is \(0, 1, 4\): object numbers go from 0 to 3"):
            triplet_error(LINE, [(0, 1, 4)])


def test_satisfied_says_it_of_each_triplet():
    triplets = Triplets.from_array([(0, 1, 2), (0, 2, 1), (3, 2, 0)])
    assert satisfied(LINE, triplets).tolist() == [True, False, True]
