"""The lapse model: how often an answer is wrong, and how likely each one is.

    P(answer) = eps + (1 - 2 eps) sigmoid(beta x),    x = -log l

This is the model of `answer_model`, here with an interval for eps. Given the answer, the odds of a lapse are
eps / (1 - eps) exp(-beta x). The margins x must come from maps that have not seen the answers: see `held_out`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, logit
from scipy.stats import chi2

from tete.embedding.answer_model import LARGEST_SHARE, Floats, log_likelihood, maximize, support
from tete.exceptions import UnpredictableAnswersError

__all__ = ["LapseModel", "fit_lapse"]

LARGEST_ERROR = 0.47  # beyond this, margins hardly tell right answers from wrong ones


@dataclass(frozen=True)
class LapseModel:
    """A fitted lapse model.

    Attributes
    ----------
    share : float
        The share eps of answers that are wrong beyond close calls.
    low, high : float
        A 95 % interval for it.
    slope : float
        beta: how fast answers become reliable with the margin.
    """

    share: float
    low: float
    high: float
    slope: float

    def probability_wrong(self, margins: Floats) -> Floats:
        """Probability that the answer was a lapse; for an unknown margin (NaN) the overall share."""
        with np.errstate(divide="ignore"):
            odds = logit(self.share) - self.slope * margins
        return np.where(np.isnan(margins), self.share, expit(odds))

    def probability_of_map(self, margins: Floats) -> Floats:
        """Probability that an ordinary answer agrees with the map, with lapses at the upper end of their interval."""
        return np.asarray(self.high + (1.0 - 2.0 * self.high) * expit(self.slope * np.abs(margins)))


def fit_lapse(margins: Floats, answers: NDArray[np.int64], weights: Floats) -> LapseModel:
    """Fit by maximum likelihood, each answer counting by its weight however many triplets it gave.

    The interval is that of the profile likelihood; as triplets of one answer are not independent, the likelihood ratio
    is scaled by the ratio of the clustered variance to the naive one (Godambe), and by no less than if an answer were
    one observation: it lapses as a whole, which the clustered variance does not show where few answers have lapsed.

    Parameters
    ----------
    margins : array, one number for each triplet
    answers : array of the numbers of the answers that the triplets came from
    weights : array, one number for each triplet
        How much it counts; those of an answer sum to the answer's weight.
    """
    error = float(np.average(margins <= 0.0, weights=weights))
    if error > LARGEST_ERROR:
        raise UnpredictableAnswersError(
            f"The held-out error must be at most {LARGEST_ERROR:.0%} to tell which answers are wrong, got {error:.1%}: "
            "the answers are too few, too noisy or need another dimension."
        )
    scale = float(np.median(np.abs(margins))) or 1.0
    points, masses = support(margins / scale, weights)
    share, log_slope = maximize(points, masses)
    weight_of_answer = np.bincount(answers, weights=weights)
    as_a_whole = float(np.sum(weight_of_answer**2) / np.sum(weight_of_answer))
    widening = max(_variance_ratio(margins / scale, answers, weights, share, log_slope), as_a_whole)
    limit = widening * chi2.ppf(0.95, 1) / 2.0
    best = log_likelihood(points, masses, share, log_slope)

    def excess(eps: float) -> float:
        return best - _profile(points, masses, eps, log_slope) - limit

    low = 0.0 if excess(0.0) <= 0.0 else float(brentq(excess, 0.0, share, xtol=1e-5))
    high = LARGEST_SHARE if excess(LARGEST_SHARE) <= 0.0 else float(brentq(excess, share, LARGEST_SHARE, xtol=1e-5))
    return LapseModel(share, low, high, float(np.exp(log_slope)) / scale)


def _profile(points: Floats, masses: Floats, share: float, log_slope: float) -> float:
    """The greatest likelihood with this share."""
    found = minimize_scalar(
        lambda each: -log_likelihood(points, masses, share, each),
        bounds=(log_slope - 3.0, log_slope + 3.0),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return -float(found.fun)


def _variance_ratio(
    margins: Floats, answers: NDArray[np.int64], weights: Floats, share: float, log_slope: float
) -> float:
    """How much larger the share's variance is with dependent triplets and weights than the likelihood believes."""
    steepness = np.exp(log_slope)
    sigmoid = expit(steepness * margins)
    likelihood = np.maximum(share + (1.0 - 2.0 * share) * sigmoid, 1e-12)
    in_slope = (1.0 - 2.0 * share) * sigmoid * (1.0 - sigmoid) * steepness * margins
    scores = np.column_stack([1.0 - 2.0 * sigmoid, in_slope]) / likelihood[:, None]
    information = (weights[:, None] * scores).T @ scores
    by_answer = np.column_stack([np.bincount(answers, weights=weights * column) for column in scores.T])
    inverse = np.linalg.pinv(information)
    clustered = inverse @ (by_answer.T @ by_answer) @ inverse
    return float(clustered[0, 0] / inverse[0, 0]) if inverse[0, 0] > 0.0 else 1.0
