"""The rows of a table that is being fitted: projected, merged where equal, each with its nearest neighbours.

Among many equal rows neighbourhoods have no size, and any method would spread them over the map: so equal rows are one
point that counts as often as it occurs. Points are numbered in an order that depends on their contents alone, unless
neighbours or distances are given by the numbers of the rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.matrices import as_dense, is_sparse, native
from tete.core.threads import Threads
from tete.core.types import Callback
from tete.exceptions import InvalidFeaturesError
from tete.reduction.component_choice import PcaComponents, fit_points
from tete.reduction.metric_names import PROJECTED, Metric, metric_values
from tete.reduction.points import Points, points_of_rows
from tete.reduction.row_order import point_order, row_hashes
from tete.reduction.search.exact import MetricSearch, make_search
from tete.reduction.search.given import GivenDistances, graph_of_others
from tete.reduction.search.inverted import InvertedSearch
from tete.reduction.search.nearest import Neighbors, NeighborSearch, empty_neighbors

__all__ = ["MergedRows", "merge_rows"]


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The rows of a table that is being fitted: their points, and the nearest other points of each.

    `point_of_row` says which point each row is, or is None if each row is the point of its own number. `given` says
    that the neighbours were not found by the search.
    """

    points: Points
    neighbors: Neighbors
    point_of_row: NDArray[np.int64] | None = None
    given: bool = False

    def __len__(self) -> int:
        return len(self.neighbors.indices)

    @property
    def can_search(self) -> bool:
        """Whether more neighbours can be had than there are."""
        return not (self.given or (is_sparse(self.points.table) and self.points.projection is None))

    def most_candidates(self, wanted: int) -> int:
        """How many nearest points new rows can look for: in graphs, as many as the fitted rows have."""
        return min(wanted, self.neighbors.indices.shape[1] if self.points.is_graph else len(self))

    def without_neighbors(self) -> "MergedRows":
        """All but the neighbours, which take more memory than all else and are not needed once a problem is made."""
        return replace(self, neighbors=empty_neighbors(len(self), 0))

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return len(self) if self.point_of_row is None else len(self.point_of_row)

    def total_by_point(self, row_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of the weights of each point's rows, the same in whatever order these come."""
        if self.point_of_row is None:
            return row_weights
        order = np.argsort(row_weights, kind="stable")
        totals = np.bincount(self.point_of_row[order], weights=row_weights[order], minlength=len(self))
        return np.asarray(totals, dtype=np.float64)

    def by_row(self, values: Any) -> Any:
        """Give each row what its point has."""
        return values if self.point_of_row is None else _taken(values, self.point_of_row)

    def told_by_row(self, callback: Callback | None) -> Callback | None:
        """The callback, which gets an embedding of the rows for one of the points."""
        if callback is None or self.point_of_row is None:
            return callback
        return lambda iteration, value, embedding: callback(iteration, value, self.by_row(embedding))

    def of_first_rows(self, values: Any) -> Any:
        """Give each point what its first row has."""
        if self.point_of_row is None:
            return values
        return values[np.unique(self.point_of_row, return_index=True)[1]]


def merge_rows(
    table: Any,
    *,
    metric: Metric,
    metric_arrays: Mapping[str, NDArray[np.float64]] | None = None,
    pca_components: PcaComponents,
    n_neighbors: Callable[[int], int],
    given: Neighbors | None = None,
    spreads: NDArray[np.float64] | None = None,
    order: NDArray[np.int64] | None = None,
    rng: np.random.Generator,
    workers: Threads,
) -> MergedRows:
    """Find the distinct points of a checked table and, for each, so many nearest others as `n_neighbors` says for them.

    With neighbours `given`, these are taken as they are and equal rows are not merged. Euclidean distances are those of
    the columns divided by their `spreads`. With an `order` of the rows by content, points are numbered by theirs.
    """
    projection, parameters = None, metric_arrays or {}
    rows = table if is_sparse(table) or metric in PROJECTED else native(table)  # kept in files as they are
    if metric in PROJECTED:
        projection = fit_points(
            table, pca_components, rng, unit_rows=metric == "cosine", spreads=spreads, order=order, workers=workers
        )
        rows = points_of_rows(projection, table, workers)
    if order is not None:
        order = point_order(rows, order, rng)
        rows = _taken(rows, order)
    if metric == "precomputed" and is_sparse(rows):
        rows = graph_of_others(rows)
    seed = int(rng.integers(2**31))

    def merged(some: Any, point_of_place: NDArray[np.int64] | None = None) -> MergedRows:
        search = _search(some, metric, parameters) if projection is None else _euclidean_search(some, seed, workers)
        points = Points(metric, table.shape[1], projection, search, parameters)
        neighbors = _nearest(points, some, n_neighbors(some.shape[0]), workers) if given is None else given
        return MergedRows(points, neighbors, _by_row(point_of_place, order), given is not None)

    if given is not None or metric == "precomputed" or (is_sparse(rows) and projection is None):
        return merged(rows)
    first, point_of_place = _distinct_rows(rows, workers)
    return merged(rows) if len(first) == rows.shape[0] else merged(rows[first], point_of_place)


def _taken(rows: Any, numbers: NDArray[np.int64]) -> Any:
    return rows[numbers] if is_sparse(rows) else np.take(rows, numbers, axis=0)  # a quarter of the time of an index


def _by_row(point_of_place: NDArray[np.int64] | None, order: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """The number of each row's point, where `order` has the rows by place; None if that is its own number."""
    if order is None:
        return point_of_place
    result = np.empty_like(order)
    result[order] = np.arange(len(order)) if point_of_place is None else point_of_place
    return result


def _search(rows: Any, metric: Metric, parameters: Mapping[str, NDArray[np.float64]]) -> NeighborSearch:
    return GivenDistances(rows) if metric == "precomputed" else MetricSearch(rows, metric, metric_values(parameters))


def _euclidean_search(rows: Any, seed: int, workers: Threads) -> NeighborSearch:
    return InvertedSearch(rows) if is_sparse(rows) else make_search(rows, seed, workers)


def _nearest(points: Points, rows: Any, n_neighbors: int, workers: Threads) -> Neighbors:
    """The nearest other points of each point, as many as there are."""
    count = min(n_neighbors, rows.shape[0] - 1)
    if points.metric == "precomputed" and is_sparse(rows):
        count = min(count, int(np.diff(rows.indptr).min()))
        if count == 0:
            raise InvalidFeaturesError("Every row of a graph must have at least one neighbour, got a row without.")
    return points.search.within(count, workers) if count else empty_neighbors(1, 0)


def _distinct_rows(points: Any, workers: Threads) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the first of each group of equal rows, in order, and for each row the number of its group."""
    keys: NDArray[Any] = row_hashes(points, workers)
    first, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
    copies = np.flatnonzero(first[inverse] != np.arange(points.shape[0]))
    if not _all_equal(points[copies], points[first[inverse[copies]]]):  # different rows of one hash
        contiguous = np.ascontiguousarray(as_dense(points) + 0)  # -0.0 + 0 is 0.0, which has the same bytes everywhere
        keys = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
        first, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def _all_equal(rows: Any, others: Any) -> bool:
    return (rows != others).nnz == 0 if is_sparse(rows) else np.array_equal(rows, others)
