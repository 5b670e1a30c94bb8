"""The rows of a table that is being fitted: projected, merged where equal, each with its nearest neighbours.

Among many equal rows neighbourhoods have no size, and any method would spread them over the map: so equal rows are one
point that counts as often as it occurs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.matrices import is_sparse
from tete.core.threads import Threads
from tete.exceptions import InvalidFeaturesError
from tete.reduction.metric_names import PROJECTED
from tete.reduction.points import Points
from tete.reduction.projection import Projection, fit_projection, project
from tete.reduction.search.exact import MetricSearch, make_search
from tete.reduction.search.given import GivenDistances, graph_of_others
from tete.reduction.search.nearest import Neighbors, NeighborSearch, empty_neighbors

__all__ = ["MergedRows", "merge_rows"]


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The rows of a table that is being fitted: their points, and the nearest other points of each.

    `point_of_row` says which point each row is, or is None if all rows differ. `given` says that the neighbours were
    not found by the search.
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
        return not (self.given or is_sparse(self.points.table))

    def most_candidates(self, wanted: int) -> int:
        """How many nearest points new rows can look for: in graphs, as many as the fitted rows have."""
        return min(wanted, self.neighbors.indices.shape[1] if self.points.is_graph else len(self))

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return len(self) if self.point_of_row is None else len(self.point_of_row)

    def total_by_point(self, row_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of the weights of each point's rows."""
        if self.point_of_row is None:
            return row_weights
        return np.asarray(np.bincount(self.point_of_row, weights=row_weights, minlength=len(self)), dtype=np.float64)

    def by_row(self, values: Any) -> Any:
        """Give each row what its point has."""
        return values if self.point_of_row is None else values[self.point_of_row]

    def of_first_rows(self, values: Any) -> Any:
        """Give each point what its first row has."""
        if self.point_of_row is None:
            return values
        return values[np.unique(self.point_of_row, return_index=True)[1]]


def merge_rows(
    table: Any,
    *,
    metric: str,
    pca_components: int | None,
    n_neighbors: int,
    given: Neighbors | None = None,
    spreads: NDArray[np.float64] | None = None,
    rng: np.random.Generator,
    workers: Threads,
) -> MergedRows:
    """Find the distinct points of a checked table and, for each, up to `n_neighbors` nearest others.

    With neighbours `given`, these are taken as they are and equal rows are not merged. Euclidean distances are those of
    the columns divided by their `spreads`.
    """
    projection, rows = None, table
    if metric in PROJECTED:
        euclidean = metric == "euclidean"
        projection = fit_projection(
            table, pca_components, rng, center=euclidean, unit_rows=not euclidean, spreads=spreads
        )
        rows = project(projection, table, workers)
    if metric == "precomputed" and is_sparse(rows):
        rows = graph_of_others(rows)
    seed = int(rng.integers(2**31))

    def points_of(some: Any) -> Points:
        return Points(metric, table.shape[1], projection, _search(some, metric, projection, seed))

    points = points_of(rows)
    if given is not None:
        return MergedRows(points, given, given=True)
    merged = MergedRows(points, _nearest(points, rows, n_neighbors, workers))
    if metric == "precomputed" or is_sparse(rows) or not np.any(merged.neighbors.distances[:, :1] == 0.0):
        return merged
    first, point_of_row = _distinct_rows(rows)
    if len(first) == len(rows):
        return merged
    points = points_of(rows[first])
    return MergedRows(points, _nearest(points, rows[first], n_neighbors, workers), point_of_row)


def _search(rows: Any, metric: str, projection: Projection | None, seed: int) -> NeighborSearch:
    if projection is not None:
        return make_search(rows, seed)
    return GivenDistances(rows) if metric == "precomputed" else MetricSearch(rows, metric)


def _nearest(points: Points, rows: Any, n_neighbors: int, workers: Threads) -> Neighbors:
    """The nearest other points of each point, as many as there are."""
    count = min(n_neighbors, rows.shape[0] - 1)
    if points.metric == "precomputed" and is_sparse(rows):
        count = min(count, int(np.diff(rows.indptr).min()))
        if count == 0:
            raise InvalidFeaturesError("Every row of a graph must have at least one neighbour, got a row without.")
    return points.search.within(count, workers) if count else empty_neighbors(1, 0)


def _distinct_rows(points: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the first of each group of equal rows, in order, and for each row the number of its group."""
    contiguous = np.ascontiguousarray(points + 0)  # -0.0 + 0 is 0.0, which has the same bytes everywhere
    keys = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
    first, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]
