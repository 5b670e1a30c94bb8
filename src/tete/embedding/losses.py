"""The losses of one triplet, and the one compiled loop over triplets.

Every loss is a scalar function of a = |y_i - y_j|^2 (anchor to near) and b = |y_i - y_k|^2 (anchor to far). All but
the hinges of GNMDS and SOE are built in two steps, as in the paper:

    log_ratio(loss, a, b) -> log l and its derivatives in a and b         eq. (loss)
    robustify(loss, log l) -> log_t(1 + l) and its derivative in log l    eq. (ete-obj), (type-II-ex)

Everything is computed from log l, so that nothing overflows. A loss is a NamedTuple of its parameters: numba
specialises the loop on the *type* of the tuple and keeps the result on disk, which it cannot do for functions passed
as arguments. A new loss is a class, its formula, and a line in `FORMULAS`. Without numba's compiler
(``NUMBA_DISABLE_JIT=1``) the same functions run as plain Python.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tete.core.compilation import chosen_by_type, compiled
from tete.embedding.triplet_distances import squared_distances

__all__ = [
    "CKLLoss",
    "DistanceLoss",
    "GNMDSLoss",
    "LinearLoss",
    "Loss",
    "SOELoss",
    "STELoss",
    "TETELoss",
    "TSTELoss",
    "UnitTETELoss",
    "log_ratios",
    "sum_losses",
    "tete_loss",
]

# No check for division by zero, fused multiply-adds, reciprocals of loop constants: faster, and NaN and inf keep their
# meaning. Reassociation stays off because it would undo `_log1p`.
FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "arcp", "nsz"}}

SMOOTHING = 1e-6  # added to squared distances before a root is taken, so that it has a derivative where objects meet

Formula: TypeAlias = Callable[[Any, float, float], tuple[float, float, float]]


class TETELoss(NamedTuple):
    """log_t(1 + l), l = exp_t'(-b) / exp_t'(-a): eq. (ete-obj) and (loss). Capped at 1 / (t - 1)."""

    t: float
    t_prime: float


class UnitTETELoss(NamedTuple):
    """(1 + a) / (2 + a + b): t-ETE at t = t' = 2, which needs no powers; also TriMap's loss."""

    t: float = 2.0
    t_prime: float = 2.0


class DistanceLoss(NamedTuple):
    """log_t(1 + l), log l = sqrt a - sqrt b: t-ETE on plain distances. Capped at 1 / (t - 1)."""

    t: float


class STELoss(NamedTuple):
    """log(1 + exp(a - b)): van der Maaten & Weinberger 2012; t-ETE at t = t' = 1."""

    t: float = 1.0


class TSTELoss(NamedTuple):
    """-log p with the Student kernel (1 + d / alpha)^(-(alpha + 1) / 2): van der Maaten & Weinberger 2012."""

    alpha: float
    t: float = 1.0


class CKLLoss(NamedTuple):
    """-log (mu + b) / (2 mu + a + b): the crowd kernel of Tamuz et al. 2011."""

    mu: float
    t: float = 1.0


class GNMDSLoss(NamedTuple):
    """max(0, 1 + a - b): Agarwal et al. 2007, hinge on squared distances."""

    margin: float = 1.0


class SOELoss(NamedTuple):
    """max(0, 1 + sqrt a - sqrt b)^2: Terada & von Luxburg 2014, squared hinge on distances."""

    margin: float = 1.0


class LinearLoss(NamedTuple):
    """a - b: what every loss is near Y = 0 up to a factor. Its gradient is -2 B Y, which gives the spectral start."""

    slope: float = 1.0


Loss: TypeAlias = (
    TETELoss | UnitTETELoss | DistanceLoss | STELoss | TSTELoss | CKLLoss | GNMDSLoss | SOELoss | LinearLoss
)


def tete_loss(t: float, t_prime: float) -> TETELoss | UnitTETELoss:
    """t-ETE at (t, t'), without powers where none are needed."""
    return UnitTETELoss() if t == 2.0 and t_prime == 2.0 else TETELoss(float(t), float(t_prime))


# Formulas of log l -----------------------------------------------------------------------------------------------


