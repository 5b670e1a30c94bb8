"""The compiled loop of the listwise loss for maps in the plane, the usual ones: see `kernel` for what it sums.

A tile of anchors goes through it in three passes. Each anchor meets its competitors: draws and the nearest cells one by
one, all others by their series (see `series`). Then all neighbours of all anchors of the tile are weighed in one loop:
fifteen neighbours at a time would be too few for vectors, and what has just been written number by number cannot be
read as a vector at once. Then each anchor pulls its neighbours, and these pull it.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.array_places import index, read_soon
from tete.core.compilation import compiled
from tete.reduction.listwise.affinities import LANES
from tete.reduction.listwise.grid import TILE, Grid
from tete.reduction.listwise.kernel import ANYWHERE, MARGIN, Loss
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
    others: Any  # place of each pair's neighbour
    steps_x: Floats  # of each pair its anchor's place, then the step to it, then the pull
    steps_y: Floats
    scales: Floats  # kappa pooled^power, so that l_ij = scale (1 + d_ij)
    shares: Floats  # first of the neighbours, then of the pairs in their anchors' slopes
    sums: Floats  # a row for each anchor: its slope, and all pulls


@compiled(cache=False, inline="always")
def _make_room(embedding: Floats, words: Any, n_near: int, n_draws: int, n_levels: int) -> Room:
    kind, n_pairs = embedding.dtype, TILE * n_near + MARGIN
    return Room(
        np.empty((4, MOST_IN_A_BLOCK + n_draws + FILL), dtype=kind),
        np.empty((4, MOST_IN_A_BLOCK * n_levels + FILL), dtype=kind),
        np.empty((TILE, 6), dtype=kind),
        np.empty(n_pairs, dtype=words.dtype),
        np.empty(n_pairs, dtype=kind),
        np.empty(n_pairs, dtype=kind),
        np.empty(n_pairs, dtype=kind),
        np.empty(n_pairs, dtype=kind),
        np.empty((TILE, 3), dtype=kind),
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


@compiled(cache=False, inline="always")
def _announce(grid: Grid, tile: int, near: Whole, shares: NDArray[np.float32]) -> None:
    """Fetch the neighbours of a tile's anchors: once points leave the order of the memory, each row is waited for."""
    for place in range(grid.tile_starts[tile], grid.tile_starts[tile + 1]):
        anchor = index(grid.order[place])
        read_soon(near, anchor)
        read_soon(shares, anchor)


@compiled(**FAST)
def _gather_neighbors(anchors: Whole, near: Whole, words: Any, others: Any) -> None:
    """Write the places of the neighbours of all anchors of the tile."""
    count, pair = index(near.shape[1]), index(0)
    for place in range(len(anchors)):
        anchor = index(anchors[place])
        for j in range(count):
            others[pair + j] = words[index(near[anchor, j])]
        pair += count


@compiled(**FAST)
def _list_anchors(
    anchors: Whole,
    kappa: NDArray[np.float32],
    embedding: Floats,
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    room: Room,
) -> None:
    """Write for each pair of the tile what it has of its anchor, and its share."""
    kind, pair, lanes = embedding.dtype, index(0), index(LANES)
    steps_x, steps_y, scales, weighted = room.steps_x, room.steps_y, room.scales, room.shares
    for place in range(len(anchors)):
        anchor = index(anchors[place])
        x, y, weight = embedding[anchor, 0], embedding[anchor, 1], kind.type(point_weights[anchor])
        scale = kind.type(kappa[anchor]) * room.pushes[place, 5]
        for first in range(index(0), index(shares.shape[1]), lanes):
            for lane in range(lanes):
                steps_x[pair + lane] = x
            for lane in range(lanes):
                steps_y[pair + lane] = y
            for lane in range(lanes):
                scales[pair + lane] = scale
            for lane in range(lanes):
                weighted[pair + lane] = weight * shares[anchor, first + lane]
            pair += lanes


@compiled(**FAST)
def _weigh_pairs(t: float, count: int, room: Room) -> Any:
    """Sum of the losses of all pairs; writes their pulls, and what they add to their anchors' slopes."""
    steps_x, steps_y, scales, shares = room.steps_x, room.steps_y, room.scales, room.shares
    places = room.others.view(steps_x.dtype)
    one, two, value = steps_x.dtype.type(1.0), steps_x.dtype.type(2.0), steps_x.dtype.type(0.0)
    if t == 1.0:
        for pair in range(count):
            step_x, step_y = steps_x[pair] - places[2 * pair], steps_y[pair] - places[2 * pair + 1]
            shifted = one + step_x * step_x + step_y * step_y
            rank = one + scales[pair] * shifted
            factor = shares[pair] * scales[pair] / rank
            value += shares[pair] * log(rank)
            shares[pair] = factor * shifted
            steps_x[pair], steps_y[pair] = two * factor * step_x, two * factor * step_y
        return value
    above = steps_x.dtype.type(1.0 - t)
    for pair in range(count):
        step_x, step_y = steps_x[pair] - places[2 * pair], steps_y[pair] - places[2 * pair + 1]
        shifted = one + step_x * step_x + step_y * step_y
        rank = one + scales[pair] * shifted
        power = exp(above * log(rank))
        factor = shares[pair] * scales[pair] * power / rank  # the forgetting factor of eq. (grad)
        value += shares[pair] * (power - one) / above
        shares[pair] = factor * shifted
        steps_x[pair], steps_y[pair] = two * factor * step_x, two * factor * step_y
    return value


