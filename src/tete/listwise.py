"""The compiled loop of the listwise loss.

    l_ij = kappa * mean_k q_ik / q_ij,   loss = sum_ij p_ij log_t(1 + l_ij),   q_ij = exp_2(-d_ij) = 1 / (1 + d_ij)

This pools the outliers inside the robust logarithm of eq. (ete-obj): 1 + l_ij is a soft rank of j among kappa
competitors of i. The mean over all points k is estimated without bias from draws that the anchors of a tile share:
`n_uniform` from all points and, where a grid is given, `n_near` from the block of cells around the tile. With N points
in the block, a draw inside it weighs 1 / (n_uniform + n_near n / N) and one outside 1 / n_uniform; if N is at most
`n_near`, the whole block is taken with weight 1 / n and uniform draws inside it count nothing.

A tile's draws are copied to contiguous arrays once, and their gradients gathered there, so that the loop over
anchor and draw is plain arithmetic. It works in the precision of the embedding that it is given.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tete.counter import draw, stream
from tete.grid import Grid, block_runs

__all__ = ["Draws", "draw_for_cell", "listwise_place", "sum_listwise"]

FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "arcp", "nsz", "reassoc"}}

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


class Draws(NamedTuple):
    """How many outliers a tile draws, and from which stream of random numbers."""

    n_uniform: int
    n_near: int
    seed: int
    iteration: int


@njit(cache=True, nogil=True)
def draw_for_cell(draws: Draws, tile: int, cell: int, grid: Grid, points: NDArray[np.int32], weights: Floats) -> int:
    """Draw the outliers of one tile and their weights; return how many there are."""
    n_points = grid.order.shape[0]
    name = stream(draws.seed, draws.iteration, tile)
    runs = np.empty((9, 2), dtype=np.int32)
    n_runs, size = 0, 0
    if cell >= 0:
        n_runs, size = block_runs(cell, grid.shape, grid.cell_starts, runs)
    whole = size <= draws.n_near
    outside = 1.0 / draws.n_uniform
    inside = 0.0 if whole else 1.0 / (draws.n_uniform + draws.n_near * (n_points / size))
    for slot in range(draws.n_uniform):
        rank = draw(name, slot, n_points)
        points[slot] = grid.order[rank]
        weights[slot] = outside
        for run in range(n_runs):
            if runs[run, 0] <= rank < runs[run, 1]:
                weights[slot] = inside
    n_near = size if whole else draws.n_near
    for slot in range(n_near):
        rank = slot if whole else draw(name, draws.n_uniform + slot, size)
        for run in range(n_runs):
            length = runs[run, 1] - runs[run, 0]
            if rank < length:
                points[draws.n_uniform + slot] = grid.order[runs[run, 0] + rank]
                break
            rank -= length
        weights[draws.n_uniform + slot] = 1.0 / n_points if whole else inside
    return draws.n_uniform + n_near


@njit(nogil=True, **FAST)
def _kernel_mean(embedding: Floats, anchor: int, places: Floats, weights: Floats, kernel: Floats) -> Any:
    """Write q_ik for all draws and return their weighted sum, the estimate of mean_k q_ik."""
    one = embedding.dtype.type(1.0)
    total = embedding.dtype.type(0.0)
    n_draws = kernel.shape[0]
    if embedding.shape[1] == 2:
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        for k in range(n_draws):
            step_x, step_y = x - places[0, k], y - places[1, k]
            kernel[k] = one / (one + step_x * step_x + step_y * step_y)
            total += weights[k] * kernel[k]
        return total
    kernel[:] = one
    for c in range(embedding.shape[1]):
        for k in range(n_draws):
            step = embedding[anchor, c] - places[c, k]
            kernel[k] += step * step
    for k in range(n_draws):
        kernel[k] = one / kernel[k]
        total += weights[k] * kernel[k]
    return total


@njit(nogil=True, **FAST)
def _push(
    slope: Any,
    embedding: Floats,
    anchor: int,
    places: Floats,
    weights: Floats,
    kernel: Floats,
    pushes: Floats,
    gradient: Floats,
) -> None:
    """Add the gradient of slope * mean_k q_ik: dq/dd = -q^2."""
    factor = embedding.dtype.type(-2.0) * slope
    if embedding.shape[1] == 2:
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        total_x, total_y = gradient[anchor, 0], gradient[anchor, 1]
        for k in range(kernel.shape[0]):
            strength = factor * weights[k] * kernel[k] * kernel[k]
            push_x, push_y = strength * (x - places[0, k]), strength * (y - places[1, k])
            pushes[0, k] -= push_x
            pushes[1, k] -= push_y
            total_x += push_x
            total_y += push_y
        gradient[anchor, 0], gradient[anchor, 1] = total_x, total_y
        return
    for k in range(kernel.shape[0]):
        kernel[k] = factor * weights[k] * kernel[k] * kernel[k]
    for c in range(embedding.shape[1]):
        own = embedding[anchor, c]
        total = embedding.dtype.type(0.0)
        for k in range(kernel.shape[0]):
            push = kernel[k] * (own - places[c, k])
            pushes[c, k] -= push
            total += push
        gradient[anchor, c] += total


@njit(nogil=True, **FAST)
def _near_shifted(embedding: Floats, anchor: int, near: NDArray[np.int32], shifted: Floats) -> None:
    """Write 1 + d_ij for all neighbours."""
    one = embedding.dtype.type(1.0)
    if embedding.shape[1] == 2:
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        for place in range(near.shape[0]):
            step_x, step_y = x - embedding[near[place], 0], y - embedding[near[place], 1]
            shifted[place] = one + step_x * step_x + step_y * step_y
        return
    for place in range(near.shape[0]):
        total = one
        for c in range(embedding.shape[1]):
            step = embedding[anchor, c] - embedding[near[place], c]
            total += step * step
        shifted[place] = total


@njit(nogil=True, **FAST)
def _weigh_ranks(t: float, rank_scale: Any, shares: Floats, shifted: Floats, factors: Floats) -> tuple[Any, Any]:
    """Loss of an anchor, its derivative in log mean_k q_ik, and in `factors` its derivatives in d_ij.

    `rank_scale` is kappa mean_k q_ik, so that l_ij = rank_scale (1 + d_ij).
    """
    one = shifted.dtype.type(1.0)
    value, slope = shifted.dtype.type(0.0), shifted.dtype.type(0.0)
    if t == 1.0:
        for place in range(shifted.shape[0]):
            ratio = rank_scale * shifted[place]
            factors[place] = shares[place] * rank_scale / (one + ratio)
            slope += factors[place] * shifted[place]
        for place in range(shifted.shape[0]):
            value += shares[place] * math.log(one + rank_scale * shifted[place])
        return value, slope
    above = shifted.dtype.type(1.0 - t)
    for place in range(shifted.shape[0]):
        rank = one + rank_scale * shifted[place]
        power = math.exp(above * math.log(rank))
        value += shares[place] * (power - one) / above
        factors[place] = shares[place] * rank_scale * power / rank  # the forgetting factor 1 / (1 + l)^t of eq. (grad)
        slope += factors[place] * shifted[place]
    return value, slope


@njit(nogil=True, **FAST)
def _pull(
    weight: Any, embedding: Floats, anchor: int, near: NDArray[np.int32], factors: Floats, gradient: Floats
) -> None:
    """Add the gradient of weight * sum_j factor_j d_ij."""
    two = embedding.dtype.type(2.0) * weight
    if embedding.shape[1] == 2:
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        total_x, total_y = gradient[anchor, 0], gradient[anchor, 1]
        for place in range(near.shape[0]):
            other = near[place]
            factor = two * factors[place]
            pull_x, pull_y = factor * (x - embedding[other, 0]), factor * (y - embedding[other, 1])
            gradient[other, 0] -= pull_x
            gradient[other, 1] -= pull_y
            total_x += pull_x
            total_y += pull_y
        gradient[anchor, 0], gradient[anchor, 1] = total_x, total_y
        return
    for place in range(near.shape[0]):
        for c in range(embedding.shape[1]):
            pull = two * factors[place] * (embedding[anchor, c] - embedding[near[place], c])
            gradient[anchor, c] += pull
            gradient[near[place], c] -= pull


@njit(cache=True, nogil=True, **FAST)
def sum_listwise(
    t: float,
    kappa: NDArray[np.float32],
    embedding: Floats,
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    draws: Draws,
    grid: Grid,
    start: int,
    stop: int,
    gradient: Floats,
) -> float:
    """Sum of the losses of the anchors in the tiles from `start` to `stop`; adds its gradient to `gradient`."""
    n_components = embedding.shape[1]
    most = draws.n_uniform + draws.n_near
    points = np.empty(most, dtype=np.int32)
    all_weights, all_kernel = np.empty(most, dtype=embedding.dtype), np.empty(most, dtype=embedding.dtype)
    places = np.empty((n_components, most), dtype=embedding.dtype)
    pushes = np.empty((n_components, most), dtype=embedding.dtype)
    shifted, factors = np.empty(near.shape[1], dtype=embedding.dtype), np.empty(near.shape[1], dtype=embedding.dtype)
    total = 0.0
    for tile in range(start, stop):
        n_draws = draw_for_cell(draws, tile, grid.tile_cells[tile], grid, points, all_weights)
        weights, kernel = all_weights[:n_draws], all_kernel[:n_draws]
        for c in range(n_components):
            for k in range(n_draws):
                places[c, k] = embedding[points[k], c]
                pushes[c, k] = 0.0
        for rank in range(grid.tile_starts[tile], grid.tile_starts[tile + 1]):
            anchor = grid.order[rank]
            weight = embedding.dtype.type(point_weights[anchor])
            mean = _kernel_mean(embedding, anchor, places, weights, kernel)
            _near_shifted(embedding, anchor, near[anchor], shifted)
            rank_scale = embedding.dtype.type(kappa[anchor]) * mean
            value, slope = _weigh_ranks(t, rank_scale, shares[anchor], shifted, factors)
            total += weight * value
            _pull(weight, embedding, anchor, near[anchor], factors, gradient)
            _push(weight * slope / mean, embedding, anchor, places, weights, kernel, pushes, gradient)
        for c in range(n_components):
            for k in range(n_draws):
                gradient[points[k], c] += pushes[c, k]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def listwise_place(
    t: float,
    kappa: float,
    place: NDArray[np.float64],
    embedding: Floats,
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    points: NDArray[np.int32],
    weights: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """The listwise loss of one new place against a frozen map; its gradient in the place is written to `gradient`."""
    n_near, n_draws, n_components = near.shape[0], points.shape[0], place.shape[0]
    table, scratch = np.empty((1 + n_near, n_components)), np.zeros((1 + n_near, n_components))
    places, pushes = np.empty((n_components, n_draws)), np.zeros((n_components, n_draws))
    kernel, shifted, factors = np.empty(n_draws), np.empty(n_near), np.empty(n_near)
    table[0] = place
    for j in range(n_near):
        table[1 + j] = embedding[near[j]]
    for c in range(n_components):
        for k in range(n_draws):
            places[c, k] = embedding[points[k], c]
    others = np.arange(1, n_near + 1).astype(np.int32)
    mean = _kernel_mean(table, 0, places, weights, kernel)
    _near_shifted(table, 0, others, shifted)
    value, slope = _weigh_ranks(t, kappa * mean, shares, shifted, factors)
    _pull(1.0, table, 0, others, factors, scratch)
    _push(slope / mean, table, 0, places, weights, kernel, pushes, scratch)
    gradient[:] = scratch[0]
    return float(value)