def _log1p(x: float) -> float:
    # Kahan's log1p for x >= 0: as exact as the C library's and twice as fast.
    shifted = 1.0 + x
    return x if shifted == 1.0 else math.log(shifted) * (x / (shifted - 1.0))


_log1p_compiled = njit(_log1p, **FAST)


def _tete_log_ratio(loss: TETELoss, near: float, far: float) -> tuple[float, float, float]:
    # log l = [log(1 + u a) - log(1 + u b)] / u with u = t' - 1, and a - b in the limit u = 0. Taking the difference
    # inside one logarithm of a number >= 1 loses no digits, neither near u = 0 nor for huge distances.
    u = loss.t_prime - 1.0
    excess = abs(near - far) / (1.0 + u * min(near, far))
    size = excess if u == 0.0 else _log1p_compiled(u * excess) / u
    return (size if near > far else -size), 1.0 / (1.0 + u * near), -1.0 / (1.0 + u * far)


def _ste_log_ratio(loss: STELoss, near: float, far: float) -> tuple[float, float, float]:
    return near - far, 1.0, -1.0


def _tste_log_ratio(loss: TSTELoss, near: float, far: float) -> tuple[float, float, float]:
    power = 0.5 * (loss.alpha + 1.0)
    size = power * _log1p_compiled(abs(near - far) / (loss.alpha + min(near, far)))
    return (size if near > far else -size), power / (loss.alpha + near), -power / (loss.alpha + far)


def _ckl_log_ratio(loss: CKLLoss, near: float, far: float) -> tuple[float, float, float]:
    size = _log1p_compiled(abs(near - far) / (loss.mu + min(near, far)))
    return (size if near > far else -size), 1.0 / (loss.mu + near), -1.0 / (loss.mu + far)


def _distance_log_ratio(loss: Any, near: float, far: float) -> tuple[float, float, float]:
    to_near, to_far = math.sqrt(near + SMOOTHING), math.sqrt(far + SMOOTHING)
    return (near - far) / (to_near + to_far), 0.5 / to_near, -0.5 / to_far


_distance_log_ratio_compiled = njit(_distance_log_ratio, **FAST)


# Formulas of the loss --------------------------------------------------------------------------------------------


def _robustify(t: float, log_ratio: float) -> tuple[float, float]:
    """log_t(1 + l) and its derivative in log l, which is l / (1 + l)^t: eq. (type-II-ex), (grad)."""
    small = math.exp(-abs(log_ratio))
    share = (1.0 if log_ratio > 0.0 else small) / (1.0 + small)  # l / (1 + l)
    if t == 2.0:
        return share, share * (1.0 - share)
    log1p_ratio = max(log_ratio, 0.0) + _log1p_compiled(small)
    if t == 1.0:
        return log1p_ratio, share
    # (1 + l)^(1 - t): the derivative is the forgetting factor 1 / (1 + l)^t times l. Close to t = 1 the difference
    # to 1 would lose its digits; elsewhere exp is twice as fast as expm1.
    power = (1.0 - t) * log1p_ratio
    below_one = math.expm1(power) if t < 1.01 else math.exp(power) - 1.0
    return below_one / (1.0 - t), share * (1.0 + below_one)


_robustify_compiled = njit(_robustify, **FAST)


def _robust_ratio(loss: Any, near: float, far: float) -> tuple[float, float, float]:
    ratio, ratio_near, ratio_far = log_ratio(loss, near, far)
    value, slope = _robustify_compiled(loss.t, ratio)
    return value, slope * ratio_near, slope * ratio_far


def _unit_tete(loss: UnitTETELoss, near: float, far: float) -> tuple[float, float, float]:
    inverse = 1.0 / (2.0 + near + far)
    return (1.0 + near) * inverse, (1.0 + far) * inverse * inverse, -(1.0 + near) * inverse * inverse


def _gnmds(loss: GNMDSLoss, near: float, far: float) -> tuple[float, float, float]:
    value = loss.margin + near - far
    return (value, 1.0, -1.0) if value > 0.0 else (0.0, 0.0, 0.0)


