"""The loop of `kernel` for maps in the plane with t = t' = 2 and weights that separate, in less time.

A triplet's loss is then a / (a + b), with a = 1 + |y_i - y_j|^2 and b = 1 + |y_i - y_k|^2. Four neighbours
at a time are compared with all outliers, so that what the outliers have is read and written once for four, and the
processor always has several divisions under way. The arrays of neighbours and outliers are filled up to multiples of
what is worked on at once, with neighbours of weight 0 and with outliers so far away that nothing comes from them.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.reduction.weighted.kernel import FAST, LANES, SeparableWeights

__all__ = ["alike_weights", "sum_in_the_plane"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

AT_ONCE = 4  # neighbours
FAR_AWAY = 1e17  # b of an outlier that does not count; the square of its inverse is still a normal number, so not slow
NEGLIGIBLE = 2.0**-24  # beside 1 in single precision


def alike_weights(weights: SeparableWeights) -> NDArray[np.bool_]:
    """The points whose weights single precision cannot tell from their bias: in many dimensions nearly all."""
    largest = weights.near.max(axis=1) * weights.far.max(axis=1)
    return np.asarray(largest <= NEGLIGIBLE * weights.bias)


@compiled(**FAST)
def sum_in_the_plane(
    weights: SeparableWeights,
    alike: NDArray[np.bool_],
    embedding: Floats,
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    start: int,
    stop: int,
    gradient: Floats,
) -> float:
    """Sum of weighted losses of the anchors from `start` to `stop`, eq. (wtete); adds its gradient to `gradient`."""
    kind, n_near, n_far = embedding.dtype, near.shape[1], far.shape[1]
    near_filled, far_filled = (n_near + AT_ONCE - 1) // AT_ONCE * AT_ONCE, (n_far + LANES - 1) // LANES * LANES
    near_x, near_y, near_slopes = np.zeros(near_filled, kind), np.zeros(near_filled, kind), np.zeros(near_filled, kind)
    far_x, far_y, far_slopes = np.zeros(far_filled, kind), np.zeros(far_filled, kind), np.zeros(far_filled, kind)
    a, b = np.ones(near_filled, kind), np.full(far_filled, FAR_AWAY, kind)
    scales, biases, row = np.zeros(near_filled, kind), np.zeros(near_filled, kind), np.zeros(far_filled, kind)
    total = 0.0
    for anchor in range(start, stop):
        _reach(embedding, anchor, near, near_x, near_y, a)
        _reach(embedding, anchor, far, far_x, far_y, b)
        for k in range(far_filled):
            far_slopes[k] = 0.0
        for j in range(n_near):
            biases[j] = weights.bias[anchor]
        if alike[anchor]:
            for first in range(0, near_filled, AT_ONCE):
                total += _compare_alike(first, a, b, biases, near_slopes, far_slopes)
        else:
            for j in range(n_near):
                scales[j] = weights.near[anchor, j]
            for k in range(n_far):
                row[k] = weights.far[anchor, k]
            for first in range(0, near_filled, AT_ONCE):
                total += _compare(first, a, b, scales, row, biases, near_slopes, far_slopes)
        _spread(near_x, near_y, near_slopes, anchor, near, gradient)
        _spread(far_x, far_y, far_slopes, anchor, far, gradient)
    return total


@compiled(cache=False, inline="always", **FAST)
def _reach(embedding: Floats, anchor: int, others: NDArray[np.int32], xs: Floats, ys: Floats, values: Floats) -> None:
    """Write the steps from the others to the anchor, and 1 + their squared lengths."""
    one, x, y = embedding.dtype.type(1.0), embedding[anchor, 0], embedding[anchor, 1]
    for place in range(others.shape[1]):
        other = others[anchor, place]
        xs[place] = x - embedding[other, 0]
        ys[place] = y - embedding[other, 1]
    for place in range(others.shape[1]):
        values[place] = one + xs[place] * xs[place] + ys[place] * ys[place]


@compiled(cache=False, inline="always", **FAST)
def _spread(xs: Floats, ys: Floats, slopes: Floats, anchor: int, others: NDArray[np.int32], gradient: Floats) -> None:
    """Add the gradient of sum slope * |step|^2."""
    two = xs.dtype.type(2.0)
    total_x, total_y = xs.dtype.type(0.0), xs.dtype.type(0.0)
    for place in range(others.shape[1]):
        slope = two * slopes[place]
        xs[place] *= slope
        ys[place] *= slope
        total_x += xs[place]
        total_y += ys[place]
    for place in range(others.shape[1]):
        other = others[anchor, place]
        gradient[other, 0] -= xs[place]
        gradient[other, 1] -= ys[place]
    gradient[anchor, 0] += total_x
    gradient[anchor, 1] += total_y


@compiled(cache=False, inline="always", **FAST)
def _compare_alike(first: int, near: Floats, far: Floats, biases: Floats, slopes: Floats, far_slopes: Floats) -> Any:
    """Four neighbours against all outliers: the loss; writes its derivatives in `near`, adds those in `far`."""
    one, zero = far.dtype.type(1.0), far.dtype.type(0.0)
    a0, a1, a2, a3 = near[first], near[first + 1], near[first + 2], near[first + 3]
    w0, w1, w2, w3 = biases[first], biases[first + 1], biases[first + 2], biases[first + 3]
    wa0, wa1, wa2, wa3 = w0 * a0, w1 * a1, w2 * a2, w3 * a3
    value0, value1, value2, value3 = zero, zero, zero, zero
    slope0, slope1, slope2, slope3 = zero, zero, zero, zero
    for k in range(far.shape[0]):
        b = far[k]
        i0, i1, i2, i3 = one / (a0 + b), one / (a1 + b), one / (a2 + b), one / (a3 + b)
        value0 += i0
        value1 += i1
        value2 += i2
        value3 += i3
        i0, i1, i2, i3 = i0 * i0, i1 * i1, i2 * i2, i3 * i3
        slope0 += i0 * b
        slope1 += i1 * b
        slope2 += i2 * b
        slope3 += i3 * b
        far_slopes[k] -= (wa0 * i0 + wa1 * i1) + (wa2 * i2 + wa3 * i3)
    slopes[first], slopes[first + 1], slopes[first + 2], slopes[first + 3] = (
        w0 * slope0,
        w1 * slope1,
        w2 * slope2,
        w3 * slope3,
    )
    return (wa0 * value0 + wa1 * value1) + (wa2 * value2 + wa3 * value3)


@compiled(cache=False, inline="always", **FAST)
def _compare(
    first: int,
    near: Floats,
    far: Floats,
    scales: Floats,
    row: Floats,
    biases: Floats,
    slopes: Floats,
    far_slopes: Floats,
) -> Any:
    """The same with weights scale * row + bias."""
    one, zero = far.dtype.type(1.0), far.dtype.type(0.0)
    a0, a1, a2, a3 = near[first], near[first + 1], near[first + 2], near[first + 3]
    s0, s1, s2, s3 = scales[first], scales[first + 1], scales[first + 2], scales[first + 3]
    w0, w1, w2, w3 = biases[first], biases[first + 1], biases[first + 2], biases[first + 3]
    value0, value1, value2, value3 = zero, zero, zero, zero
    slope0, slope1, slope2, slope3 = zero, zero, zero, zero
    for k in range(far.shape[0]):
        b, r = far[k], row[k]
        i0, i1, i2, i3 = one / (a0 + b), one / (a1 + b), one / (a2 + b), one / (a3 + b)
        v0, v1, v2, v3 = (s0 * r + w0) * i0, (s1 * r + w1) * i1, (s2 * r + w2) * i2, (s3 * r + w3) * i3
        value0 += v0
        value1 += v1
        value2 += v2
        value3 += v3
        v0, v1, v2, v3 = v0 * i0, v1 * i1, v2 * i2, v3 * i3
        slope0 += v0 * b
        slope1 += v1 * b
        slope2 += v2 * b
        slope3 += v3 * b
        far_slopes[k] -= (v0 * a0 + v1 * a1) + (v2 * a2 + v3 * a3)
    slopes[first], slopes[first + 1], slopes[first + 2], slopes[first + 3] = slope0, slope1, slope2, slope3
    return (a0 * value0 + a1 * value1) + (a2 * value2 + a3 * value3)
