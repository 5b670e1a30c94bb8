import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from samples import random_triplets
from tete import Triplets
from tete.metrics.alignment import distance_agreement, procrustes_align, procrustes_distance
from tete.metrics.classes import nearest_neighbor_error
from tete.metrics.satisfaction import TRIPLETS_AT_ONCE, triplet_error

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def rotation(rng, size):
    return np.linalg.qr(rng.normal(size=(size, size)))[0]


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


class TestNearestNeighborError:
    def test_leaves_the_point_itself_out(self):
        assert nearest_neighbor_error(LINE, ["a", "a", "b", "b"]) == pytest.approx(0.25)

    def test_duplicates_are_each_others_neighbours(self):
        places = np.repeat(np.arange(3.0)[:, None], 2, axis=0)
        assert nearest_neighbor_error(places, [0, 0, 1, 1, 2, 2]) == 0.0

    def test_majority_with_the_nearest_deciding_ties(self):
        places = np.array([[0.0], [1.0], [1.05], [1.2], [50.0]])
        assert nearest_neighbor_error(places, [1, 0, 0, 1, 1], n_neighbors=2) == pytest.approx(2 / 5)
        assert nearest_neighbor_error(places, [0, 0, 0, 0, 0], n_neighbors=3) == 0.0

    @pytest.mark.parametrize("labels", [[[0], [0], [1], [1]], [["a"], ["a"], ["b"], ["b"]]])
    def test_a_column_of_labels_is_labels(self, labels):
        assert nearest_neighbor_error(LINE, labels) == pytest.approx(0.25)

    def test_one_object_has_no_neighbour(self):
        with pytest.raises(ValueError, match=r"`embedding` must have at least 2 rows, got 1\."):
            nearest_neighbor_error([[0.0]], [1])

    def test_tags(self):
        tags = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
        assert nearest_neighbor_error(LINE, tags) == 0.25  # only the last shares none with its neighbour

    @pytest.mark.parametrize(
        ("labels", "options", "message"),
        [
            ([0, 1], {}, r"`labels` must have one entry for each of 4 objects, got shape \(2,\)\."),
            (7, {}, r"`labels` must have one entry for each of 4 objects, got shape \(\)\."),
            (np.arange(8).reshape(4, 2), {}, r"`labels` with several columns must be tags of 0 and 1"),
            ([0, 1, 0, 1], {"n_neighbors": 4}, r"`n_neighbors` must be in \[1, 3\], got 4\."),
            (np.eye(4), {"n_neighbors": 2}, r"`n_neighbors` must be 1 for labels that are tags, got 2\."),
        ],
    )
    def test_bad_input(self, labels, options, message):
        with pytest.raises(ValueError, match=message):
            nearest_neighbor_error(LINE, labels, **options)


class TestProcrustes:
    @given(st.integers(0, 100), st.floats(0.01, 100.0))
    def test_alignment_undoes_moving_turning_mirroring_and_scaling(self, seed, size):
        rng = np.random.default_rng(seed)
        reference = rng.normal(size=(10, 3))
        moved = size * reference @ rotation(rng, 3) + rng.normal(size=3)
        np.testing.assert_allclose(procrustes_align(reference, moved), reference, atol=1e-8)
        assert procrustes_distance(reference, moved) == pytest.approx(0.0, abs=1e-12)

    def test_without_scale(self, rng):
        reference = rng.normal(size=(10, 2))
        aligned = procrustes_align(reference, 3 * reference @ rotation(rng, 2), scale=False)
        centred = reference - reference.mean(axis=0)
        np.testing.assert_allclose(aligned, 3 * centred + reference.mean(axis=0), atol=1e-10)

    def test_distance_equals_scipys(self, rng):
        one, other = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
        assert procrustes_distance(one, other) == pytest.approx(procrustes(one, other)[2])

    @pytest.mark.parametrize("scale", [1e-200, 1e150])
    def test_tiny_and_huge_maps(self, scale, rng):
        reference = rng.normal(size=(5, 2))
        assert procrustes_distance(scale * reference, reference) == pytest.approx(0.0, abs=1e-12)

    def test_a_point_aligned_to_a_map(self, rng):
        reference = rng.normal(size=(5, 2))
        np.testing.assert_allclose(
            procrustes_align(reference, np.zeros((5, 2))), np.tile(reference.mean(axis=0), (5, 1))
        )

    def test_bad_input(self):
        with pytest.raises(
            ValueError, match=r"`embedding` must have the shape \(4, 1\) of `reference`, got \(3, 1\)\."
        ):
            procrustes_align(LINE, LINE[:3])
        with pytest.raises(ValueError, match="must have at least two different rows"):
            procrustes_distance(np.full((3, 2), 0.1), np.ones((3, 2)))
        with pytest.raises(ValueError, match="Input reference contains NaN"):
            procrustes_align([[np.nan]], [[0.0]])


class TestDistanceAgreement:
    def test_equals_spearman_and_pearson(self, rng):
        one, other = rng.normal(size=(20, 5)), rng.normal(size=(20, 2))
        assert distance_agreement(one, other) == pytest.approx(spearmanr(pdist(one), pdist(other)).statistic)
        expected = np.corrcoef(pdist(one), pdist(other))[0, 1]
        assert distance_agreement(one, other, method="pearson") == pytest.approx(expected)

    def test_perfect(self, rng):
        points = rng.normal(size=(20, 2))
        assert distance_agreement(points, 5 * points @ rotation(rng, 2)) == pytest.approx(1.0)

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"`embedding` must have 4 rows like `reference`, got 3\."):
            distance_agreement(LINE, LINE[:3])
        with pytest.raises(ValueError, match=r"`reference` must have at least 3 rows, got 1\."):
            distance_agreement(LINE[:1], LINE[:1])
        with pytest.raises(ValueError, match="must differ among themselves"):
            distance_agreement(LINE, np.zeros((4, 2)))
        with pytest.raises(ValueError, match=r"`method` must be 'pearson' or 'spearman', got 'kendall'\."):
            distance_agreement(LINE, LINE, method="kendall")
