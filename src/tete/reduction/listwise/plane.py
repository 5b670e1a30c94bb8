"""The compiled loop of the listwise loss for maps in the plane, the usual ones: see `kernel` for what it sums.

A tile of anchors goes through it in three passes. Each anchor meets its competitors: draws and the nearest cells one by
one, all others by their series (see `series`). Then all neighbours of all anchors of the tile are weighed in one loop:
fifteen neighbours at a time would be too few for vectors, and what has just been written number by number cannot be
read as a vector at once. Then each anchor pulls its neighbours.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.reduction.listwise.grid import TILE, Grid
from tete.reduction.listwise.kernel import ANYWHERE, Loss
from tete.reduction.listwise.logarithm import FAST, exp, log
from tete.reduction.listwise.pyramid import MOST_IN_A_BLOCK, Pyramid
from tete.reduction.listwise.series import Series

__all__ = ["sum_in_the_plane"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int32]

FILL = 32  # competitors are filled up to a multiple of this with ones that weigh nothing: whole vectors


class Room(NamedTuple):
    """Where a tile works: its competitors, what these do to each anchor, and all its pairs of anchor and neighbour."""

    table: Floats  # places, weights and reactions of the competitors, in four rows
    far: Floats  # the same of the nodes above the lowest level, where a series is not to be trusted
    pushes: Floats  # a row for each anchor: see `_meet_competitors`
    others: Whole  # neighbour of each pair
    shares: Floats
    scales: Floats  # kappa pooled^power, so that l_ij = scale (1 + d_ij)
    steps: Floats
    shifted: Floats  # 1 + d_ij
    factors: Floats  # derivatives of the loss in d_ij


@compiled(cache=False, inline="always")
def _make_room(embedding: Floats, n_near: int, n_draws: int, n_levels: int) -> Room:
    kind, n_pairs = embedding.dtype, TILE * n_near
    return Room(
        np.empty((4, MOST_IN_A_BLOCK + n_draws + FILL), dtype=kind),
        np.empty((4, MOST_IN_A_BLOCK * n_levels + FILL), dtype=kind),
        np.empty((TILE, 6), dtype=kind),
        np.empty(n_pairs, dtype=np.int32),
        np.empty(n_pairs, dtype=kind),
        np.empty(n_pairs, dtype=kind),
        np.empty((2, n_pairs), dtype=kind),
        np.empty(n_pairs, dtype=kind),
        np.empty(n_pairs, dtype=kind),
    )


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
def _gather_far_nodes(pyramid: Pyramid, own: int, values: Floats, table: Floats) -> int:
    """Write the nodes of a list above the lowest level, and what counts nothing; return how many these are."""
    count = 0
    for place in range(pyramid.starts[own], pyramid.starts[own + 1]):
        node = pyramid.nodes[place]
        if node >= pyramid.offsets[1]:
            for c in range(4):
                table[c, count] = values[node, c]
            count += 1
    filled = count // FILL * FILL + FILL
    for c in range(4):
        table[c, count:filled] = 0.0
    return filled


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


@compiled(**FAST)
def _meet_competitors(
    loss: Loss,
    anchors: Whole,
    count: int,
    own: int,
    embedding: Floats,
    pyramid: Pyramid,
    values: Floats,
    series: Series,
    room: Room,
    means: Floats,
) -> None:
    """Write the anchors' mean_k q_ik, and what comes of it.

    A row of `pushes` has the pushes of the competitors for a slope of 1 of the anchor, those by their own slopes, the
    derivative of log(pooled^power) in the mean, and pooled^power.
    """
    kind, pushes, table = embedding.dtype, room.pushes, room.table
    power, here = kind.type(loss.power), kind.type(1.0 - ANYWHERE)
    there, reach = kind.type(ANYWHERE * loss.overall_mean), series.reaches[own]
    middle_x, middle_y = series.centers[own, 0], series.centers[own, 1]
    far_weights, far_reactions, n_nodes = series.weights[own], series.reactions[own], 0
    for place in range(len(anchors)):
        x, y = embedding[anchors[place], 0], embedding[anchors[place], 1]
        mean, own_x, own_y, other_x, other_y = _meet(x, y, table, count)
        h, k = x - middle_x, y - middle_y
        if h * h + k * k <= reach:
            far = _meet_series(h, k, far_weights, far_reactions)
        else:
            if n_nodes == 0:  # one at least is only filled up
                n_nodes = _gather_far_nodes(pyramid, own, values, room.far)
            far = _meet(x, y, room.far, n_nodes)
        mean += far[0]
        pushes[place, 0], pushes[place, 1] = own_x + far[1], own_y + far[2]
        pushes[place, 2], pushes[place, 3] = other_x + far[3], other_y + far[4]
        pooled = here * mean + there
        pushes[place, 4] = power * here / pooled
        pushes[place, 5] = pooled if loss.power == 1.0 else exp(power * log(pooled))
        means[anchors[place]] = mean


@compiled(**FAST)
def _list_pairs(
    anchors: Whole,
    kappa: NDArray[np.float32],
    embedding: Floats,
    near: Whole,
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    room: Room,
) -> int:
    """Write what is known of all pairs of an anchor of the tile and a neighbour; return their number."""
    kind, n_near, steps, others = embedding.dtype, near.shape[1], room.steps, room.others
    for place in range(len(anchors)):
        anchor, first = anchors[place], place * n_near
        weight, scale = kind.type(point_weights[anchor]), kind.type(kappa[anchor]) * room.pushes[place, 5]
        for j in range(n_near):
            others[first + j] = near[anchor, j]
            room.shares[first + j] = weight * shares[anchor, j]
            room.scales[first + j] = scale
            steps[0, first + j] = embedding[anchor, 0]
            steps[1, first + j] = embedding[anchor, 1]
    n_pairs: int = len(anchors) * n_near
    for pair in range(n_pairs):
        steps[0, pair] -= embedding[others[pair], 0]
        steps[1, pair] -= embedding[others[pair], 1]
    return n_pairs


@compiled(**FAST)
def _weigh_pairs(t: float, count: int, room: Room) -> Any:
    """Sum of the losses of all pairs; writes 1 + d_ij, and the derivatives in d_ij."""
    shares, scales, steps, shifted, factors = room.shares, room.scales, room.steps, room.shifted, room.factors
    one, value = shifted.dtype.type(1.0), shifted.dtype.type(0.0)
    for pair in range(count):
        shifted[pair] = one + steps[0, pair] * steps[0, pair] + steps[1, pair] * steps[1, pair]
    if t == 1.0:
        for pair in range(count):
            rank = one + scales[pair] * shifted[pair]
            factors[pair] = shares[pair] * scales[pair] / rank
            value += shares[pair] * log(rank)
        return value
    above = shifted.dtype.type(1.0 - t)
    for pair in range(count):
        rank = one + scales[pair] * shifted[pair]
        power = exp(above * log(rank))
        value += shares[pair] * (power - one) / above
        factors[pair] = shares[pair] * scales[pair] * power / rank  # the forgetting factor of eq. (grad)
    return value


@compiled(**FAST)
def _move_pairs(
    anchors: Whole, n_near: int, overall_slope: Any, room: Room, new_slopes: Floats, gradient: Floats
) -> None:
    """Add the gradient: neighbours and anchors pull each other, and competitors push the anchors."""
    steps, shifted, factors, pushes = room.steps, room.shifted, room.factors, room.pushes
    zero, two = steps.dtype.type(0.0), steps.dtype.type(2.0)
    for place in range(len(anchors)):
        slope, total_x, total_y = zero, zero, zero
        for pair in range(place * n_near, (place + 1) * n_near):
            slope += factors[pair] * shifted[pair]
            pull_x, pull_y = two * factors[pair] * steps[0, pair], two * factors[pair] * steps[1, pair]
            total_x += pull_x
            total_y += pull_y
            other = room.others[pair]
            new_x, new_y = gradient[other, 0] - pull_x, gradient[other, 1] - pull_y
            gradient[other, 0], gradient[other, 1] = new_x, new_y
        slope *= pushes[place, 4]
        new_slopes[anchors[place]] = slope
        slope += overall_slope
        gradient[anchors[place], 0] += total_x - two * (slope * pushes[place, 0] + pushes[place, 2])
        gradient[anchors[place], 1] += total_y - two * (slope * pushes[place, 1] + pushes[place, 3])


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
    room = _make_room(embedding, near.shape[1], drawn.shape[1], pyramid.shapes.shape[0])
    overall_slope = embedding.dtype.type(loss.overall_slope)
    total, n_far, last_list = 0.0, 0, -1
    for row in range(counts.shape[0]):
        own = pyramid.lists[first + row]
        if own != last_list:
            last_list, n_far = own, _gather_nodes(pyramid, own, values, room.table)
        count = (n_far + counts[row] + FILL - 1) // FILL * FILL
        _gather_draws(drawn[row], draw_weights[row], counts[row], embedding, slopes, n_far, count, room.table)
        anchors = grid.order[grid.tile_starts[first + row] : grid.tile_starts[first + row + 1]]
        _meet_competitors(loss, anchors, count, own, embedding, pyramid, values, series, room, means)
        n_pairs = _list_pairs(anchors, kappa, embedding, near, shares, point_weights, room)
        total += _weigh_pairs(loss.t, n_pairs, room)
        _move_pairs(anchors, near.shape[1], overall_slope, room, new_slopes, gradient)
    return total
