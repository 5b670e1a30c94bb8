"""Search in cells: nearly exact and fast among many points (faiss's inverted lists), its recall measured and raised."""

from dataclasses import dataclass, field
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL, Threads
from tete.reduction.search.nearest import (
    Neighbors,
    NeighborSearch,
    PointArray,
    empty_neighbors,
    others,
    refine,
    search_all,
)

__all__ = ["WANTED_RECALL", "CellSearch"]

WANTED_RECALL = 0.995  # with fewer true neighbours class accuracy falls: by .005 on MNIST at .964
RECALL_SAMPLE = 200  # points times 16 neighbours: an error of .001
PRODUCT_POINTS = 200_000  # up to which all distances are faster than visiting one in `NEARLY_ALL` cells
NEARLY_ALL = 6
ROWS_AT_ONCE = 16_384  # whose candidates are in memory


@dataclass
class CellSearch(NeighborSearch):
    """Search in the cells nearest to the query (faiss's inverted lists)."""

    points: PointArray
    seed: int = 0
    recall: float = field(init=False, default=0.0)
    index: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n_points, width = self.points.shape
        n_cells = int(4 * np.sqrt(n_points))
        self.index = faiss.IndexIVFFlat(faiss.IndexFlatL2(width), width, n_cells)
        self.index.cp.seed = self.seed % 2**31
        # More rounds or points make the training slower by more than they make the search faster.
        self.index.cp.niter = 4
        self.index.cp.max_points_per_centroid = 32
        self.index.cp.min_points_per_centroid = 1
        self.index.train(self.points)
        self.index.add(self.points)
        self._raise_recall(n_cells)

    def _raise_recall(self, n_cells: int) -> None:
        """Visit as many cells as it takes to find nearly all neighbours of a sample of points."""
        sample = np.random.default_rng(self.seed).choice(len(self.points), RECALL_SAMPLE, replace=False)
        queries = self.points[np.sort(sample)]
        truth = search_all(self.points, queries, 16, SERIAL)
        most = n_cells // NEARLY_ALL if len(self.points) <= PRODUCT_POINTS else n_cells
        n_visited = 8
        while True:
            self.index.nprobe = min(n_visited, most)
            found = self.index.search(queries, 16)[1]
            self.recall = float(np.mean((truth.indices[:, :, None] == found[:, None, :]).any(axis=2)))
            if self.recall >= WANTED_RECALL or n_visited >= most:
                return
            n_visited = n_visited * 5 // 4

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        result = empty_neighbors(len(self.points), count)
        # PointArray of one cell visit the same cells, which stay in the processor's cache when they come together.
        order = np.concatenate([self._members(cell) for cell in range(self.index.nlist)])
        for start in range(0, len(order), ROWS_AT_ONCE):
            rows = order[start : start + ROWS_AT_ONCE]
            squares, found = self.index.search(self.points[rows], min(count + 2, len(self.points)))
            result.indices[rows], result.distances[rows] = others(rows, found, squares, count)
        return result

    def of(self, queries: PointArray, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        if len(queries) == 0:
            return empty_neighbors(0, count)
        # faiss would choose the cells of many queries by one matrix product, whose bits depend on their number.
        cells = search_all(self._centers(), queries, self.index.nprobe, workers)
        squares = np.square(cells.distances)
        found = self.index.search_preassigned(queries, count, cells.indices.astype(np.int64), squares)[1]
        result = refine(self.points, queries, found, count, workers)
        lost = np.flatnonzero(result.indices[:, 0] < 0)  # all cells that they visited were empty
        if len(lost):
            result.indices[lost], result.distances[lost] = search_all(self.points, queries[lost], count, workers)
        return result

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What the training found: the cells' centers, the cell of each point, and how many cells to visit."""
        cells = np.empty(len(self.points), dtype=np.int32)
        for cell in range(self.index.nlist):
            cells[self._members(cell)] = cell
        return {"cell_centers": self._centers(), "cells": cells, "n_visited_cells": np.array(self.index.nprobe)}

    def _centers(self) -> PointArray:
        return np.asarray(self.index.quantizer.reconstruct_n(0, self.index.nlist))

    def _members(self, cell: int) -> NDArray[np.int64]:
        """Numbers of the points in a cell."""
        lists = self.index.invlists
        size = lists.list_size(cell)
        return faiss.rev_swig_ptr(lists.get_ids(cell), size).copy() if size else np.empty(0, dtype=np.int64)

    @classmethod
    def from_arrays(cls, points: PointArray, arrays: CheckedArrays) -> "CellSearch":
        """The search that had these arrays, without training it again."""
        centers = arrays.numbers("cell_centers", "f4", (None, points.shape[1]))
        cells = arrays.numbers("cells", "i4", (len(points),), least=0, most=len(centers) - 1)
        search = cls.__new__(cls)
        search.points, search.seed, search.recall = points, 0, 0.0
        quantizer = faiss.IndexFlatL2(points.shape[1])
        quantizer.add(centers)
        search.index = faiss.IndexIVFFlat(quantizer, points.shape[1], len(centers))
        search.index.is_trained = True
        search.index.nprobe = arrays.whole("n_visited_cells", least=1, most=len(centers))
        numbers = cells.astype(np.int64)
        search.index.add_core(len(points), faiss.swig_ptr(points), None, faiss.swig_ptr(numbers))
        return search
