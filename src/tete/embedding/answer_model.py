"""How likely an answer is, given a map: people err, and the more often the closer the call.

    P(answer) = lapse + (1 - 2 lapse) sigmoid(steepness * x),    x = |y_i - y_k| - |y_i - y_j|

x is the margin by which the map agrees with the answer, see `distance_margins`. Close calls (x near 0) are answered by
chance; `lapse` is the share of answers that are wrong however clear the call, as robust losses assume; `steepness`
makes up for the scale of the map, which the ridge and not the answers decides. Given the answer, the odds that it was
a lapse are lapse / (1 - lapse) exp(-steepness * x).
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import entr, expit, logit

from tete.core.types import Embedding
from tete.embedding.likeliest import maximize

__all__ = [
    "AnswerModel",
    "AnswerSample",
    "Floats",
    "UnseenAnswers",
    "fit_answer_model",
    "log_likelihood",
    "powers",
    "radius_of",
    "size_of",
    "some_rows",
    "support",
    "typical_model",
]

Floats: TypeAlias = NDArray[np.float64]

# Of lapse and of steepness times mean |x|. An answer must stay possible wherever an object is tried, so the lapse has
# a floor. The numbers are round ones; no tuning of them is recorded.
LIMITS = ((1e-3, 0.45), (0.02, 100.0))
# The likelihood is smooth, so margins next to each other are summed: a test holds the difference below one part in
# a thousand.
MOST_SUPPORT_POINTS = 4096
SAMPLED_ANSWERS = 5000  # to learn the two numbers from; no other size is recorded as tried
FEWEST_UNSEEN = 20  # 10 unseen answers taught less than Akaike's correction, 17 and more as much, 40 and more far more


class AnswerModel(NamedTuple):
    """Share of answers that are wrong however clear the call, and how sharply clear calls differ from close ones.

    The `exponent` of margins is 1 unless a map's distances are known to stretch clear calls.
    """

    lapse: float
    steepness: float
    exponent: float = 1.0

    def probability(self, margins: Floats) -> Floats:
        """Of answers with these margins."""
        return np.asarray(self.lapse + (1.0 - 2.0 * self.lapse) * expit(self.log_odds(margins)))

    def log_odds(self, margins: Floats) -> Floats:
        """Of answers with these margins that are no lapses."""
        return self.steepness * powers(margins, self.exponent)

    def probability_wrong(self, margins: Floats) -> Floats:
        """Probability that the answer was a lapse; for an unknown margin (NaN) the overall share."""
        with np.errstate(divide="ignore"):
            odds = logit(self.lapse) - self.log_odds(margins)
        return np.where(np.isnan(margins), self.lapse, expit(odds))


def powers(margins: Floats, exponent: float) -> Floats:
    """Of the sizes of margins, with their signs."""
    return margins if exponent == 1.0 else np.asarray(np.sign(margins) * np.abs(margins) ** exponent)


# For a map whose answers are not at hand: the steepness times the root mean square distance of objects from the
# centre. Held-out answers of people gave 2.7 to 4.4 (Food, Music, two sets of eggs, three pairs of temperatures).
TYPICAL_LAPSE, TYPICAL_STEEPNESS = 0.1, 3.0


class UnseenAnswers(NamedTuple):
    """Margins of answers on maps of the same kind made without them, and on the map, which has seen them."""

    margins: Floats
    seen_margins: Floats
    weights: Floats


class AnswerSample(NamedTuple):
    """Margins and weights of some of the answers a map was made of, and the map's coordinates to each triplet.

    Some of the answers may be known from maps that have not seen them.
    """

    margins: Floats
    weights: Floats
    coordinates_per_triplet: float
    unseen: UnseenAnswers | None = None

    def model(self) -> AnswerModel:
        """What these answers teach about others."""
        if self.unseen is None or len(self.unseen.weights) < FEWEST_UNSEEN:
            return fit_answer_model(self.margins, self.weights, self.coordinates_per_triplet)
        return _less_sure_by(self.unseen, fit_answer_model(self.margins, self.weights))


def fit_answer_model(margins: Floats, weights: Floats, coordinates_per_triplet: float = 0.0) -> AnswerModel:
    """The most likely model of answers that were given, from their margins on the map.

    Where the map was made of these answers, it agrees with them better than with others: it seems to gain more over
    coin tossing, by about one unit of log-likelihood for each of its coordinates (Akaike 1974), if that is little of
    the gain. The model is then made less sure until it expects what is left of the gain.
    """
    size = size_of(margins, weights)
    margins = margins / size
    lapse, log_steepness = maximize(*support(margins, weights))
    parameters = (lapse, float(np.exp(log_steepness)))
    model = AnswerModel(*(float(np.clip(value, *limits)) for value, limits in zip(parameters, LIMITS, strict=True)))
    if coordinates_per_triplet > 0.0:
        model = _less_sure(model, margins, weights, coordinates_per_triplet)
    return AnswerModel(model.lapse, model.steepness / size)


def _less_sure_by(unseen: UnseenAnswers, of_all: AnswerModel) -> AnswerModel:
    """The model of unseen answers, corrected by how much these differ from all answers where both were seen.

    The unseen answers are a part of all. Where the map has hardly learned from them, they are as unlike the others on
    it as on maps without them, so the difference is taken off; the more it has learned, the less of it.
    """
    model, seen = fit_answer_model(unseen.margins, unseen.weights), fit_answer_model(*unseen[1:])
    share = min(model.steepness / seen.steepness, 1.0)
    lapse = float(np.clip(model.lapse + share * (of_all.lapse - seen.lapse), *LIMITS[0]))
    return AnswerModel(lapse, float(model.steepness * (of_all.steepness / seen.steepness) ** share))


def some_rows(n_rows: int) -> NDArray[np.int64]:
    """Some thousand of the rows, equally far apart."""
    return np.unique(np.linspace(0, n_rows - 1, SAMPLED_ANSWERS).astype(np.int64))


def typical_model(embedding: Embedding) -> AnswerModel:
    """What is supposed of the answers of a map that was made elsewhere."""
    return AnswerModel(TYPICAL_LAPSE, TYPICAL_STEEPNESS / radius_of(embedding))


def radius_of(embedding: Embedding) -> float:
    """Root mean square distance of the objects from their centre; 1 where all are there."""
    return float(np.sqrt(np.mean(np.sum((embedding - embedding.mean(axis=0)) ** 2, axis=1)))) or 1.0


def size_of(margins: Floats, weights: Floats) -> float:
    """Their mean size, which makes up for the scale of the map; 1 where all are ties."""
    return float(np.average(np.abs(margins), weights=weights / weights.max())) or 1.0


def _less_sure(model: AnswerModel, margins: Floats, weights: Floats, cost: float) -> AnswerModel:
    """The model made less sure until it expects gain * exp(-cost / gain): less by the cost, but never below nothing.

    A map that follows its answers too closely hides close calls more than lapses, so the steepness falls by the square
    of the factor by which the lapses grow: that came nearest to unseen answers.
    """
    gain = float(np.average(np.log(2.0 * model.probability(margins)), weights=weights))
    wanted = gain * np.exp(-cost / gain) if gain > 0.0 else 0.0
    (_, most_lapses), (least_steepness, _) = LIMITS

    def weakened(factor: float) -> AnswerModel:
        return AnswerModel(min(model.lapse * factor, most_lapses), max(model.steepness / factor**2, least_steepness))

    def excess(factor: float) -> float:
        probability = weakened(factor).probability(margins)
        entropy = np.average(entr(probability) + entr(1.0 - probability), weights=weights)
        return float(np.log(2.0) - entropy) - wanted

    largest = np.sqrt(model.steepness / least_steepness)
    if excess(1.0) <= 0.0:
        return model
    return weakened(largest if excess(largest) >= 0.0 else float(brentq(excess, 1.0, largest, xtol=1e-4)))


def support(margins: Floats, weights: Floats, *, most: int = MOST_SUPPORT_POINTS) -> tuple[Floats, Floats]:
    """Few margins with the weights of many: means of neighbours in sorted order, about equal shares of the weight."""
    if len(margins) <= most:
        return margins, weights
    different, which = np.unique(margins, return_inverse=True)  # repeats are one margin of more weight
    each = np.bincount(which, weights=weights)
    passed = np.cumsum(each)
    edges = np.searchsorted(passed, np.arange(1, most) * (passed[-1] / most), side="right")
    first = np.unique(np.append(0, edges[edges < len(different)]))
    masses = np.add.reduceat(each, first)
    points = np.add.reduceat(each * different, first)
    positive = masses > 0.0
    return points[positive] / masses[positive], masses[positive]


def log_likelihood(points: Floats, masses: Floats, lapse: float, log_steepness: float) -> float:
    """Of margins with these weights."""
    likelihood = AnswerModel(lapse, float(np.exp(log_steepness))).probability(points)
    return float(np.sum(masses * np.log(np.maximum(likelihood, 1e-300))))
