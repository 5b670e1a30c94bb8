"""Several sets of answers as one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.folds import blocks_of
from tete.exceptions import InvalidParameterError, InvalidTripletsError

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["joined"]


def joined(sets: Sequence["Triplets"]) -> tuple[NDArray[Any], dict[str, Any]]:
    """The rows of all sets, and their other fields but lines; answers and groups of different sets stay different."""
    if not sets:
        raise InvalidParameterError("`parts` must hold at least one set of triplets, got 0.")
    if len({part.names for part in sets}) > 1:
        raise InvalidTripletsError("All parts must have the same `names`.")
    details: dict[str, Any] = {"names": sets[0].names, "n_objects": max(part.n_objects for part in sets)}
    if any(part.weights is not None for part in sets):
        details["weights"] = np.concatenate([part.weights_or_ones() for part in sets])
    if any(part.annotators is not None for part in sets):
        if any(part.annotators is None for part in sets):
            raise InvalidTripletsError("Either all parts or none must have `annotators`.")
        details["annotators"] = np.concatenate([part.annotators for part in sets if part.annotators is not None])
    if any(part.times is not None for part in sets):
        details["times"] = np.concatenate(
            [np.full(len(part), np.nan) if part.times is None else part.times for part in sets]
        )
    if any(part.ties is not None for part in sets):
        details["ties"] = np.concatenate(
            [np.zeros(len(part), dtype=bool) if part.ties is None else part.ties for part in sets]
        )
    if any(part.answers is not None for part in sets):
        details["answers"] = _told_apart([part.answer_numbers() for part in sets])
    if any(part.groups is not None for part in sets):
        details["groups"] = _told_apart([blocks_of(part, "answers") for part in sets])
    return np.concatenate([part.to_array() for part in sets]), details


def _told_apart(numbers: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Numbers of several sets, each set's after those of the set before."""
    offsets = np.cumsum([0] + [int(each.max()) + 1 for each in numbers[:-1]])
    return np.concatenate([each + offset for each, offset in zip(numbers, offsets, strict=True)])
