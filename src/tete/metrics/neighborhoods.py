"""How good a map of feature data is: neighbourhoods and global shape, from samples of the rows.

Every function looks at `n_samples` rows (all of them with None), so that a million rows take seconds; the same
`random_state` takes the same rows.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.utils import check_array

from tete.core.any_frame import as_pandas
from tete.core.docstrings import filled_from
from tete.core.matrices import as_dense
from tete.core.printing import counted
from tete.core.randomness import RandomState, make_generator
from tete.core.types import Embedding, RowNumbers
from tete.core.validation import check_map
from tete.exceptions import InvalidParameterError
from tete.metrics.ranks import check_neighbors, feature_ranks, map_neighbors, sample_rows

__all__ = [
    "global_score",
    "neighborhood_recall",
    "order_kept",
    "random_triplet_accuracy",
    "recall_of_ranks",
    "trust_of_ranks",
    "trustworthiness",
]

PairDistances: TypeAlias = Callable[[RowNumbers, RowNumbers], NDArray[Any]]

N_TRIPLETS = 100_000  # for a standard error of at most .0016
PAIRS_AT_ONCE = 2**14  # rows of both ends are copied: memory against overhead
MOST_IN_A_MATRIX = 1_000  # rows or columns whose products have their eigenvalues in a tenth of a second


def neighborhood_recall(
    X: Any,
    embedding: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_samples: int | None = 2000,
    random_state: RandomState = 0,
    true_neighbors: ArrayLike | None = None,
) -> float:
    """Share of a row's nearest neighbours in `X` that are among its nearest neighbours on the map.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        The features.
    embedding : array of shape (n_rows, n_components)
        The map of the rows.
    n_neighbors : int, default=15
        How many nearest neighbours.
    n_samples : int or None, default=2000
        How many rows are looked at; None looks at all of them.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.
    true_neighbors : array of shape (n_rows, n_neighbors), optional
        The numbers of the nearest other rows in `X`, which saves finding them again for every map of the same data.

    Returns
    -------
    float
        From 0 to 1, which is perfect.

    Raises
    ------
    InvalidParameterError
        If the numbers of rows differ or are too small.

    Examples
    --------
    >>> from tete.datasets import load_wine
    >>> from tete.metrics import neighborhood_recall
    >>> wine = load_wine().data
    >>> print(round(neighborhood_recall(wine, wine[:, -2:]), 2))  # two of thirteen columns as the map
    0.94
    """
    features, places = _check(X, embedding, n_neighbors)
    rows = sample_rows(len(places), n_samples, random_state)
    found = map_neighbors(places, rows, n_neighbors)
    if true_neighbors is None:
        return float(recall_of_ranks(feature_ranks(features, rows, found, "euclidean")).mean())
    true = np.asarray(true_neighbors)
    if true.shape != (len(places), n_neighbors):
        raise InvalidParameterError(f"`true_neighbors` must have shape {(len(places), n_neighbors)}, got {true.shape}.")
    hits = sum(len(np.intersect1d(*pair, assume_unique=True)) for pair in zip(true[rows], found, strict=True))
    return float(hits / found.size)


@filled_from(neighborhood_recall)
def trustworthiness(
    X: Any,
    embedding: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_samples: int | None = 2000,
    random_state: RandomState = 0,
) -> float:
    """How few of the map's neighbours are far apart in `X`, weighed by their rank there (Venna & Kaski 2001).

    With ``n_samples=None`` it equals scikit-learn's `trustworthiness`.

    Parameters
    ----------
    n_neighbors : int, default=15
        How many nearest neighbours; below half the rows.

    Returns
    -------
    float
        From 0 to 1, which is perfect.

    Raises
    ------
    InvalidParameterError
        If the numbers of rows differ or are too small.

    Examples
    --------
    >>> from tete.datasets import load_wine
    >>> from tete.metrics import trustworthiness
    >>> wine = load_wine().data
    >>> print(round(trustworthiness(wine, wine[:, :2]), 2))  # two of thirteen columns as the map
    0.67
    """
    features, places = _check(X, embedding, n_neighbors)
    n_points = len(places)
    if n_neighbors >= n_points / 2:
        raise InvalidParameterError(f"`n_neighbors` must be below {n_points / 2:g}, half the rows, got {n_neighbors}.")
    rows = sample_rows(n_points, n_samples, random_state)
    found = map_neighbors(places, rows, n_neighbors)
    return trust_of_ranks(feature_ranks(features, rows, found, "euclidean"), n_points)


def recall_of_ranks(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each row the share of its neighbours on the map that are among as many nearest in the features."""
    return np.asarray(np.mean(ranks <= ranks.shape[1], axis=1))


def trust_of_ranks(ranks: NDArray[np.int64], n_points: int) -> float:
    """Venna and Kaski's trustworthiness of the ranks that neighbours on the map have in the features."""
    count = ranks.shape[1]
    worst = ranks.size * (2.0 * n_points - 3.0 * count - 1.0)
    return float(1.0 - 2.0 * np.maximum(ranks - count, 0).sum() / worst)


