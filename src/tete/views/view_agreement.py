"""Whether two searches, with other halves of the answers, have found the same views.

People are compared by who is put together with whom. Single answers say little about where they belong, so there the
maps are compared: a view is the same if its maps answer questions alike, and two views are two only if theirs do not.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from tete.embedding.answer_model import Floats
from tete.views.cross_fitting import CrossFit, Solution

__all__ = ["agreement_of_maps", "agreement_of_people"]

CLEAR = 0.95  # probability from which a person clearly belongs to a view
# Share of questions that the maps of two views may answer alike. Answers of one view, split in two by noise, gave maps
# that agree on 0.71 to 0.82, answers of two views with a share of 0.3 and more on 0.49 to 0.67 (14 draws).
MOST_ALIKE = 0.65


def agreement_of_people(solutions: Sequence[Solution]) -> float:
    """Adjusted Rand index of those who are clear in both solutions; 0 where a view has nobody who is."""
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415  (takes long to import)

    consistent = [each.memberships.consistent for each in solutions]
    clear = np.logical_and.reduce([each.max(axis=1) > CLEAR for each in consistent])
    first, second = (np.argmax(each[clear], axis=1) for each in consistent)
    if any(len(np.unique(labels)) < solutions[0].n_views for labels in (first, second)):
        return 0.0
    return float(adjusted_rand_score(first, second))


def agreement_of_maps(fit: CrossFit, solutions: Sequence[Solution]) -> float:
    """Share of questions that the maps of a view in both solutions answer alike, of the least stable view.

    0 where two views of one solution answer too many questions alike.
    """
    first, second = (_sides(fit, each) for each in solutions)
    for sides in (first, second):
        alike = _alike(sides, sides)
        if np.any(alike[~np.eye(len(alike), dtype=bool)] > MOST_ALIKE):
            return 0.0
    alike = _alike(first, second)
    return float(alike[linear_sum_assignment(-alike)].min())


def _sides(fit: CrossFit, solution: Solution) -> Floats:
    """For each view the sides that its map of all answers takes in each question."""
    known = fit.answers.triplets.mentions() > 0
    maps = [fit.maker.make(fit.answers, weights) for weights in solution.memberships.weights.T]
    return np.sign([fit.maker.margins(fit.answers, places, known) for places in maps])


def _alike(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.mean(first[:, None, :] == second[None, :, :], axis=2))
