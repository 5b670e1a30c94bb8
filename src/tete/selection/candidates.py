"""Search for the best dimension and temperatures of t-ETE, for the price of a few fits.

A full grid of 8 dimensions, 10 pairs of temperatures and 5 folds would be 400 fits. The search is shorter in four ways:

1. It goes along paths: a few temperatures in the largest dimension (on one fold, as a guide), then dimensions
   downwards at the best of them, then temperatures in the chosen dimension: every second one, and those beside the
   best.
2. Each fit starts at the nearest map of its fold, turned to its principal axes where dimensions go down. It never
   starts at another fold's map, which has seen the answers held out here.
3. It stops at a hundred times the tolerance of a final fit: which map is better mostly shows long before the last
   digit. Where it does not (maps that answers tear apart look good halfway), the best, the one after it and the
   chosen are fitted nearly to the end (ten times that tolerance), and the choice is made again with their new scores.
4. After two folds, what is clearly worse than the best, or no better than something preferred to it (fewer
   dimensions, more robust temperatures), is not tried on the others.

The folds are fitted side by side on the threads there are, each serially: small fits gain nothing from threads of
their own.
"""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from tete.comparisons.triplets import Triplets
from tete.core.blas import one_blas_thread
from tete.core.geometry import principal_axes
from tete.core.optimization import Minimum, lbfgs
from tete.core.progress import progress
from tete.core.threads import threads
from tete.core.types import Embedding
from tete.embedding.estimators import TETE
from tete.embedding.losses import tete_loss
from tete.embedding.objective import ShardedTriplets
from tete.exceptions import InvalidTripletsError
from tete.selection.cross_validation import FoldScores

__all__ = ["TEMPERATURES", "Candidate", "Effort", "Fold", "Search"]

# Pairs (t, t') that are enough, the most robust first. (1, 1) is STE; (1, 1 + 2 / (1 + alpha)) is t-STE, whose kernel
# is (1 + d / alpha)^(-(1 + alpha) / 2), at another scale: alpha is 1, 1.7, 3 and 7 here.
TEMPERATURES = tuple((t, t_prime) for t in (2.0, 1.0) for t_prime in (2.0, 1.75, 1.5, 1.25, 1.0))

# In standard errors of the difference: two are the usual bound of chance, one is the rule of Breiman et al. (1984).
# For dimensions the error of the best score itself is taken: docs/method.md says what was measured of both.
CLEARLY_WORSE = 2.0
NOT_TOLD_APART = 1.0
FIRST_FOLDS = 2  # after these, what is clearly worse is dropped; other numbers are not recorded as tried


class Effort(NamedTuple):
    """How long to fit: the tolerance as a multiple of the final fit's, and the most iterations from a given map."""

    looser: float
    most_iterations: int


# Quick fits mostly tell which map is better; the few that decide are made nearly to the end. With these a whole
# choice costs the iterations of 5 to 9 fits (benchmarks/results/selection.md); others are not recorded as tried.
QUICK, TO_THE_END = Effort(100.0, 50), Effort(10.0, 1000)


class Candidate(NamedTuple):
    """What is tried."""

    n_components: int
    t: float
    t_prime: float

    def distance(self, other: "Candidate") -> tuple[int, float]:
        """How far the other's map is from being this one's: dimensions first, then temperatures."""
        return abs(self.n_components - other.n_components), abs(self.t - other.t) + abs(self.t_prime - other.t_prime)


class Found(NamedTuple):
    """A map, and what it cost."""

    embedding: Embedding
    value: float
    n_iter: int
    seconds: float


