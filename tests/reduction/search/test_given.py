import numpy as np
import pytest
from scipy import sparse

from reference_reduction import exact_neighbors
from tete.core.threads import SERIAL
from tete.exceptions import FewNeighborsWarning, InvalidFeaturesError, InvalidParameterError
from tete.reduction.search import given
from tete.reduction.search.given import GivenDistances, given_neighbors, graph_of_others


@pytest.fixture
def distances(rng):
    points = rng.normal(size=(40, 3))
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.parametrize("at_once", [7, 1024])
def test_the_nearest_others_of_each_row(distances, at_once, monkeypatch):
    monkeypatch.setattr(given, "ROWS_AT_ONCE", at_once)
    found = GivenDistances(distances).within(6, SERIAL)
    apart = distances + np.where(np.eye(40, dtype=bool), np.inf, 0.0)
    np.testing.assert_array_equal(found.indices, np.argsort(apart, axis=1)[:, :6])
    np.testing.assert_allclose(found.distances, np.sort(apart, axis=1)[:, :6], rtol=1e-6)


def test_ties_go_by_number():
    found = GivenDistances().of(np.array([[2.0, 1.0, 1.0, 1.0, 0.5]]), 3, SERIAL)
    assert found.indices.tolist() == [[4, 1, 2]]
    assert GivenDistances().of(np.zeros((1, 5)), 5, SERIAL).indices.tolist() == [[0, 1, 2, 3, 4]]
    assert GivenDistances().of(np.zeros((0, 5)), 2, SERIAL).indices.shape == (0, 2)


def test_a_graph_gives_its_shortest_edges(distances):
    graph = graph_of_others(sparse.csr_array(np.where(distances < 2.5, distances, 0.0)))
    found = GivenDistances(graph).within(3, SERIAL)
    np.testing.assert_array_equal(found.indices, GivenDistances(distances).within(3, SERIAL).indices)
    short = sparse.csr_array(np.eye(3))
    with pytest.raises(InvalidFeaturesError, match="Row 0 of the graph has 1 neighbour: 2 are needed"):
        GivenDistances().of(short, 2, SERIAL)


def test_edges_of_length_0_remain():
    graph = sparse.csr_array((np.zeros(2), [1, 0], [0, 1, 2]), shape=(2, 2))
    assert GivenDistances(graph_of_others(graph)).within(1, SERIAL).indices.tolist() == [[1], [0]]


def test_distances_equal_the_reference(rng):
    points = rng.normal(size=(50, 4))
    table = np.linalg.norm(points[:, None] - points[None], axis=2)
    indices = GivenDistances(table).within(5, SERIAL).indices
    np.testing.assert_array_equal(indices, exact_neighbors(points, 5)[0])


def test_a_known_graph_has_as_many_neighbours_as_its_poorest_row(distances):
    graph = sparse.csr_array(np.where(distances < 2.5, distances, 0.0))
    fewest = int(np.diff(graph.indptr).min())
    with pytest.warns(FewNeighborsWarning, match=f"Only {fewest} neighbours of each row are used, because row "):
        found = given_neighbors(graph, 40)
    apart = distances + np.where(np.eye(40, dtype=bool), np.inf, 0.0)
    np.testing.assert_array_equal(found.indices, np.argsort(apart, axis=1)[:, :fewest])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda graph: graph[:, :5], "must be a graph of the 6 rows, 6 x 6, got shape"),
        (lambda graph: -graph, "must hold finite distances that are not negative"),
        (lambda graph: graph * np.inf, "must hold finite distances that are not negative"),
        (lambda graph: sparse.csr_array((6, 6)), r"Row 0 of `precomputed_knn` has no neighbour \(6 such rows\)"),
        (lambda graph: 7, "must be a pair of arrays .* or a sparse graph of distances, got int"),
        (lambda graph: (None, None, None), "must be two arrays of one shape with 6 rows"),
    ],
)
def test_known_neighbours_that_are_none(change, message):
    graph = sparse.csr_array(np.arange(36.0).reshape(6, 6) + 1.0)
    with pytest.raises(InvalidParameterError, match=message):
        given_neighbors(change(graph), 6)
