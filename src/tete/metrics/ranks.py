"""Ranks: where the neighbours of a row on the map come among its nearest rows in the features.

Recall is the share of ranks up to k, trustworthiness is lowered by those beyond. The features are read piece by piece,
so that a table of any size, also memory-mapped or sparse, and every metric will do.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from tete.core.compilation import compiled
from tete.core.matrices import as_dense
from tete.core.randomness import RandomState, make_generator
from tete.core.types import RowNumbers
from tete.core.validation import check_whole
from tete.exceptions import InvalidParameterError

__all__ = [
    "all_distances",
    "check_neighbors",
    "feature_ranks",
    "map_neighbors",
    "moderate",
    "sample_rows",
    "unit_rows",
]

AnyFloats: TypeAlias = NDArray[np.floating[Any]]  # in single or double precision
Distances: TypeAlias = Callable[[Any], AnyFloats]

NUMBERS_AT_ONCE = 2**21  # 16 MB at most, so that a table larger than memory can be read
LARGE = 1e15  # sums of squares of such numbers fit into four bytes
TREE_DIMENSIONS = 5  # beyond, a k-d tree visits most of its leaves


def check_neighbors(n_neighbors: int, n_points: int) -> None:
    """Refuse more neighbours than there are other rows."""
    check_whole("n_neighbors", n_neighbors, least=1)
    if n_neighbors >= n_points:
        raise InvalidParameterError(f"`n_neighbors` must be below the number of rows, {n_points}, got {n_neighbors}.")


def sample_rows(n_points: int, n_samples: int | None, random_state: RandomState) -> RowNumbers:
    """Row numbers in order, drawn without repeats; all of them if there are no more."""
    if n_samples is None or n_samples >= n_points:
        return np.arange(n_points)
    check_whole("n_samples", n_samples, least=1)
    return np.sort(make_generator(random_state).choice(n_points, n_samples, replace=False))


def map_neighbors(places: NDArray[np.float64], rows: RowNumbers, n_neighbors: int) -> RowNumbers:
    """The nearest other rows on the map of some rows, nearest first."""
    if places.shape[1] > TREE_DIMENSIONS:
        from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (takes long to import)

        search = NearestNeighbors(n_neighbors=n_neighbors + 1, algorithm="brute", n_jobs=-1).fit(places)
        return _without_self(search.kneighbors(places[rows], return_distance=False), rows)
    found = KDTree(places).query(places[rows], n_neighbors + 1, workers=-1)[1]
    return _without_self(np.asarray(found), rows)


def _without_self(found: NDArray[Any], rows: RowNumbers) -> RowNumbers:
    """Drop each row's own number, or the last one where duplicates have pushed it out."""
    own = found == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(found[~own].reshape(len(rows), -1))


