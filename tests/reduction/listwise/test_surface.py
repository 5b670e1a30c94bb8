import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from tete import ListwiseTETE
from tete.core.threads import SERIAL, threads
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.surface import gate, local_dimension, make_surface, may_be_surface
from tete.reduction.search.exact import TreeSearch, make_search


def neighbors_of(points, count=60):
    with threads(1) as workers:
        return TreeSearch(points.astype(np.float32)).within(count, workers)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_the_dimension_of_uniform_data_is_found(dimension):
    points = np.random.default_rng(0).random((8000, dimension))
    found = local_dimension(neighbors_of(points), 10, 30)
    assert np.median(found) == pytest.approx(dimension, rel=0.15)


def test_the_gate_is_open_on_surfaces_only():
    assert gate(neighbors_of(make_swiss_roll(3000, random_state=0)[0])).mean() > 0.6
    assert not gate(neighbors_of(np.random.default_rng(0).normal(size=(3000, 5)))).any()
    assert not gate(neighbors_of(np.random.default_rng(0).random((400, 2)))).any()
    assert not gate(neighbors_of(np.random.default_rng(0).random((3000, 2)), 20)).any()


@pytest.mark.parametrize(("dimension", "expected"), [(2, True), (6, False)])
def test_of_many_points_a_sample_tells_whether_they_lie_on_a_surface(dimension, expected):
    rng = np.random.default_rng(0)
    points = np.zeros((130_000, 6), dtype=np.float32)
    points[:, :dimension] = rng.random((len(points), dimension))
    search = make_search(points, 0, SERIAL)
    assert may_be_surface(search, SERIAL) is expected
    assert search._blocks is None
    assert may_be_surface(make_search(points[:3000], 0, SERIAL), SERIAL)  # so few are all asked
    if expected:
        found = gate(search.within(60, SERIAL))
        assert found.mean() > 0.5


def test_farther_neighbours_take_their_share_and_reach_farther():
    points = np.random.default_rng(0).random((3000, 2))
    neighbors = neighbors_of(points)
    gates = gate(neighbors)
    near = Affinities(neighbors.first(15).indices, np.full((3000, 15), 1 / 15, dtype=np.float32))
    surface = make_surface(near, neighbors, gates, seed=0, stages=(50, 100))
    own = np.arange(3000, dtype=np.int32)
    early, fading, late = (surface.arranged(own, own, iteration, SERIAL) for iteration in (50, 60, 75))
    assert early.indices.shape == (3000, 24)  # 21, filled up to whole lanes
    for found, share in ((early, 0.9), (fading, 0.58), (late, 0.1)):
        np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, rtol=1e-5)
        np.testing.assert_allclose(found.shares[:, 15:].sum(axis=1), share * gates, rtol=1e-2, atol=1e-6)
        np.testing.assert_array_equal(found.indices[:, :15], near.indices)
        np.testing.assert_array_equal(found.indices[:, 21:], np.repeat(own[:, None], 3, axis=1))
        assert not found.shares[:, 21:].any()
    reach = np.linalg.norm(points[early.indices] - points[:, None], axis=2).mean(axis=0)
    assert reach[15:17].mean() < reach[17:19].mean() < reach[19:21].mean()
    assert reach[19:21].mean() > 3 * reach[:15].mean()


def test_walks_do_not_depend_on_what_was_asked_before():
    points = np.random.default_rng(0).random((1000, 2))
    neighbors = neighbors_of(points)
    near = Affinities(neighbors.first(15).indices, np.full((1000, 15), 1 / 15, dtype=np.float32))
    first, second = (make_surface(near, neighbors, gate(neighbors), 0, (50, 100)) for _ in range(2))
    own = np.arange(1000, dtype=np.int32)
    for iteration in range(41):
        first.arranged(own, own, iteration, SERIAL)
    second.arranged(own, own, 40, SERIAL)
    found = first.arranged(own, own, 41, SERIAL)
    np.testing.assert_array_equal(found.indices, second.arranged(own, own, 41, SERIAL).indices)
    # Rows in another order have the same neighbours.
    order = np.random.default_rng(1).permutation(1000).astype(np.int32)
    other = first.arranged(order, np.argsort(order).astype(np.int32), 41, SERIAL)
    np.testing.assert_array_equal(order[other.indices], found.indices[order])
    np.testing.assert_array_equal(other.shares, found.shares[order])


def n_pieces(embedding):
    return connected_components(csr_array(kneighbors_graph(embedding, 10)), directed=False)[0]


def test_the_swiss_roll_stays_in_one_piece():
    roll, position = make_swiss_roll(2000, random_state=0)
    embedding = ListwiseTETE(random_state=0).fit_transform(roll)
    assert n_pieces(embedding) == 1
    # Neighbours on the map are neighbours along the roll, not across its windings.
    graph = kneighbors_graph(embedding, 10).tocoo()
    assert np.mean(np.abs(position[graph.row] - position[graph.col]) < 1.5) > 0.99
