"""Search for the best dimension and temperatures of t-ETE, for the price of a few fits.

A full grid of 8 dimensions, 6 candidates of temperatures and 5 folds would be 240 fits. The search is shorter in four
ways:

1. It goes along paths: temperatures in the largest dimension (on one fold, as a guide), then dimensions downwards at
   the best of them, then temperatures in the chosen dimension.
2. Each fit starts at the nearest map of its fold, turned to its principal axes where dimensions go down. It never
   starts at another fold's map, which has seen the answers held out here.
3. It stops at a hundred times the tolerance of a final fit: which map is better mostly shows long before the last
   digit.
4. After two folds, what is clearly worse than the best, or a dimension no better than a smaller one, is not tried on
   the others.

What is better is said by the likelihood of the held-out answers, as for the temperatures of `TETE`. The folds are
fitted side by side on the threads there are, each serially: small fits gain nothing from threads of their own.
"""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tete.comparisons.triplets import Triplets
from tete.core.blas import one_blas_thread
from tete.core.geometry import principal_axes
from tete.core.optimization import Minimum, lbfgs
from tete.core.progress import progress
from tete.core.threads import threads
from tete.core.types import Embedding
from tete.embedding.estimators import TETE
from tete.embedding.objective import ShardedTriplets
from tete.embedding.spectral_start import brought_back
from tete.embedding.temperatures import CANDIDATES, Temperatures
from tete.exceptions import InvalidTripletsError
from tete.selection.cross_validation import FoldScores, best_of_each_dimension

__all__ = ["TEMPERATURES", "Candidate", "Effort", "Fold", "Search"]

# Pairs (t, t') among which to choose, in the order in which fits go on from each other; None for t' is the kernel on
# plain distances.
TEMPERATURES: tuple[tuple[float, float | None], ...] = tuple((each.t, each.t_prime) for each in CANDIDATES)

# In standard errors of the difference: the usual bound of chance. For dimensions, the rule of Breiman et al. (1984)
# takes one error of the best one itself: docs/method.md says what was measured of both.
CLEARLY_WORSE = 2.0
FIRST_FOLDS = 2  # after these, what is clearly worse is dropped; other numbers are not recorded as tried


class Effort(NamedTuple):
    """How long to fit: the tolerance as a multiple of the final fit's, and the most iterations from a given map."""

    looser: float
    most_iterations: int


# Of 54 synthetic sets 53 got their dimension with these, 51 with (300, 50), at the same price: docs/method.md.
QUICK = Effort(100.0, 200)