def feature_ranks(table: Any, rows: NDArray[np.int64], near: NDArray[np.int64], metric: str) -> NDArray[np.int64]:
    """For each of the rows, which ranks these others have among its nearest in the features, from 1 on."""
    distances = _distances_to(table, rows, metric)
    limits = _limits(distances, table, near, metric)
    nearer = np.zeros(near.shape, dtype=np.int64)
    size = max(NUMBERS_AT_ONCE // max(table.shape[1], len(rows)), 64)
    for start in range(0, table.shape[0], size):
        stop = min(start + size, table.shape[0])
        piece = distances(_columns_or_rows(table, slice(start, stop), metric))
        _count_nearer(piece, start, rows, near, limits, nearer)
    return nearer + 1


@compiled()
def _count_nearer(
    piece: AnyFloats,
    first: int,
    rows: NDArray[np.int64],
    near: NDArray[np.int64],
    limits: AnyFloats,
    nearer: NDArray[np.int64],
) -> None:
    """Count for each neighbour which other rows are nearer; most are farther than all neighbours."""
    for query in range(piece.shape[0]):
        farthest = limits[query].max()
        for column in range(piece.shape[1]):
            distance, other = piece[query, column], first + column
            if distance < farthest and other != rows[query]:
                for slot in range(near.shape[1]):
                    # Computed again, a distance can come out a little smaller, but no row is nearer than itself.
                    if distance < limits[query, slot] and other != near[query, slot]:
                        nearer[query, slot] += 1


def _limits(distances: Distances, table: Any, near: NDArray[np.int64], metric: str) -> AnyFloats:
    """Distances between each row and its own neighbours on the map."""
    different, codes = np.unique(near, return_inverse=True)
    found = np.empty(near.shape, dtype=np.float64)
    codes = codes.reshape(near.shape)
    size = max(NUMBERS_AT_ONCE // max(table.shape[1], len(near)), 64)
    for start in range(0, len(different), size):
        piece = distances(_columns_or_rows(table, different[start : start + size], metric))
        query, slot = np.nonzero((codes >= start) & (codes < start + size))
        found[query, slot] = piece[query, codes[query, slot] - start]
    return found


def _columns_or_rows(table: Any, some: Any, metric: str) -> Any:
    """Rows of features, or columns of distances."""
    return table[:, some] if metric == "precomputed" else table[some]


def _distances_to(table: Any, rows: NDArray[np.int64], metric: str) -> Distances:
    """Function of a piece of the table that returns something that orders like the distances from the sampled rows."""
    if metric == "precomputed":
        return lambda piece: np.array(piece[rows], dtype=np.float64)
    sample = as_dense(table[rows])
    if metric not in {"euclidean", "cosine"}:
        return lambda piece: all_distances(sample, as_dense(piece), metric)
    # Centred and scaled, because |x|^2 - 2 x'y + |y|^2 loses digits far from the origin and overflows.
    center = sample.mean(axis=0, dtype=np.float64) if metric == "euclidean" else np.zeros(sample.shape[1])
    scale = float(np.abs(sample - center).max()) or 1.0

    single = metric == "euclidean" and (sample.dtype.kind in "biu" or sample.dtype.itemsize <= 4) and scale < LARGE

    def prepared(part: Any) -> NDArray[np.float32]:
        dense = as_dense(part)
        if single:  # their differences lose nothing in single precision, which is twice as fast
            return np.asarray((dense.astype(np.float32) - center.astype(np.float32)) / np.float32(scale), np.float32)
        return np.asarray((unit_rows(dense, metric) - center) / scale, dtype=np.float32)

    queries = prepared(sample)

    def squares(piece: Any) -> AnyFloats:
        others = prepared(piece)
        products = queries @ others.T
        products *= np.float32(-2.0)
        products += np.einsum("ij,ij->i", others, others)
        return products

    return squares


def all_distances(rows: NDArray[Any], others: NDArray[Any], metric: str) -> NDArray[np.float64]:
    """By scikit-learn but for Euclidean ones; where it compares truth values, all numbers other than 0 are true."""
    if metric == "euclidean":
        return _euclidean(rows.astype(np.float64), others.astype(np.float64))
    from sklearn.metrics import pairwise  # noqa: PLC0415  (takes long to import)

    if metric in pairwise.PAIRWISE_BOOLEAN_FUNCTIONS:
        rows, others = np.asarray(rows != 0), np.asarray(others != 0)
    return np.asarray(pairwise.pairwise_distances(rows, others, metric=metric), dtype=np.float64)


def _euclidean(rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    center = others.mean(axis=0)  # |x|^2 - 2 x'y + |y|^2 loses digits far from the origin
    rows, others = rows - center, others - center
    squares = rows @ (-2.0 * others.T)
    squares += np.einsum("ij,ij->i", rows, rows)[:, None]
    squares += np.einsum("ij,ij->i", others, others)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares))


def unit_rows(rows: NDArray[Any], metric: str) -> NDArray[Any]:
    """For cosine distances the rows at length 1, whose Euclidean distances order the same."""
    if metric != "cosine":
        return rows
    rows = moderate(rows, metric)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0.0, lengths, 1.0))


def moderate(rows: NDArray[Any], metric: str) -> NDArray[Any]:
    """Rows with numbers up to 1 where the measures do not depend on their size, because large squares overflow."""
    if metric not in {"euclidean", "cosine"} or rows.dtype.kind != "f":
        return rows
    largest = np.abs(rows).max(axis=1 if metric == "cosine" else None, keepdims=True)
    return np.asarray(rows / np.where(largest > LARGE, largest, 1.0))
