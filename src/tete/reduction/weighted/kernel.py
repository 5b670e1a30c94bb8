"""The compiled loop over anchored neighbourhoods: all triplets of one anchor from two short arrays.

The m neighbours of an anchor share its m_o outliers. So an anchor gathers m + m_o places, its m m_o triplets are plain
arithmetic on contiguous numbers, and m + m_o places are scattered to: eq. (wtete), with the two derivatives of
`losses` (a = |y_i - y_j|^2, b = |y_i - y_k|^2). The kind of loss and the kind of weights are NamedTuples, on whose
types numba specialises the loop. The loop works in the precision of the embedding that it is given.

Processors work on several numbers at once, and the few left over at the end of a loop cost as much as all the others.
So the arrays of outliers are filled up to a multiple of `LANES` with outliers of weight 0.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import chosen_by_type, compiled
from tete.embedding.losses import TETELoss, UnitTETELoss

__all__ = ["DenseWeights", "SeparableWeights", "anchored_places", "sum_anchored"]

# Reassociation lets sums over the outliers be vectorised; NaN and inf keep their meaning.
FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "arcp", "nsz", "reassoc"}}

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

LANES = 8  # single precision numbers that a processor of today works on at once


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


def weigh_anchor(weights: Any, anchor: int, row: Floats, bias: Floats) -> None:
    """Write what all neighbours of the anchor share."""
    (_share_nothing if isinstance(weights, DenseWeights) else _share_row)(weights, anchor, row, bias)


def _share_row(weights: SeparableWeights, anchor: int, row: Floats, bias: Floats) -> None:
    for k in range(weights.far.shape[1]):
        row[k] = weights.far[anchor, k]
        bias[k] = weights.bias[anchor]


def _share_nothing(weights: DenseWeights, anchor: int, row: Floats, bias: Floats) -> None:
    pass


@chosen_by_type(weigh_anchor, FAST)
def _compile_weigh_anchor(weights: Any, anchor: Any, row: Any, bias: Any) -> Any:
    return _share_nothing if weights.instance_class is DenseWeights else _share_row


def weigh_neighbor(weights: Any, anchor: int, place: int, row: Floats) -> Any:
    """Write what only the neighbour number `place` has, and return its scale."""
    return (_own_row if isinstance(weights, DenseWeights) else _own_scale)(weights, anchor, place, row)


def _own_scale(weights: SeparableWeights, anchor: int, place: int, row: Floats) -> Any:
    return weights.near[anchor, place]


def _own_row(weights: DenseWeights, anchor: int, place: int, row: Floats) -> Any:
    for k in range(weights.table.shape[2]):
        row[k] = weights.table[anchor, place, k]
    return np.float32(1.0)


@chosen_by_type(weigh_neighbor, FAST)
def _compile_weigh_neighbor(weights: Any, anchor: Any, place: Any, row: Any) -> Any:
    return _own_row if weights.instance_class is DenseWeights else _own_scale


# Coordinates: what the comparison needs of a squared distance, and its derivative ------------------------------------


def coordinate(loss: Any, square: Any) -> tuple[Any, Any]:
    """1 + a for t = t' = 2, else -log exp_t'(-a); and the derivative in a."""
    return (_unit_coordinate if isinstance(loss, UnitTETELoss) else _log_coordinate)(loss, square)


def _unit_coordinate(loss: UnitTETELoss, square: Any) -> tuple[Any, Any]:
    return np.float32(1.0) + square, np.float32(1.0)


def _log_coordinate(loss: TETELoss, square: Any) -> tuple[Any, Any]:
    u = loss.t_prime - 1.0
    return (square, 1.0) if u == 0.0 else (math.log1p(u * square) / u, 1.0 / (1.0 + u * square))


@chosen_by_type(coordinate, FAST)
def _compile_coordinate(loss: Any, square: Any) -> Any:
    return _unit_coordinate if loss.instance_class is UnitTETELoss else _log_coordinate


# One neighbour against all outliers ----------------------------------------------------------------------------------


def compare(
    loss: Any, near: Any, far: Floats, scale: Any, row: Floats, bias: Floats, slopes: Floats
) -> tuple[Any, Any]:
    """Loss of one neighbour's triplets and its derivative in `near`; those in `far` are added to `slopes`."""
    return (_compare_unit if isinstance(loss, UnitTETELoss) else _compare)(loss, near, far, scale, row, bias, slopes)


def _compare_unit(
    loss: UnitTETELoss, near: Any, far: Floats, scale: Any, row: Floats, bias: Floats, slopes: Floats
) -> tuple[Any, Any]:
    one = far.dtype.type(1.0)
    value, slope = far.dtype.type(0.0), far.dtype.type(0.0)
    for k in range(far.shape[0]):
        inverse = one / (near + far[k])
        share = (scale * row[k] + bias[k]) * inverse
        value += share
        share *= inverse
        slope += share * far[k]
        slopes[k] -= share * near
    return value * near, slope


def _compare(
    loss: TETELoss, near: Any, far: Floats, scale: Any, row: Floats, bias: Floats, slopes: Floats
) -> tuple[Any, Any]:
    value, slope = 0.0, 0.0
    for k in range(far.shape[0]):
        weight = scale * row[k] + bias[k]
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


@chosen_by_type(compare, FAST)
def _compile_compare(loss: Any, near: Any, far: Any, scale: Any, row: Any, bias: Any, slopes: Any) -> Any:
    return _compare_unit if loss.instance_class is UnitTETELoss else _compare


