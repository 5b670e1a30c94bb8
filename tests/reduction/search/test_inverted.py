import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from tete.core.threads import SERIAL, threads
from tete.reduction.search.inverted import InvertedSearch, products_needed, sparse_between
from tete.reduction.sparse_scaling import SparseScaling


def rows_of(table, unit_rows=True):
    return SparseScaling(table.shape[1], 1.0, unit_rows).rows(table)


def some_rows(rng, n_rows=150, n_columns=60, density=0.1):
    shape = (n_rows, n_columns)
    return rows_of(sparse.csr_array(np.where(rng.random(shape) < density, rng.random(shape), 0.0)))


@given(seed=st.integers(0, 2**31), density=st.sampled_from([0.02, 0.1, 0.5]), count=st.integers(1, 12))
def test_neighbours_are_the_nearest(seed, density, count):
    points = some_rows(np.random.default_rng(seed), 40, 30, density)
    found = InvertedSearch(points).within(count, SERIAL)
    distances = cdist(points.toarray(), points.toarray())
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(distances)[:, :count], atol=1e-6)
    rows = np.arange(40)[:, None]
    assert np.all(found.indices != rows)
    np.testing.assert_allclose(found.distances, distances[rows, found.indices], atol=1e-6)
    assert all(len(set(row)) == count for row in found.indices)


def test_new_rows_alone_and_together_have_the_same_bits(rng):
    points, new = some_rows(rng), some_rows(rng, 70)
    search = InvertedSearch(points)
    together = search.of(new, 9, SERIAL)
    np.testing.assert_allclose(together.distances, np.sort(cdist(new.toarray(), points.toarray()))[:, :9], atol=1e-6)
    for row in range(0, 70, 7):
        alone = search.of(new[row : row + 1], 9, SERIAL)
        np.testing.assert_array_equal(alone.indices[0], together.indices[row])
        np.testing.assert_array_equal(alone.distances[0], together.distances[row])


def test_the_number_of_threads_changes_no_bit(rng):
    search = InvertedSearch(some_rows(rng, 400))
    with threads(3) as workers:
        here, there = search.within(10, SERIAL), search.within(10, workers)
    np.testing.assert_array_equal(here.indices, there.indices)
    np.testing.assert_array_equal(here.distances, there.distances)


def test_rows_without_anything_in_common_go_by_number():
    found = InvertedSearch(rows_of(sparse.csr_array(np.eye(6)))).within(3, SERIAL)
    assert found.indices[0].tolist() == [1, 2, 3]
    assert found.indices[5].tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.distances, np.sqrt(2.0))


def test_near_rows_keep_their_digits():
    table = np.zeros((5, 8))
    table[:, :3] = 1000.0
    table[:, 3] = [0.0, 1e-3, 3e-3, 7e-3, 1e-2]
    found = InvertedSearch(rows_of(sparse.csr_array(table), unit_rows=False)).within(4, SERIAL)
    assert found.indices[0].tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(found.distances[0], [1e-3, 3e-3, 7e-3, 1e-2], rtol=1e-5)


def test_distances_of_pairs(rng):
    points, new = some_rows(rng), some_rows(rng, 20)
    rows, others = rng.integers(0, 20, 50), rng.integers(0, 150, 50)
    expected = cdist(new.toarray(), points.toarray())[rows, others]
    np.testing.assert_allclose(sparse_between(new, points)(rows, others), expected, atol=1e-6)


def test_work_is_counted():
    assert products_needed(sparse.csr_array(np.array([[1, 0, 2], [0, 0, 3]]))) == pytest.approx(1 + 4 + 4)
