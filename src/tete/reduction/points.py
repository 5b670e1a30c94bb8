"""From feature data of any kind to neighbours: what both reductions learn about their input.

    table, Euclidean or cosine   -> projection -> points -> the fastest search
    table, another metric        -> scikit-learn's search on the table itself
    "precomputed"                -> a square matrix of distances, or a sparse graph of nearest neighbours

Equal rows are merged into one point that counts as often as it occurs: among many equal rows neighbourhoods have no
size, and any method would spread them over the map.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.matrices import is_sparse
from tete.core.threads import Threads
from tete.exceptions import InvalidFeaturesError, InvalidParameterError
from tete.reduction.projection import Projection, fit_projection, project
from tete.reduction.search.exact import MetricSearch, make_search
from tete.reduction.search.nearest import Neighbors, NeighborSearch
from tete.reduction.weighted.sampling import DistanceBetween, euclidean_between

__all__ = ["Features", "check_finite", "given_neighbors", "read_features"]

Floats: TypeAlias = NDArray[np.float32]

ROWS_AT_ONCE = 4096


@dataclass
class Features:
    """The distinct points of a table and the search among them.

    `point_of_row` says which point each row of the table is, or is None if all rows differ.
    """

    metric: str
    points: Any
    search: NeighborSearch
    projection: Projection | None
    neighbors: Neighbors
    point_of_row: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.neighbors.indices)

    def total_by_point(self, row_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of the weights of each point's rows."""
        if self.point_of_row is None:
            return row_weights
        return np.asarray(np.bincount(self.point_of_row, weights=row_weights, minlength=len(self)), dtype=np.float64)

    def by_row(self, values: Any) -> Any:
        """Give each row what its point has."""
        return values if self.point_of_row is None else values[self.point_of_row]

    def first_rows(self) -> NDArray[np.int64]:
        """For each point the first row that has it."""
        if self.point_of_row is None:
            return np.arange(len(self))
        return np.unique(self.point_of_row, return_index=True)[1]

    def queries(self, X: Any, workers: Threads) -> Any:
        """New rows as the search wants them."""
        return X if self.projection is None else project(self.projection, X, workers)

    def known(self, queries: Any, neighbors: Neighbors) -> NDArray[np.bool_]:
        """Which of the queries are points of the fitted table, namely their nearest ones."""
        if self.projection is None and self.metric != "precomputed" and not is_sparse(queries):
            # Some metrics have rounding errors instead of zeros between equal rows.
            return np.asarray(np.all(queries == self.points[neighbors.indices[:, 0]], axis=1))
        return np.asarray(neighbors.distances[:, 0] == 0.0)

    def between(self, queries: Any) -> DistanceBetween:
        """Function of (query numbers, point numbers) that returns the distances between them."""
        if self.metric in {"euclidean", "cosine"}:
            return euclidean_between(queries, self.points)
        if self.metric == "precomputed":
            if is_sparse(queries):  # in a graph, all that is not a neighbour is farther
                return lambda rows, others: _graph_between(queries, rows, others)
            return lambda rows, others: np.asarray(queries[rows, others], dtype=np.float32)
        return _metric_between(queries, self.points, self.metric)


def _graph_between(graph: Any, rows: NDArray[Any], others: NDArray[Any]) -> Floats:
    known = np.asarray(graph[rows, others], dtype=np.float32).ravel()
    return np.where(known > 0.0, known, np.float32(np.inf))


def _metric_between(queries: Any, points: Any, metric: str) -> DistanceBetween:
    from sklearn.metrics import pairwise_distances  # noqa: PLC0415  (takes long to import)

    def between(rows: NDArray[Any], others: NDArray[Any]) -> Floats:
        result = np.empty(len(rows), dtype=np.float32)
        edges = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
        for start, stop in pairwise(edges):
            row = rows[start]
            some = pairwise_distances(queries[row : row + 1], points[others[start:stop]], metric=metric)
            result[start:stop] = some[0]
        return result

    return between


def read_features(
    X: Any,
    *,
    metric: str,
    pca_components: int | None,
    n_neighbors: int,
    given: Neighbors | None = None,
    spreads: NDArray[np.float64] | None = None,
    rng: np.random.Generator,
    workers: Threads,
) -> Features:
    """Find the distinct points of a checked table and, for each, up to `n_neighbors` nearest others.

    With neighbours `given`, these are taken as they are and equal rows are not merged. Euclidean distances are those of
    the columns divided by their `spreads`.
    """
    projection, points = None, X
    if metric in {"euclidean", "cosine"}:
        euclidean = metric == "euclidean"
        projection = fit_projection(X, pca_components, rng, center=euclidean, unit_rows=not euclidean, spreads=spreads)
        points = project(projection, X, workers)
    seed = int(rng.integers(2**31))
    if given is not None:
        search = make_search(points, seed) if projection is not None else MetricSearch(points, metric)
        return Features(metric, points, search, projection, given)
    features = _search(points, metric, projection, n_neighbors, seed, workers)
    if metric == "precomputed" or is_sparse(points) or not np.any(features.neighbors.distances[:, :1] == 0.0):
        return features
    first, point_of_row = _distinct_rows(points)
    if len(first) == len(points):
        return features
    features = _search(points[first], metric, projection, n_neighbors, seed, workers)
    features.point_of_row = point_of_row
    return features


