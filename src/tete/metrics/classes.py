"""How well the classes of objects keep together on a map."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.core.randomness import RandomState
from tete.core.validation import check_map
from tete.exceptions import InvalidParameterError
from tete.metrics.ranks import check_neighbors, map_neighbors, sample_rows

__all__ = ["nearest_neighbor_error", "neighborhood_accuracy"]


def nearest_neighbor_error(embedding: ArrayLike, labels: ArrayLike, *, n_neighbors: int = 1) -> float:
    """Leave-one-out error of the majority label of the nearest neighbours; of equal votes the nearest one's wins.

    Parameters
    ----------
    embedding : array of shape (n_objects, n_components)
        The map.
    labels : array of n_objects class labels, or boolean array of shape (n_objects, n_tags)
        With tags, an object is an error if it shares no tag with its nearest neighbour (`n_neighbors` must be 1).
    n_neighbors : int, default=1
        How many neighbours vote.

    Returns
    -------
    float
        Share of objects that get another label than their own.

    Raises
    ------
    InvalidParameterError
        If there is not a label for each object, or there are too few objects.

    Examples
    --------
    >>> from tete.metrics import nearest_neighbor_error
    >>> nearest_neighbor_error([[0.0], [1.0], [5.0], [6.0], [7.5]], ["a", "a", "b", "b", "a"])
    0.2
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


def neighborhood_accuracy(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 10,
    n_samples: int | None = None,
    random_state: RandomState = 0,
) -> float:
    """Share of rows whose label is the commonest among their nearest other rows on the map; ties go to the nearest.

    Parameters
    ----------
    embedding : array of shape (n_rows, n_components)
        The map.
    labels : array of n_rows class labels
        The class of each row.
    n_neighbors : int, default=10
        How many neighbours vote.
    n_samples : int or None, default=None
        How many rows are looked at; None looks at all of them.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    InvalidParameterError
        If there is not a label for each row, or there are too few rows.

    Examples
    --------
    >>> from tete.metrics import neighborhood_accuracy
    >>> neighborhood_accuracy([[0.0], [1.0], [5.0], [6.0], [7.5]], ["a", "a", "b", "b", "a"], n_neighbors=1)
    0.8
    """
    places = check_map("embedding", embedding)
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    if codes.shape != (len(places),):
        raise InvalidParameterError(f"`labels` must have one entry for each of {len(places)} rows, got {codes.shape}.")
    check_neighbors(n_neighbors, len(places))
    rows = sample_rows(len(places), n_samples, random_state)
    near = codes[map_neighbors(places, rows, n_neighbors)]
    counts = np.zeros((len(rows), codes.max() + 1))
    for rank in range(n_neighbors):  # less than one vote more for the nearer ones decides ties only
        counts[np.arange(len(rows)), near[:, rank]] += 1.0 + (0.5 / n_neighbors) * 2.0 ** -(rank + 1)
    return float(np.mean(counts.argmax(axis=1) == codes[rows]))


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


def _majority(codes: NDArray[np.int64]) -> int:
    counts = np.bincount(codes)
    return int(next(code for code in codes if counts[code] == counts.max()))
