"""How alike two maps are."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, rankdata

from tete.core.geometry import aligned
from tete.core.types import Embedding
from tete.core.validation import check_choice, check_map
from tete.exceptions import InvalidParameterError

__all__ = ["distance_agreement", "procrustes_align", "procrustes_distance"]


def procrustes_align(reference: ArrayLike, embedding: ArrayLike, *, scale: bool = True) -> Embedding:
    """The map moved, turned, mirrored and, with `scale`, resized to lie as near to the reference as possible."""
    return aligned(*_check_pair(reference, embedding), scale=scale)


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


def _check_pair(reference: ArrayLike, embedding: ArrayLike) -> tuple[Embedding, Embedding]:
    target, moved = check_map("reference", reference), check_map("embedding", embedding)
    if target.shape != moved.shape:
        raise InvalidParameterError(
            f"`embedding` must have the shape {target.shape} of `reference`, got {moved.shape}."
        )
    return target, moved
