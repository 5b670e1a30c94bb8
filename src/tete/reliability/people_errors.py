"""What held-out answers say for people who were not asked: people are held out and counted, not answers."""

from dataclasses import dataclass

import numpy as np

from tete.comparisons.by_people import FEWEST_PEOPLE, numbers_of_people
from tete.comparisons.triplets import Triplets
from tete.core.randomness import RandomState
from tete.embedding.fitted_map import FittedMap
from tete.exceptions import InvalidTripletsError
from tete.metrics.clustered_errors import share_error, share_interval
from tete.reliability.held_out import HeldOutAnswers, held_out_answers
from tete.reliability.lapses import fit_lapses

__all__ = ["PeopleErrors", "errors_of_people", "held_out_people"]


@dataclass(frozen=True)
class PeopleErrors:
    """Accuracy and wrong answers with people as the unit.

    Attributes
    ----------
    n_people : int
        How many people the numbers rest on.
    accuracy : float
        Share of answers that agree with maps made without any answer of the same person.
    accuracy_error : float
        Its standard error, people being independent draws.
    accuracy_interval : pair of float
        Its 95 % interval.
    wrong_share : float or None
        Estimated share of wrong answers; None where held-out answers cannot be predicted.
    wrong_interval : pair of float or None
        Its 95 % interval.
    """

    n_people: int
    accuracy: float
    accuracy_error: float
    accuracy_interval: tuple[float, float]
    wrong_share: float | None
    wrong_interval: tuple[float, float] | None


def held_out_people(
    fitted: FittedMap, triplets: Triplets, *, n_folds: int | None, random_state: RandomState
) -> HeldOutAnswers:
    """Every answer on maps made without any answer of the same person.

    Raises
    ------
    InvalidTripletsError
        If answers are too few to hold some out, or hardly anybody's are about objects that others judged as well.
    """
    held_out = held_out_answers(fitted, triplets, n_folds=n_folds, by="annotators", random_state=random_state)
    people = numbers_of_people(triplets)
    assert people is not None
    n_people = len(np.unique(people[held_out.known & (triplets.counts() > 0.0)]))
    if n_people < FEWEST_PEOPLE:
        raise InvalidTripletsError(
            f"At least {FEWEST_PEOPLE} people must judge objects that others judge too, got {n_people}."
        )
    return held_out


def errors_of_people(held_out: HeldOutAnswers) -> PeopleErrors:
    """Accuracy, share of wrong answers and their errors by people."""
    triplets, known = held_out.triplets, held_out.known
    people = numbers_of_people(triplets)
    assert people is not None
    shares = held_out.shares_of_answers
    agreement = shares * (held_out.margins[known] > 0.0)
    agreed, weights = (np.bincount(people[known], weights=each).astype(np.float64) for each in (agreement, shares))
    n_people, error = int(np.sum(weights > 0.0)), share_error(agreed, weights)
    accuracy = float(agreed.sum() / weights.sum())
    try:
        answers = held_out.answers[known]
        copies = held_out.counts[answers]
        lapses = fit_lapses(held_out.margins[known], answers, shares, people=people[known], copies=copies)
    except InvalidTripletsError:
        lapses = None
    return PeopleErrors(
        n_people=n_people,
        accuracy=accuracy,
        accuracy_error=error,
        accuracy_interval=share_interval(accuracy, error, n_people),
        wrong_share=None if lapses is None else lapses.model.lapse,
        wrong_interval=None if lapses is None else (lapses.low, lapses.high),
    )
