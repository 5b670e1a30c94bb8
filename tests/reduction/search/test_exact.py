"""Every search: `reduction.search.nearest` is what they have in common."""

import pickle

import numpy as np
import pytest

from reference_reduction import exact_neighbors
from tete.core.threads import SERIAL, threads
from tete.reduction.search import exact
from tete.reduction.search.cells import CellSearch, cell_search
from tete.reduction.search.exact import FlatSearch, MetricSearch, TreeSearch, make_search

SEARCHES = {
    "tree": TreeSearch,
    "flat": FlatSearch,
    "metric": lambda points: MetricSearch(points, "euclidean"),
}


def in_cells(points):
    return cell_search(points, 0, SERIAL)


def some_points(n=400, width=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, width)).astype(np.float32)


@pytest.mark.parametrize("name", SEARCHES)
def test_exact_searches_find_the_nearest(name):
    points = some_points()
    with threads(1) as workers:
        found = SEARCHES[name](points).within(7, workers)
    indices, distances = exact_neighbors(points, 7)
    assert np.mean(found.indices == indices) > 0.99  # two points may be equally far up to rounding
    np.testing.assert_allclose(np.linalg.norm(points[:, None] - points[found.indices], axis=2), distances, rtol=1e-5)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-5)


@pytest.mark.parametrize("name", ["tree", "flat"])
def test_a_point_is_never_its_own_neighbour_even_among_duplicates(name):
    points = np.repeat(some_points(20), 6, axis=0)
    with threads(1) as workers:
        found = SEARCHES[name](points).within(8, workers)
    assert not np.any(found.indices == np.arange(len(points))[:, None])
    assert np.all(np.diff(found.distances, axis=1) >= 0)
    assert np.all(found.distances[:, :5] == 0)
    assert np.all(found.distances[:, 5] > 0)


def test_distances_of_near_points_far_from_the_origin_keep_their_digits():
    points = some_points(50, 6)
    points[1] = points[0] + np.float32(1e-4)
    points += 1000
    with threads(1) as workers:
        found = FlatSearch(points).within(3, workers)
    np.testing.assert_allclose(found.distances, exact_neighbors(points, 3)[1], rtol=1e-4)


def test_points_without_clusters_are_searched_exactly(monkeypatch):
    monkeypatch.setattr(exact, "FLAT_POINTS", 1000)
    noise = np.random.default_rng(0).random((6000, 30)).astype(np.float32)
    assert isinstance(make_search(noise, 0, SERIAL), FlatSearch)
    centers = np.random.default_rng(1).normal(size=(60, 30))
    clustered = (0.1 * noise + np.repeat(centers, 100, axis=0)).astype(np.float32)
    assert isinstance(make_search(clustered, 0, SERIAL), CellSearch)


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, in_cells])
def test_a_query_is_answered_from_its_own_row_alone(make):
    points, queries = some_points(3000, 5), some_points(64, 5, seed=1)
    search = make(points)
    with threads(1) as workers:
        together = search.of(queries, 5, workers)
        for row in (0, 13, 63):
            alone = search.of(queries[[row]], 5, workers)
            np.testing.assert_array_equal(alone.indices[0], together.indices[row])
            np.testing.assert_array_equal(alone.distances[0], together.distances[row])


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, in_cells])
def test_the_number_of_threads_changes_no_bit(make):
    points = some_points(3000, 5)
    results = []
    for n_jobs in (1, 2, 4):
        with threads(n_jobs) as workers:
            search = make(points)
            results.append((search.within(9, workers), search.of(points[:100] + 1, 9, workers)))
    for within, of in results[1:]:
        for other, first in zip((*within, *of), (*results[0][0], *results[0][1]), strict=True):
            np.testing.assert_array_equal(other, first)


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, in_cells])
def test_searches_survive_pickling(make):
    points = some_points(2000, 5)
    search = make(points)
    again = pickle.loads(pickle.dumps(search))
    with threads(1) as workers:
        np.testing.assert_array_equal(search.of(points + 1, 4, workers)[0], again.of(points + 1, 4, workers)[0])


def test_the_fastest_search_is_chosen():
    assert isinstance(make_search(some_points(100, 3), 0, SERIAL), TreeSearch)
    assert isinstance(make_search(some_points(100, 30), 0, SERIAL), FlatSearch)
