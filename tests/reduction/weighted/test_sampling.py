import numpy as np
import pytest

from reference_reduction import exact_neighbors, paper_weights
from tete.core.threads import threads
from tete.reduction.search.distances import euclidean_between
from tete.reduction.search.exact import FlatSearch
from tete.reduction.search.nearest import Neighbors
from tete.reduction.weighted.sampling import (
    dense_table,
    draw_outliers,
    equal_weights,
    largest_log_weight,
    local_scales,
    log_like,
    log_weights,
    paired,
    scaled_weights,
    weights_of_logs,
)
from tete.reduction.weighted.triplet_choice import TripletChoice


@pytest.fixture(scope="module")
def sampled():
    points = np.random.default_rng(0).normal(size=(120, 4)).astype(np.float32)
    with threads(1) as workers:
        near = FlatSearch(points).within(12, workers)
    radii = np.repeat(near.distances[:, 5:6], 7, axis=1)
    far = draw_outliers(np.arange(120), radii, 120, 3, euclidean_between(points, points))
    return points, near, far


def test_outliers_are_farther_than_the_neighbours(sampled):
    points, near, far = sampled
    distances = np.linalg.norm(points[:, None] - points[far.indices], axis=2)
    np.testing.assert_allclose(far.distances, distances, rtol=1e-5)
    assert np.all(far.distances > near.distances[:, 5:6])


def test_outliers_are_uniform_among_those_farther_away():
    points = np.arange(10, dtype=np.float32)[:, None]
    radii = np.full((1, 8000), 3.0, dtype=np.float32)
    far = draw_outliers(np.array([0]), radii, 10, 0, euclidean_between(points, points))
    counts = np.bincount(far.indices.ravel(), minlength=10)
    assert not counts[:4].any()
    np.testing.assert_allclose(counts[4:] / 8000, 1 / 6, atol=0.02)


def test_where_nothing_is_farther_the_farthest_tried_is_taken():
    points = np.arange(4, dtype=np.float32)[:, None]
    far = draw_outliers(np.arange(4), np.full((4, 2), 50, np.float32), 4, 0, euclidean_between(points, points))
    np.testing.assert_array_equal(far.indices, [[3, 3], [3, 3], [0, 0], [0, 0]])


def test_sigma_is_the_distance_to_the_tenth_neighbour(sampled):
    points, near, _ = sampled
    np.testing.assert_allclose(local_scales(near), exact_neighbors(points, 10)[1][:, 9], rtol=1e-5)
    np.testing.assert_array_equal(local_scales(near.first(4)), near.distances[:, 3])


def test_scales_are_never_zero():
    none = Neighbors(np.zeros((3, 2), np.int32), np.array([[0, 0], [0, 2], [0, 3]], np.float32))
    np.testing.assert_array_equal(local_scales(none), [2, 2, 3])


def test_weights_are_those_of_the_paper(sampled):
    _, near, far = sampled
    scales, near = local_scales(near), near.first(6)
    near_logs = log_weights(near.distances, scales, scales[near.indices])
    far_logs = log_weights(far.distances, scales, scales[far.indices])
    weights = weights_of_logs(near_logs, far_logs, largest_log_weight(near_logs, far_logs), 0.01)
    expected = paper_weights(near.distances, far.distances, near.indices, far.indices, scales, 0.01)
    np.testing.assert_allclose(dense_table(weights), expected, rtol=1e-4)
    np.testing.assert_allclose(log_like(weights).table, np.log1p(500 * expected), rtol=1e-4)
    np.testing.assert_allclose(paired(scaled_weights(weights, 2 * np.ones(120))).table[0, 1, 1], 2 * expected[0, 1, 1])
    assert paired(weights).table[0, 1, 2] == 0


def test_weights_do_not_depend_on_how_many_rows_are_weighed_at_once(sampled, monkeypatch):
    _, near, far = sampled
    scales, near = local_scales(near), near.first(6)
    choice = TripletChoice(6, 7, "paper", 0.01, "shared", 0)
    expected, largest = choice.weigh(near, far, scales, scales)
    monkeypatch.setattr("tete.reduction.weighted.triplet_choice.ROWS_AT_ONCE", 32)
    found, same = choice.weigh(near, far, scales, scales)
    assert same == largest
    for some, others in zip(found, expected, strict=True):
        np.testing.assert_array_equal(some, others)


def test_weights_of_distances_beyond_any_float_are_finite():
    near_logs, far_logs = np.full((2, 3), 1.0), np.array([[1e6, 1.0], [5e5, 1.0]])
    weights = weights_of_logs(near_logs, far_logs, largest_log_weight(near_logs, far_logs), 0.01)
    np.testing.assert_allclose(dense_table(weights)[0, 0], [1.01, 0.01])


def test_equal_weights_are_one():
    np.testing.assert_array_equal(dense_table(equal_weights(2, 3, 4)), np.ones((2, 3, 4)))
