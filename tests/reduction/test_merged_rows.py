import numpy as np
import pytest
from scipy import sparse

from reference_reduction import exact_neighbors
from tete.core.threads import SERIAL
from tete.exceptions import InvalidFeaturesError
from tete.reduction import merged_rows
from tete.reduction.merged_rows import merge_rows
from tete.reduction.search.nearest import Neighbors


def merged(table, **options):
    settings = {"metric": "euclidean", "pca_components": None, "rng": np.random.default_rng(0)}
    return merge_rows(table, n_neighbors=lambda _: 4, **(settings | options), workers=SERIAL)


def test_rows_that_differ_are_points(rng):
    table = rng.normal(size=(30, 3))
    rows = merged(table)
    assert (len(rows), rows.n_rows, rows.point_of_row) == (30, 30, None)
    np.testing.assert_array_equal(rows.neighbors.indices, exact_neighbors(table, 4)[0])
    values = np.arange(30)
    np.testing.assert_array_equal(rows.by_row(values), rows.of_first_rows(values))
    np.testing.assert_array_equal(rows.total_by_point(values), values)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_equal_rows_are_one_point_that_counts_as_often(rng, metric):
    table = rng.normal(size=(20, 3))[[0, 1, 2, 0, 3, 4, 0, 2, 5, 6, 7]]
    rows = merged(table, metric=metric)
    assert (len(rows), rows.n_rows) == (8, 11)
    assert rows.point_of_row.tolist() == [0, 1, 2, 0, 3, 4, 0, 2, 5, 6, 7]
    assert rows.total_by_point(np.ones(11)).tolist() == [3, 1, 2, 1, 1, 1, 1, 1]
    assert rows.of_first_rows(np.arange(11)).tolist() == [0, 1, 2, 4, 5, 8, 9, 10]
    assert rows.by_row(np.arange(8)).tolist() == rows.point_of_row.tolist()


def test_minus_zero_is_zero():
    assert len(merged(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]]), metric="manhattan")) == 2


def test_given_neighbours_are_taken_as_they_are(rng):
    table = np.repeat(rng.normal(size=(5, 2)), 2, axis=0)
    given = Neighbors(np.zeros((10, 3), np.int32), np.zeros((10, 3), np.float32))
    rows = merged(table, given=given)
    assert rows.neighbors is given
    assert (len(rows), rows.can_search) == (10, False)


def test_a_graph_has_as_many_neighbours_as_its_poorest_row():
    table = np.array([[0, 1, 2, 3], [1, 0, 0, 0], [2, 1, 0, 1], [3, 0, 1, 0]], dtype=float)
    rows = merged(sparse.csr_array(table), metric="precomputed")
    assert rows.neighbors.indices.tolist() == [[1], [0], [1], [2]]
    assert rows.points.is_graph
    assert not rows.can_search
    with pytest.raises(InvalidFeaturesError, match="Every row of a graph must have at least one neighbour"):
        merged(sparse.csr_array(table * [[1], [0], [1], [1]]), metric="precomputed")


@pytest.mark.parametrize("hashes", ["as they are", "all equal"])
def test_equal_rows_are_found_also_where_different_ones_share_a_hash(hashes, rng, monkeypatch):
    table = rng.integers(0, 3, size=(200, 3)).astype(np.float32)
    table[5] = -table[5]  # its zeros are negative now
    if hashes == "all equal":
        monkeypatch.setattr(merged_rows, "row_hashes", lambda points, workers: np.zeros(len(points), dtype=np.uint64))
    first, group = merged_rows._distinct_rows(table, SERIAL)
    expected = np.unique(table + 0.0, axis=0)
    assert len(first) == len(expected)
    assert np.all(np.diff(first) > 0)
    np.testing.assert_array_equal(table[first[group]], table)
