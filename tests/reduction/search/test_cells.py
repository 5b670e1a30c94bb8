import numpy as np
import pytest

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL, threads
from tete.exceptions import InvalidFileError
from tete.reduction.search import cells
from tete.reduction.search.cells import CellSearch, cell_search
from tete.reduction.search.exact import FlatSearch


def recall(points, count=15, seed=0):
    found = cell_search(points, seed, SERIAL).within(count, SERIAL)
    true = FlatSearch(points).within(count, SERIAL)
    return np.mean((found.indices[:, :, None] == true.indices[:, None]).any(axis=2))


def curved(n):
    angles = np.random.default_rng(0).random((n, 3))
    waves = np.outer(angles @ [1, 2, 3], np.arange(1, 5)) + np.outer(angles[:, 0], np.arange(4))
    return np.hstack([np.sin(waves), np.cos(waves), angles]).astype(np.float32)


def unequal(n):
    """Half of the points in a ball of size .0001, the rest in clusters of all sizes."""
    rng = np.random.default_rng(1)
    sizes = (n / 4 / np.arange(1, 40) ** 1.1).astype(int) + 1
    parts = [10 ** rng.uniform(-3, 0) * rng.normal(size=(size, 8)) + 3 * rng.normal(size=8) for size in sizes]
    return np.concatenate([1 + 1e-4 * rng.normal(size=(n // 2, 8)), *parts]).astype(np.float32)


def constant_columns(n):
    points = np.random.default_rng(2).normal(size=(n, 9)).astype(np.float32)
    points[:, 4:] = 7.0
    return points


@pytest.mark.parametrize("make", [curved, unequal, constant_columns], ids=lambda make: make.__name__)
def test_nearly_all_neighbours_are_found(make):
    assert recall(make(6000)) > 0.985


def test_what_is_said_about_the_recall_is_true():
    points = curved(5000)
    search = cell_search(points, 0, SERIAL)
    assert search.recall >= cells.WANTED_RECALL
    assert abs(recall(points, cells.RECALL_NEIGHBORS) - search.recall) < 0.01


def test_no_query_visits_more_points_than_it_may(monkeypatch):
    monkeypatch.setattr(cells, "MOST_VISITED_POINTS", 300)
    noise = np.random.default_rng(0).random((4000, 30)).astype(np.float32)
    search = cell_search(noise, 0, SERIAL)
    assert search.n_visited == int(300 * len(search.centers) / 4000)
    assert search.recall < 0.9


def test_cells_are_divided_where_many_points_are_together():
    search = cell_search(unequal(8000), 0, SERIAL)
    sizes = np.bincount(search.cells)
    assert sizes.max() < 8 * 8000 / len(search.centers)


def test_duplicates_are_neighbours_at_distance_0_and_nobody_is_its_own(rng):
    points = np.repeat(rng.normal(size=(500, 6)), 4, axis=0).astype(np.float32)
    found = cell_search(points, 0, SERIAL).within(8, SERIAL)
    assert not np.any(found.indices == np.arange(len(points))[:, None])
    assert np.all(found.distances[:, :3] == 0.0)
    assert np.all(found.distances[:, 3] > 0.0)


def test_cells_with_too_few_points_are_not_the_end(rng):
    points = rng.normal(size=(400, 3)).astype(np.float32)
    search = cell_search(points, 0, SERIAL)
    search.n_visited = 1
    found, true = search.within(350, SERIAL), FlatSearch(points).within(350, SERIAL)
    np.testing.assert_array_equal(found.indices, true.indices)
    np.testing.assert_array_equal(found.distances, true.distances)


def test_bits_for_any_threads_and_seeds_that_matter(rng):
    points = rng.normal(size=(3000, 7)).astype(np.float32)
    with threads(1) as one, threads(3) as three:
        first, second = cell_search(points, 5, one), cell_search(points, 5, three)
        for a, b in zip(first.within(9, one), second.within(9, three), strict=True):
            np.testing.assert_array_equal(a, b)
    for name, array in first.to_arrays().items():
        np.testing.assert_array_equal(array, second.to_arrays()[name])
    assert not np.array_equal(first.centers[:5], cell_search(points, 6, SERIAL).centers[:5])


def test_all_of_it_in_arrays(rng):
    points = rng.normal(size=(2000, 5)).astype(np.float32)
    search = cell_search(points, 0, SERIAL)
    again = CellSearch.from_arrays(points, CheckedArrays(search.to_arrays()))
    for a, b in zip(search.of(points + 1, 5, SERIAL), again.of(points + 1, 5, SERIAL), strict=True):
        np.testing.assert_array_equal(a, b)
    for wrong in ({"n_visited_cells": np.array(10**6)}, {"cells": search.cells + np.int32(10**6)}):
        with pytest.raises(InvalidFileError, match=next(iter(wrong))):
            CellSearch.from_arrays(points, CheckedArrays(search.to_arrays() | wrong))


@pytest.mark.parametrize("n", [2, 3, 20])
def test_tiny_tables(n, rng):
    points = rng.normal(size=(n, 4)).astype(np.float32)
    found = cell_search(points, 0, SERIAL).within(n - 1, SERIAL)
    np.testing.assert_array_equal(found.indices, FlatSearch(points).within(n - 1, SERIAL).indices)
