import numpy as np
import pytest

from reference_pyramid import members_of_nodes
from tete.core.threads import threads
from tete.reduction.listwise.draws import block_runs
from tete.reduction.listwise.grid import grid_of_map
from tete.reduction.listwise.pyramid import lists_of_cells, node_values, pyramid_of_map


def places(n_components, n=3000):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(n // 2, n_components)), 3 + 0.2 * rng.normal(size=(n // 2, n_components))])


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("n_points", [4, 60, 3000])
def test_each_point_is_met_once(n_components, n_points):
    grid = grid_of_map(places(n_components, n_points))
    pyramid = pyramid_of_map(grid)
    members = members_of_nodes(grid, pyramid)
    for tile, cell in enumerate(grid.tile_cells):
        runs = np.empty((9, 2), dtype=np.int32)
        n_runs, _ = block_runs(int(cell), grid.shape, grid.cell_starts, runs)
        met = [point for start, stop in runs[:n_runs] for point in grid.order[start:stop]]
        own = pyramid.lists[tile]
        for node in pyramid.nodes[pyramid.starts[own] : pyramid.starts[own + 1]]:
            assert members[node]
            met += members[node]
        assert sorted(met) == list(range(n_points))


@pytest.mark.parametrize("n_components", [1, 2])
def test_nodes_have_the_means_of_their_points_on_any_number_of_threads(n_components):
    embedding = places(n_components)
    slopes = np.random.default_rng(1).random(len(embedding))
    grid = grid_of_map(embedding)
    pyramid = pyramid_of_map(grid)
    values = node_values(pyramid, grid, embedding, slopes)
    for points, value in zip(members_of_nodes(grid, pyramid), values, strict=True):
        mean = embedding[points].mean(axis=0) if points else np.zeros(n_components)
        expected = [*mean, len(points) / len(embedding), slopes[points].sum() / len(embedding)]
        np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-12)
    with threads(2) as workers:
        np.testing.assert_array_equal(node_values(pyramid, grid, embedding, slopes, workers), values)


def test_new_places_meet_what_the_points_of_their_cell_meet():
    grid = grid_of_map(places(2))
    pyramid = pyramid_of_map(grid)
    values = node_values(pyramid, grid, places(2), np.zeros(3000))
    lists = lists_of_cells(pyramid, values, grid.tile_cells)
    for tile, own in enumerate(pyramid.lists):
        nodes = pyramid.nodes[pyramid.starts[own] : pyramid.starts[own + 1]]
        np.testing.assert_array_equal(lists[tile][lists[tile] >= 0], nodes)


@pytest.mark.parametrize("n_components", [3, 4])
def test_other_dimensions_have_no_levels(n_components):
    grid = grid_of_map(places(n_components))
    pyramid = pyramid_of_map(grid)
    assert len(pyramid.nodes) == 0
    assert node_values(pyramid, grid, places(n_components), np.ones(3000)).shape == (0, n_components + 2)
    assert lists_of_cells(pyramid, np.zeros((0, n_components + 2)), grid.tile_cells).shape[1] == 0
