"""Nearest points of queries: what a search returns, and the compiled loops that keep the nearest in order.

Distances are computed from the differences: |x|^2 - 2 x'y + |y|^2 loses the digits that tell near points apart. The
nearest come sorted, equally near ones by number.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices
from tete.exceptions import InvalidFeaturesError

__all__ = [
    "Indices",
    "NeighborSearch",
    "Neighbors",
    "PointArray",
    "check_distances",
    "check_largest",
    "empty_neighbors",
    "refine",
    "single_precision",
    "sorted_neighbors",
    "without_own",
]

PointArray: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int32]

ROWS_IN_A_PIECE = 512  # enough work for a thread
SMALLEST_DISTANCE, LARGEST_DISTANCE = 1e-30, 1e38  # of those that other metrics or users give, in single precision


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

    def prepare(self) -> None:  # noqa: B027  (most have nothing to do)
        """Make what all queries share."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What it has learned beyond the points themselves."""
        return {}


def refine(
    points: PointArray,
    queries: PointArray,
    candidates: NDArray[Any],
    count: int,
    workers: Threads,
    *,
    own: bool = False,
) -> Neighbors:
    """Exact distances to the candidates, sorted, the nearest `count` of them; with `own`, row i is never point i."""
    result = empty_neighbors(len(queries), count)
    slices = row_slices(len(queries), size=ROWS_IN_A_PIECE)
    wanted = np.ascontiguousarray(candidates, dtype=np.int32)

    def work(piece: int) -> None:
        rows = slices[piece]
        _refine_rows(
            points, queries[rows], wanted[rows], rows.start if own else -1, result.indices[rows], result.distances[rows]
        )

    workers.run(work, len(slices))
    return result


def empty_neighbors(n_rows: int, count: int) -> Neighbors:
    """Room for neighbours."""
    return Neighbors(np.empty((n_rows, count), dtype=np.int32), np.empty((n_rows, count), dtype=np.float32))


def without_own(indices: NDArray[Any], distances: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Leave out each row's own number or, where duplicates have pushed it out of its own list, the last one."""
    own = indices == np.arange(len(indices))[:, None]
    own[~own.any(axis=1), -1] = True
    own &= np.cumsum(own, axis=1) == 1
    return indices[~own].reshape(len(own), -1), distances[~own].reshape(len(own), -1)


def check_distances(distances: NDArray[Any], metric: str) -> None:
    """Refuse distances of fitted rows that are no numbers, or that single precision cannot hold."""
    unknown = np.isnan(distances)
    if unknown.any():
        n_rows = int(unknown.all(axis=1).sum()) or int(unknown.any(axis=1).sum())
        raise InvalidFeaturesError(
            f"By the metric {metric} there is no distance from others for {n_rows} of the rows of `X`, such as "
            "constant rows or rows of zeros: leave them out."
        )
    check_largest(float(distances.max(initial=0.0)), "`X`")


def check_largest(distance: float, where: str) -> None:
    """Refuse a largest distance that single precision cannot hold, with all that are smaller."""
    if distance != 0.0 and not SMALLEST_DISTANCE <= distance <= LARGEST_DISTANCE:
        raise InvalidFeaturesError(
            f"The largest distance in {where} must be from {SMALLEST_DISTANCE:g} to {LARGEST_DISTANCE:g}, "
            f"got {distance:g}: take other units."
        )


def single_precision(distances: NDArray[Any]) -> NDArray[np.float32]:
    """Distances that are only known to be far, as far as single precision reaches."""
    return np.asarray(np.minimum(distances, LARGEST_DISTANCE), dtype=np.float32)


def sorted_neighbors(indices: NDArray[Any], distances: NDArray[Any]) -> Neighbors:
    """Each row from the nearest on, equally near ones by number."""
    order = np.lexsort((indices, distances), axis=1)
    return Neighbors(
        np.take_along_axis(indices, order, axis=1).astype(np.int32),
        np.take_along_axis(distances, order, axis=1).astype(np.float32),
    )


@compiled(error_model="numpy", fastmath={"contract", "reassoc"})
def _square_distance(first: PointArray, second: PointArray) -> Any:
    total = np.float32(0.0)
    for c in range(first.shape[0]):
        step = first[c] - second[c]
        total += step * step
    return total


@compiled(error_model="numpy")
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


@compiled(error_model="numpy")
def _complete(filled: int, indices: Indices, squares: NDArray[np.float32]) -> None:
    """Turn squares to distances; the farthest found stands in for missing ones."""
    for place in range(filled, indices.shape[0]):
        indices[place], squares[place] = indices[filled - 1], squares[filled - 1]
    for place in range(indices.shape[0]):
        squares[place] = np.sqrt(squares[place])


@compiled(error_model="numpy")
def _refine_rows(
    points: PointArray,
    queries: PointArray,
    candidates: Indices,
    first: int,
    indices: Indices,
    distances: NDArray[np.float32],
) -> None:
    for row in range(queries.shape[0]):
        filled = 0
        for place in range(candidates.shape[1]):
            point = candidates[row, place]
            if not (first >= 0 and point == first + row):
                square = _square_distance(points[point], queries[row])
                filled = _insert(square, point, filled, indices[row], distances[row])
        _complete(filled, indices[row], distances[row])
