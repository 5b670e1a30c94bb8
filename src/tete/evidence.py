"""Whether people and objects go against the map more than chance lets expect, with many of them tested at once.

The evidence of an answer is its log odds under the lapse model, positive where the map agrees: an answer to a clear
question counts more than one to a close call. Tails of sums are bounded by Chernoff's inequality,

    P(sum <= s) <= min over theta >= 0 of exp(theta s) * product of E exp(-theta evidence),

which holds for any number of answers, so that nobody is accused because an approximation is rough.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["benjamini_hochberg", "better_than_chance", "holm", "worse_than_chance", "worse_than_expected"]

Floats = NDArray[np.float64]

TILTS = np.concatenate([[0.0], np.geomspace(0.02, 4.0, 30)])  # every theta gives a valid bound; the best one is taken


def worse_than_expected(evidence: Floats, units: NDArray[np.int64], n_units: int) -> Floats:
    """For each unit a bound on the probability of so little evidence if its answers were ordinary ones."""
    return _lower_tail(evidence, expit(np.abs(evidence)), units, n_units)


def worse_than_chance(evidence: Floats, units: NDArray[np.int64], n_units: int) -> Floats:
    """The same if its answers were given by tossing a coin."""
    return _lower_tail(evidence, np.full(len(evidence), 0.5), units, n_units)


def better_than_chance(evidence: Floats, units: NDArray[np.int64], n_units: int) -> Floats:
    """For each unit a bound on the probability of so much evidence if a coin had been tossed."""
    return worse_than_chance(-evidence, units, n_units)


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


def _lower_tail(evidence: Floats, positive: Floats, units: NDArray[np.int64], n_units: int) -> Floats:
    """Chernoff's bound for answers whose evidence is +|evidence| with probability `positive`, else -|evidence|."""
    size = np.abs(evidence)
    exponents = np.empty((len(TILTS), n_units))
    for row, tilt in enumerate(TILTS):
        logs = np.logaddexp(np.log(positive) - tilt * size, np.log1p(-positive) + tilt * size)
        exponents[row] = np.bincount(units, weights=logs + tilt * evidence, minlength=n_units)
    return np.asarray(np.exp(np.minimum(exponents.min(axis=0), 0.0)))