def _search(
    points: Any, metric: str, projection: Projection | None, n_neighbors: int, seed: int, workers: Threads
) -> Features:
    count = min(n_neighbors, points.shape[0] - 1)
    if metric == "precomputed" and is_sparse(points):
        points = _graph_of_others(points)
        count = min(count, int(np.diff(points.indptr).min()))
        if count == 0:
            raise InvalidFeaturesError("Every row of a graph must have at least one neighbour, got a row without.")
    search = make_search(points, seed) if projection is not None else MetricSearch(points, metric)
    if count == 0:
        none = Neighbors(np.empty((1, 0), dtype=np.int32), np.empty((1, 0), dtype=np.float32))
        return Features(metric, points, search, projection, none)
    return Features(metric, points, search, projection, search.within(count, workers))


def _graph_of_others(graph: Any) -> Any:
    """The graph without edges from a row to itself, each row's edges from the shortest on; edges of length 0 remain."""
    from sklearn.neighbors import sort_graph_by_row_values  # noqa: PLC0415  (takes long to import)

    edges = graph.tocoo()
    others = edges.row != edges.col
    ends = (edges.row[others], edges.col[others])
    cleaned = sparse.csr_matrix((edges.data[others], ends), shape=graph.shape)
    return sort_graph_by_row_values(cleaned, warn_when_not_sorted=False)


def _distinct_rows(points: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the first of each group of equal rows, in order, and for each row the number of its group."""
    contiguous = np.ascontiguousarray(points + 0)  # -0.0 + 0 is 0.0, which has the same bytes everywhere
    keys = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
    first, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def check_finite(X: Any) -> None:
    """Refuse NaN and infinity, naming the first offending row and column; reads some rows at a time."""
    values = X.data if is_sparse(X) else X
    if values.dtype.kind != "f":
        return
    for start in range(0, len(values), ROWS_AT_ONCE):
        some = np.asarray(values[start : start + ROWS_AT_ONCE])
        if not np.isfinite(some.sum()) and not np.isfinite(some).all():
            _refuse_first(X, start, some)


def _refuse_first(X: Any, start: int, some: NDArray[Any]) -> None:
    place = np.argwhere(~np.isfinite(some))[0]
    if is_sparse(X):
        entry = start + int(place[0])
        row, column = int(np.flatnonzero(X.indptr <= entry)[-1]), int(X.indices[entry])
    else:
        row, column = start + int(place[0]), int(place[1])
    value = "NaN" if np.isnan(some[tuple(place)]) else "infinity (inf)"
    raise InvalidFeaturesError(f"Row {row}, column {column} of `X` is {value}: all values must be finite numbers.")


def given_neighbors(pair: Any, n_rows: int) -> Neighbors:
    """Neighbours from (indices, distances), with or without each row's own number in front."""
    try:
        indices, distances = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"`precomputed_knn` must be a pair of arrays (indices, distances), got {type(pair).__name__}."
        ) from None
    if indices.shape != distances.shape or indices.ndim != 2 or len(indices) != n_rows:
        raise InvalidParameterError(
            f"`precomputed_knn` must be two arrays of one shape with {n_rows} rows, "
            f"got {indices.shape} and {distances.shape}."
        )
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n_rows:
        raise InvalidParameterError(f"`precomputed_knn` must hold row numbers from 0 to {n_rows - 1} as indices.")
    if not np.isfinite(distances).all() or distances.min() < 0:
        raise InvalidParameterError("`precomputed_knn` must hold finite distances that are not negative.")
    own = indices == np.arange(n_rows)[:, None]
    if own.any():
        own[~own.any(axis=1), -1] = True  # duplicates may have pushed a row out of its own list
        own &= np.cumsum(own, axis=1) == 1
        indices, distances = (part[~own].reshape(n_rows, -1) for part in (indices, distances))
    order = np.lexsort((indices, distances), axis=1)
    return Neighbors(
        np.take_along_axis(indices, order, axis=1).astype(np.int32),
        np.take_along_axis(distances, order, axis=1).astype(np.float32),
    )
