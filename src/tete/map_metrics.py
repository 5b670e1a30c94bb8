"""How good a map of feature data is: neighbourhoods, classes and global shape, from samples of the rows.

Every function looks at `n_samples` rows (all of them with None), so that a million rows take seconds; the same
`random_state` takes the same rows. The features are compared by Euclidean distance.
"""

from typing import Any, TypeAlias

import faiss
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import KDTree
from sklearn.decomposition import PCA
from sklearn.utils import check_array

from tete.exceptions import InvalidParameterError
from tete.projection import as_dense
from tete.randomness import RandomState, make_generator
from tete.validation import check_map, check_whole

__all__ = [
    "global_score",
    "map_neighbors",
    "neighborhood_accuracy",
    "neighborhood_recall",
    "random_triplet_accuracy",
    "sample_rows",
    "trustworthiness",
]

Places: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]

ROWS_AT_ONCE = 256


def neighborhood_recall(
    X: Any,
    embedding: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_samples: int | None = 2000,
    random_state: RandomState = 0,
    true_neighbors: ArrayLike | None = None,
) -> float:
    """Share of a row's nearest neighbours in `X` that are among its nearest neighbours on the map; 1 is perfect.

    `true_neighbors` of shape (n_rows, n_neighbors), the numbers of the nearest other rows in `X`, saves finding them
    again for every map of the same data.
    """
    features, places = _check(X, embedding, n_neighbors)
    rows = sample_rows(len(places), n_samples, random_state)
    if true_neighbors is None:
        true = _feature_neighbors(features, rows, n_neighbors)
    else:
        true = np.asarray(true_neighbors)
        if true.shape != (len(places), n_neighbors):
            raise InvalidParameterError(
                f"`true_neighbors` must have shape {(len(places), n_neighbors)}, got {true.shape}."
            )
        true = true[rows]
    found = map_neighbors(places, rows, n_neighbors)
    hits = sum(len(np.intersect1d(*pair, assume_unique=True)) for pair in zip(true, found, strict=True))
    return hits / true.size


def trustworthiness(
    X: Any,
    embedding: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_samples: int | None = 2000,
    random_state: RandomState = 0,
) -> float:
    """How few of the map's neighbours are far apart in `X`, weighed by their rank there (Venna & Kaski 2001).

    1 is perfect. With ``n_samples=None`` it equals scikit-learn's `trustworthiness`.
    """
    features, places = _check(X, embedding, n_neighbors)
    n_points = len(places)
    if n_neighbors >= n_points / 2:
        raise InvalidParameterError(f"`n_neighbors` must be below {n_points / 2:g}, half the rows, got {n_neighbors}.")
    rows = sample_rows(n_points, n_samples, random_state)
    found = map_neighbors(places, rows, n_neighbors)
    penalty = 0.0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        squares = _squares(features, rows[some])
        squares[np.arange(len(squares)), rows[some]] = -1.0
        order = np.argsort(squares, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(n_points)[None, :], axis=1)
        penalty += float(np.maximum(np.take_along_axis(ranks, found[some], axis=1) - n_neighbors, 0).sum())
    worst = len(rows) * n_neighbors * (2.0 * n_points - 3.0 * n_neighbors - 1.0)
    return 1.0 - 2.0 * penalty / worst


def neighborhood_accuracy(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 10,
    n_samples: int | None = None,
    random_state: RandomState = 0,
) -> float:
    """Share of rows whose label is the commonest among their nearest other rows on the map; ties go to the nearest."""
    places = check_map("embedding", embedding)
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    if codes.shape != (len(places),):
        raise InvalidParameterError(f"`labels` must have one entry for each of {len(places)} rows, got {codes.shape}.")
    _check_neighbors(n_neighbors, len(places))
    rows = sample_rows(len(places), n_samples, random_state)
    near = codes[map_neighbors(places, rows, n_neighbors)]
    counts = np.zeros((len(rows), codes.max() + 1))
    for place in range(n_neighbors):  # less than one vote more for the nearer ones decides ties only
        counts[np.arange(len(rows)), near[:, place]] += 1.0 + (0.5 / n_neighbors) * 2.0 ** -(place + 1)
    return float(np.mean(counts.argmax(axis=1) == codes[rows]))


