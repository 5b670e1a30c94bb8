"""The loop, what it runs over and who runs it.

`reduction.listwise.plane`, `reduction.listwise.logarithm`, `reduction.listwise.grid`, `reduction.listwise.draws`,
`reduction.listwise.mean_loss`.
"""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from reference import numerical_gradient
from reference_pyramid import members_of_nodes
from reference_reduction import exact_means, one_sided, pooled_loss
from tete.core.array_places import in_words
from tete.core.threads import SERIAL, threads
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.draws import Draws, block_runs, draw_for_tiles
from tete.reduction.listwise.grid import grid_of_map, make_grid
from tete.reduction.listwise.kernel import Loss, sum_listwise
from tete.reduction.listwise.logarithm import exp, log
from tete.reduction.listwise.mean_loss import ListwiseObjective, Plan
from tete.reduction.listwise.plane import sum_in_the_plane
from tete.reduction.listwise.pyramid import node_values, pyramid_of_map
from tete.reduction.listwise.series import series_of_tiles


def problem(n=40, m=5, n_components=2, seed=0):
    rng = np.random.default_rng(seed)
    near = np.array([rng.permutation(np.delete(np.arange(n), i))[:m] for i in range(n)], dtype=np.int32)
    shares = rng.random((n, m), dtype=np.float32)
    kappa = (1 + 5 * rng.random(n)).astype(np.float32)
    weights = rng.random(n, dtype=np.float32)
    return rng.normal(size=(n, n_components)), near, shares / shares.sum(axis=1, keepdims=True), kappa, weights


def total(loss, embedding, near, shares, kappa, weights, draws, grid, slopes=None, *, by_series=True):
    """Value, gradient, means and slopes of all points by the compiled loop; without series, from cells one by one."""
    kind, pyramid = embedding.dtype, pyramid_of_map(grid)
    slopes = np.zeros(len(embedding), dtype=kind) if slopes is None else slopes.astype(kind)
    gradient, means, new_slopes = np.zeros_like(embedding), np.zeros_like(slopes), np.zeros_like(slopes)
    values = node_values(pyramid, grid, embedding, slopes)
    lists = draw_lists(draws, grid, 0, len(grid.tile_cells), kind)
    field = (grid, pyramid, values)
    if embedding.shape[1] == 2:
        rows = np.arange(len(near), dtype=np.int32)
        in_lanes = Affinities(near, shares).arranged(rows, rows, 0, SERIAL)
        series = series_of_tiles(pyramid, grid, values)
        series.reaches[:] = series.reaches if by_series else -1
        anchors = (loss, kappa, embedding, *in_lanes, weights, in_words(embedding))
        value = sum_in_the_plane(*anchors, *field, series, slopes, 0, *lists, means, new_slopes, gradient)
    else:
        anchors = (loss, kappa, embedding, near, shares, weights)
        value = sum_listwise(*anchors, *field, slopes, 0, *lists, means, new_slopes, gradient)
    return value, gradient, means, new_slopes


def draw_lists(draws, grid, first, n_tiles, kind=np.float64):
    shape = (n_tiles, draws.n_uniform + draws.n_near)
    points, weights = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=kind)
    counts = np.empty(n_tiles, dtype=np.int32)
    draw_for_tiles(draws, grid, first, points, weights, counts)
    return points, weights, counts


def drawn(draws, grid, tile):
    points, weights, counts = draw_lists(draws, grid, tile, 1)
    return points[0, : counts[0]], weights[0, : counts[0]]


def competitors_of(draws, grid, embedding, slopes):
    """Places, weights and weighted slopes that each point competes with: its tile's draws, and cells far away."""
    pyramid, found, n_points = pyramid_of_map(grid), {}, len(embedding)
    members = members_of_nodes(grid, pyramid)
    for tile in range(len(grid.tile_cells)):
        points, weights = drawn(draws, grid, tile)
        first, last = pyramid.starts[pyramid.lists[tile]], pyramid.starts[pyramid.lists[tile] + 1]
        far = [members[node] for node in pyramid.nodes[first:last]]
        places = [*embedding[points], *(embedding[points_of].mean(axis=0) for points_of in far)]
        parts = [*weights, *(len(points_of) / n_points for points_of in far)]
        reactions = [*(weights * slopes[points]), *(slopes[points_of].sum() / n_points for points_of in far)]
        for rank in range(grid.tile_starts[tile], grid.tile_starts[tile + 1]):
            found[int(grid.order[rank])] = (np.array(places), np.array(parts), np.array(reactions))
    assert sorted(found) == list(range(n_points))
    return [found[point] for point in range(n_points)]


