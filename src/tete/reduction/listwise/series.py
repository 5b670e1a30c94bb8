"""The far field as a series: what all cells but the nearest do to a cell's points, from a few numbers.

The nodes of a tile's list on all levels but the lowest (see `pyramid`) lie at least three sides of the tile's cell from
its middle, and most of them far more. Over the cell, their potentials

    M(y) = sum_k w_k q(y, y_k),   q = 1 / (1 + |y - y_k|^2)

hardly bend, so that their Taylor series to the third order around the mean place of the cell's points stands for them:
ten numbers for the nodes' weights and ten for their slopes, made once for all points of the cell. Pushes are gradients,
sum_k w_k q^2 (y - y_k) = -1/2 grad M, so that they come from the same numbers. This is the local expansion of the fast
multipole method (Greengard & Rokhlin 1987).

Points may have moved out of their cell since the grid was made. Where one is farther from the middle than `REACH` times
the distance of the nearest node, the series is not to be trusted, and the point meets the nodes themselves.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import SERIAL, Threads, row_slices
from tete.reduction.listwise.grid import Grid
from tete.reduction.listwise.pyramid import Pyramid

__all__ = ["TERMS", "Series", "series_of_tiles"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

TERMS = 10  # 1, x, y, xx, xy, yy, xxx, xxy, xyy, yyy
REACH = 0.3  # the push of the nearest node is a quarter off there, if it lies in just that direction
FILL = 16  # nodes are filled up to a multiple of this with ones that weigh nothing: whole vectors
TILES_IN_A_PIECE = 256  # enough work for a thread


class Series(NamedTuple):
    """For each list of the pyramid its middle, how far from it the series holds (squared), and the coefficients."""

    centers: Floats
    reaches: Floats
    weights: Floats
    reactions: Floats


def series_of_tiles(pyramid: Pyramid, grid: Grid, values: Floats, workers: Threads = SERIAL) -> Series:
    """The series of all lists of a map in the plane; `values` are those of the nodes. Other maps have none."""
    n_lists = len(pyramid.starts) - 1 if values.shape[1] == 4 else 0
    series = Series(*(np.empty((n_lists, *shape), dtype=values.dtype) for shape in ((2,), (), (TERMS,), (TERMS,))))
    slices = row_slices(len(grid.tile_cells), size=TILES_IN_A_PIECE)

    def work(piece: int) -> None:
        tiles = slices[piece]
        _expand_tiles(pyramid, grid.tile_cells, values, tiles.start, tiles.stop, series)

    workers.run(work, len(slices) if n_lists else 0)
    return series


@compiled(error_model="numpy")
def _expand_tiles(
    pyramid: Pyramid, tile_cells: NDArray[np.int32], values: Floats, first: int, last: int, series: Series
) -> None:
    """Write the series of the lists that begin with one of these tiles."""
    kind = values.dtype
    most = np.max(pyramid.starts[1:] - pyramid.starts[:-1]) + FILL
    steps, weights = np.empty((2, most), dtype=kind), np.empty((2, most), dtype=kind)
    for tile in range(first, last):
        own = pyramid.lists[tile]
        if tile > 0 and pyramid.lists[tile - 1] == own:
            continue
        cell, count = tile_cells[tile], 0
        x, y = values[cell, 0], values[cell, 1]
        for place in range(pyramid.starts[own], pyramid.starts[own + 1]):
            node = pyramid.nodes[place]
            if node >= pyramid.offsets[1]:
                steps[0, count], steps[1, count] = x - values[node, 0], y - values[node, 1]
                weights[0, count], weights[1, count] = values[node, 2], values[node, 3]
                count += 1
        nearest = kind.type(np.inf)
        for k in range(count):
            nearest = min(nearest, steps[0, k] * steps[0, k] + steps[1, k] * steps[1, k])
        filled = (count + FILL - 1) // FILL * FILL
        steps[:, count:filled], weights[:, count:filled] = kind.type(0.0), kind.type(0.0)
        series.centers[own, 0], series.centers[own, 1] = x, y
        series.reaches[own] = kind.type(REACH * REACH) * (kind.type(1.0) + nearest)
        _expand(steps, weights[0], filled, series.weights[own])
        _expand(steps, weights[1], filled, series.reactions[own])


@compiled(error_model="numpy", fastmath={"contract", "arcp", "nsz", "reassoc"})
def _expand(steps: Floats, weights: Floats, count: int, terms: Floats) -> None:
    """Coefficients of sum_k w_k / (1 + |step_k + h|^2) in the powers of h, from the derivatives at h = 0."""
    kind = steps.dtype
    zero, one, two, three, four = kind.type(0.0), kind.type(1.0), kind.type(2.0), kind.type(3.0), kind.type(4.0)
    total, along_x, along_y, xx, xy, yy = zero, zero, zero, zero, zero, zero
    xxx, xxy, xyy, yyy = zero, zero, zero, zero
    for k in range(count):
        x, y = steps[0, k], steps[1, k]
        kernel = one / (one + x * x + y * y)
        first = weights[k] * kernel
        second = first * kernel
        third = four * second * kernel
        fourth = two * third * kernel
        total += first
        along_x += second * x
        along_y += second * y
        xx += third * x * x - second
        xy += third * x * y
        yy += third * y * y - second
        xxx += (third - fourth * x * x) * x
        xxy += (third - three * fourth * x * x) * y
        xyy += (third - three * fourth * y * y) * x
        yyy += (third - fourth * y * y) * y
    terms[0], terms[1], terms[2] = total, -two * along_x, -two * along_y
    terms[3], terms[4], terms[5] = xx, two * xy, yy
    terms[6], terms[7], terms[8], terms[9] = xxx, xxy, xyy, yyy
