"""The compiled loop of the listwise loss for maps in the plane, the usual ones: see `kernel` for what it sums.

A tile of anchors goes through it in three passes. Each anchor meets its competitors: draws and the nearest cells one by
one, all others by their series (see `series`). Then all neighbours of all anchors of the tile are weighed in one loop:
fifteen neighbours at a time would be too few for vectors, and what has just been written number by number cannot be
read as a vector at once. Then each anchor pulls its neighbours.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.reduction.listwise.grid import TILE, Grid
from tete.reduction.listwise.kernel import ANYWHERE, Loss
from tete.reduction.listwise.logarithm import FAST, exp, log
from tete.reduction.listwise.pyramid import MOST_IN_A_BLOCK, Pyramid
from tete.reduction.listwise.series import TERMS, Series

__all__ = ["sum_in_the_plane"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int32]

FILL = 32  # competitors are filled up to a multiple of this with ones that weigh nothing: whole vectors


@compiled(cache=False, inline="always")
def _gather_nodes(pyramid: Pyramid, own: int, values: Floats, table: Floats) -> int:
    """Write the nodes of a list that are on the lowest level, which come first; return their number."""
    first, last, count = pyramid.starts[own], pyramid.starts[own + 1], 0
    while first + count < last and pyramid.nodes[first + count] < pyramid.offsets[1]:
        node = pyramid.nodes[first + count]
        for c in range(4):
            table[c, count] = values[node, c]
        count += 1
    return count


@compiled(cache=False, inline="always")
def _gather_draws(
    points: Whole, weights: Floats, count: int, embedding: Floats, slopes: Floats, first: int, last: int, table: Floats
) -> None:
    """Write the draws from number `first` on, and up to number `last` what counts nothing."""
    for k in range(count):
        point = points[k]
        table[0, first + k], table[1, first + k] = embedding[point, 0], embedding[point, 1]
        table[2, first + k], table[3, first + k] = weights[k], weights[k] * slopes[point]
    for k in range(first + count, last):
        for c in range(4):
            table[c, k] = 0.0


@compiled(cache=False, inline="always", **FAST)
def _meet(x: Any, y: Any, table: Floats, count: int) -> Any:
    """Sums over competitors k: weight q, and the steps from k to (x, y) times weight q^2 and times reaction q^2."""
    one, zero = table.dtype.type(1.0), table.dtype.type(0.0)
    mean, own_x, own_y, other_x, other_y = zero, zero, zero, zero, zero
    for k in range(count):
        step_x, step_y = x - table[0, k], y - table[1, k]
        kernel = one / (one + step_x * step_x + step_y * step_y)
        own = table[2, k] * kernel
        mean += own
        own *= kernel
        other = table[3, k] * kernel * kernel
        own_x += own * step_x
        own_y += own * step_y
        other_x += other * step_x
        other_y += other * step_y
    return mean, own_x, own_y, other_x, other_y


@compiled(**FAST)
def _meet_nodes(x: Any, y: Any, pyramid: Pyramid, own: int, values: Floats) -> Any:
    """The same over the nodes of a list above the lowest level."""
    one, zero = values.dtype.type(1.0), values.dtype.type(0.0)
    mean, own_x, own_y, other_x, other_y = zero, zero, zero, zero, zero
    for place in range(pyramid.starts[own], pyramid.starts[own + 1]):
        node = pyramid.nodes[place]
        if node >= pyramid.offsets[1]:
            step_x, step_y = x - values[node, 0], y - values[node, 1]
            kernel = one / (one + step_x * step_x + step_y * step_y)
            mean += values[node, 2] * kernel
            own_x += values[node, 2] * kernel * kernel * step_x
            own_y += values[node, 2] * kernel * kernel * step_y
            other_x += values[node, 3] * kernel * kernel * step_x
            other_y += values[node, 3] * kernel * kernel * step_y
    return mean, own_x, own_y, other_x, other_y


@compiled(cache=False, inline="always", **FAST)
def _meet_series(x: Any, y: Any, a: Floats, b: Floats) -> Any:
    """The same by their series, at a step (x, y) from its middle; a of the weights, b of the reactions."""
    two, three, half = a.dtype.type(2.0), a.dtype.type(3.0), a.dtype.type(-0.5)
    mean = a[0] + x * (a[1] + x * (a[3] + x * a[6])) + y * (a[2] + y * (a[5] + y * a[9]))
    mean += x * y * (a[4] + x * a[7] + y * a[8])
    own_x = a[1] + x * (two * a[3] + three * x * a[6]) + y * (a[4] + two * x * a[7] + y * a[8])
    own_y = a[2] + y * (two * a[5] + three * y * a[9]) + x * (a[4] + x * a[7] + two * y * a[8])
    other_x = b[1] + x * (two * b[3] + three * x * b[6]) + y * (b[4] + two * x * b[7] + y * b[8])
    other_y = b[2] + y * (two * b[5] + three * y * b[9]) + x * (b[4] + x * b[7] + two * y * b[8])
    return mean, half * own_x, half * own_y, half * other_x, half * other_y


@compiled(cache=False, inline="always", **FAST)
def _gather_neighbors(
    embedding: Floats,
    near: Whole,
    shares: Floats,
    anchor: int,
    weight: Any,
    scale: Any,
    first: int,
    others: Whole,
    own_shares: Floats,
    scales: Floats,
    steps: Floats,
) -> None:
    """Copy the neighbours of an anchor, with its own place for their steps."""
    for place in range(near.shape[1]):
        others[first + place] = near[anchor, place]
        own_shares[first + place] = weight * shares[anchor, place]
        scales[first + place] = scale
        steps[0, first + place] = embedding[anchor, 0]
        steps[1, first + place] = embedding[anchor, 1]


@compiled(cache=False, inline="always", **FAST)
def _weigh(
    t: float, count: int, shares: Floats, scales: Floats, steps: Floats, shifted: Floats, factors: Floats
) -> Any:
    """Sum of the losses of all neighbours of a tile; writes 1 + d_ij, and the derivatives in d_ij."""
    one, value = shifted.dtype.type(1.0), shifted.dtype.type(0.0)
    for e in range(count):
        shifted[e] = one + steps[0, e] * steps[0, e] + steps[1, e] * steps[1, e]
    if t == 1.0:
        for e in range(count):
            rank = one + scales[e] * shifted[e]
            factors[e] = shares[e] * scales[e] / rank
            value += shares[e] * log(rank)
        return value
    above = shifted.dtype.type(1.0 - t)
    for e in range(count):
        rank = one + scales[e] * shifted[e]
        power = exp(above * log(rank))
        value += shares[e] * (power - one) / above
        factors[e] = shares[e] * scales[e] * power / rank  # the forgetting factor 1 / (1 + l)^t of eq. (grad)
    return value


@compiled(cache=False, inline="always", **FAST)
def _pull(
    anchor: int,
    first: int,
    n_near: int,
    others: Whole,
    steps: Floats,
    shifted: Floats,
    factors: Floats,
    gradient: Floats,
) -> Any:
    """Add the gradient of sum_j factor_j d_ij to all neighbours and the anchor; return sum_j factor_j (1 + d_ij)."""
    two = steps.dtype.type(2.0)
    slope, total_x, total_y = steps.dtype.type(0.0), steps.dtype.type(0.0), steps.dtype.type(0.0)
    for e in range(first, first + n_near):
        slope += factors[e] * shifted[e]
        pull_x, pull_y = two * factors[e] * steps[0, e], two * factors[e] * steps[1, e]
        total_x += pull_x
        total_y += pull_y
        other = others[e]
        new_x, new_y = gradient[other, 0] - pull_x, gradient[other, 1] - pull_y
        gradient[other, 0] = new_x
        gradient[other, 1] = new_y
    gradient[anchor, 0] += total_x
    gradient[anchor, 1] += total_y
    return slope


@compiled(**FAST)
def sum_in_the_plane(
    loss: Loss,
    kappa: NDArray[np.float32],
    embedding: Floats,
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    grid: Grid,
    pyramid: Pyramid,
    values: Floats,
    series: Series,
    slopes: Floats,
    first: int,
    drawn: NDArray[np.int32],
    draw_weights: Floats,
    counts: NDArray[np.int32],
    means: Floats,
    new_slopes: Floats,
    gradient: Floats,
) -> float:
    """Sum of the losses of the anchors in the tiles from number `first` on; adds its gradient to `gradient`.

    The arguments are those of `sum_listwise`, and the series of the pyramid's lists.
    """
    n_near, kind = near.shape[1], embedding.dtype
    table = np.empty((4, MOST_IN_A_BLOCK + drawn.shape[1] + FILL), dtype=kind)
    far_weights, far_reactions = np.empty(TERMS, dtype=kind), np.empty(TERMS, dtype=kind)
    room = TILE * n_near
    others = np.empty(room, dtype=np.int32)
    own_shares, scales = np.empty(room, dtype=kind), np.empty(room, dtype=kind)
    shifted, factors, steps = np.empty(room, dtype=kind), np.empty(room, dtype=kind), np.empty((2, room), dtype=kind)
    pushes = np.empty((TILE, 5), dtype=kind)
    middle_x, middle_y, reach = kind.type(0.0), kind.type(0.0), kind.type(0.0)
    here, there = kind.type(1.0 - ANYWHERE), kind.type(ANYWHERE * loss.overall_mean)
    power, overall_slope, two = kind.type(loss.power), kind.type(loss.overall_slope), kind.type(2.0)
    order, tile_starts, lists = grid.order, grid.tile_starts, pyramid.lists
    total, n_far, last_list = 0.0, 0, -1
    for row in range(counts.shape[0]):
        own_list = lists[first + row]
        if own_list != last_list:
            last_list, n_far = own_list, _gather_nodes(pyramid, own_list, values, table)
            middle_x, middle_y = series.centers[own_list, 0], series.centers[own_list, 1]
            reach = series.reaches[own_list]
            for term in range(TERMS):
                far_weights[term], far_reactions[term] = (
                    series.weights[own_list, term],
                    series.reactions[own_list, term],
                )
        count = (n_far + counts[row] + FILL - 1) // FILL * FILL
        _gather_draws(drawn[row], draw_weights[row], counts[row], embedding, slopes, n_far, count, table)
        begin, end = tile_starts[first + row], tile_starts[first + row + 1]
        for rank in range(begin, end):
            anchor, place = order[rank], rank - begin
            x, y = embedding[anchor, 0], embedding[anchor, 1]
            mean, own_x, own_y, other_x, other_y = _meet(x, y, table, count)
            h, k = x - middle_x, y - middle_y
            if h * h + k * k <= reach:
                far = _meet_series(h, k, far_weights, far_reactions)
            else:
                far = _meet_nodes(x, y, pyramid, own_list, values)
            mean += far[0]
            pushes[place, 0], pushes[place, 1] = own_x + far[1], own_y + far[2]
            pushes[place, 2], pushes[place, 3] = other_x + far[3], other_y + far[4]
            pooled = here * mean + there
            pushes[place, 4] = power * here / pooled
            raised = pooled if loss.power == 1.0 else exp(power * log(pooled))
            means[anchor] = mean
            _gather_neighbors(
                embedding,
                near,
                shares,
                anchor,
                kind.type(point_weights[anchor]),
                kind.type(kappa[anchor]) * raised,
                place * n_near,
                others,
                own_shares,
                scales,
                steps,
            )
        n_pairs = (end - begin) * n_near
        for e in range(n_pairs):
            steps[0, e] -= embedding[others[e], 0]
            steps[1, e] -= embedding[others[e], 1]
        total += _weigh(loss.t, n_pairs, own_shares, scales, steps, shifted, factors)
        for rank in range(begin, end):
            anchor, place = order[rank], rank - begin
            slope = _pull(anchor, place * n_near, n_near, others, steps, shifted, factors, gradient)
            slope *= pushes[place, 4]
            new_slopes[anchor] = slope
            slope += overall_slope
            gradient[anchor, 0] -= two * (slope * pushes[place, 0] + pushes[place, 2])
            gradient[anchor, 1] -= two * (slope * pushes[place, 1] + pushes[place, 3])
    return total
