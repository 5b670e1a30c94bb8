"""Exact search among sparse rows without a dense copy: for each column a list of the rows that have it.

A query's products with all points are summed up along the lists of its own columns, so that the work is the number of
pairs of rows that share a column. The nearest by these products are then compared exactly, by the differences of the
two rows: |x|^2 - 2 x'y + |y|^2 loses the digits that tell near points apart. A query is answered from its row alone.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices
from tete.reduction.search.distances import DistanceBetween
from tete.reduction.search.nearest import Indices, Neighbors, NeighborSearch, empty_neighbors

__all__ = ["InvertedSearch", "products_needed", "sparse_between"]

ROWS_IN_A_PIECE = 64  # enough work for a thread
MORE_CANDIDATES = 8  # than are wanted: the order of near ties is not exact yet


@dataclass
class InvertedSearch(NeighborSearch):
    """Exact search by Euclidean distance among the rows of a canonical CSR table in single precision."""

    points: Any
    lists: Any = field(init=False, repr=False)
    squares: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.lists = sparse.csc_array(self.points)
        self.squares = _row_squares(self.points.indptr, self.points.data)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        return self._search(self.points, count, workers, own=True)

    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query, of rows like the points."""
        return self._search(queries, count, workers, own=False)

    def _search(self, queries: Any, count: int, workers: Threads, *, own: bool) -> Neighbors:
        n_queries = queries.shape[0]
        result = empty_neighbors(n_queries, count)
        slices = row_slices(n_queries, size=ROWS_IN_A_PIECE)
        points, lists = self.points, self.lists
        room = min(count + MORE_CANDIDATES, points.shape[0])

        def work(piece: int) -> None:
            rows = slices[piece]
            _search_rows(
                (queries.indptr[rows.start : rows.stop + 1], queries.indices, queries.data),
                (points.indptr, points.indices, points.data),
                (lists.indptr, lists.indices, lists.data),
                self.squares,
                rows.start if own else -1,
                room,
                result.indices[rows],
                result.distances[rows],
            )

        workers.run(work, len(slices) if n_queries else 0)
        return result


def products_needed(table: Any) -> float:
    """How many products it takes to compare all rows of a sparse table, and how many sums are looked at."""
    counts = np.bincount(table.indices, minlength=table.shape[1]).astype(np.float64)
    return float(np.sum(counts**2)) + float(table.shape[0]) ** 2


def sparse_between(queries: Any, points: Any) -> DistanceBetween:
    """Distances between rows of one sparse table and rows of another."""
    first = (queries.indptr, queries.indices, queries.data)
    second = (points.indptr, points.indices, points.data)

    def between(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
        return _pair_distances(first, second, rows, others)

    return between


@compiled(error_model="numpy")
def _row_squares(starts: NDArray[Any], values: NDArray[np.float32]) -> NDArray[np.float64]:
    result = np.zeros(len(starts) - 1)
    for row in range(len(result)):
        for place in range(starts[row], starts[row + 1]):
            result[row] += np.float64(values[place]) * np.float64(values[place])
    return result


@compiled(error_model="numpy")
def _square_distance(first: Any, row: int, second: Any, other: int) -> float:
    """Of a row of one table and a row of another, by their differences; columns rise along a row."""
    total = 0.0
    here, here_end = first[0][row], first[0][row + 1]
    there, there_end = second[0][other], second[0][other + 1]
    while here < here_end or there < there_end:
        step = 0.0
        left = first[1][here] if here < here_end else np.int64(2**62)
        right = second[1][there] if there < there_end else np.int64(2**62)
        if left <= right:
            step += np.float64(first[2][here])
            here += 1
        if right <= left:
            step -= np.float64(second[2][there])
            there += 1
        total += step * step
    return total


@compiled(error_model="numpy")
def _pair_distances(first: Any, second: Any, rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
    result = np.empty(len(rows), dtype=np.float32)
    for place in range(len(rows)):
        result[place] = np.sqrt(_square_distance(first, rows[place], second, others[place]))
    return result


@compiled(error_model="numpy")
def _insert(square: float, point: int, filled: int, indices: Indices, squares: NDArray[np.float64]) -> int:
    """Keep the nearest in order, equal ones by number; return how many there are now."""
    place = filled
    if filled == len(squares):
        last = filled - 1
        if square > squares[last] or (square == squares[last] and point > indices[last]):
            return filled
        place = last
    while place > 0 and (squares[place - 1] > square or (squares[place - 1] == square and indices[place - 1] > point)):
        squares[place], indices[place] = squares[place - 1], indices[place - 1]
        place -= 1
    squares[place], indices[place] = square, point
    return min(filled + 1, len(squares))


@compiled(error_model="numpy")
def _search_rows(
    queries: Any,
    points: Any,
    lists: Any,
    squares: NDArray[np.float64],
    first: int,
    room: int,
    indices: Indices,
    distances: NDArray[np.float32],
) -> None:
    n_points, count = len(squares), indices.shape[1]
    products = np.empty(n_points)
    candidates, nearest = np.empty(room, dtype=np.int32), np.empty(room)
    numbers, exact = np.empty(count, dtype=np.int32), np.empty(count)
    for row in range(indices.shape[0]):
        own = first + row if first >= 0 else -1
        products[:] = 0.0
        for place in range(queries[0][row], queries[0][row + 1]):
            column, value = queries[1][place], np.float64(queries[2][place])
            for entry in range(lists[0][column], lists[0][column + 1]):
                products[lists[1][entry]] += value * lists[2][entry]
        filled = 0
        for point in range(n_points):
            square = squares[point] - 2.0 * products[point]
            if point != own and (filled < room or square <= nearest[room - 1]):
                filled = _insert(square, point, filled, candidates, nearest)
        kept = 0
        for place in range(filled):
            point = candidates[place]
            kept = _insert(_square_distance(queries, row, points, point), point, kept, numbers, exact)
        for place in range(count):
            source = min(place, kept - 1)
            indices[row, place], distances[row, place] = numbers[source], np.sqrt(exact[source])
