"""How alike two maps are."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from tete.core.geometry import aligned
from tete.core.printing import counted
from tete.core.types import Embedding
from tete.core.validation import check_choice, check_map
from tete.exceptions import InvalidParameterError

__all__ = ["distance_agreement", "procrustes_align", "procrustes_distance"]


def procrustes_align(reference: ArrayLike, embedding: ArrayLike, *, scale: bool = True) -> Embedding:
    """The map moved, turned, mirrored and resized to lie as near to the reference as possible.

    Parameters
    ----------
    reference : array of shape (n_objects, n_components)
        The map to compare with.
    embedding : array of shape (n_objects, n_components)
        The other map, with its rows in the same order.
    scale : bool, default=True
        Whether the map may be resized.

    Returns
    -------
    array of shape (n_objects, n_components)
        The map laid over the reference.

    Raises
    ------
    InvalidParameterError
        If the shapes differ.

    Examples
    --------
    >>> from tete.metrics import procrustes_align
    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    >>> larger_and_turned = [[5.0, 5.0], [7.0, 5.0], [7.0, 3.0], [5.0, 3.0]]
    >>> (procrustes_align(square, larger_and_turned) + 0.0).round(6).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    """
    return aligned(*_check_pair(reference, embedding), scale=scale)


def procrustes_distance(reference: ArrayLike, embedding: ArrayLike) -> float:
    """How unlike two maps are, whatever their position, direction and size: 0 to 1.

    It is the sum of squared differences after the best alignment, as a share of the reference's own spread.

    Parameters
    ----------
    reference : array of shape (n_objects, n_components)
        The map to compare with.
    embedding : array of shape (n_objects, n_components)
        The other map, with its rows in the same order.

    Returns
    -------
    float
        0 for maps of the same shape.

    Raises
    ------
    InvalidParameterError
        If the shapes differ, or all rows of the reference are equal.

    Examples
    --------
    >>> from tete.metrics import procrustes_distance
    >>> corner = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    >>> line = [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]]
    >>> print(round(procrustes_distance(corner, line), 3))
    0.625
    """
    target, _ = _check_pair(reference, embedding)
    if np.all(target == target[0]):
        raise InvalidParameterError("`reference` must have at least two different rows, got equal rows only.")
    target = target / np.max(np.abs(target - target.mean(axis=0)))  # squares of tiny or huge maps stay finite
    spread = float(np.sum((target - target.mean(axis=0)) ** 2))
    return float(np.sum((procrustes_align(target, embedding) - target) ** 2) / spread)


def distance_agreement(
    reference: ArrayLike, embedding: ArrayLike, *, method: Literal["pearson", "spearman"] = "spearman"
) -> float:
    """Correlation of all pairwise distances in two spaces of any dimensions.

    Takes memory for n (n - 1) / 2 distances of each.

    Parameters
    ----------
    reference : array of shape (n_objects, n_columns)
        The map or the features to compare with.
    embedding : array of shape (n_objects, n_components)
        The map, with its rows in the same order.
    method : "pearson" or "spearman", default="spearman"
        Spearman's correlation is that of the ranks.

    Returns
    -------
    float
        From -1 to 1, where the distances are the same up to scale ("pearson") or in the same order ("spearman").

    Raises
    ------
    InvalidParameterError
        If there are fewer than 3 rows or not as many in both, or if all distances are equal.

    Examples
    --------
    >>> from tete.metrics import distance_agreement
    >>> corners = [[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0]]
    >>> print(round(distance_agreement(corners, [[0.0], [1.0], [3.0], [4.0]]), 2))
    0.74
    """
    check_choice("method", method, ("pearson", "spearman"))
    first, second = check_map("reference", reference), check_map("embedding", embedding)
    if len(first) != len(second):
        raise InvalidParameterError(
            f"`embedding` must have {counted(len(first), 'row')} like `reference`, got {len(second)}."
        )
    if len(first) < 3:
        raise InvalidParameterError(f"`reference` must have at least 3 rows, got {len(first)}.")
    from scipy.stats import pearsonr, rankdata  # noqa: PLC0415  (takes long to import)

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
