"""How many views there are: one more is believed if held-out answers gain by it, twice and for the same people.

The gain is in the marginal log-likelihood of all answers, each on maps made without it. Before a gain counts, the
larger solution challenges the smaller one: each of its views is dropped in turn, and if what is left is likelier than
the smaller solution so far, it takes its place. Without that, answers of one view seem to gain by two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tete.views.cross_fitting import CrossFit, Solution
from tete.views.view_agreement import agreement_of_maps, agreement_of_people
from tete.views.view_starts import starting_weights

__all__ = ["LEAST_GAIN", "FoundViews", "Step", "challenged", "find_views", "grown", "one_view"]

LEAST_GAIN = 10.0  # of log-likelihood; one-view answers gained at most 4 in 88 draws
LEAST_AGREEMENT = 0.7  # between two searches: see `view_agreement`
MOST_VIEWS = 4  # that are looked for
SHORT, LONG = 5, 12  # rounds: from each start, and from the best of these


@dataclass(frozen=True)
class Step:
    """What one view more brings.

    Attributes
    ----------
    n_views : int
        With it.
    gains : tuple of float
        Of log-likelihood over one view less, in each search that was made.
    agreement : float or None
        Between two searches, as in `view_agreement`.
    accepted : bool
        Whether it is believed.
    """

    n_views: int
    gains: tuple[float, ...]
    agreement: float | None
    accepted: bool


@dataclass(frozen=True)
class FoundViews:
    """The solution, the steps that were tried, and the solution with one view, for comparison.

    Attributes
    ----------
    solution, one : Solution
    steps : tuple of Step
    larger : Solution or None
        The solution of the first step that is not believed, if there is one.
    """

    solution: Solution
    one: Solution
    steps: tuple[Step, ...]
    larger: Solution | None


def find_views(fits: Sequence[CrossFit], n_views: int | None) -> FoundViews:
    """As many views as are asked for, by the first of the fits; for None as many as fits of other halves agree on."""
    if n_views is not None:
        return _fixed_number(fits[0], n_views)
    paths = [[one_view(fits[0])]]
    steps: list[Step] = []
    larger: Solution | None = None
    while len(paths[0]) < MOST_VIEWS:
        candidates, gains = [], []
        for number, fit in enumerate(fits):
            if number == len(paths):  # only now the second halves are needed
                paths.append(_path(fit, len(paths[0])))
            candidate, paths[number][-1] = _next(fit, paths[number][-1])
            candidates.append(candidate)
            gains.append(candidate.total - paths[number][-1].total)
            if gains[-1] < LEAST_GAIN:
                break
        agreement = _agreement(fits[0], candidates) if len(candidates) == len(fits) else None
        accepted = min(gains) >= LEAST_GAIN and agreement is not None and agreement >= LEAST_AGREEMENT
        steps.append(Step(candidates[0].n_views, tuple(gains), agreement, accepted))
        if not accepted:
            larger = candidates[0]
            break
        for path, candidate in zip(paths, candidates, strict=True):
            path.append(candidate)
    return FoundViews(paths[0][-1], paths[0][0], tuple(steps), larger)


def _fixed_number(fit: CrossFit, n_views: int) -> FoundViews:
    path = _path(fit, 1)
    steps = []
    while path[-1].n_views < n_views:
        candidate, path[-1] = _next(fit, path[-1])
        steps.append(Step(candidate.n_views, (candidate.total - path[-1].total,), None, accepted=True))
        path.append(candidate)
    return FoundViews(path[-1], path[0], tuple(steps), None)


def _path(fit: CrossFit, n_views: int) -> list[Solution]:
    """Solutions with 1, 2, ... views."""
    path = [one_view(fit)]
    while len(path) < n_views:
        candidate, path[-1] = _next(fit, path[-1])
        path.append(candidate)
    return path


def _next(fit: CrossFit, before: Solution) -> tuple[Solution, Solution]:
    """One view more, and the best with as many views as before."""
    candidate = grown(fit, before)
    return candidate, challenged(fit, candidate, before)


def one_view(fit: CrossFit) -> Solution:
    """One map for all, twice: the second time from scratch with those weighed less who seemed unreliable."""
    everybody = np.ones((fit.answers.n_units, 1))
    if len(fit.kinds.reliability) == 1:
        return fit.run(everybody, n_rounds=1)
    first = fit.run(everybody, n_rounds=4)
    again = fit.run(first.memberships.weights, n_rounds=4)
    return max(first, again, key=lambda each: each.total)


def grown(fit: CrossFit, before: Solution) -> Solution:
    """The best solution with one view more: short runs from each start, a long one from the best of them."""
    tried = [fit.run(weights, n_rounds=SHORT) for weights in starting_weights(fit, before)]
    best = max(tried, key=lambda each: each.total)
    return fit.run(best.memberships.weights, n_rounds=LONG, maps=best.maps, annealed=False)


def challenged(fit: CrossFit, larger: Solution, smaller: Solution) -> Solution:
    """The smaller solution, or the larger one without one of its views, whichever is likelier."""
    best = smaller
    for dropped in range(larger.n_views):
        kept = [view for view in range(larger.n_views) if view != dropped]
        weights = np.maximum(larger.memberships.weights[:, kept], 0.02)
        maps = [[of_half[view] for view in kept] for of_half in larger.maps]
        found = fit.run(weights, n_rounds=4, maps=maps, annealed=False)
        best = max(best, found, key=lambda each: each.total)
    return best


def _agreement(fit: CrossFit, solutions: Sequence[Solution]) -> float:
    of_people = len(fit.kinds.reliability) > 1
    return agreement_of_people(solutions) if of_people else agreement_of_maps(fit, solutions)
