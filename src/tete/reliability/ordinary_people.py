"""Who answers as most people do: a mixture of ordinary annotators, coin tossers and those who answer the reverse.

Bad annotators must not be compared with an average that they are part of: it makes them look ordinary. The mixture is
fitted by expectation and maximisation, with the model of `answer_model` for ordinary people.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tete.embedding.answer_model import Floats, fit_answer_model

__all__ = ["probability_ordinary"]

N_ROUNDS = 30  # at most; it ends when nobody's probability changes by more than
CLOSE_ENOUGH = 1e-3
# People of each kind (ordinary, coin tossers, reversed) that are supposed to be there before any are seen: less than
# one and a half in all, so that a handful of people outweighs them. No other numbers are recorded as tried.
SUPPOSED = np.array([1.0, 0.1, 0.1])


def probability_ordinary(margins: Floats, weights: Floats, people: NDArray[np.int64], n_people: int) -> Floats:
    """For each annotator the probability of being an ordinary one; 1 for all if most are not.

    Parameters
    ----------
    margins : array, one number for each triplet
        By how much a map that has not seen the triplet agrees with it.
    weights : array, one number for each triplet
        Those of an answer sum to the answer's weight. People without any weight are not counted.
    people : array, one number for each triplet
        Who gave it.
    n_people : int
    """
    ordinary, shares = np.ones(n_people), SUPPOSED / SUPPOSED.sum()
    counted = np.bincount(people, weights=weights, minlength=n_people) > 0.0
    for _ in range(N_ROUNDS):
        agree = fit_answer_model(margins, weights * ordinary[people]).probability(margins)
        by_triplet = np.log([agree, np.full(len(agree), 0.5), 1.0 - agree])
        by_person = [np.bincount(people, weights=weights * each, minlength=n_people) for each in by_triplet]
        odds = np.array(by_person) + np.log(shares)[:, None]
        kinds = np.exp(odds - logsumexp(odds, axis=0))
        shares = (kinds[:, counted].sum(axis=1) + SUPPOSED) / (counted.sum() + SUPPOSED.sum())
        change, ordinary = np.abs(kinds[0] - ordinary).max(), kinds[0]
        if np.mean(ordinary[counted]) <= 0.5:
            return np.ones(n_people)
        if change < CLOSE_ENOUGH:
            break
    return ordinary