def _soe(loss: SOELoss, near: float, far: float) -> tuple[float, float, float]:
    excess, slope_near, slope_far = _distance_log_ratio_compiled(loss, near, far)
    value = loss.margin + excess
    return (value * value, 2.0 * value * slope_near, 2.0 * value * slope_far) if value > 0.0 else (0.0, 0.0, 0.0)


def _linear(loss: LinearLoss, near: float, far: float) -> tuple[float, float, float]:
    return loss.slope * (near - far), loss.slope, -loss.slope


LOG_RATIOS: dict[type, Formula] = {
    TETELoss: _tete_log_ratio,
    UnitTETELoss: _tete_log_ratio,
    DistanceLoss: _distance_log_ratio,
    STELoss: _ste_log_ratio,
    TSTELoss: _tste_log_ratio,
    CKLLoss: _ckl_log_ratio,
    SOELoss: _distance_log_ratio,  # what its hinge compares
}

FORMULAS: dict[type, Formula] = {
    TETELoss: _robust_ratio,
    UnitTETELoss: _unit_tete,
    DistanceLoss: _robust_ratio,
    STELoss: _robust_ratio,
    TSTELoss: _robust_ratio,
    CKLLoss: _robust_ratio,
    GNMDSLoss: _gnmds,
    SOELoss: _soe,
    LinearLoss: _linear,
}


def log_ratio(loss: Any, near: float, far: float) -> tuple[float, float, float]:
    """Log l of one triplet and its derivatives in the squared distances `near` and `far`."""
    return LOG_RATIOS[type(loss)](loss, near, far)


def evaluate(loss: Any, near: float, far: float) -> tuple[float, float, float]:
    """Loss of one triplet and its derivatives in the squared distances `near` and `far`."""
    return FORMULAS[type(loss)](loss, near, far)


@chosen_by_type(log_ratio, FAST)
def _compile_log_ratio(loss: Any, near: Any, far: Any) -> Formula:
    return LOG_RATIOS[loss.instance_class]


@chosen_by_type(evaluate, FAST)
def _compile_evaluate(loss: Any, near: Any, far: Any) -> Formula:
    return FORMULAS[loss.instance_class]


# The loops -------------------------------------------------------------------------------------------------------


@compiled(**FAST)
def sum_losses(
    loss: Any,
    embedding: NDArray[np.float64],
    anchor: NDArray[np.integer[Any]],
    near: NDArray[np.integer[Any]],
    far: NDArray[np.integer[Any]],
    weights: NDArray[np.float64] | None,
    gradient: NDArray[np.float64],
) -> float:
    """Sum of weighted losses, eq. (wtete); its gradient in the embedding is added to `gradient`."""
    n_components = embedding.shape[1]
    total = 0.0
    for row in range(anchor.shape[0]):
        i, j, k = anchor[row], near[row], far[row]
        to_near = 0.0
        to_far = 0.0
        for c in range(n_components):
            step_near = embedding[i, c] - embedding[j, c]
            step_far = embedding[i, c] - embedding[k, c]
            to_near += step_near * step_near
            to_far += step_far * step_far
        value, slope_near, slope_far = evaluate(loss, to_near, to_far)
        scale = 2.0  # the derivative of a squared distance
        if weights is not None:
            value *= weights[row]
            scale *= weights[row]
        total += value
        slope_near *= scale
        slope_far *= scale
        for c in range(n_components):
            pull = slope_near * (embedding[i, c] - embedding[j, c])
            push = slope_far * (embedding[i, c] - embedding[k, c])
            gradient[i, c] += pull + push
            gradient[j, c] -= pull
            gradient[k, c] -= push
    return total


@compiled(**FAST)
def _log_ratios(loss: Any, to_near: NDArray[np.float64], to_far: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.empty(len(to_near))
    for row in range(len(to_near)):
        result[row] = log_ratio(loss, to_near[row], to_far[row])[0]
    return result


def log_ratios(
    loss: Any,
    embedding: NDArray[np.float64],
    anchor: NDArray[np.integer[Any]],
    near: NDArray[np.integer[Any]],
    far: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """Log l of every triplet: negative where the map agrees with the answer, positive where it does not."""
    return np.asarray(_log_ratios(loss, *squared_distances(embedding, anchor, near, far)))
