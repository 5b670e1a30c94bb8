"""Nearest neighbours: points -> Neighbors(indices, distances), sorted, without the point itself, ties by number.

    TreeSearch       exact, few dimensions (k-d tree)
    FlatSearch       exact, up to some ten thousand points
    CellSearch       nearly exact, many points (faiss's inverted lists), its recall measured and raised if poor
    MetricSearch     scikit-learn's metrics

Each finds candidates quickly; then the distances are computed again from the differences, because the usual
|x|^2 - 2 x'y + |y|^2 loses the digits that tell near points apart. A query is answered from its own row alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import faiss
import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial import KDTree

from tete.threads import Threads, row_slices

__all__ = [
    "CellSearch",
    "FlatSearch",
    "MetricSearch",
    "NeighborSearch",
    "Neighbors",
    "TreeSearch",
    "exact_search",
    "make_search",
]

Points: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int32]

TREE_DIMENSIONS = 5  # beyond, a k-d tree visits most of its leaves
FLAT_POINTS = 15_000  # beyond, inverted lists are faster
WANTED_RECALL = 0.995
RECALL_SAMPLE = 200
PRODUCT_POINTS = 200_000  # up to which all distances are faster than visiting one in `NEARLY_ALL` cells
NEARLY_ALL = 6
ROWS_IN_A_PIECE = 512


class Neighbors(NamedTuple):
    """For each row the numbers of its nearest points and their distances, nearest first."""

    indices: Indices
    distances: NDArray[np.float32]

    def first(self, count: int) -> "Neighbors":
        """Only the nearest `count`."""
        return Neighbors(np.ascontiguousarray(self.indices[:, :count]), np.ascontiguousarray(self.distances[:, :count]))


@dataclass
class NeighborSearch(ABC):
    """Searches among fixed points."""

    points: Any

    @abstractmethod
    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""

    @abstractmethod
    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""


@dataclass
class TreeSearch(NeighborSearch):
    """Exact search in a k-d tree."""

    points: Points
    tree: KDTree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.tree = KDTree(self.points)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        found = self._candidates(self.points, count + 1, workers)
        return refine(self.points, self.points, found, count, workers, own=True)

    def of(self, queries: Points, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return refine(self.points, queries, self._candidates(queries, count, workers), count, workers)

    def _candidates(self, queries: Points, count: int, workers: Threads) -> NDArray[Any]:
        found = self.tree.query(queries, k=count, workers=workers.n_jobs)[1]
        return np.asarray(found).reshape(len(queries), count)


@dataclass
class FlatSearch(NeighborSearch):
    """Exact search by all distances."""

    points: Points

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        index = faiss.IndexFlatL2(self.points.shape[1])
        index.add(self.points)
        # A few more candidates than wanted, because the order of near ties among them is not exact yet.
        found = index.search(self.points, min(count + 1 + max(4, count // 8), len(self.points)))[1]
        return refine(self.points, self.points, found, count, workers, own=True)

    def of(self, queries: Points, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        result = _empty(len(queries), count)
        slices = row_slices(len(queries), size=64)

        def work(piece: int) -> None:
            rows = slices[piece]
            _search_all(self.points, queries[rows], result.indices[rows], result.distances[rows])

        workers.run(work, len(slices) if len(queries) else 0)
        return result


@dataclass
class CellSearch(NeighborSearch):
    """Search in the cells nearest to the query (faiss's inverted lists)."""

    points: Points
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
        truth = _empty(len(queries), 16)
        _search_all(self.points, queries, truth.indices, truth.distances)
        most = n_cells // NEARLY_ALL if len(self.points) <= PRODUCT_POINTS else n_cells
        n_visited = 8
        while True:
            self.index.nprobe = min(n_visited, most)
            found = self.index.search(queries, 16)[1]
            hits = [len(np.intersect1d(*rows)) for rows in zip(truth.indices, found, strict=True)]
            self.recall = float(np.mean(hits)) / 16
            if self.recall >= WANTED_RECALL or n_visited >= most:
                return
            n_visited = n_visited * 5 // 4

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        found = self.index.search(self.points, min(count + 2, len(self.points)))[1]
        return refine(self.points, self.points, found, count, workers, own=True)

    def of(self, queries: Points, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        if len(queries) == 0:
            return _empty(0, count)
        # faiss would choose the cells of many queries by one matrix product, whose bits depend on their number.
        centers = self.index.quantizer.reconstruct_n(0, self.index.nlist)
        cells = FlatSearch(centers).of(queries, self.index.nprobe, workers)
        squares = np.square(cells.distances)
        found = self.index.search_preassigned(queries, count, cells.indices.astype(np.int64), squares)[1]
        return refine(self.points, queries, found, count, workers)

    def state(self) -> dict[str, NDArray[Any]]:
        """What the training found: the cells' centers, the cell of each point, and how many cells to visit."""
        lists, cells = self.index.invlists, np.empty(len(self.points), dtype=np.int32)
        for cell in range(self.index.nlist):
            if lists.list_size(cell):
                cells[faiss.rev_swig_ptr(lists.get_ids(cell), lists.list_size(cell))] = cell
        centers = self.index.quantizer.reconstruct_n(0, self.index.nlist)
        return {"cell_centers": centers, "cells": cells, "n_visited": np.array(self.index.nprobe)}

    @classmethod
    def restored(cls, points: Points, state: Mapping[str, NDArray[Any]]) -> "CellSearch":
        """The search that had this state, without training it again."""
        search = cls.__new__(cls)
        search.points, search.seed, search.recall = points, 0, 0.0
        centers = np.ascontiguousarray(state["cell_centers"], dtype=np.float32)
        quantizer = faiss.IndexFlatL2(points.shape[1])
        quantizer.add(centers)
        search.index = faiss.IndexIVFFlat(quantizer, points.shape[1], len(centers))
        search.index.is_trained = True
        search.index.nprobe = int(state["n_visited"])
        cells = np.ascontiguousarray(state["cells"], dtype=np.int64)
        search.index.add_core(len(points), faiss.swig_ptr(points), None, faiss.swig_ptr(cells))
        return search


@dataclass
class MetricSearch(NeighborSearch):
    """Exact search with one of scikit-learn's metrics, or in given distances or a given graph ("precomputed")."""

    points: Any
    metric: str
    fitted: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (takes long to import)

        self.fitted = NearestNeighbors(metric=self.metric).fit(self.points)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        # Given graphs have no edges from a row to itself, which scikit-learn would drop.
        graph = self.points if self.metric == "precomputed" and sparse.issparse(self.points) else None
        return self._search(graph, count, workers)

    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return self._search(queries, count, workers)

    def _search(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        self.fitted.set_params(n_jobs=workers.n_jobs)
        distances, indices = self.fitted.kneighbors(queries, n_neighbors=count)
        order = np.lexsort((indices, distances), axis=1)
        return Neighbors(
            np.take_along_axis(indices, order, axis=1).astype(np.int32),
            np.take_along_axis(distances, order, axis=1).astype(np.float32),
        )


def make_search(points: Points, seed: int) -> NeighborSearch:
    """The fastest search by Euclidean distance for these points."""
    if points.shape[1] <= TREE_DIMENSIONS or len(points) <= FLAT_POINTS:
        return exact_search(points)
    cells = CellSearch(points, seed)
    # Points without clusters in many dimensions have their neighbours in all cells.
    return cells if cells.recall >= WANTED_RECALL else exact_search(points)


def exact_search(points: Points) -> NeighborSearch:
    """The faster of the two searches that miss nothing."""
    return TreeSearch(points) if points.shape[1] <= TREE_DIMENSIONS else FlatSearch(points)


def refine(
    points: Points, queries: Points, candidates: NDArray[Any], count: int, workers: Threads, *, own: bool = False
) -> Neighbors:
    """Exact distances to the candidates, sorted, the nearest `count` of them; with `own`, row i is never point i."""
    result = _empty(len(queries), count)
    slices = row_slices(len(queries), size=ROWS_IN_A_PIECE)
    wanted = np.ascontiguousarray(candidates, dtype=np.int32)

    def work(piece: int) -> None:
        rows = slices[piece]
        _refine_rows(
            points, queries[rows], wanted[rows], rows.start if own else -1, result.indices[rows], result.distances[rows]
        )

    workers.run(work, len(slices))
    return result


def _empty(n_rows: int, count: int) -> Neighbors:
    return Neighbors(np.empty((n_rows, count), dtype=np.int32), np.empty((n_rows, count), dtype=np.float32))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _square_distance(first: Points, second: Points) -> Any:
    total = np.float32(0.0)
    for c in range(first.shape[0]):
        step = first[c] - second[c]
        total += step * step
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _insert(square: float, point: int, filled: int, indices: Indices, squares: NDArray[np.float32]) -> int:
    """Keep the nearest in order, equal ones by number; return how many there are now."""
    place = filled
    if filled == len(squares):
        last = filled - 1
        if square > squares[last] or (square == squares[last] and point > indices[last]):
            return filled
        place = last
    while place > 0 and (squares[place - 1] > square or (squares[place - 1] == square and indices[place - 1] > point)):
        squares[place] = squares[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    squares[place] = square
    indices[place] = point
    return min(filled + 1, len(squares))


@njit(cache=True, nogil=True, error_model="numpy")
def _refine_rows(
    points: Points, queries: Points, candidates: Indices, first: int, indices: Indices, distances: NDArray[np.float32]
) -> None:
    for row in range(queries.shape[0]):
        filled = 0
        for place in range(candidates.shape[1]):
            point = candidates[row, place]
            if point >= 0 and not (first >= 0 and point == first + row):
                square = _square_distance(points[point], queries[row])
                filled = _insert(square, point, filled, indices[row], distances[row])
        # Cells can hold fewer points than wanted: the farthest found stands in for the missing ones.
        for place in range(filled, indices.shape[1]):
            indices[row, place] = indices[row, max(filled - 1, 0)]
            distances[row, place] = distances[row, max(filled - 1, 0)]
        for place in range(indices.shape[1]):
            distances[row, place] = np.sqrt(distances[row, place])


@njit(cache=True, nogil=True, error_model="numpy")
def _search_all(points: Points, queries: Points, indices: Indices, distances: NDArray[np.float32]) -> None:
    for row in range(queries.shape[0]):
        filled = 0
        for point in range(points.shape[0]):
            square = _square_distance(points[point], queries[row])
            filled = _insert(square, point, filled, indices[row], distances[row])
        for place in range(indices.shape[1]):
            distances[row, place] = np.sqrt(distances[row, place])