class Candidate(NamedTuple):
    """What is tried; without t' on plain distances."""

    n_components: int
    t: float
    t_prime: float | None

    @property
    def temperatures(self) -> Temperatures:
        """The member of the family."""
        return Temperatures("squared" if self.t_prime is not None else "distance", self.t, self.t_prime)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of `TETE` that it stands for."""
        kernel, t, t_prime = self.temperatures
        return {
            "n_components": self.n_components,
            "t": t,
            "t_prime": "auto" if t_prime is None else t_prime,
            "kernel": kernel,
        }

    def distance(self, other: "Candidate") -> tuple[int, float]:
        """How far the other's map is from being this one's: dimensions first, then temperatures."""
        return abs(self.n_components - other.n_components), self.temperatures.away(other.temperatures)


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
            nearest = min(reversed(usable), key=candidate.distance)
            start = principal_axes(self.maps[nearest], candidate.n_components)
            minimum = self._continue(candidate, start, settings, tol, effort.most_iterations)
            embedding, value, n_iter = minimum.embedding, minimum.value, minimum.n_iter
        else:
            fitted = clone(settings).set_params(tol=tol, **candidate.params).fit(self.train)
            embedding, value, n_iter = fitted.embedding_, fitted.loss_, fitted.n_iter_
        self.maps[candidate] = embedding
        return Found(embedding, value, n_iter, time.perf_counter() - started)

    def _continue(self, candidate: Candidate, start: Embedding, settings: TETE, tol: float, most: int) -> Minimum:
        """What the estimator does from a given start, without its checks, which cost as much as a short fit."""
        with threads(settings.n_jobs) as workers:
            objective = ShardedTriplets(self.train, candidate.n_components, workers).objective(
                candidate.temperatures.loss, settings.ridge
            )
            start = brought_back(start, objective)
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
        self, dimensions: Sequence[int], temperatures: Sequence[tuple[float, float | None]], *, verbose: bool
    ) -> Candidate:
        """The best candidate; `dimensions` fall."""
        total = len(self.folds) * (len(dimensions) + len(temperatures))
        with progress("TETECV", total=total, shown=verbose, callback=None) as (announce, self._advance):
            announce("temperatures")
            guides = [Candidate(dimensions[0], *pair) for pair in temperatures]
            n_components = dimensions[0]
            if len(dimensions) > 1:
                self._test(guides, self.folds[:1])
                announce("dimensions")
                pair = max(guides, key=self._likelihood)[1:]
                n_components = self._fewest_dimensions([Candidate(each, *pair) for each in reversed(dimensions)])
                announce("temperatures")
            best = self._best([Candidate(n_components, *pair) for pair in temperatures])
            looked_at = {best.n_components}
            while (other := self._dimension_by_results(best)) not in looked_at:  # what is shown must not contradict
                looked_at.add(other)
                best = self._best([Candidate(other, *pair) for pair in temperatures])
            return best

    def _dimension_by_results(self, chosen: Candidate) -> int:
        """The smallest dimension within one standard error of the best one, by the results as they are shown."""
        results = self.results(chosen)
        shown = best_of_each_dimension(results, chosen.params)
        likelihoods, errors = results["comparable_likelihood"][shown], results["likelihood_error"][shown]
        best = int(np.nanargmax(likelihoods))
        near = likelihoods >= likelihoods[best] - errors[best]
        return int(results["param_n_components"][shown][np.argmax(near)])

    def _best(self, candidates: Sequence[Candidate]) -> Candidate:
        """The one under which the held-out answers are most likely; those clearly worse are not tried on all folds."""
        self._test(candidates, self.folds[:FIRST_FOLDS])
        running = self._not_below_best(candidates, CLEARLY_WORSE)
        self._test(running, self.folds[FIRST_FOLDS:])
        return max(running, key=self._likelihood)

    def _race(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those of the candidates, fewer dimensions first, that are worth testing on all folds."""
        self._test(candidates, self.folds[:FIRST_FOLDS])
        running: list[Candidate] = []
        for candidate in self._not_below_best(candidates, CLEARLY_WORSE):
            if not running or self._likelihood(candidate) > self._likelihood(running[-1]):
                running.append(candidate)
        if len(running) > 1:
            self._test(running, self.folds[FIRST_FOLDS:])
        return running

    def _likelihood(self, candidate: Candidate) -> float:
        return self.trials[candidate].held_out.mean_likelihood

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
        """Those whose likelihood is at most so many standard errors of the best one below it."""
        best = self.trials[max(candidates, key=self._likelihood)].held_out
        least = best.mean_likelihood - n_errors * best.likelihood_error
        return [each for each in candidates if self._likelihood(each) >= least]

    def _not_below_best(self, candidates: Sequence[Candidate], n_errors: float) -> list[Candidate]:
        tested = {candidate: self.trials[candidate].held_out for candidate in candidates}
        best = max(tested.values(), key=lambda each: each.mean_likelihood)
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
        place = list(self.trials).index(chosen)
        likelihoods = np.array(
            [[t.held_out.likelihoods.get(fold.number, np.nan) for fold in self.folds] for t in trials]
        )
        comparable, likelihood = (_compared(each, place) for each in (scores, likelihoods))
        members = [candidate.temperatures for candidate in self.trials]
        return {
            "params": [candidate.params for candidate in self.trials],
            "param_n_components": np.array([candidate.n_components for candidate in self.trials]),
            "param_t": np.array([each.t for each in members]),
            "param_t_prime": np.array([np.nan if each.t_prime is None else each.t_prime for each in members]),
            "param_kernel": np.array([each.kernel for each in members]),
            **{f"split{place}_test_score": column for place, column in enumerate(scores.T)},
            "mean_test_score": np.nanmean(scores, axis=1),
            "std_test_score": np.nanstd(scores, axis=1),
            "standard_error": np.array([trial.held_out.standard_error for trial in trials]),
            "comparable_score": comparable,
            "comparable_likelihood": likelihood,
            "likelihood_error": np.array([trial.held_out.likelihood_error for trial in trials]),
            "rank_test_score": (1 + np.searchsorted(np.sort(-likelihood), -likelihood)).astype(np.int32),
            "mean_fit_time": np.array([sum(trial.seconds) / len(trial.held_out.scores) for trial in trials]),
            "n_iter": np.array([trial.n_iter for trial in trials]),
            "n_folds": np.sum(~np.isnan(scores), axis=1),
        }


def _compared(means: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    """Of each row the mean over folds, as if it had been tested on those of the row at `place`."""
    return np.asarray(np.nanmean(means[place]) + np.nanmean(means - means[place], axis=1))
