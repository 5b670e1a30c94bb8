"""How good a map is: agreement with answers, with labels and with another map."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import svd
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, rankdata

from tete.arrays import Embedding
from tete.exceptions import InvalidParameterError
from tete.triplets import Triplets, as_triplets
from tete.validation import check_choice, check_map, refuse_zero_weights

__all__ = ["distance_agreement", "nearest_neighbor_error", "procrustes_align", "procrustes_distance", "triplet_error"]

CHUNK = 2**16


def triplet_error(
    embedding: ArrayLike, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
) -> float:
    """Weighted share of triplets that the map contradicts; equal distances count as contradicted.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
    X, y, sample_weight
        Triplets, or questions with answers, as in the estimators' `fit`.
    """
    places = check_map("embedding", embedding)
    triplets = as_triplets(X, y, sample_weight, n_objects=len(places))
    return 1.0 - share_satisfied(places, triplets)


def share_satisfied(embedding: Embedding, triplets: Triplets) -> float:
    """Weighted share of triplets that the map agrees with."""
    refuse_zero_weights(triplets.weights)
    return float(np.average(satisfied(embedding, triplets), weights=triplets.weights))


def satisfied(embedding: Embedding, triplets: Triplets) -> NDArray[np.bool_]:
    """For each triplet whether the anchor is nearer to near than to far; in chunks, so that memory stays small."""
    result = np.empty(len(triplets), dtype=bool)
    for start in range(0, len(triplets), CHUNK):
        rows = slice(start, start + CHUNK)
        anchor = embedding[triplets.anchor[rows]]
        to_near = np.sum((anchor - embedding[triplets.near[rows]]) ** 2, axis=1)
        to_far = np.sum((anchor - embedding[triplets.far[rows]]) ** 2, axis=1)
        result[rows] = to_near < to_far
    return result


def nearest_neighbor_error(embedding: ArrayLike, labels: ArrayLike, *, n_neighbors: int = 1) -> float:
    """Leave-one-out error of the majority label of the nearest neighbours; of equal votes the nearest one's wins.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
    labels : array of n_objects class labels, or boolean array of shape (n_objects, n_tags)
        With tags, an object is an error if it shares no tag with its nearest neighbour (`n_neighbors` must be 1).
    n_neighbors : int, default=1
    """
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (keeps `import tete` quick)

    places = check_map("embedding", embedding)
    classes = _check_classes(labels, len(places))
    if len(places) < 2:
        raise InvalidParameterError(f"`embedding` must have at least 2 rows, got {len(places)}.")
    if not 1 <= n_neighbors < len(places):
        raise InvalidParameterError(f"`n_neighbors` must be in [1, {len(places) - 1}], got {n_neighbors}.")
    if classes.ndim == 2 and n_neighbors != 1:
        raise InvalidParameterError(f"`n_neighbors` must be 1 for labels that are tags, got {n_neighbors}.")
    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(places).kneighbors(return_distance=False)
    if classes.ndim == 2:
        return float(np.mean(~np.any(classes & classes[nearest[:, 0]], axis=1)))
    codes = np.unique(classes, return_inverse=True)[1]
    votes = np.array([_majority(codes[row]) for row in nearest]) if n_neighbors > 1 else codes[nearest[:, 0]]
    return float(np.mean(votes != codes))


def procrustes_align(reference: ArrayLike, embedding: ArrayLike, *, scale: bool = True) -> Embedding:
    """The map moved, turned, mirrored and, with `scale`, resized to lie as near to the reference as possible."""
    target, moved = _check_pair(reference, embedding)
    center = target.mean(axis=0)
    target, moved = target - center, moved - moved.mean(axis=0)
    left, strengths, right = svd(moved.T @ target)
    size = float(np.sum(moved**2))
    factor = strengths.sum() / size if scale and size > 0 else 1.0
    return np.asarray(factor * (moved @ left @ right) + center)


def procrustes_distance(reference: ArrayLike, embedding: ArrayLike) -> float:
    """Sum of squared differences after the best alignment, as a share of the reference's own spread: 0 to 1."""
    target, _ = _check_pair(reference, embedding)
    if np.all(target == target[0]):
        raise InvalidParameterError("`reference` must have at least two different rows, got equal rows only.")
    target = target / np.max(np.abs(target - target.mean(axis=0)))  # squares of tiny or huge maps stay finite
    spread = float(np.sum((target - target.mean(axis=0)) ** 2))
    return float(np.sum((procrustes_align(target, embedding) - target) ** 2) / spread)


def distance_agreement(
    reference: ArrayLike, embedding: ArrayLike, *, method: Literal["pearson", "spearman"] = "spearman"
) -> float:
    """Correlation of all pairwise distances in two spaces of any dimensions; rank correlation by default.

    Takes memory for n (n - 1) / 2 distances of each.
    """
    check_choice("method", method, ("pearson", "spearman"))
    first, second = check_map("reference", reference), check_map("embedding", embedding)
    if len(first) != len(second):
        raise InvalidParameterError(f"`embedding` must have {len(first)} rows like `reference`, got {len(second)}.")
    if len(first) < 3:
        raise InvalidParameterError(f"`reference` must have at least 3 rows, got {len(first)}.")
    distances = [pdist(first), pdist(second)]
    if method == "spearman":
        distances = [rankdata(each) for each in distances]
    if any(np.ptp(each) == 0.0 for each in distances):
        raise InvalidParameterError("The distances must differ among themselves to be correlated, got equal ones only.")
    return float(pearsonr(*distances).statistic)


def _check_classes(labels: ArrayLike, n_objects: int) -> NDArray[Any]:
    """One class for each object, or a boolean table of tags."""
    classes = np.asarray(labels)
    if classes.ndim == 0 or len(classes) != n_objects:
        raise InvalidParameterError(
            f"`labels` must have one entry for each of {n_objects} objects, got shape {classes.shape}."
        )
    if classes.ndim == 2 and classes.shape[1] == 1:
        return classes[:, 0]
    if classes.ndim == 1:
        return classes
    if classes.ndim > 2 or not np.isin(classes, (0, 1)).all():
        raise InvalidParameterError(
            f"`labels` with several columns must be tags of 0 and 1, got shape {classes.shape}."
        )
    return classes.astype(bool)


def _check_pair(reference: ArrayLike, embedding: ArrayLike) -> tuple[Embedding, Embedding]:
    target, moved = check_map("reference", reference), check_map("embedding", embedding)
    if target.shape != moved.shape:
        raise InvalidParameterError(
            f"`embedding` must have the shape {target.shape} of `reference`, got {moved.shape}."
        )
    return target, moved


def _majority(codes: NDArray[np.int64]) -> int:
    counts = np.bincount(codes)
    return int(next(code for code in codes if counts[code] == counts.max()))
