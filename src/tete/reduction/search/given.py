"""Neighbours that need no search: of rows whose distances, or whose neighbours, are given."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tete.core.matrices import is_sparse
from tete.core.printing import counted
from tete.core.threads import Threads
from tete.exceptions import FewNeighborsWarning, InvalidFeaturesError, InvalidParameterError, warn
from tete.reduction.search.nearest import (
    Neighbors,
    NeighborSearch,
    check_largest,
    empty_neighbors,
    sorted_neighbors,
    without_own,
)

__all__ = ["GivenDistances", "KnownNeighbors", "given_neighbors", "graph_of_others"]

# (indices, distances), UMAP's three parts, or a sparse matrix of distances such as scikit-learn's and scanpy's.
KnownNeighbors: TypeAlias = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, object] | Any

ROWS_AT_ONCE = 1024  # of distances to all points, in memory


@dataclass
class GivenDistances(NeighborSearch):
    """Search in tables of distances to the points, square ones or sparse graphs; it needs to know nothing else."""

    points: Any = None

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        check_largest(float(self.points.max()), "`X`")
        if is_sparse(self.points):  # a graph has no edges from a point to itself
            return self.of(self.points, count, workers)
        found = [_nearest(self._without_own(rows), count) for rows in _pieces(self.points.shape[0])]
        return _joined(found, count)

    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query, a row of distances to all points."""
        if is_sparse(queries):
            return _first_edges(graph_of_others(queries, own=True), count)
        found = [_nearest(np.array(queries[rows], dtype=np.float64), count) for rows in _pieces(queries.shape[0])]
        return _joined(found, count)

    def _without_own(self, rows: slice) -> NDArray[np.float64]:
        distances = np.array(self.points[rows], dtype=np.float64)
        numbers = np.arange(rows.start, rows.stop)
        distances[numbers - rows.start, numbers] = np.inf
        return distances


def graph_of_others(graph: Any, *, own: bool = False) -> Any:
    """The graph, each row's edges from the shortest on, without edges from a row to itself unless these are `own`.

    Edges of length 0 remain.
    """
    edges = sparse.csr_array(graph).tocoo()
    kept = slice(None) if own else edges.row != edges.col
    row, column, length = edges.row[kept], edges.col[kept], edges.data[kept]
    order = np.lexsort((column, length, row))
    starts = np.searchsorted(row[order], np.arange(graph.shape[0] + 1))
    return sparse.csr_array((length[order], column[order], starts), shape=graph.shape)


def given_neighbors(known: KnownNeighbors, n_rows: int) -> Neighbors:
    """Neighbours from a graph of distances, or from (indices, distances), with or without each row's own number.

    UMAP's third part, an index to search with, is not needed: new rows are searched for among the features.
    """
    if is_sparse(known):
        return _neighbors_of_graph(known, n_rows)
    try:
        indices, distances, *index = tuple(known)
        indices, distances = np.asarray(indices), np.asarray(distances)
    except (TypeError, ValueError):
        index = [None, None]
    if len(index) > 1:
        raise InvalidParameterError(
            "`precomputed_knn` must be a pair of arrays (indices, distances), UMAP's three parts or a sparse graph of "
            f"distances, got {_said(known)}."
        )
    if indices.shape != distances.shape or indices.ndim != 2 or len(indices) != n_rows:
        raise InvalidParameterError(
            f"`precomputed_knn` must be two arrays of one shape with {counted(n_rows, 'row')}, "
            f"got {indices.shape} and {distances.shape}."
        )
    if indices.shape[1] == 0:
        raise InvalidParameterError("`precomputed_knn` must hold at least one neighbour of each row, got none.")
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n_rows:
        raise InvalidParameterError(f"`precomputed_knn` must hold row numbers from 0 to {n_rows - 1} as indices.")
    if not np.isfinite(distances).all() or distances.min() < 0:
        raise InvalidParameterError("`precomputed_knn` must hold finite distances that are not negative.")
    check_largest(float(distances.max()), "`precomputed_knn`")
    if np.any(indices == np.arange(n_rows)[:, None]):
        indices, distances = without_own(indices, distances)
        if indices.shape[1] == 0:
            raise InvalidParameterError("`precomputed_knn` must hold a neighbour other than the row itself, got none.")
    return sorted_neighbors(indices, distances)


def _said(known: Any) -> str:
    return f"{type(known).__name__} of {len(known)}" if isinstance(known, (tuple, list)) else type(known).__name__


def _neighbors_of_graph(graph: Any, n_rows: int) -> Neighbors:
    """As many nearest neighbours of each row as the row with the fewest edges has."""
    if graph.shape != (n_rows, n_rows):
        raise InvalidParameterError(
            f"`precomputed_knn` must be a graph of the {n_rows} rows, {n_rows} x {n_rows}, got shape {graph.shape}."
        )
    others = graph_of_others(graph)
    if not np.isfinite(others.data).all() or others.data.min(initial=0.0) < 0:
        raise InvalidParameterError("`precomputed_knn` must hold finite distances that are not negative.")
    check_largest(float(others.data.max(initial=0.0)), "`precomputed_knn`")
    counts = np.diff(others.indptr)
    fewest = int(counts.min())
    if fewest == 0:
        raise InvalidParameterError(
            f"Row {int(np.argmin(counts))} of `precomputed_knn` has no neighbour ({int(np.sum(counts == 0))} such "
            "rows): a graph must have at least one for each row, also where their distance is 0."
        )
    if 2 * fewest < np.median(counts):
        warn(
            f"Only {fewest} neighbours of each row are used, because row {int(np.argmin(counts))} of "
            f"`precomputed_knn` has no more; half of the rows have {int(np.median(counts))} or more.",
            FewNeighborsWarning,
        )
    return _first_edges(others, fewest)


def _nearest(distances: NDArray[np.float64], count: int) -> Neighbors:
    """The `count` smallest of each row; of equal ones at the end those of the smallest numbers."""
    limit = np.partition(distances, count - 1, axis=1)[:, count - 1 : count]
    nearer = distances < limit
    at_limit = distances == limit
    wanted = nearer | (at_limit & (np.cumsum(at_limit, axis=1) <= count - nearer.sum(axis=1, keepdims=True)))
    indices = np.nonzero(wanted)[1].reshape(len(distances), count)
    return sorted_neighbors(indices, np.take_along_axis(distances, indices, axis=1))


def _first_edges(graph: Any, count: int) -> Neighbors:
    """The first `count` edges of each row."""
    lengths = np.diff(graph.indptr)
    if lengths.min(initial=count) < count:
        row = int(np.argmin(lengths))
        raise InvalidFeaturesError(
            f"Row {row} of the graph has {counted(lengths[row], 'neighbour')}: {count} are needed."
        )
    edges = graph.indptr[:-1, None] + np.arange(count)
    return Neighbors(graph.indices[edges].astype(np.int32), graph.data[edges].astype(np.float32))


def _pieces(n_rows: int) -> list[slice]:
    return [slice(start, min(start + ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, ROWS_AT_ONCE)]


def _joined(found: list[Neighbors], count: int) -> Neighbors:
    if not found:
        return empty_neighbors(0, count)
    return Neighbors(
        np.concatenate([each.indices for each in found]), np.concatenate([each.distances for each in found])
    )
