import numpy as np
import pytest
from sklearn.impute import KNNImputer

from tete.core.threads import SERIAL, threads
from tete.reduction.encoding import neighbor_gaps
from tete.reduction.encoding.neighbor_gaps import NeighborGaps, donors_of


@pytest.fixture
def holed(rng):
    table = rng.normal(size=(150, 6)).astype(np.float32).astype(np.float64)
    table[rng.random(table.shape) < 0.3] = np.nan
    return table[~np.isnan(table).all(axis=1)]


def mean_of_nearest(row, donors):
    """The gaps of a row by the five nearest that have the cell, over the row's own cells, by expected squares."""
    own, result = ~np.isnan(row), row.copy()
    squares = np.where(np.isnan(donors), row**2 + 1.0, (row - donors) ** 2)[:, own].sum(axis=1)
    for column in np.flatnonzero(~own):
        having = np.flatnonzero(~np.isnan(donors[:, column]))
        result[column] = donors[having[np.argsort(squares[having], kind="stable")[:5]], column].mean()
    return result


def test_gaps_get_the_mean_of_the_nearest_rows_that_have_the_cell(holed):
    expected = np.array([mean_of_nearest(row, holed[:100]) for row in holed[100:]])
    np.testing.assert_allclose(donors_of(holed[:100]).filled(holed[100:], SERIAL), expected, rtol=1e-12)


def test_from_rows_without_gaps_it_is_as_scikit_learn_does(holed, rng):
    whole = rng.normal(size=(80, 6)).astype(np.float32)
    filled = donors_of(whole).filled(holed, SERIAL)
    np.testing.assert_allclose(filled, KNNImputer(n_neighbors=5).fit(whole).transform(holed), rtol=1e-6)


def test_rows_are_filled_in_by_themselves_with_the_same_bits(holed):
    donors, before = donors_of(holed), holed.copy()
    whole = donors.filled(holed, SERIAL)
    np.testing.assert_array_equal(holed, before)
    np.testing.assert_array_equal(donors.filled(holed[7:8], SERIAL), whole[7:8])
    with threads(2) as workers:
        np.testing.assert_array_equal(donors.filled(holed, workers), whole)


def test_gaps_that_no_row_can_fill_stay():
    donors = NeighborGaps(np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan]], dtype=np.float32))
    filled = donors.filled(np.array([[1.0, np.nan, np.nan], [np.nan, 1.0, np.nan]]), SERIAL)
    np.testing.assert_array_equal(filled, [[1.0, np.nan, 3.0], [1.5, 1.0, 3.0]])


def test_as_many_rows_are_kept_as_their_width_allows(monkeypatch):
    monkeypatch.setattr(neighbor_gaps, "MOST_DONORS", 20)
    monkeypatch.setattr(neighbor_gaps, "MOST_CELLS", 100)
    assert [len(donors_of(np.zeros((50, width))).donors) for width in (2, 10, 90)] == [20, 10, 5]
