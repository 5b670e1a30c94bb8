"""Minimise a function of an embedding. Nothing here knows about triplets."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from tete.arrays import Callback, Embedding, Objective

__all__ = ["Minimum", "StopReason", "gradient_descent", "lbfgs"]

NO_LIMIT = np.iinfo(np.int32).max


class StopReason(StrEnum):
    """Why an optimiser stopped; `text` says it in words."""

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    CALLBACK = "callback"
    STALLED = "stalled"
    DIVERGED = "diverged"

    @property
    def text(self) -> str:
        """The reason as the end of the sentence "the optimiser stopped because ..."."""
        return _TEXTS[self]


_TEXTS = {
    StopReason.CONVERGED: "the objective hardly changed any more",
    StopReason.MAX_ITER: "it reached `max_iter` iterations",
    StopReason.CALLBACK: "the callback asked it to",
    StopReason.STALLED: "no step made the objective smaller",
    StopReason.DIVERGED: "the objective was no longer finite: `learning_rate` is too large",
}


@dataclass(frozen=True)
class Minimum:
    """Where an optimiser ended; `history` has the value after each iteration."""

    embedding: Embedding
    value: float
    history: list[float]
    stop_reason: StopReason

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.history)


def lbfgs(
    objective: Objective, start: Embedding, *, max_iter: int, tol: float, callback: Callback | None = None
) -> Minimum:
    """Limited-memory BFGS (scipy's), until an iteration lowers the objective by less than `tol` times its size."""
    history: list[float] = []
    shape = start.shape

    def flat_objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective(flat.reshape(shape))
        return value, gradient.ravel()

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        history.append(float(intermediate_result.fun))
        if callback is not None and callback(len(history), history[-1], intermediate_result.x.reshape(shape).copy()):
            raise StopIteration

    result = minimize(
        flat_objective,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_iter, "maxfun": NO_LIMIT, "ftol": tol, "gtol": 0.0, "maxcor": 10},
    )
    reasons = {0: StopReason.CONVERGED, 1: StopReason.MAX_ITER, 99: StopReason.CALLBACK}
    return Minimum(result.x.reshape(shape), float(result.fun), history, reasons.get(result.status, StopReason.STALLED))


def gradient_descent(
    objective: Objective,
    start: Embedding,
    *,
    step: float,
    max_iter: int,
    growth: float = 1.0,
    shrinkage: float = 1.0,
    callback: Callback | None = None,
) -> Minimum:
    """Plain gradient descent (paper, Algorithm 1), which remembers the best embedding it has seen.

    The step is multiplied by `growth` when the objective falls and by `shrinkage` when it rises; with both at 1 it is
    constant, as in the paper. The paper's authors use 1.01 and 0.5 in their own code.
    """
    history: list[float] = []
    stop_reason = StopReason.MAX_ITER
    embedding = start
    value, gradient = objective(embedding)
    best, best_value = embedding, value
    while len(history) < max_iter:
        embedding = embedding - step * gradient
        last_value = value
        with np.errstate(over="ignore", invalid="ignore"):  # a step too large ends below, not in a warning
            value, gradient = objective(embedding)
        if not np.isfinite(value):
            stop_reason = StopReason.DIVERGED
            break
        history.append(value)
        step *= growth if value < last_value else shrinkage
        if value < best_value:
            best, best_value = embedding, value
        if callback is not None and callback(len(history), value, embedding.copy()):
            stop_reason = StopReason.CALLBACK
            break
    return Minimum(best, best_value, history, stop_reason)
