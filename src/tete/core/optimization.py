"""Minimise a function of an embedding: four ways down, and why each stopped. Nothing here knows about triplets.

`lbfgs` for objectives that stay the same, `gradient_descent` as in the paper, `momentum_descent` and `adam` for maps
of features, in their own precision; `adam` also for objectives that change from iteration to iteration.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.blas import one_blas_thread
from tete.core.compilation import compiled
from tete.core.threads import SERIAL, Threads, row_slices
from tete.core.types import Callback, Embedding, Objective

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

__all__ = [
    "DescentSteps",
    "Minimum",
    "StopReason",
    "adam",
    "descent_steps",
    "gradient_descent",
    "lbfgs",
    "momentum_descent",
]

AnyEmbedding: TypeAlias = NDArray[Any]  # in any precision, which is kept

NO_LIMIT = np.iinfo(np.int32).max  # scipy would stop at 15,000 evaluations of the objective
NUMBERS_IN_A_PIECE = 131_072  # of a step: fewer are done sooner than a thread wakes up
ADAM_DECAY = (0.9, 0.999)  # of the moment and of its square, as Kingma and Ba recommend


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
    from scipy.optimize import minimize  # noqa: PLC0415  (takes long to import, and maps of features do without)

    history: list[float] = []
    shape = start.shape

    def flat_objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        with np.errstate(over="ignore", invalid="ignore"):  # a step too large is taken back, not warned of
            value, gradient = objective(flat.reshape(shape))
        return value, gradient.ravel()

    def after_iteration(intermediate_result: "OptimizeResult") -> None:
        history.append(float(intermediate_result.fun))
        if callback is not None and callback(len(history), history[-1], intermediate_result.x.reshape(shape).copy()):
            raise StopIteration

    with one_blas_thread():  # ten times faster on 50 to 2,000 objects; the objective's own threads are others
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


class DescentSteps(NamedTuple):
    """The first step of a gradient descent, and the factors after a better and after a worse step."""

    step: float
    growth: float = 1.0
    shrinkage: float = 1.0


def descent_steps(learning_rate: Literal["auto"] | float, n_points: int, total_weight: float) -> DescentSteps:
    """Steps on a weighted mean of losses over `n_points` points.

    "auto" is what the paper's authors do in their own code: 2 n on the mean at first, times 1.01 after a better step,
    times 0.5 after a worse one. A number is the paper's constant step (Algorithm 1), which it takes on the sum.
    """
    if isinstance(learning_rate, str):
        return DescentSteps(2.0 * n_points, growth=1.01, shrinkage=0.5)
    return DescentSteps(float(learning_rate) * total_weight)


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
    constant, as in the paper. See `descent_steps`.
    """
    history: list[float] = []
    stop_reason = StopReason.MAX_ITER
    embedding = start
    value, gradient = objective(embedding)
    best, best_value = embedding, value
    while len(history) < max_iter:
        last_value = value
        with np.errstate(over="ignore", invalid="ignore"):  # a step too large ends below, not in a warning
            embedding = embedding - step * gradient
            value, gradient = objective(embedding)
        if not (np.isfinite(value) and np.isfinite(embedding).all()):
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


def momentum_descent(
    objective: Callable[[AnyEmbedding], tuple[float, AnyEmbedding]],
    start: AnyEmbedding,
    *,
    step: float,
    max_iter: int,
    callback: Callback | None = None,
    workers: Threads = SERIAL,
) -> Minimum:
    """Gradient descent with momentum and a gain for every coordinate (delta-bar-delta, Jacobs 1988).

    A gain grows by 0.2 while its coordinate keeps its direction and shrinks by a fifth when it turns; the momentum
    rises from 0.5 to 0.9 after 30 iterations. This is what t-SNE and TriMap do, here with Nesterov's look ahead, which
    bears more momentum. When the value is not finite or twice the first one, the step is too large: it goes back to
    the best embedding and on with a tenth of the step. The embedding keeps the precision of `start`.
    """
    history: list[float] = []
    stop_reason = StopReason.MAX_ITER
    embedding = start.copy()
    velocity, gains = np.zeros_like(start), np.ones_like(start)
    best, best_value, limit = start, np.inf, np.inf
    slices = row_slices(start.size, size=NUMBERS_IN_A_PIECE)
    while len(history) < max_iter:
        momentum = 0.5 if len(history) < 30 else 0.9
        ahead = embedding + start.dtype.type(momentum) * velocity
        value, gradient = objective(ahead)
        if not np.isfinite(value) and not history:
            stop_reason = StopReason.DIVERGED
            break
        limit = limit if history else 2.0 * value
        if not value <= limit:
            step *= 0.1
            embedding, velocity, gains = best.copy(), np.zeros_like(start), np.ones_like(start)
            history.append(best_value)
            continue
        if value < best_value:
            best, best_value = ahead, value
        arrays = _flat(gradient, gains, velocity, embedding)

        def move(
            piece: int, step: float = step, momentum: float = momentum, arrays: list[AnyEmbedding] = arrays
        ) -> None:
            _momentum_step(step, momentum, *(array[slices[piece]] for array in arrays))

        workers.run(move, len(slices))
        history.append(value)
        if callback is not None and callback(len(history), value, embedding.copy()):
            stop_reason = StopReason.CALLBACK
            break
    return Minimum(embedding, history[-1] if history else value, history, stop_reason)


