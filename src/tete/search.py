"""Search for the best dimension and temperatures of t-ETE, for the price of a few fits.

A full grid of 8 dimensions, 8 pairs of temperatures and 5 folds would be 320 fits. The search is shorter in four ways:

1. It goes along paths: temperatures in the largest dimension (on two folds, as a guide), then dimensions downwards at
   the best of them, then temperatures in the chosen dimension.
2. Each fit starts at the nearest map of its fold, turned to its principal axes where dimensions go down. It never
   starts at another fold's map, which has seen the answers held out here.
3. It stops at a hundred times the tolerance of a final fit: which map is better shows long before the last digit.
4. Temperatures that are clearly worse than the best after some folds are not tried on the others.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from tete.arrays import Embedding
from tete.continuation import principal_axes
from tete.cross_validation import HeldOut
from tete.embedding import TETE
from tete.progress import progress
from tete.triplets import Triplets

__all__ = ["LOOSER", "TEMPERATURES", "Candidate", "Fold", "Search"]

# The pairs (t, t') that are enough, the most robust first. (1, 1) is STE, (1, 2) is t-STE with alpha = 1.
TEMPERATURES = ((2.0, 2.0), (2.0, 1.75), (2.0, 1.5), (2.0, 1.25), (2.0, 1.0), (1.0, 2.0), (1.0, 1.5), (1.0, 1.0))

LOOSER = 100.0  # the tolerance of the search's fits, as a multiple of the final fit's
MOST_ITERATIONS = 50  # of a fit that starts at another candidate's map
CLEARLY_WORSE = 3.0  # standard errors of the difference
NOT_TOLD_APART = 1.0
GUIDING_FOLDS = 2


class Candidate(NamedTuple):
    """What is tried."""

    n_components: int
    t: float
    t_prime: float

    def distance(self, other: "Candidate") -> tuple[int, float]:
        """How far the other's map is from being this one's: dimensions first, then temperatures."""
        return abs(self.n_components - other.n_components), abs(self.t - other.t) + abs(self.t_prime - other.t_prime)


class Fold:
    """Answers to fit, answers held out, and the maps made from the former so far."""

    def __init__(self, number: int, train: Triplets, test: Triplets, test_units: NDArray[np.int64]) -> None:
        self.number, self.train, self.test, self.test_units = number, train, test, test_units
        self.known = train.mentions() > 0
        self.maps: dict[Candidate, Embedding] = {}

    def fit(self, candidate: Candidate, estimator: TETE) -> TETE:
        """Fit the candidate from the nearest map that has at least its dimensions, or from scratch."""
        estimator.set_params(**candidate._asdict())
        usable = [each for each in self.maps if each.n_components >= candidate.n_components]
        if usable:
            start = principal_axes(self.maps[min(usable, key=candidate.distance)], candidate.n_components)
            estimator.set_params(init=start, max_iter=min(estimator.max_iter, MOST_ITERATIONS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the final fit warns of what matters
            estimator.fit(self.train)
        self.maps[candidate] = estimator.embedding_
        return estimator


class Trial:
    """What the folds have told about one candidate."""

    def __init__(self, n_units: int) -> None:
        self.held_out = HeldOut(n_units)
        self.seconds: list[float] = []
        self.n_iter = 0


class Search:
    """Folds, and what was tried on them."""

    def __init__(self, folds: Sequence[Fold], n_units: int, new_estimator: Callable[[], TETE]) -> None:
        self.folds, self._n_units, self._new_estimator = folds, n_units, new_estimator
        self.trials: dict[Candidate, Trial] = {}

    def choose(self, dims: Sequence[int], temperatures: Sequence[tuple[float, float]], *, verbose: bool) -> Candidate:
        """The best candidate; `dims` fall and `temperatures` come in the order of preference."""
        total = len(self.folds) * (len(dims) + 2 * len(temperatures))
        with progress("TETECV", total=total, shown=verbose, callback=None) as (announce, self._advance):
            announce("temperatures")
            guide = self._race([Candidate(dims[0], *pair) for pair in temperatures], self.folds[:GUIDING_FOLDS])
            announce("dimensions")
            pair = self._not_below_best(guide, 0.0)[0][1:]
            n_components = self._fewest_dimensions([Candidate(each, *pair) for each in dims])
            announce("temperatures")
            finalists = self._race([Candidate(n_components, *pair) for pair in temperatures], self.folds)
            return self._not_below_best(finalists, NOT_TOLD_APART)[0]

    def _race(self, candidates: Sequence[Candidate], folds: Sequence[Fold]) -> list[Candidate]:
        """Those of the candidates that are not clearly worse than the best after any of the folds."""
        running = list(candidates)
        for fold in folds:
            for candidate in running:
                self._try(candidate, fold)
            running = self._not_below_best(running, CLEARLY_WORSE)
        return running

    def _fewest_dimensions(self, candidates: Sequence[Candidate]) -> int:
        """The smallest dimension within one standard error of the best one."""
        for fold in self.folds:
            for candidate in candidates:
                self._try(candidate, fold)
        tested = {candidate: self.trials[candidate].held_out for candidate in candidates}
        best = max(tested.values(), key=lambda each: each.score)
        limit = best.score - best.standard_error
        return min(candidate.n_components for candidate, each in tested.items() if each.score >= limit)

    def _not_below_best(self, candidates: Sequence[Candidate], n_errors: float) -> list[Candidate]:
        tested = {candidate: self.trials[candidate].held_out for candidate in candidates}
        best = max(tested.values(), key=lambda each: each.score)
        return [candidate for candidate, each in tested.items() if not each.clearly_below(best, n_errors)]

    def _try(self, candidate: Candidate, fold: Fold) -> None:
        trial = self.trials.setdefault(candidate, Trial(self._n_units))
        if fold.number in trial.held_out.scores:
            return
        started = time.perf_counter()
        fitted = fold.fit(candidate, self._new_estimator())
        trial.seconds.append(time.perf_counter() - started)
        trial.n_iter += fitted.n_iter_
        trial.held_out.add(fold.number, fitted.embedding_, fold.known, fold.test, fold.test_units)
        if self._advance is not None:
            self._advance(sum(len(each.seconds) for each in self.trials.values()), fitted.loss_, fitted.embedding_)

    def results(self) -> dict[str, Any]:
        """All that was tried, in the order it was, as scikit-learn's `cv_results_`."""
        trials = list(self.trials.values())
        scores = np.array([[t.held_out.scores.get(fold.number, np.nan) for fold in self.folds] for t in trials])
        mean = np.nanmean(scores, axis=1)
        return {
            "params": [candidate._asdict() for candidate in self.trials],
            **{
                f"param_{name}": np.array([getattr(candidate, name) for candidate in self.trials])
                for name in Candidate._fields
            },
            **{f"split{place}_test_score": column for place, column in enumerate(scores.T)},
            "mean_test_score": mean,
            "std_test_score": np.nanstd(scores, axis=1),
            "standard_error": np.array([trial.held_out.standard_error for trial in trials]),
            "rank_test_score": rankdata(-mean, method="min").astype(np.int32),
            "mean_fit_time": np.array([np.mean(trial.seconds) for trial in trials]),
            "n_iter": np.array([trial.n_iter for trial in trials]),
        }