@pytest.mark.parametrize(("t", "power"), [(1.0, 1.0), (1.1, 1.0), (1.7, 0.5), (2.0, 1.0)])
@pytest.mark.parametrize("n_components", [1, 2, *(pytest.param(more, marks=pytest.mark.slow) for more in (3, 4))])
def test_value_and_gradient_equal_the_reference(t, power, n_components):
    embedding, near, shares, kappa, weights = problem(n=300, n_components=n_components)
    embedding *= 5
    slopes = np.random.default_rng(1).random(300)
    grid = grid_of_map(embedding)
    draws = {1: Draws(0, 6, 3, 5), 2: Draws(0, 6, 3, 5), 3: Draws(9, 6, 3, 5), 4: Draws(9, 0, 3, 5)}[n_components]
    loss = Loss(t, power, 0.1, 0.2)
    found = total(loss, embedding, near, shares, kappa, weights, draws, grid, slopes, by_series=False)
    competitors = competitors_of(draws, grid, embedding, slopes)
    expected = one_sided(embedding, near, shares, weights, kappa, competitors, loss)
    for own, reference in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, reference, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("t", [1.0, 1.1])
def test_by_series_value_and_gradient_hardly_change(t):
    embedding, near, shares, kappa, weights = problem(n=3000)
    embedding = 10 * embedding.astype(np.float32)
    slopes, grid = np.random.default_rng(1).random(3000), grid_of_map(embedding)
    arguments = (Loss(t, 1.0, 0.1, 0.2), embedding, near, shares, kappa, weights, Draws(0, 32, 3, 5), grid, slopes)
    value, gradient, means, new_slopes = total(*arguments)
    exact = total(*arguments, by_series=False)
    assert value == pytest.approx(exact[0], rel=1e-4)
    assert np.abs(gradient - exact[1]).max() > 0
    assert np.linalg.norm(gradient - exact[1]) < 2e-3 * np.linalg.norm(exact[1])
    np.testing.assert_allclose(means, exact[2], rtol=2e-3)
    np.testing.assert_allclose(new_slopes, exact[3], rtol=2e-3)


@pytest.mark.parametrize(("last_t", "exaggeration"), [(1.0, 1.0), (1.3, 1.0), (1.0, 3.0)])
@pytest.mark.parametrize("n_components", [1, 2])
def test_with_all_points_and_their_slopes_the_gradient_is_exact(last_t, exaggeration, n_components):
    embedding, near, shares, kappa, weights = problem(n=20, n_components=n_components)
    plan = Plan(kappa, 1.0, last_t, 100, exaggeration)
    objective = ListwiseObjective(plan, Affinities(near, shares), weights, 7, SERIAL)

    def reference(places):
        all_shares = shares.astype(float) * weights[:, None] / weights.sum()
        return pooled_loss(places, near, all_shares, kappa, exact_means(places), last_t, exaggeration)

    for iteration in range(1, 4):  # of the same map, so that slopes and means of the iteration before are its own
        value, gradient = objective(iteration, embedding)
    assert value == pytest.approx(reference(embedding), rel=1e-6)
    np.testing.assert_allclose(gradient, numerical_gradient(reference, embedding), rtol=1e-4, atol=1e-7)


def test_means_by_cells_and_draws_are_nearly_exact():
    """As docs/features.md says of maps as dense as that of MNIST: 4 % off in the mean square, and 2 % too small."""
    rng = np.random.default_rng(0)
    embedding = (rng.normal(size=(8, 2))[rng.integers(8, size=4000)] * 7 + 2 * rng.normal(size=(4000, 2))).astype("f4")
    near, ones = np.zeros((4000, 1), dtype=np.int32), np.ones(4000, dtype=np.float32)
    arrays = (embedding, near, ones[:, None], ones, ones)
    means = total(Loss(1.0, 1.0, 0.1, 0.0), *arrays, Draws(0, 64, 3, 5), make_grid(embedding, 32))[2]
    error = means / exact_means(embedding.astype(np.float64)) - 1
    assert 0.01 < np.sqrt(np.mean(error**2)) < 0.07
    assert -0.04 < np.mean(error) < 0.0


