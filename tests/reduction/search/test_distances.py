import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from tete.reduction.search.distances import euclidean_between, given_between, metric_between


@pytest.fixture
def tables(rng):
    return rng.normal(size=(6, 4)).astype(np.float32), rng.normal(size=(9, 4)).astype(np.float32)


ROWS, OTHERS = np.array([0, 0, 2, 5, 5, 1]), np.array([3, 8, 0, 0, 7, 4])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_named_pairs(tables, metric):
    queries, points = tables
    between = euclidean_between(*tables) if metric == "euclidean" else metric_between(queries, points, metric)
    np.testing.assert_allclose(between(ROWS, OTHERS), cdist(queries, points, metric)[ROWS, OTHERS], rtol=1e-5)


def test_given_distances(tables):
    distances = cdist(*tables)
    np.testing.assert_allclose(given_between(distances)(ROWS, OTHERS), distances[ROWS, OTHERS], rtol=1e-6)
    graph = sparse.csr_array(np.where(distances < 3.0, distances, 0.0))
    expected = np.where(distances < 3.0, distances, np.inf)[ROWS, OTHERS]  # no edge: farther than any neighbour
    np.testing.assert_allclose(given_between(graph)(ROWS, OTHERS), expected, rtol=1e-6)
