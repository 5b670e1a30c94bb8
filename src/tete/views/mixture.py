"""Who belongs to which view and how reliably, given margins on maps that have not seen the answers.

A person has a view k and a reliability c; an answer with the margin x (`distance_margins`) on the view's map then has
the probability

    P = 1/2 + c (P_k - 1/2),    P_k = lapse_k + (1 - 2 lapse_k) sigmoid(steepness_k x).

c = 1 is an ordinary person, c = 0 tosses coins and c < 0 answers the reverse: these kinds keep noisy people from
becoming a view of their own. A single answer (`by="answers"`) has no reliability but the lapses of its view.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from tete.embedding.answer_model import AnswerModel, Floats
from tete.embedding.likeliest import maximize
from tete.views.unit_answers import UnitAnswers

__all__ = [
    "ANSWER_KINDS",
    "HARDLY_ANY",
    "PERSON_KINDS",
    "Kinds",
    "Memberships",
    "fit_model",
    "likelihoods",
    "memberships",
]

MOST_POINTS = 256  # margins next to each other are summed: in 4,096 points the model costs a third of everything
LIMITS = (1e-3, 0.45)  # of the lapse: an answer must stay possible
HARDLY_ANY = 5.0  # answers: of so few, no model is made
SUPPOSED_PEOPLE = 1.0  # of each view, before any are seen


@dataclass(frozen=True, eq=False)
class Kinds:
    """The reliabilities that units can have, and how many units of each are supposed before any are seen."""

    reliability: Floats
    supposed: Floats

    @property
    def first_shares(self) -> Floats:
        """Of each kind."""
        return np.asarray(self.supposed / self.supposed.sum())


PERSON_KINDS = Kinds(np.array([1.0, 0.6, 0.3, 0.0, -0.5, -1.0]), np.array([2.0, 1.0, 0.5, 0.2, 0.1, 0.1]))
ANSWER_KINDS = Kinds(np.array([1.0]), np.array([1.0]))


@dataclass(frozen=True, eq=False)
class Memberships:
    """The probability of each view and kind by unit, and how likely all answers are.

    Attributes
    ----------
    probabilities : array of shape (n_units, n_views, n_kinds)
    view_shares, kind_shares : arrays
        Of all units.
    total : float
        The marginal log-likelihood of all answers, each tested on maps made without it.
    kinds : Kinds
    """

    probabilities: Floats
    view_shares: Floats
    kind_shares: Floats
    total: float
    kinds: Kinds

    @property
    def views(self) -> Floats:
        """Of each unit the probability of each view."""
        return np.asarray(self.probabilities.sum(axis=2))

    @property
    def consistent(self) -> Floats:
        """Of each unit the probability that it is in each view and answers better than a coin."""
        return np.asarray(self.probabilities[:, :, self.kinds.reliability > 0.0].sum(axis=2))

    @property
    def at_chance(self) -> Floats:
        """Of each unit the probability that it tosses coins."""
        return np.asarray(self.probabilities[:, :, self.kinds.reliability == 0.0].sum(axis=(1, 2)))

    @property
    def reversed(self) -> Floats:
        """Of each unit the probability that it answers the reverse."""
        return np.asarray(self.probabilities[:, :, self.kinds.reliability < 0.0].sum(axis=(1, 2)))

    @property
    def reliabilities(self) -> Floats:
        """Of each unit the expected reliability."""
        return np.asarray(self.probabilities.sum(axis=1) @ self.kinds.reliability)

    @property
    def weights(self) -> Floats:
        """How much each unit counts in the map of each view."""
        return np.asarray(self.probabilities @ np.maximum(self.kinds.reliability, 0.0))


def fit_model(margins: Floats, weights: Floats) -> AnswerModel:
    """The most likely answer model of a view."""
    if weights.sum() < HARDLY_ANY:
        return AnswerModel(LIMITS[1], 0.05)
    counted = weights > 0.0
    margins, weights = margins[counted], weights[counted]
    scale = float(np.median(np.abs(margins))) or 1.0
    lapse, log_steepness = maximize(*_few_points(margins / scale, weights))
    return AnswerModel(float(np.clip(lapse, *LIMITS)), float(np.exp(log_steepness)) / scale)


def _few_points(margins: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Means of neighbours in sorted order, about the same weight in each."""
    order = np.argsort(margins, kind="stable")
    passed = np.cumsum(weights[order])
    bins = np.minimum((MOST_POINTS * (passed - 0.5 * weights[order]) / passed[-1]).astype(np.int64), MOST_POINTS - 1)
    masses = np.bincount(bins, weights=weights[order]).astype(np.float64)
    points = np.bincount(bins, weights=(weights * margins)[order])
    filled = masses > 0.0
    return points[filled] / masses[filled], masses[filled]


def likelihoods(answers: UnitAnswers, margins: Sequence[Floats], models: Sequence[AnswerModel], kinds: Kinds) -> Floats:
    """Log-likelihood of each unit's answers for each view and kind: shape (n_units, n_views, n_kinds)."""
    result = np.empty((answers.n_units, len(models), len(kinds.reliability)))
    for view, model in enumerate(models):
        excess = model.probability(margins[view]) - 0.5
        for kind, reliability in enumerate(kinds.reliability):
            result[:, view, kind] = answers.by_unit(np.log(0.5 + reliability * excess))
    return result


def memberships(
    answers: UnitAnswers, likelihood: Floats, view_shares: Floats, kind_shares: Floats, kinds: Kinds
) -> Memberships:
    """Probabilities of views and kinds by Bayes' rule, and the shares that follow from them."""
    odds = likelihood + np.log(view_shares)[:, None] + np.log(kind_shares)
    by_unit = logsumexp(odds, axis=(1, 2), keepdims=True)
    probabilities = np.exp(odds - by_unit)
    seen = answers.repeats[:, None, None] * probabilities
    in_views, of_kinds = seen.sum(axis=(0, 2)) + SUPPOSED_PEOPLE, seen.sum(axis=(0, 1)) + kinds.supposed
    total = float(answers.repeats @ by_unit.ravel())
    return Memberships(probabilities, in_views / in_views.sum(), of_kinds / of_kinds.sum(), total, kinds)