def adam(
    objective: Callable[[int, AnyEmbedding], tuple[float, AnyEmbedding]],
    start: AnyEmbedding,
    *,
    step: Callable[[float], float],
    max_iter: int,
    epsilon: float = 1e-7,
    callback: Callback | None = None,
    workers: Threads = SERIAL,
) -> Minimum:
    """Adam (Kingma & Ba 2015) for an objective that may change from iteration to iteration.

    `objective` gets the iteration from 0 on as well; `step` gets the share of iterations done. `epsilon` is on the
    scale of the gradient. The embedding keeps the precision of `start`. The last finite embedding is the result,
    because values of a changing objective cannot be compared.
    """
    history: list[float] = []
    stop_reason = StopReason.MAX_ITER
    embedding, before = start.copy(), np.empty_like(start)
    moment, square = np.zeros_like(start), np.zeros_like(start)
    slices = row_slices(start.size, size=NUMBERS_IN_A_PIECE)
    finite = np.empty(len(slices), dtype=np.bool_)
    for iteration in range(max_iter):
        value, gradient = objective(iteration, embedding)
        bias, square_bias = (1.0 - decay ** (iteration + 1) for decay in ADAM_DECAY)
        size = step(iteration / max_iter) / bias
        arrays = _flat(before, gradient, moment, square, embedding)

        def move(
            piece: int, size: float = size, square_bias: float = square_bias, arrays: list[AnyEmbedding] = arrays
        ) -> None:
            last, *others = (array[slices[piece]] for array in arrays)
            last[:] = others[-1]
            _adam_step(size, square_bias, epsilon, *others)
            finite[piece] = np.isfinite(others[-1]).all()

        workers.run(move, len(slices))
        if not (np.isfinite(value) and finite.all()):
            embedding, stop_reason = before, StopReason.DIVERGED
            break
        history.append(value)
        if callback is not None and callback(len(history), value, embedding.copy()):
            stop_reason = StopReason.CALLBACK
            break
    return Minimum(embedding, history[-1] if history else value, history, stop_reason)


# One step, in place: one pass over all coordinates instead of one for every operation -------------------------------


def _flat(*arrays: AnyEmbedding) -> list[AnyEmbedding]:
    return [array.reshape(-1) for array in arrays]


@compiled(error_model="numpy")
def _momentum_step(
    step: float,
    momentum: float,
    gradient: AnyEmbedding,
    gains: AnyEmbedding,
    velocity: AnyEmbedding,
    embedding: AnyEmbedding,
) -> None:
    kind = embedding.dtype.type
    for c in range(embedding.shape[0]):
        gain = gains[c] + kind(0.2) if velocity[c] * gradient[c] < 0 else gains[c] * kind(0.8)
        gains[c] = max(gain, kind(0.01))
        velocity[c] = kind(momentum) * velocity[c] - kind(step) * gains[c] * gradient[c]
        embedding[c] += velocity[c]


@compiled(error_model="numpy")
def _adam_step(
    size: float,
    square_bias: float,
    epsilon: float,
    gradient: AnyEmbedding,
    moment: AnyEmbedding,
    square: AnyEmbedding,
    embedding: AnyEmbedding,
) -> None:
    kind = embedding.dtype.type
    for c in range(embedding.shape[0]):
        moment[c] += kind(1.0 - ADAM_DECAY[0]) * (gradient[c] - moment[c])
        square[c] += kind(1.0 - ADAM_DECAY[1]) * (gradient[c] * gradient[c] - square[c])
        embedding[c] -= kind(size) * moment[c] / (np.sqrt(square[c] / kind(square_bias)) + kind(epsilon))
