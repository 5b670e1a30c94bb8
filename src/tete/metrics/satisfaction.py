"""How many answers a map agrees with."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.checks import refuse_zero_weights
from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.types import Embedding
from tete.core.validation import check_map
from tete.metrics.clustered_errors import share_error

__all__ = ["satisfied", "share_satisfied", "share_satisfied_error", "triplet_error"]

TRIPLETS_AT_ONCE = 2**16  # three copies of places each: memory against overhead


@filled_from(as_triplets)
def triplet_error(
    embedding: ArrayLike, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
) -> float:
    """Weighted share of triplets that the map contradicts; equal distances count as contradicted.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
        The map.

    Returns
    -------
    float
        From 0, which is perfect, to 1.

    Raises
    ------
    InvalidTripletsError
        If the answers mention objects that the map does not have.

    Examples
    --------
    >>> from tete.metrics import triplet_error
    >>> print(triplet_error([[0.0], [1.0], [3.0]], [(0, 1, 2), (2, 0, 1)]))  # the second is contradicted
    0.5
    """
    places = check_map("embedding", embedding)
    triplets = as_triplets(X, y, sample_weight, n_objects=len(places))
    return 1.0 - share_satisfied(places, triplets)


def share_satisfied(embedding: Embedding, triplets: Triplets) -> float:
    """Weighted share of triplets that the map agrees with."""
    refuse_zero_weights(triplets.weights)
    return float(np.average(satisfied(embedding, triplets), weights=triplets.weights))


def share_satisfied_error(
    embedding: Embedding, triplets: Triplets, people: NDArray[np.int64] | None = None
) -> float | None:
    """Standard error of the share, answers (or people, where their numbers are given) being independent draws.

    An answer of weight 2 is two answers. None where there is only one answer or person.
    """
    weights = triplets.weights_or_ones()
    units = triplets.answer_numbers() if people is None else people
    agreed = np.bincount(units, weights=weights * satisfied(embedding, triplets)).astype(np.float64)
    total = np.bincount(units, weights=weights).astype(np.float64)
    error = share_error(agreed, total, total / np.bincount(units) if people is None else None)
    return None if np.isnan(error) else error


def satisfied(embedding: Embedding, triplets: Triplets) -> NDArray[np.bool_]:
    """For each triplet whether the anchor is nearer to near than to far; in chunks, so that memory stays small."""
    result = np.empty(len(triplets), dtype=bool)
    for start in range(0, len(triplets), TRIPLETS_AT_ONCE):
        rows = slice(start, start + TRIPLETS_AT_ONCE)
        anchor = embedding[triplets.anchor[rows]]
        to_near = np.sum((anchor - embedding[triplets.near[rows]]) ** 2, axis=1)
        to_far = np.sum((anchor - embedding[triplets.far[rows]]) ** 2, axis=1)
        result[rows] = to_near < to_far
    return result