@filled_from(neighborhood_recall)
def random_triplet_accuracy(
    X: Any, embedding: ArrayLike, *, n_samples: int | None = N_TRIPLETS, random_state: RandomState = 0
) -> float:
    """Share of random triplets (i, j, k) whose order of distances in `X` is kept on the map.

    Parameters
    ----------
    n_samples : int or None, default=100000
        How many triplets are drawn; None draws 100,000.

    Returns
    -------
    float
        From 0 to 1; 0.5 is chance.

    Raises
    ------
    InvalidParameterError
        If the numbers of rows differ or are below 3.

    Examples
    --------
    >>> from tete.datasets import make_sphere
    >>> from tete.metrics import random_triplet_accuracy
    >>> sphere = make_sphere(200).data
    >>> print(round(random_triplet_accuracy(sphere, sphere[:, :2]), 2))  # seen from above
    0.8
    """
    features, places = _check(X, embedding, 1)
    if len(places) < 3:
        raise InvalidParameterError(f"`X` must have at least 3 rows for triplets, got {len(places)}.")
    count = N_TRIPLETS if n_samples is None else n_samples
    pairs = _pair_squares(features), _pair_squares(places)
    return order_kept(*pairs, len(places), count, make_generator(random_state))


def order_kept(
    in_features: PairDistances, on_map: PairDistances, n_rows: int, count: int, rng: np.random.Generator
) -> float:
    """Share of random triplets whose two distances come in the same order, by functions of two arrays of rows."""
    triplets = rng.integers(n_rows, size=(count, 3))
    anchor, first, second = triplets[(np.diff(np.sort(triplets, axis=1), axis=1) > 0).all(axis=1)].T
    wanted = in_features(anchor, first) < in_features(anchor, second)
    return float(np.mean(wanted == (on_map(anchor, first) < on_map(anchor, second))))


@filled_from(neighborhood_recall)
def global_score(X: Any, embedding: ArrayLike) -> float:
    """TriMap's global score: 1 if the map explains as much of `X` linearly as principal components do, down to 0.

    It is exp(-(e - e_pca) / e_pca), with e the error of the best linear map from the embedding back to `X`
    (Amid & Warmuth 2019).

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    InvalidParameterError
        If the numbers of rows differ.

    Examples
    --------
    >>> from tete.datasets import load_digits
    >>> from tete.metrics import global_score
    >>> pixels = load_digits().data
    >>> print(round(global_score(pixels, pixels[:, 20:22]), 2))  # two pixels as the map
    0.84
    """
    features, places = _check(X, embedding, 1)
    places = places - places.mean(axis=0)
    total = float(np.sum(np.square(features, dtype=np.float64)))
    least = total - _explained(features, min(places.shape[1], *features.shape))
    basis, strengths, _ = np.linalg.svd(places, full_matrices=False)
    basis = basis[:, strengths > 1e-10 * strengths.max(initial=0.0)]
    error = total - float(np.sum(np.square(basis.T @ features)))
    if least <= 1e-12 * total:
        return 1.0 if error <= 1e-12 * total else 0.0
    return float(min(np.exp(-(error - least) / least), 1.0))


def _explained(features: NDArray[np.float32], n_components: int) -> float:
    """The sum of squares of centred features along their first principal components."""
    size = min(features.shape)
    if size <= MOST_IN_A_MATRIX:
        products = features.T @ features if features.shape[1] == size else features @ features.T
        strengths = eigh(
            products.astype(np.float64), subset_by_index=[size - n_components, size - 1], eigvals_only=True
        )
        return float(np.sum(np.maximum(strengths, 0.0)))
    from sklearn.decomposition import PCA  # noqa: PLC0415  (takes long to import)

    with np.errstate(invalid="ignore"):  # constant features divide zero by zero, harmlessly
        pca = PCA(n_components, random_state=0).fit(features)
    return float(np.sum(pca.singular_values_.astype(np.float64) ** 2))


def _check(X: Any, embedding: ArrayLike, n_neighbors: int) -> tuple[NDArray[np.float32], Embedding]:
    places = check_map("embedding", embedding)
    rows = check_array(as_pandas(X), accept_sparse="csr", dtype="numeric", input_name="X")
    if rows.shape[0] != len(places):
        raise InvalidParameterError(
            f"`embedding` must have {counted(rows.shape[0], 'row')} like `X`, got {len(places)}."
        )
    check_neighbors(n_neighbors, len(places))
    features = as_dense(rows)
    # Centred, because distances from |x|^2 - 2 x'y + |y|^2 lose digits far from the origin.
    return np.ascontiguousarray(features - features.mean(axis=0, dtype=np.float64), dtype=np.float32), places


def _pair_squares(table: NDArray[Any]) -> PairDistances:
    """Square distances between rows of a table, some pairs at a time."""

    def between(first: RowNumbers, second: RowNumbers) -> NDArray[np.float64]:
        result = np.empty(len(first))
        for start in range(0, len(first), PAIRS_AT_ONCE):
            some = slice(start, start + PAIRS_AT_ONCE)
            result[some] = np.sum(np.square(table[first[some]] - table[second[some]], dtype=np.float64), axis=1)
        return result

    return between
