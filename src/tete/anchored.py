"""The compiled loop over anchored neighbourhoods: all triplets of one anchor from two short arrays.

The m neighbours of an anchor share its m_o outliers. So an anchor gathers m + m_o places, its m m_o triplets are plain
arithmetic on contiguous numbers, and m + m_o places are scattered to: eq. (wtete), with the two derivatives of
`losses` (a = |y_i - y_j|^2, b = |y_i - y_k|^2). The kind of loss and the kind of weights are NamedTuples, on whose
types numba specialises the loop. The loop works in the precision of the embedding that it is given.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numba.extending import overload
from numpy.typing import NDArray

from tete.losses import TETELoss, UnitTETELoss

__all__ = ["DenseWeights", "SeparableWeights", "sum_anchored"]

# Reassociation lets sums over the outliers be vectorised; NaN and inf keep their meaning.
FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "arcp", "nsz", "reassoc"}}

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


class SeparableWeights(NamedTuple):
    """omega_ijk = near_ij far_ik + bias_i: eq. (weight) divided by its maximum, plus gamma."""

    near: NDArray[np.float32]
    far: NDArray[np.float32]
    bias: NDArray[np.float32]

    def total(self) -> float:
        """Sum of all weights."""
        products = self.near.sum(axis=1, dtype=np.float64) * self.far.sum(axis=1, dtype=np.float64)
        return float(products.sum() + self.bias.sum(dtype=np.float64) * self.near.shape[1] * self.far.shape[1])


class DenseWeights(NamedTuple):
    """One number for each triplet: shape (n_points, n_neighbors, n_outliers)."""

    table: NDArray[np.float32]

    def total(self) -> float:
        """Sum of all weights."""
        return float(self.table.sum(dtype=np.float64))


# Weights of one anchor's triplets with one neighbour: scale * row + bias ---------------------------------------------


def weights_of(weights: Any, anchor: int, place: int) -> tuple[float, NDArray[np.float32], float]:
    """Scale, row and bias: the weights of the anchor's triplets with its neighbour number `place`."""
    return (_dense_weights if isinstance(weights, DenseWeights) else _separable_weights)(weights, anchor, place)


def _separable_weights(weights: SeparableWeights, anchor: int, place: int) -> tuple[float, NDArray[np.float32], float]:
    return weights.near[anchor, place], weights.far[anchor], weights.bias[anchor]


def _dense_weights(weights: DenseWeights, anchor: int, place: int) -> tuple[float, NDArray[np.float32], float]:
    return np.float32(1.0), weights.table[anchor, place], np.float32(0.0)  # type: ignore[return-value]


@overload(weights_of, jit_options=FAST, strict=False)
def _compile_weights_of(weights: Any, anchor: Any, place: Any) -> Any:
    return _dense_weights if weights.instance_class is DenseWeights else _separable_weights


# Coordinates: what the comparison needs of a squared distance, and its derivative ------------------------------------


def coordinate(loss: Any, square: Any) -> tuple[Any, Any]:
    """1 + a for t = t' = 2, else -log exp_t'(-a); and the derivative in a."""
    return (_unit_coordinate if isinstance(loss, UnitTETELoss) else _log_coordinate)(loss, square)


def _unit_coordinate(loss: UnitTETELoss, square: Any) -> tuple[Any, Any]:
    return np.float32(1.0) + square, np.float32(1.0)


def _log_coordinate(loss: TETELoss, square: Any) -> tuple[Any, Any]:
    u = loss.t_prime - 1.0
    return (square, 1.0) if u == 0.0 else (math.log1p(u * square) / u, 1.0 / (1.0 + u * square))


@overload(coordinate, jit_options=FAST, strict=False)
def _compile_coordinate(loss: Any, square: Any) -> Any:
    return _unit_coordinate if loss.instance_class is UnitTETELoss else _log_coordinate


# One neighbour against all outliers ----------------------------------------------------------------------------------


def compare(loss: Any, near: Any, far: Floats, scale: Any, row: Floats, bias: Any, slopes: Floats) -> tuple[Any, Any]:
    """Loss of one neighbour's triplets and its derivative in `near`; those in `far` are added to `slopes`."""
    return (_compare_unit if isinstance(loss, UnitTETELoss) else _compare)(loss, near, far, scale, row, bias, slopes)


def _compare_unit(
    loss: UnitTETELoss, near: Any, far: Floats, scale: Any, row: Floats, bias: Any, slopes: Floats
) -> tuple[Any, Any]:
    one = far.dtype.type(1.0)
    value, slope = far.dtype.type(0.0), far.dtype.type(0.0)
    for k in range(far.shape[0]):
        inverse = one / (near + far[k])
        share = (scale * row[k] + bias) * inverse
        value += share
        share *= inverse
        slope += share * far[k]
        slopes[k] -= share * near
    return value * near, slope


