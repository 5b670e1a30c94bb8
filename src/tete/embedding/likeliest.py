"""The most likely answer model of margins with weights: a search for the lapse and the steepness.

Given the steepness, the likelihood is concave in the lapse; over the steepness it may have several tops. So the best
lapse is found for many degrees of steepness at once, and from the best pair Newton's method climbs to the top.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["LARGEST_LAPSE", "maximize"]

Floats: TypeAlias = NDArray[np.float64]

LARGEST_LAPSE = 0.5  # then every answer is a coin's
# Where the search for the steepness begins, in units of 1 / mean |x|: from answers that margins hardly tell apart
# (e^-4) to a step (e^5). Wide by intention; the best of these is refined.
LOG_STEEPNESS = np.linspace(-4.0, 5.0, 19)
ROUGHLY, CLOSELY = 1e-2, 1e-9  # last steps of the lapses to begin with, and of both in the end
FIRST_LAPSE = 0.1  # most answers are right
MOST_STEPS = 60  # as many halvings of an interval leave nothing of it
LEAST_PART_OF_A_STEP = 1e-9  # where no more of Newton's step leads upwards, rounding decides
SMALLEST = 1e-300  # of what is divided by


def maximize(points: Floats, masses: Floats) -> tuple[float, float]:
    """The best lapse and logarithm of the steepness."""
    shares = masses / 2.0 ** np.frexp(masses.max())[1]  # by a power of 2, which changes no digit: sums stay finite
    sigmoids = expit(np.exp(LOG_STEEPNESS)[:, None] * points)
    lapses = _best_lapses(sigmoids, shares)
    best = int(np.argmax(_log_likelihood(sigmoids, shares, lapses[:, None])))
    low, high = LOG_STEEPNESS[max(best - 1, 0)], LOG_STEEPNESS[min(best + 1, len(LOG_STEEPNESS) - 1)]
    limits = np.array([[0.0, low], [LARGEST_LAPSE, high]])
    lapse, log_steepness = _climb(points, shares, np.array([lapses[best], LOG_STEEPNESS[best]]), limits)
    return float(lapse), float(log_steepness)


def _log_likelihood(sigmoids: Floats, shares: Floats, lapse: Floats | float) -> Floats:
    likelihoods = np.maximum(sigmoids + lapse * (1.0 - 2.0 * sigmoids), SMALLEST)
    return np.asarray(np.sum(shares * np.log(likelihoods), axis=-1))


def _best_lapses(sigmoids: Floats, shares: Floats) -> Floats:
    """For each row the root in [0, 1/2] of the derivative of sum log(s + lapse (1 - 2 s)), which falls with the lapse.

    By Newton's method, or by halving where that would leave the interval that is left.
    """
    tilts = 1.0 - 2.0 * sigmoids

    def ratios(lapses: Floats) -> Floats:
        return np.asarray(tilts / np.maximum(sigmoids + lapses[:, None] * tilts, SMALLEST))

    low, high = np.zeros(len(sigmoids)), np.full(len(sigmoids), LARGEST_LAPSE)
    is_low, is_high = np.sum(shares * ratios(low), axis=1) <= 0.0, np.sum(shares * ratios(high), axis=1) >= 0.0
    lapses = np.full(len(sigmoids), FIRST_LAPSE)
    for _ in range(MOST_STEPS):
        ratio = ratios(lapses)
        slope, bend = np.sum(shares * ratio, axis=1), np.sum(shares * ratio**2, axis=1)
        low, high = np.where(slope > 0.0, lapses, low), np.where(slope > 0.0, high, lapses)
        step = np.divide(slope, bend, out=np.zeros_like(slope), where=bend > 0.0)
        inside = (lapses + step > low) & (lapses + step < high)
        before, lapses = lapses, np.where(inside, lapses + step, 0.5 * (low + high))
        if np.all((np.abs(lapses - before) <= ROUGHLY) | is_low | is_high):
            break
    return np.where(is_low, 0.0, np.where(is_high, LARGEST_LAPSE, lapses))


def _climb(points: Floats, shares: Floats, place: Floats, limits: Floats) -> Floats:
    """The top that Newton's method leads to from a place, within the limits of both numbers."""
    low, high = limits

    def height(lapse: float, log_steepness: float) -> float:
        return float(_log_likelihood(expit(np.exp(log_steepness) * points), shares, lapse))

    value = height(*place)
    for _ in range(MOST_STEPS):
        step = _newton_step(*_derivatives(points, shares, *place), at_low=place <= low, at_high=place >= high)
        part, after = 1.0, place
        while part > LEAST_PART_OF_A_STEP:
            after = np.clip(place + part * step, low, high)
            reached = height(*after)
            if reached >= value:
                break
            part *= 0.5
        else:
            return place
        moved, place, value = np.max(np.abs(after - place)), after, reached
        if moved <= CLOSELY:
            break
    return place


def _derivatives(points: Floats, shares: Floats, lapse: float, log_steepness: float) -> tuple[Floats, Floats]:
    """Gradient and Hessian of the log-likelihood in the lapse and the logarithm of the steepness."""
    odds = np.exp(log_steepness) * points
    sigmoid = expit(odds)
    tilt, rise = 1.0 - 2.0 * sigmoid, sigmoid * (1.0 - sigmoid) * odds
    likelihood = np.maximum(sigmoid + lapse * tilt, SMALLEST)
    by_lapse, by_steepness = tilt / likelihood, (1.0 - 2.0 * lapse) * rise / likelihood
    both = -2.0 * rise / likelihood - by_lapse * by_steepness
    twice = by_steepness * (1.0 + tilt * odds) - by_steepness**2
    terms = shares * np.array([by_lapse, by_steepness, -(by_lapse**2), both, twice])
    first, second, *(a, b, c) = terms.sum(axis=1)
    return np.array([first, second]), np.array([[a, b], [b, c]])


def _newton_step(gradient: Floats, hessian: Floats, *, at_low: NDArray[np.bool_], at_high: NDArray[np.bool_]) -> Floats:
    """Upwards, along each number for itself where the two together do not bend down; not beyond a limit."""
    free = ~((at_low & (gradient <= 0.0)) | (at_high & (gradient >= 0.0)))
    bends_down = hessian[0, 0] < 0.0 and np.linalg.det(hessian) > 0.0
    if free.all() and bends_down:
        return np.asarray(-np.linalg.solve(hessian, gradient))
    bends = np.abs(np.diag(hessian))
    return np.divide(gradient, bends, out=np.zeros(2), where=free & (bends > 0.0))
