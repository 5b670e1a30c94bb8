"""How likely an answer is, given a map: people err, and the more often the closer the call.

    P(answer) = lapse + (1 - 2 lapse) / (1 + l^steepness)

with l of eq. (loss). `lapse` is the share of answers that are wrong however clear the call, as robust losses assume;
`steepness` makes up for the scale of the map, which the ridge and not the answers decides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

__all__ = ["TYPICAL", "AnswerModel", "fit_answer_model"]

LIMITS = ((1e-3, 0.45), (0.05, 20.0))


class AnswerModel(NamedTuple):
    """Share of answers that are wrong however clear the call, and how sharply clear calls differ from close ones."""

    lapse: float
    steepness: float

    def probability(self, log_ratio: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of answers with these log l."""
        clear = 1.0 / (1.0 + np.exp(np.clip(self.steepness * log_ratio, -500.0, 500.0)))
        return np.asarray(self.lapse + (1.0 - 2.0 * self.lapse) * clear)

    def slope(self, log_ratio: NDArray[np.float64]) -> NDArray[np.float64]:
        """Derivative of the probability in log l."""
        clear = 1.0 / (1.0 + np.exp(np.clip(self.steepness * log_ratio, -500.0, 500.0)))
        return np.asarray(-(1.0 - 2.0 * self.lapse) * self.steepness * clear * (1.0 - clear))


TYPICAL = AnswerModel(0.1, 2.0)  # for a map whose answers are not at hand


def fit_answer_model(log_ratios: NDArray[np.float64], weights: NDArray[np.float64]) -> AnswerModel:
    """The most likely model of answers that were given, from their log l on the map."""

    def surprise(parameters: NDArray[np.float64]) -> float:
        return -float(np.average(np.log(AnswerModel(*parameters).probability(log_ratios)), weights=weights))

    lapse, steepness = minimize(surprise, np.array(TYPICAL), bounds=LIMITS, method="L-BFGS-B").x
    return AnswerModel(float(lapse), float(steepness))
