"""A grid over the map, which says which points lie near each other on it.

Points are ordered by cell, cells row by row, so that a block of 3 x 3 cells is three runs of that order (3 x 3 x 3
cells: nine runs). Anchors of one cell form tiles, which share their draws from the block around them.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import SERIAL, Threads, row_slices

__all__ = ["GRID_DIMENSIONS", "TILE", "Grid", "cells_of", "consecutive_tiles", "grid_of_map", "make_grid"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

GRID_DIMENSIONS = 3  # beyond, blocks have too many cells
POINTS_IN_A_BLOCK = 300  # about, were the map evenly filled
TILE = 32  # points of one cell that share their draws
REACH = 4.0  # standard deviations that the grid covers; the outermost cells take what lies beyond
LEAST_SPREAD = 1e-3  # of an axis, as a share of the widest one's: a line is no reason for thousands of cells along it
FEWEST_CELLS, CELLS_FOR_A_POINT = 1024, 2  # limit of their number, far above what evenly spread points need
ROWS_IN_A_PIECE = 16_384  # enough work for a thread


class Grid(NamedTuple):
    """Points in the order of their cells, tiles of anchors, and where each cell begins."""

    order: NDArray[np.int32]
    tile_starts: NDArray[np.int32]
    tile_cells: NDArray[np.int32]
    cell_starts: NDArray[np.int32]
    shape: NDArray[np.int32]
    low: NDArray[np.float64]
    side: float


def consecutive_tiles(n_points: int, tile_size: int) -> Grid:
    """Tiles of points with consecutive numbers, and no cells."""
    starts = np.append(np.arange(0, n_points, tile_size), n_points).astype(np.int32)
    cells = np.full(len(starts) - 1, -1, dtype=np.int32)
    none = np.zeros(0, dtype=np.int32)
    return Grid(np.arange(n_points, dtype=np.int32), starts, cells, none, none, np.zeros(0), 1.0)


def make_grid(embedding: Floats, tile_size: int, workers: Threads = SERIAL) -> Grid:
    """Cells so large that a block of them holds some hundred points, and tiles of anchors from one cell each."""
    n_points, n_components = embedding.shape
    center, spread = _center_and_spread(embedding)
    spread = np.maximum(spread, max(LEAST_SPREAD * spread.max(), 1e-12))
    # An even rectangle has sides of sqrt(12) standard deviations.
    share = POINTS_IN_A_BLOCK / 3.0**n_components / n_points
    side = float((share * np.prod(np.sqrt(12.0) * spread)) ** (1.0 / n_components))
    most = max(FEWEST_CELLS, CELLS_FOR_A_POINT * n_points)
    shape = np.ceil(2.0 * REACH * spread / side)
    while np.prod(shape) > most:
        side *= 2.0
        shape = np.ceil(2.0 * REACH * spread / side)
    low, shape = center - 0.5 * side * shape, shape.astype(np.int32)
    cells = cells_of(embedding, low, side, shape, workers)
    cell_starts, order = _sort_by_cell(cells, int(np.prod(shape)))
    tile_starts, tile_cells = _cut_tiles(cell_starts, tile_size)
    return Grid(order, tile_starts, tile_cells, cell_starts, shape, low, side)


def grid_of_map(embedding: Floats, workers: Threads = SERIAL) -> Grid:
    """The grid for draws around any place of a map; beyond three dimensions it has no cells."""
    if embedding.shape[1] > GRID_DIMENSIONS:
        return consecutive_tiles(len(embedding), TILE)
    return make_grid(embedding, TILE, workers)


def cells_of(
    places: Floats, low: NDArray[np.float64], side: float, shape: NDArray[np.int32], workers: Threads = SERIAL
) -> NDArray[np.int32]:
    """The cell of each place; the last coordinate runs fastest."""
    cells = np.empty(len(places), dtype=np.int32)
    slices = row_slices(len(places), size=ROWS_IN_A_PIECE)
    workers.run(lambda piece: _find_cells(places[slices[piece]], low, side, shape, cells[slices[piece]]), len(slices))
    return cells


@compiled(error_model="numpy")
def _center_and_spread(embedding: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of each coordinate, for which NumPy takes as long as for all else of a grid."""
    n_points, n_components = embedding.shape
    center, spread = np.zeros(n_components), np.zeros(n_components)
    for point in range(n_points):
        for c in range(n_components):
            center[c] += embedding[point, c]
    center /= n_points
    for point in range(n_points):
        for c in range(n_components):
            spread[c] += (embedding[point, c] - center[c]) ** 2
    return center, np.sqrt(spread / n_points)


@compiled()
def _find_cells(
    places: Floats, low: NDArray[np.float64], side: float, shape: NDArray[np.int32], cells: NDArray[np.int32]
) -> None:
    for row in range(places.shape[0]):
        cell = 0
        for c in range(places.shape[1]):
            step = min(max(math.floor((places[row, c] - low[c]) / side), 0.0), shape[c] - 1.0)
            cell = cell * shape[c] + int(step)
        cells[row] = cell


@compiled()
def _sort_by_cell(cells: NDArray[np.int32], n_cells: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each cell begins, and the points in the order of their cells: sorted by counting."""
    starts = np.zeros(n_cells + 1, dtype=np.int32)
    for cell in cells:
        starts[cell + 1] += 1
    for cell in range(n_cells):
        starts[cell + 1] += starts[cell]
    free, order = starts.copy(), np.empty(cells.shape[0], dtype=np.int32)
    for point in range(cells.shape[0]):
        order[free[cells[point]]] = point
        free[cells[point]] += 1
    return starts, order


@compiled()
def _cut_tiles(cell_starts: NDArray[np.int32], tile_size: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    n_tiles = 0
    for cell in range(cell_starts.shape[0] - 1):
        n_tiles += (cell_starts[cell + 1] - cell_starts[cell] + tile_size - 1) // tile_size
    starts = np.empty(n_tiles + 1, dtype=np.int32)
    cells = np.empty(n_tiles, dtype=np.int32)
    tile = 0
    for cell in range(cell_starts.shape[0] - 1):
        for start in range(cell_starts[cell], cell_starts[cell + 1], tile_size):
            starts[tile] = start
            cells[tile] = cell
            tile += 1
    starts[tile] = cell_starts[-1]
    return starts, cells
