"""Search in cells: nearly exact and fast among many points.

Each point belongs to the cell of the nearest of some centres, found by two rounds of k-means on a sample. A query
visits the cells whose centres are nearest to itself, as many as it takes to find nearly all neighbours of a sample.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL, Threads
from tete.reduction.search.nearest import Indices, Neighbors, NeighborSearch, PointArray
from tete.reduction.search.scanning import Blocks, make_blocks, scan, scan_all

__all__ = ["WANTED_RECALL", "CellSearch", "cell_search"]

WANTED_RECALL = 0.995  # with fewer true neighbours class accuracy falls: by .005 on MNIST at .964
RECALL_SAMPLE, RECALL_NEIGHBORS = 500, 24  # an error of .0015: neighbours of one point are missed together
CELLS_PER_ROOT = 2.0  # times the root of the number of points: as long for centres as pays in smaller cells
SAMPLE_PER_CELL = 32  # points for the training; more, or more rounds, cost more than they gain
ROUNDS = 2
LARGEST = 4  # times the mean size of a cell, beyond which it is divided
MOST_VISITED_POINTS = 65_536  # of a query: noise in many dimensions has its neighbours in all cells


@dataclass
class CellSearch(NeighborSearch):
    """Search in the cells nearest to the query.

    Attributes
    ----------
    points : array of shape (n_points, width)
        What is searched.
    centers : array of shape (n_cells, width)
        The centre of each cell.
    cells : array of n_points whole numbers
        The cell of each point.
    n_visited : int
        How many cells a query visits.
    recall : float
        Share of the true neighbours that a sample of the points found.
    """

    points: PointArray
    centers: PointArray
    cells: Indices
    n_visited: int
    recall: float = 0.0
    _blocks: Blocks | None = field(default=None, init=False, repr=False)
    _center_blocks: Blocks | None = field(default=None, init=False, repr=False)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        order = np.argsort(self.cells, kind="stable").astype(np.int32)
        centers = make_blocks(self.centers)

        def nearest_cells(rows: Indices) -> Indices:
            return scan(centers, self.points[rows], self.n_visited, SERIAL).indices

        return self._visit(self._fill(), self.points, count, workers, nearest_cells, order, own=True)

    def of(self, queries: PointArray, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        self.prepare()
        assert self._blocks is not None
        assert self._center_blocks is not None
        cells = scan(self._center_blocks, queries, self.n_visited, workers).indices
        order = np.argsort(cells[:, 0], kind="stable").astype(np.int32)  # so that neighbouring queries come together
        return self._visit(self._blocks, queries, count, workers, lambda rows: cells[rows], order)

    def prepare(self) -> None:
        """Put points and centres into blocks, which all later queries share."""
        if self._blocks is None:
            self._blocks, self._center_blocks = self._fill(), make_blocks(self.centers)

    def _visit(
        self,
        blocks: Blocks,
        queries: PointArray,
        count: int,
        workers: Threads,
        nearest_cells: Callable[[Indices], Indices],
        order: Indices,
        *,
        own: bool = False,
    ) -> Neighbors:
        """What each query finds in the cells nearest to it or, where these hold too few points, in all of them."""
        result = scan(blocks, queries, count, workers, visits=nearest_cells, order=order, own=own)
        wanting = np.flatnonzero(result.indices[:, -1] < 0).astype(np.int32)
        if len(wanting):
            result = scan_all(blocks, queries, count, workers, own=own, rows=wanting, into=result)
        return result

    def _fill(self) -> Blocks:
        """The points of each cell in a block."""
        order = np.argsort(self.cells, kind="stable").astype(np.int32)
        return make_blocks(self.points, order, np.bincount(self.cells, minlength=len(self.centers)))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_blocks": None, "_center_blocks": None}  # the points again, in another order

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What the training found: the cells' centers, the cell of each point, and how many cells to visit."""
        return {"cell_centers": self.centers, "cells": self.cells, "n_visited_cells": np.array(self.n_visited)}

    @classmethod
    def from_arrays(cls, points: PointArray, arrays: CheckedArrays) -> "CellSearch":
        """The search that had these arrays, without training it again."""
        centers = arrays.numbers("cell_centers", "f4", (None, points.shape[1]))
        cells = arrays.numbers("cells", "i4", (len(points),), least=0, most=len(centers) - 1)
        return cls(points, centers, cells, arrays.whole("n_visited_cells", least=1, most=len(centers)))


def cell_search(points: PointArray, seed: int, workers: Threads) -> CellSearch:
    """Train the centres, and find out how many cells must be visited."""
    rng = np.random.default_rng(seed)
    centers = _train(points, rng, workers)
    cells = np.ascontiguousarray(scan_all(make_blocks(centers), points, 1, workers).indices[:, 0])
    ranks = _ranks_of_neighbors(points, centers, cells, rng, workers)
    wanted = int(ranks[int(np.ceil(WANTED_RECALL * len(ranks))) - 1]) + 1
    n_visited = min(wanted, max(int(MOST_VISITED_POINTS * len(centers) / len(points)), 1))
    return CellSearch(points, centers, cells, n_visited, float(np.mean(ranks < n_visited)))


def _train(points: PointArray, rng: np.random.Generator, workers: Threads) -> PointArray:
    """Centres of the cells: k-means on a sample, in which cells that are far too large are divided."""
    n_cells = max(int(CELLS_PER_ROOT * np.sqrt(len(points))), 1)
    rows = rng.choice(len(points), min(SAMPLE_PER_CELL * n_cells, len(points)), replace=False)
    sample = points[rows]
    centers = sample[:n_cells]  # they come in random order
    for _ in range(ROUNDS):
        cells = scan_all(make_blocks(centers), sample, 1, workers).indices[:, 0]
        order, sizes = np.argsort(cells, kind="stable"), np.bincount(cells, minlength=len(centers))
        starts = np.cumsum(sizes) - sizes
        full = np.flatnonzero(sizes)
        centers = (np.add.reduceat(sample[order], starts[full], axis=0) / sizes[full, None]).astype(np.float32)
        mean_size = len(sample) / n_cells
        large = np.flatnonzero(sizes > LARGEST * mean_size)
        parts = [order[starts[cell] :][: int(sizes[cell] / mean_size)] for cell in large]
        centers = np.concatenate([centers, *(sample[part] for part in parts)])
    return centers


def _ranks_of_neighbors(
    points: PointArray, centers: PointArray, cells: Indices, rng: np.random.Generator, workers: Threads
) -> NDArray[np.int32]:
    """How many cells are nearer to a point than the one in which its neighbour is, for a sample of points; sorted."""
    sample = points[rng.choice(len(points), min(RECALL_SAMPLE, len(points)), replace=False)]
    count = min(RECALL_NEIGHBORS + 1, len(points))
    near = scan_all(make_blocks(points), sample, count, workers).indices[:, 1:]  # each point is its own nearest
    order = scan_all(make_blocks(centers), sample, len(centers), workers).indices
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(centers), dtype=np.int32)[None], axis=1)
    return np.sort(np.take_along_axis(ranks, cells[near], axis=1), axis=None)