@pytest.mark.parametrize("n_near", [0, 30, 10_000])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_mean_over_all_points_is_estimated_without_bias(n_near, n_components):
    rng = np.random.default_rng(0)
    embedding = 4 * rng.normal(size=(2000, n_components))
    grid = make_grid(embedding, 32)
    tile = len(grid.tile_cells) // 2
    anchor = grid.order[grid.tile_starts[tile]]
    kernel = 1 / (1 + np.sum((embedding - embedding[anchor]) ** 2, axis=1))
    estimates = []
    for iteration in range(400):
        points, weights = drawn(Draws(50, n_near, 1, iteration), grid, tile)
        estimates.append(np.dot(weights, kernel[points]))
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - kernel.mean()) < 4 * error


def test_uniform_draws_are_one_from_each_run_of_the_order():
    grid = make_grid(np.random.default_rng(0).normal(size=(1000, 2)), 32)
    rank = np.argsort(grid.order)
    for tile in range(5):
        points, _ = drawn(Draws(40, 0, 1, 2), grid, tile)
        np.testing.assert_array_equal(rank[points[:40]] // 25, np.arange(40))


def test_near_draws_make_the_estimate_steadier():
    embedding = 20 * np.random.default_rng(0).normal(size=(5000, 2))
    grid = make_grid(embedding, 32)
    tile = len(grid.tile_cells) // 2
    kernel = 1 / (1 + np.sum((embedding - embedding[grid.order[grid.tile_starts[tile]]]) ** 2, axis=1))

    def spread(n_uniform, n_near):
        draws = [drawn(Draws(n_uniform, n_near, 1, iteration), grid, tile) for iteration in range(200)]
        return np.std([np.dot(weights, kernel[points]) for points, weights in draws])

    assert spread(200, 100) < 0.5 * spread(300, 0)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_a_block_is_the_cells_around(n_components):
    embedding = np.random.default_rng(0).normal(size=(3000, n_components))
    grid = make_grid(embedding, 32)
    steps = np.clip(np.floor((embedding - grid.low) / grid.side), 0, grid.shape - 1).astype(int)
    for tile in range(0, len(grid.tile_cells), 7):
        cell = int(grid.tile_cells[tile])
        runs = np.empty((9, 2), dtype=np.int32)
        n_runs, size = block_runs(cell, grid.shape, grid.cell_starts, runs)
        found = np.concatenate([grid.order[start:stop] for start, stop in runs[:n_runs]])
        own = steps[grid.order[grid.tile_starts[tile]]]
        expected = np.flatnonzero(np.all(np.abs(steps - own) <= 1, axis=1))
        assert size == len(expected)
        np.testing.assert_array_equal(np.sort(found), expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_grids_follow_the_spread_of_the_places(kind):
    places = (np.random.default_rng(0).normal(size=(500, 2)) * [3.0, 1.0] + [7.0, -2.0]).astype(kind)
    grid = make_grid(places, 32)
    middle = grid.low + 0.5 * grid.side * grid.shape
    np.testing.assert_allclose(middle, places.mean(axis=0, dtype=np.float64), rtol=1e-6)
    np.testing.assert_array_equal(grid.shape, np.ceil(8.0 * places.std(axis=0, dtype=np.float64) / grid.side))


@pytest.mark.parametrize("scale", [(1.0, 1e-9), (1e6, 1.0), (0.0, 0.0), (1.0, 1.0, 1e-12), (1.0, 0.0, 0.0)])
def test_grids_have_a_limited_number_of_cells(scale):
    embedding = np.random.default_rng(0).normal(size=(5000, len(scale))) * scale
    grid = make_grid(embedding, 32)
    assert len(grid.cell_starts) - 1 == np.prod(grid.shape) <= 10_000
    assert sorted(grid.order) == list(range(5000))


def test_large_even_maps_have_as_many_cells_as_they_need():
    grid = make_grid(np.random.default_rng(0).random((70_000, 2)), 32)
    assert grid.shape.min() > 100
    assert np.median(np.diff(grid.cell_starts)[np.diff(grid.cell_starts) > 0]) < 60


def test_far_outlying_places_do_not_blow_up_the_grid():
    embedding = np.random.default_rng(0).normal(size=(1000, 2)).astype(np.float32)
    embedding[0] = 1e6
    grid = make_grid(embedding, 32)
    assert len(grid.cell_starts) < 10_000
    assert grid.tile_starts[-1] == 1000


@pytest.mark.parametrize("iteration", [0, 50])
def test_the_number_of_threads_changes_no_bit(iteration):
    embedding, near, shares, kappa, weights = problem(n=3000)
    results = []
    for n_jobs in (1, 2, 4):
        with threads(n_jobs) as workers:
            objective = ListwiseObjective(Plan(kappa, 20.0), Affinities(near, shares), weights, 7, workers)
            objective(iteration, embedding.astype(np.float32))
            results.append(objective(iteration + 1, embedding.astype(np.float32)))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


def test_kappa_and_the_temperature_grow_to_their_ends():
    plan = Plan(np.array([16.0, 100.0], dtype=np.float32), 30.0, last_t=1.1)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 0), 1.0)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 15), [4.0, 10.0], rtol=1e-5)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 99), [16.0, 100.0], rtol=1e-5)
    assert (plan.t(29), plan.t(30)) == (1.0, 1.1)
    later = replace(plan, n_untempered=50.0)
    assert (later.t(49), later.t(50)) == (1.0, 1.1)