class Fold:
    """Answers to fit, answers held out, and the maps made from the former so far."""

    def __init__(self, number: int, train: Triplets, test: Triplets, test_units: NDArray[np.int64]) -> None:
        self.number, self.train, self.test, self.test_units = number, train, test, test_units
        self.known = train.select(train.weights_or_ones() > 0.0).mentions() > 0
        self.maps: dict[Candidate, Embedding] = {}

    def fit(self, candidate: Candidate, settings: TETE, effort: Effort) -> Found:
        """Fit the candidate from the nearest map that has at least its dimensions, or from scratch."""
        started = time.perf_counter()
        tol = min(effort.looser * settings.tol, 1.0)
        usable = [each for each in self.maps if each.n_components >= candidate.n_components]
        if usable:
            start = principal_axes(self.maps[min(usable, key=candidate.distance)], candidate.n_components)
            minimum = self._continue(candidate, start, settings, tol, effort.most_iterations)
            embedding, value, n_iter = minimum.embedding, minimum.value, minimum.n_iter
        else:
            fitted = clone(settings).set_params(tol=tol, **candidate._asdict()).fit(self.train)
            embedding, value, n_iter = fitted.embedding_, fitted.loss_, fitted.n_iter_
        self.maps[candidate] = embedding
        return Found(embedding, value, n_iter, time.perf_counter() - started)

    def _continue(self, candidate: Candidate, start: Embedding, settings: TETE, tol: float, most: int) -> Minimum:
        """What the estimator does from a given start, without its checks, which cost as much as a short fit."""
        loss = tete_loss(candidate.t, candidate.t_prime)
        with threads(settings.n_jobs) as workers:
            objective = ShardedTriplets(self.train, candidate.n_components, workers).objective(loss, settings.ridge)
            return lbfgs(objective, start, max_iter=min(settings.max_iter, most), tol=tol)


class Trial:
    """What the folds have told about one candidate."""

    def __init__(self, copies: NDArray[np.float64]) -> None:
        self.held_out = FoldScores(copies)
        self.seconds: list[float] = []  # of the fits, of which there may be two on a fold
        self.n_iter = 0


