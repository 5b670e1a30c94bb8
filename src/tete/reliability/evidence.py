"""Whether people and objects go against the map more than chance lets expect, with many of them tested at once.

The evidence of an answer is its log odds under the lapse model, positive where the map agrees: an answer to a clear
question counts more than one to a close call. For units with few answers the distribution of the sum is computed, with
evidence rounded to levels, which leaves the test exact. For others it is bounded by Chernoff's inequality,

    P(sum <= s) <= min over theta >= 0 of exp(theta s) * product of E exp(-theta evidence).

Both hold for any number of answers, so that nobody is accused because an approximation is rough. An answer that counts
c times is c such answers; the bound takes parts of answers, too.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tete.core.compilation import compiled

__all__ = ["benjamini_hochberg", "better_than_chance", "holm", "worse_than_chance", "worse_than_expected"]

Floats = NDArray[np.float64]

FEW_ANSWERS = 200  # up to here tails are exact; beyond, the bound tells as much
LEVELS = 32  # to which evidence is rounded: the test stays exact, so they cost power and not validity; not tuned
TILTS = np.concatenate([[0.0], np.geomspace(0.02, 4.0, 30)])  # every theta gives a valid bound; the best one is taken


def worse_than_expected(
    evidence: Floats,
    units: NDArray[np.int64],
    n_units: int,
    counts: Floats | None = None,
    answers: NDArray[np.int64] | None = None,
) -> Floats:
    """For each unit a bound on the probability of so little evidence if its answers were ordinary ones.

    Where an answer belongs to several units, `answers` has its number, beside each of them in `units`.
    """
    return _lower_tail(evidence, expit(np.abs(evidence)), units, n_units, counts, answers)


def worse_than_chance(
    evidence: Floats,
    units: NDArray[np.int64],
    n_units: int,
    counts: Floats | None = None,
    answers: NDArray[np.int64] | None = None,
) -> Floats:
    """The same if its answers were given by tossing a coin."""
    return _lower_tail(evidence, np.full(len(evidence), 0.5), units, n_units, counts, answers)


def better_than_chance(
    evidence: Floats,
    units: NDArray[np.int64],
    n_units: int,
    counts: Floats | None = None,
    answers: NDArray[np.int64] | None = None,
) -> Floats:
    """For each unit a bound on the probability of so much evidence if a coin had been tossed."""
    return worse_than_chance(-evidence, units, n_units, counts, answers)


def holm(p_values: Floats) -> Floats:
    """Adjusted p-values of Holm (1979): the chance of even one false alarm stays below the level."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Adjusted p-values of Benjamini and Hochberg (1995): the share of false alarms stays below the level."""
    order = np.argsort(-p_values, kind="stable")
    factors = len(p_values) / np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.minimum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def _lower_tail(
    evidence: Floats,
    positive: Floats,
    units: NDArray[np.int64],
    n_units: int,
    counts: Floats | None,
    answers: NDArray[np.int64] | None,
) -> Floats:
    """P(sum so low) for answers whose evidence is +|evidence| with probability `positive`, else -|evidence|."""
    counts = np.ones(len(evidence)) if counts is None else counts
    answers = np.arange(len(units)) if answers is None else answers
    in_parts = np.bincount(units, weights=(counts != np.rint(counts))[answers], minlength=n_units) > 0
    n_answers = np.bincount(units, weights=counts[answers], minlength=n_units)
    bounded = (n_answers > FEW_ANSWERS) | in_parts
    few = ~bounded[units]
    result = np.ones(n_units)
    if bounded.any():
        result[bounded] = _bound(evidence, positive, units[~few], n_units, counts, answers[~few])[bounded]
    order = np.flatnonzero(few)[np.argsort(units[few], kind="stable")]
    order = np.repeat(order, counts[answers[order]].astype(np.int64))
    edges = np.searchsorted(units[order], np.arange(n_units + 1))
    step = np.abs(evidence[answers[few]]).max(initial=0.0) / LEVELS or 1.0
    levels = np.rint(evidence[answers[order]] / step).astype(np.int64)
    for unit in np.flatnonzero((n_answers > 0) & ~bounded):
        rows = slice(edges[unit], edges[unit + 1])
        result[unit] = _exact_tail(levels[rows], positive[answers[order[rows]]])
    return result


def _bound(
    evidence: Floats,
    positive: Floats,
    units: NDArray[np.int64],
    n_units: int,
    counts: Floats,
    answers: NDArray[np.int64],
) -> Floats:
    """Chernoff's."""
    size = np.abs(evidence)
    exponents = np.empty((len(TILTS), n_units))
    for row, tilt in enumerate(TILTS):
        growth = np.exp(tilt * size)
        logs = counts * (np.log(positive / growth + (1.0 - positive) * growth) + tilt * evidence)
        exponents[row] = np.bincount(units, weights=logs[answers], minlength=n_units)
    return np.asarray(np.exp(np.minimum(exponents.min(axis=0), 0.0)))


@compiled(error_model="numpy")
def _exact_tail(levels: NDArray[np.int64], positive: Floats) -> float:
    """Of a sum of whole numbers: answer by answer, the distribution of the sum moves up or down."""
    sizes = np.abs(levels)
    reach = sizes.sum()
    middle = reach + sizes.max()  # beyond what can be reached are zeros, so that sums need no borders
    chances, moved = np.zeros(2 * middle + 1), np.zeros(2 * middle + 1)
    chances[middle] = 1.0
    passed = 0
    for answer in range(levels.shape[0]):
        size, up, down = sizes[answer], positive[answer], 1.0 - positive[answer]
        passed += size
        first, end = middle - passed, middle + passed + 1
        below, above = chances[first - size : end - size], chances[first + size : end + size]
        sums = moved[first:end]
        for place in range(len(sums)):  # from 0 on, which lets several be added at once
            sums[place] = up * below[place] + down * above[place]
        chances, moved = moved, chances
    return float(chances[: middle + levels.sum() + 1].sum())