def _compare(
    loss: TETELoss, near: Any, far: Floats, scale: Any, row: Floats, bias: Any, slopes: Floats
) -> tuple[Any, Any]:
    value, slope = 0.0, 0.0
    for k in range(far.shape[0]):
        weight = scale * row[k] + bias
        log_ratio = float(near) - far[k]
        small = math.exp(-abs(log_ratio))
        share = (1.0 if log_ratio > 0.0 else small) / (1.0 + small)  # l / (1 + l)
        if loss.t == 2.0:
            value += weight * share
            factor = weight * share * (1.0 - share)
        else:
            log1p_ratio = max(log_ratio, 0.0) + math.log1p(small)
            power = (1.0 - loss.t) * log1p_ratio
            value += weight * (log1p_ratio if loss.t == 1.0 else math.expm1(power) / (1.0 - loss.t))
            factor = weight * share * math.exp(power)  # omega l / (1 + l)^t: eq. (grad)
        slope += factor
        slopes[k] -= factor
    return value, slope


@overload(compare, jit_options=FAST, strict=False)
def _compile_compare(loss: Any, near: Any, far: Any, scale: Any, row: Any, bias: Any, slopes: Any) -> Any:
    return _compare_unit if loss.instance_class is UnitTETELoss else _compare


# The loop ----------------------------------------------------------------------------------------------------------


@njit(nogil=True, **FAST)
def _measure(
    loss: Any, embedding: Floats, anchor: int, others: NDArray[np.int32], result: Floats, derivatives: Floats
) -> None:
    if embedding.shape[1] == 2:  # the usual case, without a loop over so few columns
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        for place in range(others.shape[0]):
            step_x, step_y = x - embedding[others[place], 0], y - embedding[others[place], 1]
            result[place] = step_x * step_x + step_y * step_y
    else:
        for place in range(others.shape[0]):
            total = embedding.dtype.type(0.0)
            for c in range(embedding.shape[1]):
                step = embedding[anchor, c] - embedding[others[place], c]
                total += step * step
            result[place] = total
    for place in range(others.shape[0]):
        result[place], derivatives[place] = coordinate(loss, result[place])


@njit(nogil=True, **FAST)
def _spread(
    embedding: Floats, anchor: int, others: NDArray[np.int32], slopes: Floats, derivatives: Floats, gradient: Floats
) -> None:
    """Add the gradient of sum slope * derivative * |y_anchor - y_other|^2."""
    two = embedding.dtype.type(2.0)
    if embedding.shape[1] == 2:  # the usual case, with the anchor's own place and gradient in registers
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        total_x, total_y = gradient[anchor, 0], gradient[anchor, 1]
        for place in range(others.shape[0]):
            other = others[place]
            slope = two * slopes[place] * derivatives[place]
            pull_x, pull_y = slope * (x - embedding[other, 0]), slope * (y - embedding[other, 1])
            gradient[other, 0] -= pull_x
            gradient[other, 1] -= pull_y
            total_x += pull_x
            total_y += pull_y
        gradient[anchor, 0], gradient[anchor, 1] = total_x, total_y
        return
    for place in range(others.shape[0]):
        slope = two * slopes[place] * derivatives[place]
        for c in range(embedding.shape[1]):
            pull = slope * (embedding[anchor, c] - embedding[others[place], c])
            gradient[others[place], c] -= pull
            gradient[anchor, c] += pull


@njit(cache=True, nogil=True, **FAST)
def sum_anchored(
    loss: Any,
    weights: Any,
    embedding: Floats,
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    start: int,
    stop: int,
    gradient: Floats,
) -> float:
    """Sum of weighted losses of the anchors from `start` to `stop`, eq. (wtete); adds its gradient to `gradient`."""
    kind = embedding.dtype
    near_values, near_derivatives = np.empty(near.shape[1], dtype=kind), np.empty(near.shape[1], dtype=kind)
    far_values, far_derivatives = np.empty(far.shape[1], dtype=kind), np.empty(far.shape[1], dtype=kind)
    near_slopes, far_slopes = np.empty(near.shape[1], dtype=kind), np.empty(far.shape[1], dtype=kind)
    total = 0.0
    for anchor in range(start, stop):
        _measure(loss, embedding, anchor, near[anchor], near_values, near_derivatives)
        _measure(loss, embedding, anchor, far[anchor], far_values, far_derivatives)
        far_slopes[:] = 0.0
        for place in range(near.shape[1]):
            scale, row, bias = weights_of(weights, anchor, place)
            value, slope = compare(
                loss, near_values[place], far_values, kind.type(scale), row, kind.type(bias), far_slopes
            )
            total += value
            near_slopes[place] = slope
        _spread(embedding, anchor, near[anchor], near_slopes, near_derivatives, gradient)
        _spread(embedding, anchor, far[anchor], far_slopes, far_derivatives, gradient)
    return total