@compiled(**FAST)
def _add_up(n_anchors: int, n_near: int, room: Room) -> None:
    """Write what all neighbours of an anchor do to it: its slope, and their pulls."""
    steps_x, steps_y, slopes, sums = room.steps_x, room.steps_y, room.shares, room.sums
    zero, pair, lanes = sums.dtype.type(0.0), index(0), index(LANES)
    for place in range(n_anchors):
        slope, total_x, total_y = zero, zero, zero
        for _ in range(index(0), index(n_near), lanes):
            for lane in range(lanes):
                slope += slopes[pair + lane]
            for lane in range(lanes):
                total_x += steps_x[pair + lane]
            for lane in range(lanes):
                total_y += steps_y[pair + lane]
            pair += lanes
        sums[place, 0], sums[place, 1], sums[place, 2] = slope, total_x, total_y


@compiled(**FAST)
def _move_neighbors(anchors: Whole, near: Whole, room: Room, gradient: Floats) -> None:
    """Add the pulls to the gradient at the neighbours."""
    steps_x, steps_y = room.steps_x, room.steps_y
    count, pair, x, y = index(near.shape[1]), index(0), index(0), index(1)
    for place in range(len(anchors)):
        anchor = index(anchors[place])
        for j in range(count):
            other = index(near[anchor, j])
            new_x, new_y = gradient[other, x] - steps_x[pair + j], gradient[other, y] - steps_y[pair + j]
            gradient[other, x], gradient[other, y] = new_x, new_y
        pair += count


@compiled(**FAST)
def _move_anchors(anchors: Whole, overall_slope: Any, room: Room, new_slopes: Floats, gradient: Floats) -> None:
    """Add the gradient at the anchors: their neighbours pull them, and competitors push them."""
    pushes, sums, two, x, y = room.pushes, room.sums, room.sums.dtype.type(2.0), index(0), index(1)
    for place in range(len(anchors)):
        anchor = index(anchors[place])
        slope = sums[place, 0] * pushes[place, 4]
        new_slopes[anchor] = slope
        slope += overall_slope
        push_x, push_y = slope * pushes[place, 0] + pushes[place, 2], slope * pushes[place, 1] + pushes[place, 3]
        new_x, new_y = gradient[anchor, x] + sums[place, 1], gradient[anchor, y] + sums[place, 2]
        gradient[anchor, x], gradient[anchor, y] = new_x - two * push_x, new_y - two * push_y


@compiled(**FAST)
def sum_in_the_plane(
    loss: Loss,
    kappa: NDArray[np.float32],
    embedding: Floats,
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    words: Any,
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

    The arguments are those of `sum_listwise`, with neighbours in lanes (see `Affinities`), the embedding in words, and
    the series of the pyramid's lists.
    """
    room = _make_room(embedding, words, near.shape[1], drawn.shape[1], pyramid.shapes.shape[0])
    overall_slope = embedding.dtype.type(loss.overall_slope)
    total, n_far, last_list = 0.0, 0, -1
    for row in range(counts.shape[0]):
        if row + 1 < counts.shape[0]:
            _announce(grid, first + row + 1, near, shares)
        own = pyramid.lists[first + row]
        if own != last_list:
            last_list, n_far = own, _gather_nodes(pyramid, own, values, room.table)
        count = (n_far + counts[row] + FILL - 1) // FILL * FILL
        _gather_draws(drawn[row], draw_weights[row], counts[row], embedding, slopes, n_far, count, room.table)
        anchors = grid.order[grid.tile_starts[first + row] : grid.tile_starts[first + row + 1]]
        _meet_competitors(loss, anchors, count, own, embedding, pyramid, values, series, room, means)
        _gather_neighbors(anchors, near, words, room.others)
        _list_anchors(anchors, kappa, embedding, shares, point_weights, room)
        total += _weigh_pairs(loss.t, len(anchors) * near.shape[1], room)
        _add_up(len(anchors), near.shape[1], room)
        _move_neighbors(anchors, near, room, gradient)
        _move_anchors(anchors, overall_slope, room, new_slopes, gradient)
    return total
