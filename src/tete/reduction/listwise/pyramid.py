"""The far field: points far from a tile of anchors stand together in cells that grow with the distance.

Over the grid's cells lie cells of twice the side, over these again, until at most four are on a side. For the anchors
of a cell, the points outside the block of cells around it are counted at the mean place of their cell: on each level
the children of the parent's block that do not lie in the cell's own block, on the topmost level all others. About 110
cells take the place of all far points, whatever their number, and only points of the block itself are drawn. This is
the division of Barnes and Hut (1986) and of the fast multipole method (Greengard & Rokhlin 1987) at its lowest order.

A cell is met at a distance of at least its own side, so that the mean of q over its points differs little from q at
their mean place. Mean_k q_ik comes out about 2 % too small, because q is convex far away.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import SERIAL, Threads, row_slices
from tete.reduction.listwise.grid import Grid

__all__ = ["PYRAMID_DIMENSIONS", "Pyramid", "lists_of_cells", "node_values", "pyramid_of_map"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int32]

PYRAMID_DIMENSIONS = 2  # in three, a list has some 600 cells: draws are cheaper
MOST_AT_THE_TOP = 4  # cells on a side
MOST_IN_A_BLOCK = 36  # children of the 3 x 3 cells around a parent
CELLS_IN_A_PIECE = 1024  # enough work for a thread


class Pyramid(NamedTuple):
    """Cells of all levels, numbered through from the grid's own, and which of them each tile of anchors meets.

    Level l has ``shapes[l]`` cells from number ``offsets[l]`` on. Tile t meets ``nodes[starts[list]:starts[list + 1]]``
    with ``list = lists[t]``; tiles of one cell have one list.
    """

    shapes: Whole
    offsets: Whole
    lists: Whole
    starts: Whole
    nodes: Whole


def pyramid_of_map(grid: Grid) -> Pyramid:
    """The levels over a grid of one or two dimensions, and the lists of its tiles; over others there are none."""
    if not 1 <= len(grid.shape) <= PYRAMID_DIMENSIONS:
        none, n_tiles = np.zeros(0, dtype=np.int32), len(grid.tile_cells)
        empty = Pyramid(none.reshape(0, 2), np.zeros(1, dtype=np.int32), none, np.zeros(2, dtype=np.int32), none)
        return empty._replace(lists=np.zeros(n_tiles, dtype=np.int32))
    shape = (1, *(int(length) for length in grid.shape))[-PYRAMID_DIMENSIONS:]
    shapes = [shape]
    while max(shape) > MOST_AT_THE_TOP:
        shape = tuple((length + 1) // 2 for length in shape)
        shapes.append(shape)
    levels = np.array(shapes, dtype=np.int32)
    offsets = np.append(0, np.cumsum(np.prod(levels, axis=1, dtype=np.int64))).astype(np.int32)
    occupied = _occupied(levels, offsets, grid.cell_starts)
    return Pyramid(levels, offsets, *_make_lists(levels, offsets, occupied, grid.tile_cells))


def lists_of_cells(pyramid: Pyramid, values: Floats, cells: Whole) -> Whole:
    """The nodes with points that places in these cells of the grid meet, a row for each cell, filled up with -1."""
    nodes = np.full((len(cells), MOST_IN_A_BLOCK * len(pyramid.shapes)), -1, dtype=np.int32)
    if not nodes.size:
        return nodes
    return nodes[:, : _write_lists(pyramid.shapes, pyramid.offsets, values[:, -2] > 0, cells, nodes)]


def node_values(pyramid: Pyramid, grid: Grid, places: Floats, slopes: Floats, workers: Threads = SERIAL) -> Floats:
    """For each cell of all levels: the mean place of its points, their share of all points, and their slopes' share.

    The last is the sum of their slopes, divided by the number of all points.
    """
    n_components = places.shape[1]
    values = np.zeros((pyramid.offsets[-1], n_components + 2), dtype=places.dtype)
    slices = row_slices(len(grid.cell_starts) - 1 if len(values) else 0, size=CELLS_IN_A_PIECE)

    def work(piece: int) -> None:
        cells = slices[piece]
        _sum_cells(grid.order, grid.cell_starts, places, slopes, cells.start, cells.stop, values)

    workers.run(work, len(slices))
    _sum_levels(pyramid.shapes, pyramid.offsets, values)
    _take_means(values, places.shape[0])
    return values


# The levels ----------------------------------------------------------------------------------------------------------


@compiled()
def _occupied(shapes: Whole, offsets: Whole, cell_starts: Whole) -> NDArray[np.bool_]:
    """Which cells have points."""
    occupied = np.zeros(offsets[-1], dtype=np.bool_)
    for cell in range(cell_starts.shape[0] - 1):
        occupied[cell] = cell_starts[cell + 1] > cell_starts[cell]
    for level in range(shapes.shape[0] - 1):
        for row in range(shapes[level, 0]):
            for column in range(shapes[level, 1]):
                parent = offsets[level + 1] + (row >> 1) * shapes[level + 1, 1] + (column >> 1)
                occupied[parent] |= occupied[offsets[level] + row * shapes[level, 1] + column]
    return occupied


@compiled()
def _write_list(shapes: Whole, offsets: Whole, wanted: NDArray[np.bool_], cell: int, nodes: Whole) -> int:
    """Write the cells that one cell of the grid meets; return their number."""
    row, column = cell // shapes[0, 1], cell % shapes[0, 1]
    count, top = 0, shapes.shape[0] - 1
    for level in range(top + 1):
        n_rows, n_columns = shapes[level, 0], shapes[level, 1]
        first_row, last_row, first_column, last_column = 0, n_rows, 0, n_columns
        if level < top:
            first_row, last_row = max((row >> 1) - 1, 0) * 2, min(((row >> 1) + 2) * 2, n_rows)
            first_column, last_column = max((column >> 1) - 1, 0) * 2, min(((column >> 1) + 2) * 2, n_columns)
        for r in range(first_row, last_row):
            for c in range(first_column, last_column):
                node = offsets[level] + r * n_columns + c
                if wanted[node] and (abs(r - row) > 1 or abs(c - column) > 1):
                    nodes[count] = node
                    count += 1
        row, column = row >> 1, column >> 1
    return count


@compiled()
def _write_lists(shapes: Whole, offsets: Whole, wanted: NDArray[np.bool_], cells: Whole, nodes: Whole) -> int:
    """Write a list in each row; return the length of the longest."""
    longest = 0
    for row in range(cells.shape[0]):
        longest = max(longest, _write_list(shapes, offsets, wanted, cells[row], nodes[row]))
    return longest


@compiled()
def _make_lists(
    shapes: Whole, offsets: Whole, occupied: NDArray[np.bool_], tile_cells: Whole
) -> tuple[Whole, Whole, Whole]:
    """The list of each tile, where each list begins, and all lists."""
    n_tiles, most = tile_cells.shape[0], MOST_IN_A_BLOCK * shapes.shape[0]
    lists, starts = np.empty(n_tiles, dtype=np.int32), np.zeros(n_tiles + 1, dtype=np.int32)
    nodes = np.empty(n_tiles * most, dtype=np.int32)
    n_lists = 0
    for tile in range(n_tiles):
        if tile == 0 or tile_cells[tile] != tile_cells[tile - 1]:
            start = starts[n_lists]
            count = _write_list(shapes, offsets, occupied, tile_cells[tile], nodes[start : start + most])
            n_lists += 1
            starts[n_lists] = start + count
        lists[tile] = n_lists - 1
    return lists, starts[: n_lists + 1].copy(), nodes[: starts[n_lists]].copy()


# Their values --------------------------------------------------------------------------------------------------------


@compiled(error_model="numpy")
def _sum_cells(
    order: Whole, cell_starts: Whole, places: Floats, slopes: Floats, first: int, last: int, values: Floats
) -> None:
    """Sums over the points of the grid's own cells, in double precision."""
    n_components = places.shape[1]
    sums = np.empty(n_components + 1)
    for cell in range(first, last):
        sums[:] = 0.0
        for rank in range(cell_starts[cell], cell_starts[cell + 1]):
            point = order[rank]
            for c in range(n_components):
                sums[c] += places[point, c]
            sums[n_components] += slopes[point]
        for c in range(n_components):
            values[cell, c] = sums[c]
        values[cell, n_components] = cell_starts[cell + 1] - cell_starts[cell]
        values[cell, n_components + 1] = sums[n_components]


@compiled()
def _sum_levels(shapes: Whole, offsets: Whole, values: Floats) -> None:
    for level in range(shapes.shape[0] - 1):
        for row in range(shapes[level, 0]):
            for column in range(shapes[level, 1]):
                node = offsets[level] + row * shapes[level, 1] + column
                parent = offsets[level + 1] + (row >> 1) * shapes[level + 1, 1] + (column >> 1)
                for c in range(values.shape[1]):
                    values[parent, c] += values[node, c]


@compiled(error_model="numpy")
def _take_means(values: Floats, n_points: int) -> None:
    n_components = values.shape[1] - 2
    for node in range(values.shape[0]):
        count = values[node, n_components]
        if count > 0:
            for c in range(n_components):
                values[node, c] /= count
        values[node, n_components] /= n_points
        values[node, n_components + 1] /= n_points
