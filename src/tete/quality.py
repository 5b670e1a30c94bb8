"""How good a map of feature data is, from one pass over the features: for tables of any size and every metric.

`map_metrics` has the measures one by one, for tables that fit into memory. Here a few hundred rows are sampled, and
their distances to all others are computed piece by piece. A row's neighbours on the map have ranks among its nearest
rows in the features: recall is the share of ranks up to k, trustworthiness is lowered by those beyond.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances

from tete.exceptions import InvalidParameterError
from tete.map_metrics import global_score, map_neighbors, neighborhood_accuracy, sample_rows
from tete.projection import as_dense, is_sparse
from tete.randomness import RandomState, make_generator
from tete.validation import check_map, check_whole

__all__ = ["MapQuality", "map_quality"]

Floats: TypeAlias = NDArray[np.floating[Any]]
Distances: TypeAlias = Callable[[Any], Floats]

NUMBERS_AT_ONCE = 2**21
FEWEST_ROWS = 6
GLOBAL_ROWS = 1000
CLASS_ROWS = 10_000
CLASS_NEIGHBORS = 10
N_TRIPLETS = 100_000
LARGE = 1e15  # sums of squares of such numbers fit into four bytes


@dataclass(frozen=True)
class MapQuality:
    """Measures of a map, None where there are too few rows, or no labels or distances. Printing gives a short table.

    Attributes
    ----------
    n_rows, n_neighbors, n_samples : int
        Rows of the map, neighbours per row, and rows of which they were looked at.
    recall, recall_error : float or None
        Share of a row's nearest rows in the features that are its nearest ones on the map too, and its standard error.
    trustworthiness : float or None
        Venna and Kaski's; 1 if all neighbours on the map are neighbours in the features.
    accuracy : float or None
        Share of rows whose class is the commonest among their ten nearest on the map.
    random_triplets : float or None
        Share of random triplets of rows whose order of distances is kept; 0.5 is chance.
    global_score : float or None
        1 if the map is as good an overview as principal components are.
    all_equal : bool
        Whether all rows are equal, so that there is nothing to measure.
    """

    n_rows: int
    n_neighbors: int
    n_samples: int
    recall: float | None = None
    recall_error: float | None = None
    trustworthiness: float | None = None
    accuracy: float | None = None
    random_triplets: float | None = None
    global_score: float | None = None
    all_equal: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = []
        if self.recall is not None:
            kept = f"{self.recall:.1%} ± {self.recall_error:.1%} of the {self.n_neighbors} nearest rows stay nearest"
            lines.append(("neighbours kept", f"{kept} ({self.n_samples:,} rows looked at)"))
        if self.trustworthiness is not None:
            lines.append(("trustworthiness", f"{self.trustworthiness:.3f}"))
        if self.accuracy is not None:
            lines.append(("classes", f"{self.accuracy:.1%} are in the class of most of their 10 nearest on the map"))
        if self.random_triplets is not None:
            lines.append(("random triplets", f"{self.random_triplets:.1%} keep their order (chance: 50 %)"))
        if self.global_score is not None:
            lines.append(("global score", f"{self.global_score:.3f} (principal components: 1)"))
        reason = "nothing to measure: all rows are equal" if self.all_equal else "unknown: too few rows"
        return "\n".join(f"{label:<20}{text}" for label, text in lines or [("quality", reason)])


def map_quality(
    X: Any,
    embedding: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    metric: str = "euclidean",
    n_neighbors: int = 15,
    n_samples: int = 200,
    random_state: RandomState = 0,
) -> MapQuality:
    """Measure a map of the rows of `X`.

    Parameters
    ----------
    X : array (also memory-mapped), data frame or sparse matrix of shape (n_rows, n_columns)
        Finite features, or distances for ``metric="precomputed"``.
    embedding : array of shape (n_rows, n_components)
    classes : array of n_rows classes, optional
        Rows whose class is "" do not count.
    metric : str, default="euclidean"
        What the features are compared by, as in the estimators.
    n_neighbors : int, default=15
        Lowered where there are fewer than twice as many rows.
    n_samples : int, default=200
        How many rows' neighbours are looked at. The standard error of the recall falls with its root.
    random_state : int, generator or None, default=0
    """
    places, rng = check_map("embedding", embedding), make_generator(random_state)
    check_whole("n_neighbors", n_neighbors, least=1)
    check_whole("n_samples", n_samples, least=1)
    table = X.to_numpy() if hasattr(X, "to_numpy") else X
    n_rows = len(places)
    if table.shape[0] != n_rows:
        raise InvalidParameterError(f"`embedding` must have {table.shape[0]} rows like `X`, got {n_rows}.")
    rows, count = sample_rows(n_rows, n_samples, rng), min(n_neighbors, (n_rows - 1) // 2)
    if n_rows >= FEWEST_ROWS and _all_equal(table):
        return MapQuality(n_rows, count, len(rows), all_equal=True)
    measures: dict[str, Any] = {"accuracy": _class_accuracy(places, classes, rng)}
    if n_rows >= FEWEST_ROWS and not (metric == "precomputed" and is_sparse(table)):
        measures |= _neighborhoods(table, places, rows, count, metric)
        some = sample_rows(n_rows, GLOBAL_ROWS, rng)
        measures["random_triplets"] = _random_triplets(table, places, some, metric, rng)
        if metric != "precomputed":
            sample = _moderate(as_dense(table[some]), metric)
            measures["global_score"] = global_score(_unit(sample, metric), places[some])
    return MapQuality(n_rows, count, len(rows), **measures)


def _all_equal(table: Any) -> bool:
    """Whether each row is the first one; of most tables a few rows tell that it is not."""
    first = as_dense(table[:1])
    size = max(NUMBERS_AT_ONCE // table.shape[1], 1)
    return all(bool((as_dense(table[start : start + size]) == first).all()) for start in range(0, table.shape[0], size))


def _class_accuracy(places: NDArray[np.float64], classes: ArrayLike | None, rng: np.random.Generator) -> float | None:
    if classes is None:
        return None
    codes = np.unique(np.asarray(classes).astype(str), return_inverse=True)
    if len(codes[1]) != len(places):
        raise InvalidParameterError(
            f"`classes` must have one entry for each of {len(places)} rows, got {len(codes[1])}."
        )
    known = codes[0][codes[1]] != ""
    if known.sum() <= CLASS_NEIGHBORS:
        return None
    return neighborhood_accuracy(
        places[known], codes[1][known], n_neighbors=CLASS_NEIGHBORS, n_samples=CLASS_ROWS, random_state=rng
    )


def _neighborhoods(
    table: Any, places: NDArray[np.float64], rows: NDArray[np.int64], count: int, metric: str
) -> dict[str, float | None]:
    """Recall, its standard error, and trustworthiness of the sampled rows."""
    ranks = _ranks(table, rows, map_neighbors(places, rows, count), metric)
    found = np.mean(ranks <= count, axis=1)
    worst = ranks.size * (2.0 * len(places) - 3.0 * count - 1.0)
    return {
        "recall": float(found.mean()),
        "recall_error": float(found.std() / np.sqrt(len(found))),
        "trustworthiness": 1.0 - 2.0 * float(np.maximum(ranks - count, 0).sum()) / worst,
    }


def _ranks(table: Any, rows: NDArray[np.int64], near: NDArray[np.int64], metric: str) -> NDArray[np.int64]:
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


@njit(cache=True, nogil=True)
def _count_nearer(
    piece: Floats,
    first: int,
    rows: NDArray[np.int64],
    near: NDArray[np.int64],
    limits: Floats,
    nearer: NDArray[np.int64],
) -> None:
    """Count for each neighbour which other rows are nearer; most are farther than all neighbours."""
    for query in range(piece.shape[0]):
        farthest = limits[query].max()
        for column in range(piece.shape[1]):
            distance, other = piece[query, column], first + column
            if distance < farthest and other != rows[query]:
                for place in range(near.shape[1]):
                    # Computed again, a distance can come out a little smaller, but no row is nearer than itself.
                    if distance < limits[query, place] and other != near[query, place]:
                        nearer[query, place] += 1


def _limits(distances: Distances, table: Any, near: NDArray[np.int64], metric: str) -> Floats:
    """Distances between each row and its own neighbours on the map."""
    different, codes = np.unique(near, return_inverse=True)
    found = np.empty(near.shape, dtype=np.float64)
    codes = codes.reshape(near.shape)
    size = max(NUMBERS_AT_ONCE // max(table.shape[1], len(near)), 64)
    for start in range(0, len(different), size):
        piece = distances(_columns_or_rows(table, different[start : start + size], metric))
        query, place = np.nonzero((codes >= start) & (codes < start + size))
        found[query, place] = piece[query, codes[query, place] - start]
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
        return lambda piece: np.asarray(pairwise_distances(sample, as_dense(piece), metric=metric), dtype=np.float64)
    # Centred and scaled, because |x|^2 - 2 x'y + |y|^2 loses digits far from the origin and overflows.
    center = sample.mean(axis=0, dtype=np.float64) if metric == "euclidean" else np.zeros(sample.shape[1])
    scale = float(np.abs(sample - center).max()) or 1.0

    single = metric == "euclidean" and (sample.dtype.kind in "biu" or sample.dtype.itemsize <= 4) and scale < LARGE

    def prepared(part: Any) -> NDArray[np.float32]:
        dense = as_dense(part)
        if single:  # their differences lose nothing in single precision, which is twice as fast
            return np.asarray((dense.astype(np.float32) - center.astype(np.float32)) / np.float32(scale), np.float32)
        return np.asarray((_unit(dense, metric) - center) / scale, dtype=np.float32)

    queries = prepared(sample)

    def squares(piece: Any) -> Floats:
        others = prepared(piece)
        products = queries @ others.T
        products *= np.float32(-2.0)
        products += np.einsum("ij,ij->i", others, others)
        return products

    return squares


def _unit(rows: NDArray[Any], metric: str) -> NDArray[Any]:
    """For cosine distances the rows at length 1, whose Euclidean distances order the same."""
    if metric != "cosine":
        return rows
    rows = _moderate(rows, metric)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0.0, lengths, 1.0))


def _moderate(rows: NDArray[Any], metric: str) -> NDArray[Any]:
    """Rows with numbers up to 1 where the measures do not depend on their size, because large squares overflow."""
    if metric not in {"euclidean", "cosine"} or rows.dtype.kind != "f":
        return rows
    largest = np.abs(rows).max(axis=1 if metric == "cosine" else None, keepdims=True)
    return np.asarray(rows / np.where(largest > LARGE, largest, 1.0))


def _random_triplets(
    table: Any, places: NDArray[np.float64], rows: NDArray[np.int64], metric: str, rng: np.random.Generator
) -> float:
    """Share of random triplets of these rows whose order is the same in the features and on the map."""
    triplets = rng.integers(len(rows), size=(N_TRIPLETS, 3))
    anchor, first, second = triplets[(np.diff(np.sort(triplets, axis=1), axis=1) > 0).all(axis=1)].T
    in_features = pairwise_distances(
        np.asarray(table[np.ix_(rows, rows)]) if metric == "precomputed" else _moderate(as_dense(table[rows]), metric),
        metric=metric,
    )
    on_map = pairwise_distances(places[rows])
    agree = (in_features[anchor, first] < in_features[anchor, second]) == (
        on_map[anchor, first] < on_map[anchor, second]
    )
    return float(np.mean(agree))
