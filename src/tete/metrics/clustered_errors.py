"""Standard errors of shares whose parts come from independent units: answers, or people with all their answers."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

__all__ = ["share_error", "share_interval"]

Floats = NDArray[np.float64]


def share_error(agreed: Floats, weights: Floats, copies: Floats | None = None) -> float:
    """Standard error of sum(agreed) / sum(weights), one entry for each unit.

    For people, sqrt(P / (P - 1) sum_p (n_p (a_p - a))^2) / sum n_p, where person p agrees in the share a_p of n_p
    answers and all in the share a. NaN with fewer than two units that count.

    Parameters
    ----------
    agreed, weights : arrays, one number for each unit
    copies : array, one number for each unit, optional
        How many equal units it stands for, which are independent of each other; by default one.
    """
    counted = weights > 0.0
    agreed, weights = agreed[counted], weights[counted]
    alike = np.ones(len(weights)) if copies is None else copies[counted]
    n_units, total = float(alike.sum()), float(weights.sum())
    if n_units <= 1.0:
        return np.nan
    squares = (agreed - weights * (agreed.sum() / total)) ** 2 / alike
    return float(np.sqrt(n_units / (n_units - 1.0) * squares.sum()) / total)


def share_interval(share: float, error: float, n_units: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of a share by Student's distribution, within [0, 1]; few units know their own spread badly."""
    reach = float(stdtrit(n_units - 1, 0.5 + level / 2.0)) * error
    return max(share - reach, 0.0), min(share + reach, 1.0)
