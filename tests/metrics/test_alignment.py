import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from tete.metrics.alignment import distance_agreement, procrustes_align, procrustes_distance

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def rotation(rng, size):
    return np.linalg.qr(rng.normal(size=(size, size)))[0]


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
