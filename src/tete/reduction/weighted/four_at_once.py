"""The loop of `kernel` for maps in the plane with t = t' = 2 and weights that separate, in less time.

A triplet's loss is then a / (a + b), with a = 1 + |y_i - y_j|^2 and b = 1 + |y_i - y_k|^2. Four neighbours
at a time are compared with all outliers, so that what the outliers have is read and written once for four, and the
processor always has several divisions under way. The arrays of neighbours and outliers are filled up to multiples of
what is worked on at once, with neighbours of weight 0 and with outliers so far away that nothing comes from them.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.array_places import index
from tete.core.compilation import compiled, has_wide_vectors
from tete.reduction.weighted.kernel import FAST, SeparableWeights

__all__ = ["alike_weights", "sum_in_the_plane"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

AT_ONCE = 4  # neighbours
TILE = 16  # anchors: what has just been written number by number cannot be read as a vector at once
MARGIN = 128  # numbers between what loops read and write: see `listwise.kernel`
FAR_AWAY = 2e9  # coordinates of an outlier that does not count; the square of 1 / b is still a normal number, so fast
LANES = 8  # single precision numbers that processors of today work on at once
# Some work on twice as many, and what is left over costs as much: so the outliers, which all neighbours meet.
LANES_OF_OUTLIERS = 2 * LANES if has_wide_vectors() else LANES
NEGLIGIBLE = 2.0**-24  # beside 1 in single precision


def alike_weights(weights: SeparableWeights) -> NDArray[np.bool_]:
    """The points whose weights single precision cannot tell from their bias: in many dimensions nearly all."""
    largest = weights.near.max(axis=1) * weights.far.max(axis=1)
    return np.asarray(largest <= NEGLIGIBLE * weights.bias)


class Room(NamedTuple):
    """Where a tile's anchors and their neighbours, or their outliers, are worked on."""

    width: int  # numbers for each anchor
    places: Any  # of the others, in words
    steps_x: Floats  # first the anchor's place, then the step to it, then the pull
    steps_y: Floats
    values: Floats  # 1 + squared distances
    slopes: Floats  # derivatives of the loss in these


@compiled(cache=False, inline="always")
def _make_room(kind: Any, words: Any, count: int, lanes: int) -> Room:
    """Room filled up to whole lanes, with others that are far away from everything."""
    width = (count + lanes - 1) // lanes * lanes
    size = TILE * width + MARGIN
    places = np.empty(size, words.dtype)
    places.view(kind)[:] = FAR_AWAY
    return Room(width, places, np.zeros(size, kind), np.zeros(size, kind), np.ones(size, kind), np.zeros(size, kind))


@compiled(**FAST)
def sum_in_the_plane(
    weights: SeparableWeights,
    alike: NDArray[np.bool_],
    words: Any,
    embedding: Floats,
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    start: int,
    stop: int,
    gradient: Floats,
) -> float:
    """Sum of weighted losses of the anchors from `start` to `stop`, eq. (wtete); adds its gradient to `gradient`.

    `words` has the embedding in words; see `core.array_places`.
    """
    kind, n_near, n_far = embedding.dtype, near.shape[1], far.shape[1]
    around, beyond = _make_room(kind, words, n_near, LANES), _make_room(kind, words, n_far, LANES_OF_OUTLIERS)
    scales, biases, row = np.zeros(around.width, kind), np.zeros(around.width, kind), np.zeros(beyond.width, kind)
    total = 0.0
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        _reach(embedding[first:last], near[first:last], words, around)
        _reach(embedding[first:last], far[first:last], words, beyond)
        for anchor in range(first, last):
            left, right = (anchor - first) * around.width, (anchor - first) * beyond.width
            a, slopes = around.values[left : left + around.width], around.slopes[left : left + around.width]
            b, far_slopes = beyond.values[right : right + beyond.width], beyond.slopes[right : right + beyond.width]
            for j in range(n_near):
                biases[j] = weights.bias[anchor]
            if alike[anchor]:
                for four in range(0, n_near, AT_ONCE):
                    total += _compare_alike(four, a, b, biases, slopes, far_slopes)
            else:
                for j in range(n_near):
                    scales[j] = weights.near[anchor, j]
                for k in range(n_far):
                    row[k] = weights.far[anchor, k]
                for four in range(0, n_near, AT_ONCE):
                    total += _compare(four, a, b, scales, row, biases, slopes, far_slopes)
        _spread(near[first:last], around, gradient[first:last], gradient)
        _spread(far[first:last], beyond, gradient[first:last], gradient)
    return total


@compiled(**FAST)
def _reach(anchors: Floats, others: NDArray[np.int32], words: Any, room: Room) -> None:
    """Write the steps from the others to all anchors of a tile, and 1 + their squared lengths."""
    steps_x, steps_y, values, slopes, read = room.steps_x, room.steps_y, room.values, room.slopes, room.places
    begin, count, width, lanes = index(0), index(others.shape[1]), index(room.width), index(LANES)
    for anchor in range(index(len(anchors))):
        for other in range(count):
            read[begin + other] = words[index(others[anchor, other])]
        begin += width
    begin = index(0)
    for anchor in range(len(anchors)):
        x, y = anchors[anchor, 0], anchors[anchor, 1]
        for _ in range(index(0), width, lanes):
            for lane in range(lanes):
                steps_x[begin + lane] = x
            for lane in range(lanes):
                steps_y[begin + lane] = y
            begin += lanes
    places, one, zero = read.view(values.dtype), values.dtype.type(1.0), values.dtype.type(0.0)
    for place in range(len(anchors) * room.width):
        step_x, step_y = steps_x[place] - places[2 * place], steps_y[place] - places[2 * place + 1]
        steps_x[place], steps_y[place] = step_x, step_y
        values[place] = one + step_x * step_x + step_y * step_y
        slopes[place] = zero


@compiled(**FAST)
def _spread(others: NDArray[np.int32], room: Room, of_anchors: Floats, gradient: Floats) -> None:
    """Add the gradient of sum slope * |step|^2, at the others and at the anchors."""
    steps_x, steps_y, slopes = room.steps_x, room.steps_y, room.slopes
    two, zero = slopes.dtype.type(2.0), slopes.dtype.type(0.0)
    for place in range(len(others) * room.width):
        slope = two * slopes[place]
        steps_x[place] *= slope
        steps_y[place] *= slope
    begin, count, width, lanes, x, y = index(0), index(others.shape[1]), index(room.width), index(LANES), 0, 1
    for anchor in range(index(len(others))):
        total_x, total_y = zero, zero
        for first in range(index(0), width, lanes):
            for lane in range(lanes):
                total_x += steps_x[begin + first + lane]
            for lane in range(lanes):
                total_y += steps_y[begin + first + lane]
        for place in range(count):
            other = index(others[anchor, place])
            new_x, new_y = gradient[other, x] - steps_x[begin + place], gradient[other, y] - steps_y[begin + place]
            gradient[other, x], gradient[other, y] = new_x, new_y
        new_x, new_y = of_anchors[anchor, x] + total_x, of_anchors[anchor, y] + total_y
        of_anchors[anchor, x], of_anchors[anchor, y] = new_x, new_y
        begin += width


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