# The loop ----------------------------------------------------------------------------------------------------------


@compiled(cache=False, inline="always", **FAST)
def _reach(
    loss: Any,
    embedding: Floats,
    anchor: int,
    others: NDArray[np.int32],
    steps: Floats,
    values: Floats,
    derivatives: Floats,
) -> None:
    """Write the steps from the others to the anchor, and the coordinates of their squared lengths."""
    if embedding.shape[1] == 2:  # the usual case, without a loop over so few columns
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        for place in range(others.shape[1]):
            steps[0, place] = x - embedding[others[anchor, place], 0]
            steps[1, place] = y - embedding[others[anchor, place], 1]
        for place in range(values.shape[0]):
            values[place] = steps[0, place] * steps[0, place] + steps[1, place] * steps[1, place]
    else:
        values[:] = embedding.dtype.type(0.0)
        for c in range(embedding.shape[1]):
            own = embedding[anchor, c]
            for place in range(others.shape[1]):
                steps[c, place] = own - embedding[others[anchor, place], c]
                values[place] += steps[c, place] * steps[c, place]
    for place in range(values.shape[0]):
        values[place], derivatives[place] = coordinate(loss, values[place])


@compiled(cache=False, inline="always", **FAST)
def _spread(
    steps: Floats, slopes: Floats, derivatives: Floats, anchor: int, others: NDArray[np.int32], gradient: Floats
) -> None:
    """Add the gradient of sum slope * derivative * |step|^2."""
    two = steps.dtype.type(2.0)
    if steps.shape[0] == 2:
        total_x, total_y = steps.dtype.type(0.0), steps.dtype.type(0.0)
        for place in range(slopes.shape[0]):
            slope = two * slopes[place] * derivatives[place]
            steps[0, place] *= slope
            steps[1, place] *= slope
            total_x += steps[0, place]
            total_y += steps[1, place]
        for place in range(others.shape[1]):
            gradient[others[anchor, place], 0] -= steps[0, place]
            gradient[others[anchor, place], 1] -= steps[1, place]
        gradient[anchor, 0] += total_x
        gradient[anchor, 1] += total_y
        return
    for c in range(steps.shape[0]):
        total = steps.dtype.type(0.0)
        for place in range(slopes.shape[0]):
            steps[c, place] *= two * slopes[place] * derivatives[place]
            total += steps[c, place]
        for place in range(others.shape[1]):
            gradient[others[anchor, place], c] -= steps[c, place]
        gradient[anchor, c] += total


@compiled(**FAST)
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
    kind, n_components, n_near, n_far = embedding.dtype, embedding.shape[1], near.shape[1], far.shape[1]
    n_filled = (n_far + LANES - 1) // LANES * LANES
    near_steps, far_steps = np.empty((n_components, n_near), dtype=kind), np.zeros((n_components, n_filled), dtype=kind)
    near_values, far_values = np.empty(n_near, dtype=kind), np.empty(n_filled, dtype=kind)
    near_derivatives, far_derivatives = np.empty(n_near, dtype=kind), np.empty(n_filled, dtype=kind)
    near_slopes, far_slopes = np.empty(n_near, dtype=kind), np.empty(n_filled, dtype=kind)
    row, bias = np.zeros(n_filled, dtype=kind), np.zeros(n_filled, dtype=kind)
    total = 0.0
    for anchor in range(start, stop):
        _reach(loss, embedding, anchor, near, near_steps, near_values, near_derivatives)
        _reach(loss, embedding, anchor, far, far_steps, far_values, far_derivatives)
        for k in range(n_filled):
            far_slopes[k] = 0.0
        weigh_anchor(weights, anchor, row, bias)
        for place in range(n_near):
            scale = kind.type(weigh_neighbor(weights, anchor, place, row))
            value, near_slopes[place] = compare(loss, near_values[place], far_values, scale, row, bias, far_slopes)
            total += value
        _spread(near_steps, near_slopes, near_derivatives, anchor, near, gradient)
        _spread(far_steps, far_slopes, far_derivatives, anchor, far, gradient)
    return total


@compiled(error_model="numpy")
def anchored_places(
    loss: Any,
    weights: Any,
    places: NDArray[np.float64],
    embedding: NDArray[Any],
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    values: NDArray[np.float64],
    gradients: NDArray[np.float64],
) -> None:
    """Weighted t-ETE of each new row's own triplets, eq. (wtete), and its gradient in the row's place."""
    n_rows, n_near, n_far = places.shape[0], near.shape[1], far.shape[1]
    # A table of the new places, followed by what the current row is compared with: `sum_anchored` does the rest.
    table = np.empty((n_rows + n_near + n_far, places.shape[1]))
    table[:n_rows] = places
    scratch = np.zeros_like(table)
    table_near, table_far = np.empty_like(near), np.empty_like(far)
    table_near[:] = n_rows + np.arange(n_near)
    table_far[:] = n_rows + n_near + np.arange(n_far)
    for row in range(n_rows):
        for j in range(n_near):
            table[n_rows + j] = embedding[near[row, j]]
        for k in range(n_far):
            table[n_rows + n_near + k] = embedding[far[row, k]]
        values[row] = sum_anchored(loss, weights, table, table_near, table_far, row, row + 1, scratch)
        gradients[row] = scratch[row]
