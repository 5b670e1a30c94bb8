"""Which outliers a tile of anchors draws in an iteration, and how much each counts: the compiled drawing.

The listwise loss needs mean_k q_ik, the mean over all points k. The anchors of a tile share their draws: `n_near` from
the block of cells around the tile and, where no pyramid stands for the points outside it, `n_uniform` from all points.
All draws are stratified: one from each of equal runs of the order, which lie together on the map, so that every region
is represented. With n points in all and N in the block, a draw inside it weighs 1 / (n_uniform + n_near n / N) and one
outside 1 / n_uniform; if N is at most `n_near`, the whole block is taken with weight 1 / n and uniform draws inside it
count nothing. What is drawn stands without bias for what it is drawn from.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.hashed_draws import draw, stream
from tete.reduction.listwise.grid import GRID_DIMENSIONS, Grid
from tete.reduction.listwise.pyramid import PYRAMID_DIMENSIONS

__all__ = [
    "FEWEST_DRAWS",
    "Draws",
    "block_runs",
    "draw_for_places",
    "draw_for_tiles",
    "draws_of_places",
    "planned_draws",
]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


FINE = 2**30  # steps of a random number
FEWEST_DRAWS = 96  # from all points where there is no pyramid, and as many from the surroundings


class Draws(NamedTuple):
    """How many outliers a tile draws, and from which stream of random numbers."""

    n_uniform: int
    n_near: int
    seed: int
    iteration: int


def planned_draws(n_components: int, n_outliers: int, seed: int, iteration: int) -> Draws:
    """From the surroundings of a place, and where no pyramid stands for the points outside them, from all points."""
    if n_components <= PYRAMID_DIMENSIONS:
        return Draws(0, n_outliers, seed, iteration)
    count = max(n_outliers, FEWEST_DRAWS)
    return (
        Draws(count, count, seed, iteration)
        if n_components <= GRID_DIMENSIONS
        else Draws(2 * count, 0, seed, iteration)
    )


@compiled()
def block_runs(
    cell: int, shape: NDArray[np.int32], cell_starts: NDArray[np.int32], runs: NDArray[np.int32]
) -> tuple[int, int]:
    """Write the runs [start, stop) of the order that make up the block around a cell; return their number and size."""
    n_dimensions = shape.shape[0]
    last = shape[n_dimensions - 1]
    column, outer = cell % last, cell // last
    left, right = max(column - 1, 0), min(column + 1, last - 1)
    depth = outer // shape[1] if n_dimensions == 3 else 0
    row = outer % shape[1] if n_dimensions == 3 else outer
    n_depths = shape[0] if n_dimensions == 3 else 1
    n_rows = shape[n_dimensions - 2] if n_dimensions > 1 else 1
    n_runs, size = 0, 0
    for d in range(max(depth - 1, 0), min(depth + 2, n_depths)):
        for r in range(max(row - 1, 0), min(row + 2, n_rows)):
            first = (d * n_rows + r) * last
            start, stop = cell_starts[first + left], cell_starts[first + right + 1]
            if stop > start:
                runs[n_runs, 0], runs[n_runs, 1] = start, stop
                n_runs += 1
                size += stop - start
    return n_runs, size


@compiled()
def _draw(draws: Draws, name: int, cell: int, grid: Grid, points: NDArray[np.int32], weights: Floats) -> int:
    """Write the outliers of one stream around one cell, and their weights; return how many there are."""
    n_points = grid.order.shape[0]
    runs = np.empty((9, 2), dtype=np.int32)
    n_runs, size = 0, 0
    if cell >= 0:
        n_runs, size = block_runs(cell, grid.shape, grid.cell_starts, runs)
    whole = size <= draws.n_near
    outside = 1.0 / max(draws.n_uniform, 1)
    stride = n_points / max(draws.n_uniform, 1)
    inside = 0.0 if whole else 1.0 / (draws.n_uniform + draws.n_near * (n_points / size))
    for slot in range(draws.n_uniform):  # first ranks, then points: loops so simple are vectorised
        points[slot] = min(int((slot + draw(name, slot, FINE) / FINE) * stride), n_points - 1)
        weights[slot] = outside
    for run in range(n_runs):
        start, stop = runs[run, 0], runs[run, 1]
        for slot in range(draws.n_uniform):
            weights[slot] = inside if start <= points[slot] < stop else weights[slot]
    n_near = size if whole else draws.n_near
    near_points, near_weights = points[draws.n_uniform :], weights[draws.n_uniform :]
    for slot in range(n_near):
        part = draw(name, draws.n_uniform + slot, FINE) / FINE
        near_points[slot] = slot if whole else min(int((slot + part) * (size / n_near)), size - 1)
        near_weights[slot] = 1.0 / n_points if whole else inside
    _ranks_in_runs(near_points[:n_near], runs[:n_runs])
    for slot in range(draws.n_uniform + n_near):
        points[slot] = grid.order[points[slot]]
    return draws.n_uniform + n_near


@compiled()
def _ranks_in_runs(ranks: NDArray[np.int32], runs: NDArray[np.int32]) -> None:
    """Turn ranks among the points of all runs into ranks among all points."""
    passed, shift = 0, 0
    for run in range(runs.shape[0]):
        # All ranks beyond this run's beginning are shifted as it is; the later runs shift them on.
        more = runs[run, 0] - passed - shift
        for slot in range(ranks.shape[0]):
            ranks[slot] += more if ranks[slot] >= passed + shift else 0
        shift += more
        passed += runs[run, 1] - runs[run, 0]


@compiled()
def draw_for_tiles(
    draws: Draws,
    grid: Grid,
    first: int,
    points: NDArray[np.int32],
    weights: Floats,
    counts: NDArray[np.int32],
) -> None:
    """Write the outliers of the tiles from number `first` on, their weights, and how many each tile has."""
    for place in range(counts.shape[0]):
        tile = first + place
        name = stream(draws.seed, draws.iteration, tile)
        counts[place] = _draw(draws, name, grid.tile_cells[tile], grid, points[place], weights[place])


@compiled()
def draw_for_places(
    draws: Draws,
    grid: Grid,
    cells: NDArray[np.int64],
    names: NDArray[np.int64],
    points: NDArray[np.int32],
    weights: Floats,
) -> None:
    """Write the outliers of new places in these cells, and their weights; what a place does not use stays as it is."""
    for row in range(cells.shape[0]):
        _draw(draws, stream(draws.seed, draws.iteration, names[row]), cells[row], grid, points[row], weights[row])


def draws_of_places(
    draws: Draws, grid: Grid, cells: NDArray[np.int32], nearest: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Outliers and their weights for new rows, named by their nearest point; unused slots weigh nothing."""
    shape = (len(cells), draws.n_uniform + draws.n_near)
    points, weights = np.zeros(shape, dtype=np.int32), np.zeros(shape)
    draw_for_places(draws, grid, cells.astype(np.int64), nearest.astype(np.int64), points, weights)
    return points, weights
