import numpy as np
import pytest

from tete.core.threads import SERIAL, threads
from tete.reduction.listwise.affinities import affinities, neighbor_scales, wanted_perplexity
from tete.reduction.search.exact import FlatSearch
from tete.reduction.search.nearest import Neighbors


def computed(points, count, n_jobs=1, n_candidates=12):
    with threads(n_jobs) as workers:
        near = FlatSearch(points).within(n_candidates, workers)
        scales = neighbor_scales(near)
        return near, scales, affinities(near, scales, scales, count, workers)


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)


def test_scales_are_root_mean_squares_of_neighbours_four_to_six(points):
    near, scales, _ = computed(points, 6)
    np.testing.assert_allclose(scales, np.sqrt(np.mean(near.distances[:, 3:6] ** 2, axis=1)), rtol=1e-5)
    np.testing.assert_allclose(neighbor_scales(near.first(1)), near.distances[:, 0], rtol=1e-6)
    np.testing.assert_allclose(neighbor_scales(near, 0.5), np.sqrt(scales), rtol=1e-6)


def test_the_least_scaled_distances_are_kept(points):
    near, scales, kept = computed(points, 6)
    scaled = near.distances.astype(float) ** 2 / (scales[:, None] * scales[near.indices])
    scaled_kept = [
        np.sort(row[np.isin(near_row, kept_row)])
        for row, near_row, kept_row in zip(scaled, near.indices, kept.indices, strict=True)
    ]
    np.testing.assert_allclose(scaled_kept, np.sort(scaled, axis=1)[:, :6], rtol=1e-5)


@pytest.mark.parametrize("count", [2, 6, 12])
def test_rows_sum_to_one_and_have_the_wanted_perplexity(points, count):
    shares = computed(points, count)[2].shares.astype(float)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    perplexity = np.exp(-np.sum(shares * np.log(shares + 1e-300), axis=1))
    np.testing.assert_allclose(perplexity, wanted_perplexity(count), rtol=1e-4)
    assert np.all(np.diff(shares, axis=1) <= 1e-7)


@pytest.mark.parametrize("factor", [2.0**-30, 2.0**30])  # powers of two round nothing, so no tie breaks otherwise
def test_units_do_not_matter(points, factor):
    first, second = computed(points, 6)[2], computed(points * np.float32(factor), 6)[2]
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_allclose(first.shares, second.shares, rtol=1e-4)


def test_one_neighbour_and_equal_distances():
    square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    np.testing.assert_allclose(computed(square, 1, n_candidates=1)[2].shares, 1.0)
    np.testing.assert_allclose(computed(square, 2, n_candidates=2)[2].shares, 0.5)


def test_the_number_of_threads_changes_no_bit():
    points = np.random.default_rng(0).normal(size=(5000, 3)).astype(np.float32)
    first, second = computed(points, 6, 1)[2], computed(points, 6, 4)[2]
    np.testing.assert_array_equal(first.shares, second.shares)


def test_distances_whose_squares_leave_single_precision():
    """Scales are multiplied, and distances squared, in double precision."""
    indices = np.array([[1, 2], [0, 2], [1, 0]], dtype=np.int32)
    for size in (1e-40, 1e-29, 1e30):
        distances = (size * np.array([[1.0, 2.0], [1.0, 1.5], [1.5, 2.0]])).astype(np.float32)
        found = Neighbors(indices, distances)
        scales = neighbor_scales(found)
        assert np.isfinite(affinities(found, scales, scales, 2, SERIAL).shares).all()


def test_two_thirds_of_few_neighbours_count_and_at_least_half_of_many():
    assert [wanted_perplexity(count) for count in (1, 6, 15, 20, 30, 60)] == pytest.approx([1, 3.96, 9.9, 10, 15, 30])
