"""Whether to count answers or people: two answers of one person are not two independent draws.

How far a number would move with other people of the same kind is seen by how far people differ, and not by how many
answers each of them gave. That needs enough people.
"""

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.validation import check_choice
from tete.exceptions import InvalidParameterError, Parameter

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["FEWEST_PEOPLE", "By", "check_by", "numbers_of_people", "too_few_people"]

By: TypeAlias = Literal["answers", "annotators"]

FEWEST_PEOPLE = 15  # with fewer, how far people differ is itself hardly known


def numbers_of_people(triplets: "Triplets") -> NDArray[np.int64] | None:
    """For each triplet the number of who gave it, 0, 1, ...; None without annotators."""
    if triplets.annotators is None:
        return None
    return np.unique(triplets.annotators, return_inverse=True)[1]


def too_few_people(triplets: "Triplets") -> str | None:
    """Why nothing can be said by people, in a sentence; None where it can."""
    people = numbers_of_people(triplets)
    if people is None:
        return "The answers do not say who gave them."
    n_people = len(np.unique(people[triplets.weights_or_ones() > 0.0]))
    if n_people < FEWEST_PEOPLE:
        counted = "1 person is" if n_people == 1 else f"{n_people} people are"
        return f"{counted} too few to say how far people differ, {FEWEST_PEOPLE} are needed."
    return None


def check_by(by: By | None, triplets: "Triplets") -> By:
    """What to count: as asked for, or by default people where there are enough of them."""
    if by is None:
        return "answers" if too_few_people(triplets) else "annotators"
    check_choice("by", by, ("answers", "annotators"))
    reason = too_few_people(triplets) if by == "annotators" else None
    if reason is not None:
        raise InvalidParameterError(Parameter("by"), f" must be 'answers' here, got 'annotators'. {reason}")
    return by
