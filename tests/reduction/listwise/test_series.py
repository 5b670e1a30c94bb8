import numpy as np
import pytest

from tete.core.threads import threads
from tete.reduction.listwise.grid import grid_of_map
from tete.reduction.listwise.pyramid import node_values, pyramid_of_map
from tete.reduction.listwise.series import REACH, series_of_tiles

POWERS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    places = np.concatenate([4 * rng.normal(size=(2000, 2)), 10 + rng.normal(size=(1000, 2))])
    grid = grid_of_map(places)
    pyramid = pyramid_of_map(grid)
    values = node_values(pyramid, grid, places, rng.random(3000))
    return grid, pyramid, values


def far_nodes(pyramid, values, own):
    nodes = pyramid.nodes[pyramid.starts[own] : pyramid.starts[own + 1]]
    return values[nodes[nodes >= pyramid.offsets[1]]]


def potential(nodes, column, place):
    return np.sum(nodes[:, column] / (1 + np.sum((nodes[:, :2] - place) ** 2, axis=1)))


def series_at(terms, step):
    return sum(term * step[0] ** i * step[1] ** j for term, (i, j) in zip(terms, POWERS, strict=True))


def test_series_differ_from_their_potentials_in_the_fourth_order(problem):
    grid, pyramid, values = problem
    series = series_of_tiles(pyramid, grid, values)
    rng = np.random.default_rng(1)
    for own in range(0, len(series.reaches), 7):
        nodes = far_nodes(pyramid, values, own)
        direction = rng.normal(size=2)
        direction /= np.linalg.norm(direction)
        for column, terms in ((2, series.weights[own]), (3, series.reactions[own])):
            assert terms[0] == pytest.approx(potential(nodes, column, series.centers[own]), rel=1e-10)
            errors = [
                series_at(terms, length * direction)
                - potential(nodes, column, series.centers[own] + length * direction)
                for length in np.array([0.1, 0.2]) * np.sqrt(series.reaches[own])
            ]
            assert np.abs(errors).max() < 1e-4 * terms[0]
            assert abs(errors[1]) < 20 * abs(errors[0]) + 1e-12 * terms[0]  # 16 times for twice the length


def test_the_middle_is_the_mean_place_of_the_cell_and_nodes_lie_beyond_the_reach(problem):
    grid, pyramid, values = problem
    series = series_of_tiles(pyramid, grid, values)
    for tile, own in enumerate(pyramid.lists):
        np.testing.assert_array_equal(series.centers[own], values[grid.tile_cells[tile], :2])
        nearest = np.min(np.sum((far_nodes(pyramid, values, own)[:, :2] - series.centers[own]) ** 2, axis=1))
        assert series.reaches[own] == pytest.approx(REACH**2 * (1 + nearest), rel=1e-10)


def test_the_number_of_threads_changes_no_bit(problem):
    grid, pyramid, values = problem
    alone = series_of_tiles(pyramid, grid, values.astype(np.float32))
    with threads(2) as workers:
        together = series_of_tiles(pyramid, grid, values.astype(np.float32), workers)
    for first, second in zip(alone, together, strict=True):
        np.testing.assert_array_equal(first, second)


def test_small_maps_have_series_of_nothing_and_other_maps_none():
    places = np.random.default_rng(0).normal(size=(10, 3))
    for n_components in (1, 2, 3):
        grid = grid_of_map(places[:, :n_components])
        pyramid = pyramid_of_map(grid)
        values = node_values(pyramid, grid, places[:, :n_components], np.ones(10))
        series = series_of_tiles(pyramid, grid, values)
        assert len(series.reaches) == (len(pyramid.starts) - 1 if n_components == 2 else 0)
