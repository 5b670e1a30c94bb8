import numpy as np
import pytest
from scipy import sparse

from tete.exceptions import InvalidParameterError
from tete.metrics import ranks
from tete.metrics.ranks import check_neighbors, feature_ranks, map_neighbors, moderate, sample_rows, unit_rows

LINE = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])


def test_neighbours_on_the_map_come_nearest_first_without_the_row_itself():
    assert map_neighbors(LINE, np.array([0, 3]), 2).tolist() == [[1, 2], [2, 1]]
    wide = np.hstack([LINE, np.zeros((5, 6))])  # not searched by a tree
    assert map_neighbors(wide, np.array([0, 3]), 2).tolist() == [[1, 2], [2, 1]]
    equal = map_neighbors(np.zeros((8, 2)), np.arange(8), 3)
    assert equal.shape == (8, 3)
    assert not (equal == np.arange(8)[:, None]).any()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("at_once", [1, 2**21])
def test_ranks_count_the_rows_that_are_nearer(monkeypatch, kind, at_once):
    monkeypatch.setattr(ranks, "NUMBERS_AT_ONCE", at_once)
    found = feature_ranks(kind(LINE), np.array([0, 3]), np.array([[4, 1], [4, 2]]), "euclidean")
    assert found.tolist() == [[4, 1], [4, 1]]


def test_ranks_by_distances_and_by_other_metrics():
    near = np.array([[4, 1], [4, 2]])
    distances = np.abs(LINE - LINE.T)
    for table, metric in ((distances, "precomputed"), (LINE, "manhattan")):
        assert feature_ranks(table, np.array([0, 3]), near, metric).tolist() == [[4, 1], [4, 1]]
    angles = np.array([0.0, 0.1, 0.3, 0.7])
    around = np.column_stack([np.cos(angles), np.sin(angles)]) * [[1.0], [9.0], [2.0], [5.0]]
    assert feature_ranks(around, np.array([0]), np.array([[3, 2, 1]]), "cosine").tolist() == [[3, 2, 1]]


def test_samples_are_in_order_and_without_repeats():
    assert sample_rows(5, None, 0).tolist() == sample_rows(5, 9, 0).tolist() == [0, 1, 2, 3, 4]
    some = sample_rows(1000, 100, 0)
    assert (np.diff(some) > 0).all()
    assert some.tolist() == sample_rows(1000, 100, 0).tolist() != sample_rows(1000, 100, 1).tolist()


def test_more_neighbours_than_other_rows():
    check_neighbors(4, 5)
    with pytest.raises(InvalidParameterError, match="`n_neighbors` must be below the number of rows, 5, got 5"):
        check_neighbors(5, 5)


def test_huge_rows_become_moderate_and_cosine_rows_unit():
    rows = np.array([[3e200, 4e200], [0.0, 0.0]])
    np.testing.assert_allclose(unit_rows(rows, "cosine"), [[0.6, 0.8], [0.0, 0.0]])
    assert unit_rows(rows, "euclidean") is rows
    np.testing.assert_allclose(moderate(rows, "euclidean"), [[0.75, 1.0], [0.0, 0.0]])
    assert moderate(rows, "manhattan") is rows
