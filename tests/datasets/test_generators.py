import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tete import Triplets
from tete.datasets import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets


@pytest.fixture
def points(rng):
    return rng.normal(size=(60, 3))


def ranks_of(points, triplets):
    """Rank of near and of far among all objects as seen from the anchor, which has rank 0."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    ranks = np.argsort(np.argsort(distances, axis=1), axis=1)
    return ranks[triplets.anchor, triplets.near], ranks[triplets.anchor, triplets.far]


class TestMakeTriplets:
    def test_near_is_a_neighbour_and_far_is_in_the_farther_half(self, points):
        triplets = make_triplets(points, 50, n_neighbors=10, random_state=0)
        near, far = ranks_of(points, triplets)
        assert len(triplets) == 60 * 50
        assert set(near) == set(range(1, 11))
        assert set(far) == set(range(30, 60))

    def test_far_outside_the_neighbours(self, points):
        _, far = ranks_of(points, make_triplets(points, 50, n_neighbors=10, far="outside", random_state=0))
        assert set(far) == set(range(11, 60))

    def test_the_authors_variant(self, points):
        near, far = ranks_of(points, make_triplets(points, 200, n_neighbors=10, far="authors", random_state=0))
        assert set(near) == set(range(1, 10))
        assert far.min() > 30
        assert np.mean(far == 59) == pytest.approx(0.5 + near.mean() / 60, abs=0.05)

    def test_same_seed_same_triplets(self, points):
        one, other, different = (make_triplets(points, 5, random_state=seed).to_array() for seed in (0, 0, 1))
        np.testing.assert_array_equal(one, other)
        assert (one != different).any()

    def test_data_far_from_the_origin(self, points):
        one, other = (make_triplets(places, 20, random_state=0).to_array() for places in (points, points + 2.0**27))
        assert np.mean(one != other) < 0.001

    def test_duplicated_points(self):
        triplets = make_triplets(np.zeros((30, 2)), 10, random_state=0)
        assert len(triplets) == 300  # valid: no object is compared with itself

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"per_point": 0}, r"`per_point` must be a whole number of at least 1, got 0\."),
            ({"n_neighbors": 59}, r"`n_neighbors` must be at most 58 for 60 points, got 59\."),
            ({"far": "away"}, r"`far` must be 'half', 'outside' or 'authors', got 'away'\."),
            ({"far": "authors", "n_neighbors": 1}, r"`n_neighbors` must be a whole number of at least 2, got 1\."),
        ],
    )
    def test_bad_parameters(self, points, options, message):
        with pytest.raises(ValueError, match=message):
            make_triplets(points, **options)


class TestUniformTriplets:
    @given(st.integers(3, 8), st.integers(0, 20))
    def test_three_different_objects_answered_truly(self, n_points, seed):
        places = np.random.default_rng(seed).normal(size=(n_points, 2))
        triplets = make_uniform_triplets(places, 100, random_state=seed)
        near, far = ranks_of(places, triplets)
        assert (near < far).all()

    def test_every_question_is_equally_likely(self):
        triplets = make_uniform_triplets(np.arange(4.0)[:, None] ** 2, 24_000, random_state=0)
        low, high = np.minimum(triplets.near, triplets.far), np.maximum(triplets.near, triplets.far)
        _, counts = np.unique(np.column_stack([triplets.anchor, low, high]), axis=0, return_counts=True)
        assert len(counts) == 12
        np.testing.assert_allclose(counts, 2000, rtol=0.1)

    def test_too_few_points(self):
        with pytest.raises(ValueError, match=r"`X` must have at least 3 points, got 2\."):
            make_uniform_triplets([[0.0], [1.0]], 5)


class TestNoise:
    def test_close_calls_are_answered_wrongly_more_often(self, points):
        truth = make_uniform_triplets(points, 40_000, random_state=0)
        answered = answer_by_distance(points, truth, sharpness=2.0, random_state=1)
        wrong = answered.near != truth.near
        anchor = points[truth.anchor]
        gap = np.linalg.norm(anchor - points[truth.far], axis=1) - np.linalg.norm(anchor - points[truth.near], axis=1)
        close = gap < np.quantile(gap, 0.1)
        assert wrong[close].mean() == pytest.approx(0.46, abs=0.03)
        assert wrong[gap > np.quantile(gap, 0.9)].mean() < 0.05

    def test_the_given_orientation_does_not_matter(self, points):
        truth = make_uniform_triplets(points, 500, random_state=0)
        one, other = (answer_by_distance(points, t, random_state=1) for t in (truth, truth.reverse()))
        np.testing.assert_array_equal(one.to_array(), other.to_array())

    def test_no_sharpness_is_a_coin_and_much_is_the_truth(self, points):
        truth = make_uniform_triplets(points, 10_000, random_state=0)
        coin = answer_by_distance(points, truth, sharpness=0.0, random_state=1)
        assert np.mean(coin.near != truth.near) == pytest.approx(0.5, abs=0.03)
        exact = answer_by_distance(points, truth, sharpness=1e9, random_state=1)
        np.testing.assert_array_equal(exact.to_array(), truth.to_array())

    @pytest.mark.parametrize(("behavior", "share"), [("random", 0.5), ("reversed", 1.0)])
    def test_bad_annotators(self, points, behavior, share):
        truth = make_uniform_triplets(points, 12_000, random_state=0)
        answers, is_bad = assign_annotators(truth, 30, n_bad=6, behavior=behavior, random_state=1)
        assert is_bad.sum() == 6
        np.testing.assert_array_equal(np.bincount(answers.annotators), 400)
        wrong = answers.near != truth.near
        from_bad = is_bad[answers.annotators]
        assert wrong[from_bad].mean() == pytest.approx(share, abs=0.04)
        assert not wrong[~from_bad].any()

    def test_an_answer_has_one_annotator_and_is_wrong_as_a_whole(self):
        shown = np.array([np.random.default_rng(i).choice(20, 4, replace=False) for i in range(100)])
        truth = Triplets.from_odd_one_out(shown, 0)
        answers, _ = assign_annotators(truth, 5, n_bad=5, random_state=0)
        wrong = answers.near != truth.near
        for group in range(100):
            mine = truth.answers == group
            assert len(set(answers.annotators[mine])) == 1
            assert len(set(wrong[mine])) == 1

    def test_bad_parameters(self, clean_triplets):
        with pytest.raises(ValueError, match=r"`n_bad` must be a whole number of at least 0, got 1\.5\."):
            assign_annotators(clean_triplets, 3, n_bad=1.5)
        with pytest.raises(ValueError, match=r"`X` must have a row for each of 30 objects, got 3\."):
            answer_by_distance(np.zeros((3, 2)), clean_triplets)
        with pytest.raises(ValueError, match=r"`n_bad` must be in \[0, 3\], got 4\."):
            assign_annotators(clean_triplets, 3, n_bad=4)
        with pytest.raises(ValueError, match=r"`sharpness` must be in \[0, inf\), got -1\."):
            answer_by_distance(np.zeros((30, 2)), clean_triplets, sharpness=-1)