class Search:
    """Folds, and what was tried on them. `settings` has what all fits have in common.

    `copies` says for each unit how many equal ones it stands for: those of an answer that counts several times.
    """

    def __init__(self, folds: Sequence[Fold], copies: NDArray[np.float64], settings: TETE) -> None:
        self.folds, self._copies, self._settings = folds, copies, settings
        self.trials: dict[Candidate, Trial] = {}

    def choose(
        self, dimensions: Sequence[int], temperatures: Sequence[tuple[float, float]], *, verbose: bool
    ) -> Candidate:
        """The best candidate; `dimensions` fall and `temperatures` come in the order of preference."""
        total = len(self.folds) * (len(dimensions) + len(temperatures))
        with progress("TETECV", total=total, shown=verbose, callback=None) as (announce, self._advance):
            announce("temperatures")
            guides = [Candidate(dimensions[0], *pair) for pair in temperatures[len(temperatures) > 1 :: 3]]
            self._test(guides, self.folds[:1])
            announce("dimensions")
            pair = self._not_below_best(guides, 0.0)[0][1:]
            n_components = self._fewest_dimensions([Candidate(each, *pair) for each in reversed(dimensions)])
            announce("temperatures")
            return self._best([Candidate(n_components, *pair) for pair in temperatures])

    def _best(self, candidates: Sequence[Candidate]) -> Candidate:
        """The first that is not told apart from the best; both are fitted to the end before it may win.

        So is the one after the best: lighter tails take longer to show what they can do.
        """
        finalists = set(self._race(self._promising(candidates)))
        finished: set[Candidate] = set()
        while True:
            near_best = self._not_below_best([each for each in candidates if each in finalists], NOT_TOLD_APART)
            best = max(near_best, key=self._score)
            judged = {near_best[0], best, *candidates[candidates.index(best) + 1 :][:1]}
            if judged <= finished:
                return near_best[0]
            for candidate in judged - finished:
                self.trials[candidate] = self._unscored(candidate)
                self._test([candidate], self.folds, TO_THE_END)
            finished |= judged
            finalists |= judged

    def _promising(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Every second candidate, and those beside the best of these."""
        some = candidates[::2]
        self._test(some, self.folds[:FIRST_FOLDS])
        place = candidates.index(max(some, key=self._score))
        return [each for each in candidates if each in some or each in candidates[max(place - 1, 0) : place + 2]]

    def _unscored(self, candidate: Candidate) -> Trial:
        """What fitting the candidate has cost so far, without its scores."""
        trial = self.trials.get(candidate, Trial(self._copies))
        trial.held_out = FoldScores(self._copies)
        return trial

    def _race(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those of the candidates, preferred ones first, that are worth testing on all folds."""
        self._test(candidates, self.folds[:FIRST_FOLDS])
        running: list[Candidate] = []
        for candidate in self._not_below_best(candidates, CLEARLY_WORSE):
            if not running or self._score(candidate) > self._score(running[-1]):
                running.append(candidate)
        if len(running) > 1:
            self._test(running, self.folds[FIRST_FOLDS:])
        return running

    def _score(self, candidate: Candidate) -> float:
        return self.trials[candidate].held_out.score

    def _fewest_dimensions(self, candidates: Sequence[Candidate]) -> int:
        """The smallest dimension within one standard error of the best one.

        If it is within half an error after the first folds, the others are not asked: they would hardly disagree.
        """
        self._test(candidates, self.folds[:FIRST_FOLDS])
        possible = self._not_below_best(candidates, CLEARLY_WORSE)
        near = self._within_errors_of_best(possible, 0.5)
        if near[0] != possible[0]:
            near = self._within_errors_of_best(self._race(candidates), 1.0)
        return near[0].n_components

    def _within_errors_of_best(self, candidates: Sequence[Candidate], n_errors: float) -> list[Candidate]:
        """Those whose score is at most so many standard errors of the best score below it."""
        best = max((self.trials[each].held_out for each in candidates), key=lambda each: each.score)
        return [each for each in candidates if self._score(each) >= best.score - n_errors * best.standard_error]

    def _not_below_best(self, candidates: Sequence[Candidate], n_errors: float) -> list[Candidate]:
        tested = {candidate: self.trials[candidate].held_out for candidate in candidates}
        best = max(tested.values(), key=lambda each: each.score)
        return [candidate for candidate, each in tested.items() if not each.clearly_below(best, n_errors)]

    def _test(self, candidates: Sequence[Candidate], folds: Sequence[Fold], effort: Effort = QUICK) -> None:
        """Fit what was not tested yet, dimensions downwards in each fold, the folds side by side."""
        downwards = sorted(candidates, key=lambda each: -each.n_components)
        found: list[dict[Candidate, Found]] = [{} for _ in folds]

        def fit_all(place: int) -> None:
            new = [each for each in downwards if not self._tested(each, folds[place])]
            found[place] = {candidate: folds[place].fit(candidate, serial, effort) for candidate in new}

        with one_blas_thread(), threads(self._settings.n_jobs) as workers, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the final fit warns of what matters
            serial = clone(self._settings).set_params(n_jobs=max(workers.n_jobs // len(self.folds), 1))
            workers.run(fit_all, len(folds))
        for fold, maps in zip(folds, found, strict=True):
            for candidate, result in maps.items():
                self._note(candidate, fold, result)
        if not all(self.trials[each].held_out.weight.any() for each in candidates):
            raise InvalidTripletsError(
                "Held-out answers about objects that other answers mention are needed to choose by them, got none that "
                "counts: more answers are needed."
            )

    def _tested(self, candidate: Candidate, fold: Fold) -> bool:
        return candidate in self.trials and fold.number in self.trials[candidate].held_out.scores

    def _note(self, candidate: Candidate, fold: Fold, found: Found) -> None:
        trial = self.trials.setdefault(candidate, Trial(self._copies))
        trial.seconds.append(found.seconds)
        trial.n_iter += found.n_iter
        trial.held_out.add(fold.number, found.embedding, fold.known, fold.test, fold.test_units)
        if self._advance is not None:
            self._advance(sum(len(each.seconds) for each in self.trials.values()), found.value, found.embedding)

    def results(self, chosen: Candidate) -> dict[str, Any]:
        """All that was tried, in the order it was, as scikit-learn's `cv_results_`.

        Some folds are harder than others, so candidates are compared with the chosen one on the folds of both.
        """
        trials = list(self.trials.values())
        scores = np.array([[t.held_out.scores.get(fold.number, np.nan) for fold in self.folds] for t in trials])
        reference = scores[list(self.trials).index(chosen)]
        comparable = np.nanmean(reference) + np.nanmean(scores - reference, axis=1)
        return {
            "params": [candidate._asdict() for candidate in self.trials],
            **{
                f"param_{name}": np.array([getattr(candidate, name) for candidate in self.trials])
                for name in Candidate._fields
            },
            **{f"split{place}_test_score": column for place, column in enumerate(scores.T)},
            "mean_test_score": np.nanmean(scores, axis=1),
            "std_test_score": np.nanstd(scores, axis=1),
            "standard_error": np.array([trial.held_out.standard_error for trial in trials]),
            "comparable_score": comparable,
            "rank_test_score": rankdata(-comparable, method="min").astype(np.int32),
            "mean_fit_time": np.array([sum(trial.seconds) / len(trial.held_out.scores) for trial in trials]),
            "n_iter": np.array([trial.n_iter for trial in trials]),
        }
