"""Margins of answers on maps that have not seen them, so that no answer vouches for itself."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.by_people import By
from tete.comparisons.folds import blocks_of, folds, kind_of_blocks
from tete.comparisons.triplets import Triplets
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_whole
from tete.embedding.answer_model import Floats
from tete.embedding.fitted_map import FittedMap, fitted_to
from tete.embedding.fitting import TripletEmbedding
from tete.embedding.packed import PackedAnswers
from tete.exceptions import InvalidTripletsError

__all__ = ["FEWEST_ANSWERS", "HeldOutAnswers", "held_out_answers", "held_out_margins", "held_out_sample"]

FEWEST_ANSWERS = 20  # with fewer, held-out answers say nothing: a fold of five would have less than four
# A refit started from the map of all answers costs a fifth, but remembers them where objects have few. Measured on
# held-out error: 1 point too low at 23 triplets an object, 0.1 at 60.
DENSE = 50
# Of other refits. A tenth of that takes half as long again and changed held-out accuracy by .001 on average (Music,
# three splits), a third of its standard error; ten times as much would lose .003.
LOOSE_TOLERANCE = 1e-5
# Where objects have few answers, maps made without a fifth of them err more than the map of all, and another deal of
# the folds gives other errors; so do maps without a fifth of the people. Mean margins over three deals err about as
# little as the map of all, so that accuracy comes out nearly right and clear disagreement is less often the map's own
# fault; five deals were hardly better. With more answers than this, fits cost more and differ less.
N_DEALS, MOST_ANSWERS = 3, 20_000


def held_out_margins(
    estimator: FittedMap,
    triplets: Triplets,
    *,
    n_folds: int | None = None,
    by: By = "answers",
    random_state: RandomState = 0,
) -> Floats:
    """For each triplet the margin (`distance_margins`) on a map made without its answer and a share of others.

    The answers are dealt into folds, whole, and each fold is tested on a map of the others. NaN where one of the
    objects occurs in no other fold.

    Parameters
    ----------
    estimator : fitted map, or an estimator of one, which is then fitted to all answers first
        It is left alone. Where there are at least 50 triplets an object, refits start from the map of all answers.
    triplets : Triplets
    n_folds : int, optional
        How many; by default five, or as many as there are groups.
    by : "answers" or "annotators", default="answers"
        With "annotators" all answers of a person are held out together.
    random_state : int, generator or None, default=0
    """
    if n_folds is not None:
        check_whole("n_folds", n_folds, least=2)
    n_answers, fewest = triplets.n_answers, max(FEWEST_ANSWERS, n_folds or 0)
    if n_answers < fewest:
        raise InvalidTripletsError(f"At least {fewest} answers are needed to hold some out, got {n_answers}.")
    fitted = fitted_to(estimator, triplets)
    start = fitted.embedding_ if _is_dense(triplets) else None
    maker = fitted if start is not None else _loosened(fitted)
    margins = np.empty(len(triplets))
    blocks, kind = blocks_of(triplets, by), kind_of_blocks(triplets, by)
    for others, tested in folds(n_folds, blocks, random_state, name="n_folds", kind=kind):
        train, test = triplets.select(others), triplets.select(tested)
        known = train.select(train.weights_or_ones() > 0).mentions() > 0
        found = fitted.margins(test, embedding=maker.map_of(train, start=start))
        margins[tested] = np.where(known[test.anchor] & known[test.near] & known[test.far], found, np.nan)
    return margins


def held_out_answers(
    fitted: FittedMap,
    triplets: Triplets,
    *,
    n_folds: int | None = None,
    by: By = "answers",
    random_state: RandomState = 0,
) -> "HeldOutAnswers":
    """Every answer with its margin on a map made without it or, by annotators, without anything of the same person.

    Where maps made without a fold are worth less than that of all, means of the margins on several of them.
    """
    rng = make_generator(random_state)
    is_once = triplets.n_answers > MOST_ANSWERS or (by == "answers" and _is_dense(triplets))
    deals = [
        held_out_margins(fitted, triplets, n_folds=n_folds, by=by, random_state=rng)
        for _ in range(1 if is_once else N_DEALS)
    ]
    return HeldOutAnswers(triplets, _means_of_known(np.array(deals)))


def _means_of_known(deals: Floats) -> Floats:
    """Of each column, without what is NaN."""
    told = np.isfinite(deals)
    sums, counts = np.where(told, deals, 0.0).sum(axis=0), told.sum(axis=0)
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _is_dense(triplets: Triplets) -> bool:
    """Whether objects have so many answers that a map of some of them is nearly that of all."""
    return bool(triplets.counts().sum() >= DENSE * triplets.n_objects)


def _loosened(fitted: FittedMap) -> FittedMap:
    """The map with a larger tolerance for refits, where it, or the one that was chosen, has one."""
    chosen = getattr(fitted, "best_estimator_", fitted)
    if not isinstance(chosen, TripletEmbedding):
        return fitted
    loosened = copy(chosen)  # it knows the maps that its temperatures were chosen by
    loosened.tol = max(chosen.tol, LOOSE_TOLERANCE)
    return loosened


def held_out_sample(fitted: FittedMap, answers: PackedAnswers) -> "HeldOutAnswers":
    """A sample of packed answers with their margins on one map made of all others."""
    others, sample = answers.hold_out()
    if sample.n_answers < FEWEST_ANSWERS:
        raise InvalidTripletsError(
            f"At least {FEWEST_ANSWERS} answers are needed to hold some out, got {sample.n_answers}."
        )
    start = fitted.embedding_ if len(answers) >= DENSE * answers.n_objects else None
    known = others.mentions() > 0
    found = fitted.margins(sample, embedding=fitted.map_of(others, start=start))
    told = known[sample.anchor] & known[sample.near] & known[sample.far]
    return HeldOutAnswers(sample, np.where(told, found, np.nan))


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Triplets with their held-out margins, summed up by answer: one entry for each, NaN where nothing is known."""

    triplets: Triplets
    margins: Floats

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which triplets have a known margin."""
        return np.isfinite(self.margins)

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """For each triplet the number of its answer."""
        return self.triplets.answer_numbers()

    @cached_property
    def shares_of_answers(self) -> Floats:
        """How much each triplet with a known margin counts: those of an answer share its weight."""
        answers = self.answers[self.known]
        return np.asarray(self.triplets.counts()[self.known] / np.bincount(answers)[answers])

    @cached_property
    def counts(self) -> Floats:
        """For each answer how many answers it stands for: its weight, as if its line were repeated."""
        return self.triplets.answer_counts()

    @cached_property
    def first_rows(self) -> NDArray[np.int64]:
        """For each answer its first triplet."""
        return np.unique(self.answers, return_index=True)[1]

    def by_answer(self, values: Floats) -> Floats:
        """For each answer the mean over its triplets with a known margin."""
        n_answers = len(self.first_rows)
        sums = np.bincount(self.answers[self.known], weights=values[self.known], minlength=n_answers)
        counts = np.bincount(self.answers[self.known], minlength=n_answers)
        return np.asarray(np.divide(sums, counts, out=np.full(n_answers, np.nan), where=counts > 0))

    @cached_property
    def agreement(self) -> Floats:
        """For each answer the share of its triplets that the map agrees with."""
        return self.by_answer((self.margins > 0.0).astype(np.float64))

    @cached_property
    def known_answers(self) -> NDArray[np.bool_]:
        """Which answers have a known margin, and count."""
        return np.isfinite(self.agreement) & (self.counts > 0.0)

    @property
    def n_known(self) -> int:
        """How many answers have a known margin, weights counted as repeats."""
        return round(float(self.counts[self.known_answers].sum()))

    @property
    def accuracy(self) -> float:
        """Mean agreement of these."""
        return float(np.average(self.agreement[self.known_answers], weights=self.counts[self.known_answers]))

    @property
    def accuracy_error(self) -> float:
        """Its standard error."""
        counts = self.counts[self.known_answers]
        squares = (self.agreement[self.known_answers] - self.accuracy) ** 2
        return float(np.sqrt(np.average(squares, weights=counts) / counts.sum()))
