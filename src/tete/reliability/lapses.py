"""How many answers are wrong: the answer model of held-out margins, with an interval for its share of lapses.

The margins must come from maps that have not seen the answers: see `held_out`. On its own answers a map looks too good.
Maps stretch or squeeze large distances, each kernel in its own way, so margins are raised to a power near 1: left at 1,
disagreement with clear calls counted as close calls, and the share of wrong answers came out too low.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import chdtri, expit, stdtrit

from tete.embedding.answer_model import (
    AnswerModel,
    Floats,
    log_likelihood,
    powers,
    size_of,
    support,
)
from tete.embedding.likeliest import LARGEST_LAPSE, maximize
from tete.exceptions import UnpredictableAnswersError

__all__ = ["LapseEstimate", "fit_lapses", "vagueness"]

LARGEST_ERROR = 0.47  # beyond this, margins hardly tell right answers from wrong ones
# Beyond this, probabilities of single answers were wrong by up to 0.2 (Music with 30 % reversed), else by 0.1 at most.
WIDEST_INTERVAL = 0.15
# The maps are estimated, too, and all answers of a fold share one: without this factor of the variance 92 % of the 95 %
# intervals held the share. Chosen on 360 draws; docs/method.md says what it does on others.
OF_MAPS = 1.3
# Standard deviation of the logarithm of the power, before answers are seen. Many answers decide it anyway; with few it
# must not become a second name for lapses, which a free power does. Chosen among 0.05, 0.1 and 0.2 on other draws than
# docs/method.md tells of.
OF_POWER = 0.1
POWER_POINTS = 512  # margins to find the power by


@dataclass(frozen=True)
class LapseEstimate:
    """The answer model of held-out margins, and the 95 % interval of its lapse.

    Attributes
    ----------
    model : AnswerModel
        Its `lapse` is the share of answers that are wrong beyond close calls.
    low, high : float
        The interval.
    """

    model: AnswerModel
    low: float
    high: float

    def probability_of_map(self, margins: Floats) -> Floats:
        """Probability that an ordinary answer agrees with the map, with lapses at the upper end of their interval."""
        return self.model._replace(lapse=self.high).probability(np.abs(margins))


def vagueness(low: float, high: float) -> str:
    """What to add to such an interval where answers are too few and noisy to tell which of them are wrong."""
    return ", too vague to tell which" if high - low > WIDEST_INTERVAL else ""


def fit_lapses(
    margins: Floats,
    answers: NDArray[np.int64],
    weights: Floats,
    people: NDArray[np.int64] | None = None,
    copies: Floats | None = None,
) -> LapseEstimate:
    """Fit by maximum likelihood, each answer counting by its weight however many triplets it gave.

    The interval is that of the profile likelihood; as triplets of one answer are not independent, the likelihood ratio
    is scaled by the ratio of the clustered variance to the naive one (Godambe), and by no less than if an answer were
    one observation: it lapses as a whole, which the clustered variance does not show where few answers have lapsed. A
    constant share is added for the errors of the maps.

    Parameters
    ----------
    margins : array, one number for each triplet
    answers : array of the numbers of the answers that the triplets came from
    weights : array, one number for each triplet
        How much it counts; those of an answer sum to the answer's weight.
    people : array of the numbers of who gave the triplets, optional
        Then people and not answers are independent, and the interval is one for other people of the same kind.
    copies : array, one number for each triplet, optional
        How many equal answers its answer stands for, which are independent of each other; by default one.
    """
    _refuse_unpredictable(margins, weights)
    scale = size_of(margins, weights)
    exponent = _exponent(margins / scale, weights)
    margins = powers(margins / scale, exponent)
    points, masses = support(margins, weights)
    lapse, log_steepness = maximize(points, masses)
    weight_of_answer, copies_of_answer = np.bincount(answers, weights=weights), np.ones(int(answers.max()) + 1)
    if copies is not None:
        copies_of_answer[answers] = np.where(copies > 0.0, copies, 1.0)
    as_a_whole = float(np.sum(weight_of_answer**2 / copies_of_answer) / np.sum(weight_of_answer))
    scores = margins, answers, weights, copies_of_answer
    widening = max(_variance_ratio(*scores, lapse, log_steepness), as_a_whole)
    limit = OF_MAPS * widening * float(chdtri(1, 0.05)) / 2.0
    if people is not None:
        n_people = len(np.unique(people[weights > 0.0]))
        alone = np.ones(int(people.max()) + 1)
        by_people = _variance_ratio(margins, people, weights, alone, lapse, log_steepness)
        widening = max(widening, by_people * n_people / (n_people - 1.0))
        limit = OF_MAPS * widening * float(stdtrit(n_people - 1, 0.975)) ** 2 / 2.0
    best = log_likelihood(points, masses, lapse, log_steepness)

    def excess(eps: float) -> float:
        return best - _profile(points, masses, eps, log_steepness) - limit

    def end(outermost: float) -> float:
        if excess(outermost) <= 0.0:
            return outermost
        # So many answers that rounding outweighs the limit leave nothing open.
        return lapse if excess(lapse) >= 0.0 else float(brentq(excess, outermost, lapse, xtol=1e-5))

    model = AnswerModel(lapse, float(np.exp(log_steepness) / scale**exponent), exponent)
    return LapseEstimate(model, end(0.0), end(LARGEST_LAPSE))


def _refuse_unpredictable(margins: Floats, weights: Floats) -> None:
    """Margins must tell right answers from wrong ones."""
    if not np.any(weights > 0.0):
        raise UnpredictableAnswersError(
            "Held-out answers about objects that other answers mention are needed to tell which are wrong, got none "
            "that counts."
        )
    error = float(np.average(margins <= 0.0, weights=weights))
    if error > LARGEST_ERROR:
        raise UnpredictableAnswersError(
            f"The held-out error must be at most {LARGEST_ERROR:.0%} to tell which answers are wrong, got {error:.1%}: "
            "the answers are too few, too noisy or need another dimension."
        )


def _exponent(margins: Floats, weights: Floats) -> float:
    """The most likely power of the margins, near 1: the top of a parabola through three powers."""
    points, masses = support(margins, weights, most=POWER_POINTS)

    def log_posterior(log_exponent: float) -> float:
        powered = powers(points, float(np.exp(log_exponent)))
        return log_likelihood(powered, masses, *maximize(powered, masses)) - 0.5 * (log_exponent / OF_POWER) ** 2

    below, middle, above = (log_posterior(step) for step in (-OF_POWER, 0.0, OF_POWER))
    bend = below - 2.0 * middle + above
    if not bend < 0.0:
        return 1.0
    return float(np.exp(OF_POWER * np.clip(0.5 * (below - above) / bend, -2.0, 2.0)))


def _profile(points: Floats, masses: Floats, lapse: float, log_steepness: float) -> float:
    """The greatest likelihood with this lapse."""
    found = minimize_scalar(
        lambda each: -log_likelihood(points, masses, lapse, each),
        bounds=(log_steepness - 3.0, log_steepness + 3.0),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return -float(found.fun)


def _variance_ratio(
    margins: Floats,
    answers: NDArray[np.int64],
    weights: Floats,
    copies_of_answer: Floats,
    lapse: float,
    log_steepness: float,
) -> float:
    """How much larger the lapse's variance is with dependent triplets and weights than the likelihood believes."""
    steepness = float(np.exp(log_steepness))
    sigmoid = expit(steepness * margins)
    likelihood = np.maximum(AnswerModel(lapse, steepness).probability(margins), 1e-12)
    in_steepness = (1.0 - 2.0 * lapse) * sigmoid * (1.0 - sigmoid) * steepness * margins
    scores = np.column_stack([1.0 - 2.0 * sigmoid, in_steepness]) / likelihood[:, None]
    information = (weights[:, None] * scores).T @ scores
    sums = np.column_stack([np.bincount(answers, weights=weights * column) for column in scores.T])
    by_answer = sums / np.sqrt(copies_of_answer)[:, None]  # c copies with a c-th of the sum each
    inverse = np.linalg.pinv(information)
    clustered = inverse @ (by_answer.T @ by_answer) @ inverse
    return float(clustered[0, 0] / inverse[0, 0]) if inverse[0, 0] > 0.0 else 1.0
