"""Distances between rows and points that are named by their numbers."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.matrices import is_sparse
from tete.reduction.metric_names import Metric
from tete.reduction.search.nearest import Indices, PointArray, single_precision

__all__ = ["DistanceBetween", "euclidean_between", "given_between", "metric_between"]

DistanceBetween: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float32]]


def euclidean_between(queries: PointArray, points: PointArray) -> DistanceBetween:
    """Distances between rows of one table and rows of another."""

    def between(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
        return _pair_distances(queries, points, rows, others)

    return between


def given_between(distances: Any) -> DistanceBetween:
    """Distances that are given, in a table or a graph, where all that is not a neighbour is farther."""

    def between(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
        found = single_precision(np.asarray(distances[rows, others]).ravel())
        return np.where(found > 0.0, found, np.float32(np.inf)) if is_sparse(distances) else found

    return between


def metric_between(
    queries: Any, points: Any, metric: Metric, parameters: Mapping[str, Any] | None = None
) -> DistanceBetween:
    """Distances by one of scikit-learn's metrics."""
    from sklearn.metrics import pairwise_distances  # noqa: PLC0415  (takes long to import)

    def between(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
        result = np.empty(len(rows), dtype=np.float32)
        edges = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
        for start, stop in pairwise(edges):
            row = rows[start]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                some = pairwise_distances(
                    queries[row : row + 1], points[others[start:stop]], metric=metric, **(parameters or {})
                )
            result[start:stop] = single_precision(some[0])
        return result

    return between


@compiled(error_model="numpy", fastmath={"contract", "reassoc"})
def _pair_distances(
    queries: PointArray, points: PointArray, rows: NDArray[np.int64], others: Indices
) -> NDArray[np.float32]:
    result = np.empty(rows.shape[0], dtype=np.float32)
    for place in range(rows.shape[0]):
        total = np.float32(0.0)
        for c in range(points.shape[1]):
            step = queries[rows[place], c] - points[others[place], c]
            total += step * step
        result[place] = np.sqrt(total)
    return result