def test_the_arrangement_in_memory_does_not_change_the_objective():
    embedding, near, shares, kappa, weights = problem(n=500)
    objective = ListwiseObjective(Plan(kappa, 1.0, 1.0, 10_000), Affinities(near, shares), weights, 7, SERIAL)
    calls = [objective(iteration, embedding) for iteration in (1, 2, 3, 49, 50, 51)]  # 50 arranges anew
    for value, gradient in calls[3:]:
        assert value == pytest.approx(calls[2][0], rel=1e-9)
        np.testing.assert_allclose(gradient, calls[2][1], rtol=1e-6, atol=1e-12)


def test_logarithm_and_exponential_of_single_precision():
    @njit(error_model="numpy")
    def each(numbers, logarithms, exponentials):
        for place in range(len(numbers)):
            logarithms[place] = log(numbers[place])
            exponentials[place] = exp(-abs(logarithms[place]))

    numbers = np.concatenate([np.geomspace(1e-37, 1e38, 20_001), np.linspace(0.5, 2, 20_001), [1.0]]).astype(np.float32)
    logarithms, exponentials = np.empty_like(numbers), np.empty_like(numbers)
    each(numbers, logarithms, exponentials)
    np.testing.assert_allclose(logarithms, np.log(numbers.astype(float)), rtol=3e-7, atol=2e-7)
    assert logarithms[-1] == 0.0  # every term of the formula is zero at one, however it is rounded
    expected = np.exp(np.maximum(-np.abs(logarithms.astype(float)), -87.0))
    # Without fused multiplication and addition, k log 2 is rounded, by up to half a unit of its last place.
    bound = 5e-7 + 2.0**-24 * np.abs(logarithms)
    assert np.all(np.abs(exponentials - expected) <= bound * expected)


@pytest.mark.parametrize("t", [1.0, 1.1, 2.0])
def test_single_precision_is_close_to_double(t):
    embedding, near, shares, kappa, weights = problem(n=500)
    grid, draws = make_grid(embedding, 32), Draws(50, 20, 3, 5)
    loss = Loss(t, 1.0 / t, 0.1, 0.2)
    value, gradient, *_ = total(loss, embedding, near, shares, kappa, weights, draws, grid)
    single, single_gradient, *_ = total(loss, embedding.astype(np.float32), near, shares, kappa, weights, draws, grid)
    assert single == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(single_gradient, gradient, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("n_components", "draws"), [(2, Draws(0, 20, 3, 5)), (3, Draws(20, 20, 3, 5))])
def test_where_memory_lies_changes_no_bit(n_components, draws):
    """Blocks of many sizes are kept and given back, so that what the loop reads and writes lies now near, now far."""
    memory, random, kept = ctypes.CDLL(None), np.random.default_rng(0), []
    memory.malloc.restype, memory.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    memory.free.argtypes = [ctypes.c_void_p]
    embedding, near, shares, kappa, weights = problem(n=300, m=24, n_components=n_components)
    embedding, found = embedding.astype(np.float32), set()
    grid = grid_of_map(embedding)

    def stir():
        kept.extend(memory.malloc(int(size)) for size in 8 * random.integers(3, 40, size=random.integers(8)))
        random.shuffle(kept)
        while len(kept) > 40:
            memory.free(kept.pop())

    for _ in range(500):
        stir()
        value, gradient, *_ = total(Loss(1.0, 1.0, 0.1, 0.2), embedding, near, shares, kappa, weights, draws, grid)
        found.add((value, gradient.tobytes()))
    for block in kept:
        memory.free(block)
    assert len(found) == 1
