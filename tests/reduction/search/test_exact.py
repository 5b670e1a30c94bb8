"""Every search: `reduction.search.nearest` is what they have in common, `reduction.search.cells` the one not exact."""

import pickle

import numpy as np
import pytest

from reference_reduction import exact_neighbors
from tete.core.threads import threads
from tete.reduction.search import cells, exact
from tete.reduction.search.cells import CellSearch
from tete.reduction.search.exact import FlatSearch, MetricSearch, TreeSearch, make_search

SEARCHES = {
    "tree": TreeSearch,
    "flat": FlatSearch,
    "metric": lambda points: MetricSearch(points, "euclidean"),
}


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
@pytest.mark.parametrize("n_own", [0, 2000], ids=["by faiss", "by a plain loop"])
def test_a_point_is_never_its_own_neighbour_even_among_duplicates(name, n_own, monkeypatch):
    monkeypatch.setattr(exact, "OWN_POINTS", n_own)
    points = np.repeat(some_points(20), 6, axis=0)
    with threads(1) as workers:
        found = SEARCHES[name](points).within(8, workers)
    assert not np.any(found.indices == np.arange(len(points))[:, None])
    assert np.all(np.diff(found.distances, axis=1) >= 0)
    assert np.all(found.distances[:, :5] == 0)
    assert np.all(found.distances[:, 5] > 0)


def test_cells_answer_some_rows_at_a_time_and_leave_out_the_point_itself(monkeypatch):
    points = np.repeat(some_points(500, 6), 4, axis=0)
    points[::4] += np.float32(1e-3)
    search = CellSearch(points)
    with threads(1) as workers:
        whole = search.within(8, workers)
        monkeypatch.setattr(cells, "ROWS_AT_ONCE", 300)
        pieces = search.within(8, workers)
        exact = FlatSearch(points).within(8, workers)
    assert not np.any(pieces.indices == np.arange(len(points))[:, None])
    assert np.mean(pieces.indices == whole.indices) > 0.99
    assert np.mean(pieces.distances == whole.distances) > 0.99
    same = pieces.indices == exact.indices
    assert np.mean(same) > 0.95
    np.testing.assert_allclose(pieces.distances[same], exact.distances[same], rtol=1e-5)


@pytest.mark.parametrize("n_own", [0, 2000], ids=["by faiss", "by a plain loop"])
def test_distances_of_near_points_far_from_the_origin_keep_their_digits(n_own, monkeypatch):
    monkeypatch.setattr(exact, "OWN_POINTS", n_own)
    points = some_points(50, 6)
    points[1] = points[0] + np.float32(1e-4)
    points += 1000
    with threads(1) as workers:
        found = FlatSearch(points).within(3, workers)
    np.testing.assert_allclose(found.distances, exact_neighbors(points, 3)[1], rtol=1e-4)


def test_cells_reach_the_wanted_recall_on_curved_data():
    angles = np.random.default_rng(0).random((6000, 3))
    waves = np.outer(angles @ [1, 2, 3], np.arange(1, 5)) + np.outer(angles[:, 0], np.arange(4))
    points = np.hstack([np.sin(waves), np.cos(waves), angles]).astype(np.float32)
    search = CellSearch(points)
    with threads(1) as workers:
        found, true = search.within(10, workers), FlatSearch(points).within(10, workers)
    hits = np.mean([len(np.intersect1d(*pair)) for pair in zip(found.indices, true.indices, strict=True)]) / 10
    assert search.recall >= 0.98
    assert hits > 0.95


def test_points_without_clusters_are_searched_exactly(monkeypatch):
    monkeypatch.setattr(exact, "FLAT_POINTS", 1000)
    noise = np.random.default_rng(0).random((6000, 30)).astype(np.float32)
    assert isinstance(make_search(noise, 0), FlatSearch)
    centers = np.random.default_rng(1).normal(size=(60, 30))
    clustered = (0.1 * noise + np.repeat(centers, 100, axis=0)).astype(np.float32)
    assert isinstance(make_search(clustered, 0), CellSearch)


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, CellSearch])
def test_a_query_is_answered_from_its_own_row_alone(make):
    points, queries = some_points(3000, 5), some_points(64, 5, seed=1)
    search = make(points)
    with threads(1) as workers:
        together = search.of(queries, 5, workers)
        for row in (0, 13, 63):
            alone = search.of(queries[[row]], 5, workers)
            np.testing.assert_array_equal(alone.indices[0], together.indices[row])
            np.testing.assert_array_equal(alone.distances[0], together.distances[row])


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, CellSearch])
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


@pytest.mark.parametrize("make", [TreeSearch, FlatSearch, CellSearch])
def test_searches_survive_pickling(make):
    points = some_points(2000, 5)
    search = make(points)
    again = pickle.loads(pickle.dumps(search))
    with threads(1) as workers:
        np.testing.assert_array_equal(search.of(points + 1, 4, workers)[0], again.of(points + 1, 4, workers)[0])


def test_the_fastest_search_is_chosen():
    assert isinstance(make_search(some_points(100, 3), 0), TreeSearch)
    assert isinstance(make_search(some_points(100, 30), 0), FlatSearch)