def random_triplet_accuracy(
    X: Any, embedding: ArrayLike, *, n_samples: int | None = 100_000, random_state: RandomState = 0
) -> float:
    """Share of random triplets (i, j, k) whose order of distances in `X` is kept on the map; 0.5 is chance."""
    features, places = _check(X, embedding, 1)
    n_points = len(places)
    rng = make_generator(random_state)
    triplets = rng.integers(n_points, size=(100_000 if n_samples is None else n_samples, 3))
    distinct = (triplets[:, 0] != triplets[:, 1]) & (triplets[:, 0] != triplets[:, 2])
    anchor, first, second = triplets[distinct & (triplets[:, 1] != triplets[:, 2])].T
    if len(anchor) == 0:
        raise InvalidParameterError(f"`X` must have at least 3 rows for triplets, got {n_points}.")
    in_features = _pair_squares(features, anchor, first) < _pair_squares(features, anchor, second)
    on_map = _pair_squares(places, anchor, first) < _pair_squares(places, anchor, second)
    return float(np.mean(in_features == on_map))


def global_score(X: Any, embedding: ArrayLike) -> float:
    """TriMap's global score: 1 if the map explains as much of `X` linearly as principal components do, down to 0.

    It is exp(-(e - e_pca) / e_pca), with e the error of the best linear map from the embedding back to `X`
    (Amid & Warmuth 2019).
    """
    features, places = _check(X, embedding, 1)
    places = places - places.mean(axis=0)
    total = float(np.sum(np.square(features, dtype=np.float64)))
    with np.errstate(invalid="ignore"):  # constant features divide zero by zero, harmlessly
        pca = PCA(min(places.shape[1], *features.shape), random_state=0).fit(features)
    least = total - float(np.sum(pca.singular_values_.astype(np.float64) ** 2))
    basis, strengths, _ = np.linalg.svd(places, full_matrices=False)
    basis = basis[:, strengths > 1e-10 * strengths.max(initial=0.0)]
    error = total - float(np.sum(np.square(basis.T @ features)))
    if least <= 1e-12 * total:
        return 1.0 if error <= 1e-12 * total else 0.0
    return float(min(np.exp(-(error - least) / least), 1.0))


def _check(X: Any, embedding: ArrayLike, n_neighbors: int) -> tuple[NDArray[np.float32], Places]:
    places = check_map("embedding", embedding)
    rows = check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
    if rows.shape[0] != len(places):
        raise InvalidParameterError(f"`embedding` must have {rows.shape[0]} rows like `X`, got {len(places)}.")
    _check_neighbors(n_neighbors, len(places))
    features = as_dense(rows)
    # Centred, because distances from |x|^2 - 2 x'y + |y|^2 lose digits far from the origin.
    return np.ascontiguousarray(features - features.mean(axis=0, dtype=np.float64), dtype=np.float32), places


def _check_neighbors(n_neighbors: int, n_points: int) -> None:
    check_whole("n_neighbors", n_neighbors, least=1)
    if n_neighbors >= n_points:
        raise InvalidParameterError(f"`n_neighbors` must be below the number of rows, {n_points}, got {n_neighbors}.")


def sample_rows(n_points: int, n_samples: int | None, random_state: RandomState) -> Rows:
    """Row numbers in order, drawn without repeats; all of them if there are no more."""
    if n_samples is None or n_samples >= n_points:
        return np.arange(n_points)
    check_whole("n_samples", n_samples, least=1)
    return np.sort(make_generator(random_state).choice(n_points, n_samples, replace=False))


def _without_self(found: NDArray[Any], rows: Rows) -> Rows:
    """Drop each row's own number, or the last one where duplicates have pushed it out."""
    own = found == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(found[~own].reshape(len(rows), -1))


def _feature_neighbors(features: NDArray[np.float32], rows: Rows, n_neighbors: int) -> Rows:
    index = faiss.IndexFlatL2(features.shape[1])
    index.add(features)
    return _without_self(index.search(features[rows], n_neighbors + 1)[1], rows)


def map_neighbors(places: Places, rows: Rows, n_neighbors: int) -> Rows:
    """The nearest other rows on the map of some rows, nearest first."""
    if places.shape[1] > 5:
        return _feature_neighbors(np.ascontiguousarray(places, dtype=np.float32), rows, n_neighbors)
    found = KDTree(places).query(places[rows], n_neighbors + 1, workers=-1)[1]
    return _without_self(np.asarray(found), rows)


def _squares(features: NDArray[np.float32], rows: Rows) -> NDArray[np.float64]:
    some = features[rows].astype(np.float64)
    everything = features.astype(np.float64)
    return np.asarray(
        np.sum(some**2, axis=1)[:, None] - 2.0 * some @ everything.T + np.sum(everything**2, axis=1)[None, :]
    )


def _pair_squares(table: NDArray[Any], first: Rows, second: Rows) -> NDArray[np.float64]:
    result = np.empty(len(first))
    for start in range(0, len(first), 2**14):
        some = slice(start, start + 2**14)
        result[some] = np.sum(np.square(table[first[some]] - table[second[some]], dtype=np.float64), axis=1)
    return result
