"""Several sets of answers as one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidParameterError, InvalidTripletsError

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["joined"]


def joined(sets: Sequence["Triplets"]) -> tuple[NDArray[Any], dict[str, Any]]:
    """The rows of all sets, and their other fields; answers of different sets stay different groups."""
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
    if any(part.groups is not None for part in sets):
        answers = [part.answer_numbers() for part in sets]
        offsets = np.cumsum([0] + [numbers.max() + 1 for numbers in answers[:-1]])
        details["groups"] = np.concatenate([n + offset for n, offset in zip(answers, offsets, strict=True)])
    return np.concatenate([part.to_array() for part in sets]), details
