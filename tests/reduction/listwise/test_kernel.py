"""The loop, what it runs over and who runs it.

`reduction.listwise.grid`, `reduction.listwise.draws`, `reduction.listwise.mean_loss`.
"""

import ctypes

import numpy as np
import pytest
from numba import njit

from reference import numerical_gradient
from reference_reduction import listwise, square
from tete.core.threads import threads
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.draws import Draws, block_runs, draw_for_tiles
from tete.reduction.listwise.grid import consecutive_tiles, make_grid
from tete.reduction.listwise.kernel import exp, log, sum_listwise
from tete.reduction.listwise.mean_loss import ListwiseObjective, Plan


def problem(n=40, m=5, n_components=2, seed=0):
    rng = np.random.default_rng(seed)
    near = np.array([rng.permutation(np.delete(np.arange(n), i))[:m] for i in range(n)], dtype=np.int32)
    shares = rng.random((n, m), dtype=np.float32)
    kappa = (1 + 5 * rng.random(n)).astype(np.float32)
    weights = rng.random(n, dtype=np.float32)
    return rng.normal(size=(n, n_components)), near, shares / shares.sum(axis=1, keepdims=True), kappa, weights


def total(t, embedding, near, shares, kappa, weights, draws, grid):
    gradient = np.zeros_like(embedding)
    lists = draw_lists(draws, grid, 0, len(grid.tile_cells), embedding.dtype)
    return sum_listwise(t, kappa, embedding, near, shares, weights, grid, 0, *lists, gradient), gradient


def draw_lists(draws, grid, first, n_tiles, kind=np.float64):
    shape = (n_tiles, draws.n_uniform + draws.n_near)
    points, weights = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=kind)
    counts = np.empty(n_tiles, dtype=np.int32)
    draw_for_tiles(draws, grid, first, points, weights, counts)
    return points, weights, counts


def drawn(draws, grid, tile):
    points, weights, counts = draw_lists(draws, grid, tile, 1)
    return points[0, : counts[0]], weights[0, : counts[0]]


@pytest.mark.parametrize("t", [1.0, 1.1, 1.7, 2.0])
@pytest.mark.parametrize("n_components", [1, 2, *(pytest.param(more, marks=pytest.mark.slow) for more in (3, 4))])
def test_value_and_gradient_equal_the_reference(t, n_components):
    embedding, near, shares, kappa, weights = problem(n_components=n_components)
    with_grid = n_components <= 3
    grid = make_grid(embedding, 8) if with_grid else consecutive_tiles(len(embedding), 8)
    draws = Draws(9, 6 if with_grid else 0, 3, 5)
    tile_of = {
        int(grid.order[rank]): tile
        for tile in range(len(grid.tile_cells))
        for rank in range(grid.tile_starts[tile], grid.tile_starts[tile + 1])
    }
    assert sorted(tile_of) == list(range(len(embedding)))

    def reference(places):
        def mean_kernel(i):
            points, draw_weights = drawn(draws, grid, tile_of[i])
            kernel = [1 / (1 + square(places[i], places[k])) for k in points]
            return float(np.dot(draw_weights, kernel))

        return listwise(places, near, shares.astype(float) * weights[:, None], kappa, mean_kernel, t)

    value, gradient = total(t, embedding, near, shares, kappa, weights, draws, grid)
    assert value == pytest.approx(reference(embedding), rel=1e-6)
    np.testing.assert_allclose(gradient, numerical_gradient(reference, embedding), rtol=1e-4, atol=1e-6)


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
            objective = ListwiseObjective(1.0, Plan(100, kappa), Affinities(near, shares), weights, 7, workers)
            results.append(objective(iteration, embedding.astype(np.float32)))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


def test_kappa_grows_from_one_to_its_end():
    plan = Plan(100, np.array([16.0, 100.0], dtype=np.float32))
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 0), 1.0)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 20), 1.0)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 35), [4.0, 10.0], rtol=1e-5)
    np.testing.assert_allclose(plan.kappa(plan.last_kappa, 99), [16.0, 100.0], rtol=1e-5)


def test_the_arrangement_in_memory_does_not_change_the_objective():
    embedding, near, shares, kappa, weights = problem(n=500)
    plan = Plan(100, kappa, n_outliers=10_000)
    with threads(1) as workers:
        objective = ListwiseObjective(1.0, plan, Affinities(near, shares), weights, 7, workers)
        values, gradients = zip(*(objective(iteration, embedding) for iteration in range(50, 90)), strict=True)
    grid = make_grid(embedding, 32)
    expected = [
        total(1.0, embedding, near, shares, kappa, weights, Draws(400, 10_000, 7, iteration), grid)
        for iteration in range(50, 90)
    ]
    # Other draws, the same expectation.
    assert np.mean(values) == pytest.approx(np.mean([value for value, _ in expected]) / weights.sum(), rel=2e-3)
    slopes = np.mean([gradient for _, gradient in expected], axis=0) / weights.sum()
    np.testing.assert_allclose(np.mean(gradients, axis=0), slopes, atol=0.05 * np.abs(slopes).max())


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
    value, gradient = total(t, embedding, near, shares, kappa, weights, draws, grid)
    single, single_gradient = total(t, embedding.astype(np.float32), near, shares, kappa, weights, draws, grid)
    assert single == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(single_gradient, gradient, rtol=1e-3, atol=1e-4)


def test_where_memory_lies_changes_no_bit():
    """Blocks of many sizes are kept and given back, so that what the loop reads and writes lies now near, now far."""
    memory, random, kept = ctypes.CDLL(None), np.random.default_rng(0), []
    memory.malloc.restype, memory.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    memory.free.argtypes = [ctypes.c_void_p]
    embedding, near, shares, kappa, weights = problem(n=300, m=24)
    embedding, grid, found = embedding.astype(np.float32), consecutive_tiles(300, 8), set()

    def stir():
        kept.extend(memory.malloc(int(size)) for size in 8 * random.integers(3, 40, size=random.integers(8)))
        random.shuffle(kept)
        while len(kept) > 40:
            memory.free(kept.pop())

    for _ in range(1000):
        stir()
        lists, gradient = draw_lists(Draws(20, 0, 3, 5), grid, 0, 38, np.float32), np.zeros_like(embedding)
        stir()
        value = sum_listwise(1.0, kappa, embedding, near, shares, weights, grid, 0, *lists, gradient)
        found.add((value, gradient.tobytes()))
    for block in kept:
        memory.free(block)
    assert len(found) == 1
