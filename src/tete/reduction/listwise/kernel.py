"""The compiled loop of the listwise loss; `plane` has the one for maps in the plane.

    loss = sum_ij p_ij log_t(1 + l_ij),   l_ij = kappa * pooled_i^power / q_ij,   q_ij = exp_2(-d_ij) = 1 / (1 + d_ij)
    pooled_i = (1 - A) mean_k q_ik + A mean_ik q_ik,   A = 2/3

This pools the outliers inside the robust logarithm of eq. (ete-obj): 1 + l_ij is a soft rank of j among kappa
competitors of i, a third of them those around i, the others those around any point. Were all those around i, a point
alone in a gap would have hardly any, and stay there. The power is 1 / exaggeration. The mean over all points k is
estimated from the competitors of a tile of anchors: cells far away (`pyramid`) and draws (`draws`), which are copied to
contiguous arrays once.

With s_i the derivative of the whole loss in mean_k q_ik, the slope of i, the pairs (i, k) push point i by
-2 (s_i + s_k) q_ik^2 (y_i - y_k) / n. Both parts are added at i from i's own competitors, with the s_k of the iteration
before: then nothing is written to competitors, and one pass over them in vector registers is enough. The same goes for
the mean over all pairs and for what it adds to all slopes. The loop works in the precision of the embedding.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.reduction.descent import Schedule
from tete.reduction.listwise.grid import Grid
from tete.reduction.listwise.logarithm import FAST, exp, log
from tete.reduction.listwise.pyramid import Pyramid

__all__ = ["ANYWHERE", "MARGIN", "Loss", "listwise_descent", "sum_listwise"]

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

FILL = 32  # competitors are filled up to a multiple of this with ones that weigh nothing: four vectors of eight
LANES = 8  # neighbours are filled up to a multiple of this with ones that have no share: see `weighted.kernel`
# A vectorised loop first asks whether what it writes lies within a few vectors of what it reads, and where it does adds
# in another order. Whether memory is found so near is chance, so what the competitors' loops write keeps a distance.
MARGIN = 128  # numbers, twice the most that a loop works on at once

ANYWHERE = 2.0 / 3.0  # of the competitors: less leaves points alone in gaps, more costs neighbourhoods


class Loss(NamedTuple):
    """What is the same for all anchors: temperature, power, mean_ik q_ik, and the derivative in it divided by n."""

    t: float
    power: float
    overall_mean: float
    overall_slope: float


# One anchor against its competitors ----------------------------------------------------------------------------------


@compiled(cache=False, inline="always", **FAST)
def _meet(embedding: Floats, anchor: int, places: Floats, weights: Floats, kernels: Floats) -> Any:
    """Return the sum of weight q over competitors; write all q."""
    one, mean = places.dtype.type(1.0), places.dtype.type(0.0)
    kernels[:] = one
    for c in range(places.shape[0]):
        for k in range(kernels.shape[0]):
            step = embedding[anchor, c] - places[c, k]
            kernels[k] += step * step
    for k in range(kernels.shape[0]):
        kernels[k] = one / kernels[k]
        mean += weights[k] * kernels[k]
    return mean


@compiled(cache=False, inline="always", **FAST)
def _push(
    slope: Any,
    embedding: Floats,
    anchor: int,
    places: Floats,
    weights: Floats,
    reactions: Floats,
    kernels: Floats,
    gradient: Floats,
) -> None:
    """Add the gradient of slope * mean_k q_ik and of what this place adds to the means of others: dq/dd = -q^2."""
    factor = places.dtype.type(-2.0)
    for k in range(kernels.shape[0]):
        kernels[k] *= factor * kernels[k] * (slope * weights[k] + reactions[k])
    for c in range(places.shape[0]):
        total = places.dtype.type(0.0)
        for k in range(kernels.shape[0]):
            total += kernels[k] * (embedding[anchor, c] - places[c, k])
        gradient[anchor, c] += total


# One anchor and its neighbours ---------------------------------------------------------------------------------------


@compiled(cache=False, inline="always", **FAST)
def _reach(embedding: Floats, anchor: int, near: NDArray[np.int32], steps: Floats, shifted: Floats) -> None:
    """Write the steps from all neighbours to the anchor, and 1 + d_ij."""
    one = embedding.dtype.type(1.0)
    if embedding.shape[1] == 2:
        x, y = embedding[anchor, 0], embedding[anchor, 1]
        for place in range(near.shape[1]):
            steps[0, place] = x - embedding[near[anchor, place], 0]
            steps[1, place] = y - embedding[near[anchor, place], 1]
        for place in range(shifted.shape[0]):
            shifted[place] = one + steps[0, place] * steps[0, place] + steps[1, place] * steps[1, place]
        return
    for place in range(shifted.shape[0]):
        shifted[place] = one
    for c in range(embedding.shape[1]):
        for place in range(near.shape[1]):
            steps[c, place] = embedding[anchor, c] - embedding[near[anchor, place], c]
            shifted[place] += steps[c, place] * steps[c, place]


@compiled(cache=False, inline="always", **FAST)
def _weigh_ranks(t: float, rank_scale: Any, shares: Floats, shifted: Floats, factors: Floats) -> tuple[Any, Any]:
    """Loss of an anchor, its derivative in log mean_k q_ik, and in `factors` its derivatives in d_ij.

    `rank_scale` is kappa mean_k q_ik, so that l_ij = rank_scale (1 + d_ij).
    """
    one = shifted.dtype.type(1.0)
    value, slope = shifted.dtype.type(0.0), shifted.dtype.type(0.0)
    if t == 1.0:
        for place in range(shifted.shape[0]):
            rank = one + rank_scale * shifted[place]
            factors[place] = shares[place] * rank_scale / rank
            slope += factors[place] * shifted[place]
            value += shares[place] * log(rank)
        return value, slope
    above = shifted.dtype.type(1.0 - t)
    for place in range(shifted.shape[0]):
        rank = one + rank_scale * shifted[place]
        power = exp(above * log(rank))
        value += shares[place] * (power - one) / above
        factors[place] = shares[place] * rank_scale * power / rank  # the forgetting factor 1 / (1 + l)^t of eq. (grad)
        slope += factors[place] * shifted[place]
    return value, slope


@compiled(cache=False, inline="always", **FAST)
def _pull(weight: Any, steps: Floats, factors: Floats, anchor: int, near: NDArray[np.int32], gradient: Floats) -> None:
    """Add the gradient of weight * sum_j factor_j d_ij."""
    two = steps.dtype.type(2.0) * weight
    if steps.shape[0] == 2:
        total_x, total_y = steps.dtype.type(0.0), steps.dtype.type(0.0)
        for place in range(factors.shape[0]):
            factor = two * factors[place]
            steps[0, place] *= factor
            steps[1, place] *= factor
            total_x += steps[0, place]
            total_y += steps[1, place]
        for place in range(near.shape[1]):
            gradient[near[anchor, place], 0] -= steps[0, place]
            gradient[near[anchor, place], 1] -= steps[1, place]
        gradient[anchor, 0] += total_x
        gradient[anchor, 1] += total_y
        return
    for c in range(steps.shape[0]):
        for place in range(near.shape[1]):
            pull = two * factors[place] * steps[c, place]
            gradient[near[anchor, place], c] -= pull
            gradient[anchor, c] += pull


@compiled(cache=False, inline="always", **FAST)
def _weigh(loss: Loss, kappa: Any, mean: Any, shares: Floats, shifted: Floats, factors: Floats) -> tuple[Any, Any]:
    """Loss of an anchor, its derivative in mean_k q_ik, and in `factors` its derivatives in d_ij."""
    kind = shifted.dtype
    here = kind.type(1.0 - ANYWHERE)
    pooled = here * mean + kind.type(ANYWHERE * loss.overall_mean)
    raised = pooled if loss.power == 1.0 else exp(kind.type(loss.power) * log(pooled))
    value, slope = _weigh_ranks(loss.t, kappa * raised, shares, shifted, factors)
    return value, slope * kind.type(loss.power) * here / pooled


# The loop ------------------------------------------------------------------------------------------------------------


@compiled(cache=False, inline="always")
def _gather_nodes(
    pyramid: Pyramid, own: int, values: Floats, places: Floats, weights: Floats, reactions: Floats
) -> int:
    """Write the nodes of a list; return their number."""
    n_components, first = places.shape[0], pyramid.starts[own]
    count = pyramid.starts[own + 1] - first
    for k in range(count):
        node = pyramid.nodes[first + k]
        for c in range(n_components):
            places[c, k] = values[node, c]
        weights[k] = values[node, n_components]
        reactions[k] = values[node, n_components + 1]
    return int(count)


@compiled(cache=False, inline="always")
def _copy_row(table: NDArray[np.float32], row: int, copy: Floats) -> None:
    for place in range(table.shape[1]):
        copy[place] = table[row, place]


@compiled(cache=False, inline="always")
def _gather_draws(
    points: NDArray[np.int32],
    draw_weights: Floats,
    embedding: Floats,
    slopes: Floats,
    first: int,
    last: int,
    places: Floats,
    weights: Floats,
    reactions: Floats,
) -> None:
    """Write the draws from number `first` on, and up to number `last` what counts nothing."""
    n_components, count = places.shape[0], points.shape[0]
    for k in range(count):
        for c in range(n_components):
            places[c, first + k] = embedding[points[k], c]
        weights[first + k] = draw_weights[k]
        reactions[first + k] = draw_weights[k] * slopes[points[k]]
    for k in range(first + count, last):
        for c in range(n_components):
            places[c, k] = 0.0
        weights[k] = 0.0
        reactions[k] = 0.0


@compiled(cache=False, inline="always")
def _most_competitors(pyramid: Pyramid, n_draws: int, first: int, n_tiles: int) -> int:
    most = 0
    for tile in range(first, first + n_tiles):
        own = pyramid.lists[tile]
        most = max(most, pyramid.starts[own + 1] - pyramid.starts[own])
    return int(most + n_draws + FILL)


@compiled(**FAST)
def sum_listwise(
    loss: Loss,
    kappa: NDArray[np.float32],
    embedding: Floats,
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    point_weights: NDArray[np.float32],
    grid: Grid,
    pyramid: Pyramid,
    values: Floats,
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

    Row r of `drawn` and `draw_weights` has the outliers of tile `first` + r, ``counts[r]`` of them, and `values` what
    belongs to the nodes of the pyramid; `slopes` are those of all points in the iteration before. The anchors'
    mean_k q_ik is written to `means`, and the derivative of their own loss in it to `new_slopes`.
    """
    n_components, n_near, kind = embedding.shape[1], near.shape[1], embedding.dtype
    n_filled = (n_near + LANES - 1) // LANES * LANES
    n_most = _most_competitors(pyramid, drawn.shape[1], first, counts.shape[0])
    places = np.empty((n_components, n_most), dtype=kind)
    weights, reactions = np.empty(n_most, dtype=kind), np.empty(n_most, dtype=kind)
    all_kernels = np.empty(n_most + 2 * MARGIN, dtype=kind)[MARGIN:-MARGIN]
    steps, own_shares = np.zeros((n_components, n_filled), dtype=kind), np.zeros(n_filled, dtype=kind)
    shifted, factors = np.empty_like(own_shares), np.empty_like(own_shares)
    overall_slope = kind.type(loss.overall_slope)
    total, n_far, last_list = 0.0, 0, -1
    for row in range(counts.shape[0]):
        own_list = pyramid.lists[first + row]
        if own_list != last_list:
            last_list, n_far = own_list, _gather_nodes(pyramid, own_list, values, places, weights, reactions)
        count = (n_far + counts[row] + FILL - 1) // FILL * FILL
        _gather_draws(
            drawn[row, : counts[row]], draw_weights[row], embedding, slopes, n_far, count, places, weights, reactions
        )
        kernels = all_kernels[:count]
        for rank in range(grid.tile_starts[first + row], grid.tile_starts[first + row + 1]):
            anchor = grid.order[rank]
            weight = kind.type(point_weights[anchor])
            mean = _meet(embedding, anchor, places, weights, kernels)
            _reach(embedding, anchor, near, steps, shifted)
            _copy_row(shares, anchor, own_shares)
            value, slope = _weigh(loss, kind.type(kappa[anchor]), mean, own_shares, shifted, factors)
            total += weight * value
            _pull(weight, steps, factors, anchor, near, gradient)
            means[anchor], new_slopes[anchor] = mean, weight * slope
            slope = weight * slope + overall_slope
            _push(slope, embedding, anchor, places, weights, reactions, kernels, gradient)
    return total


# New rows -------------------------------------------------------------------------------------------------------------


class Stand(NamedTuple):
    """What a new row is compared with: itself and then its neighbours, their shares, and its competitors."""

    table: NDArray[np.float64]
    others: NDArray[np.int32]
    shares: NDArray[np.float64]
    places: NDArray[np.float64]
    weights: NDArray[np.float64]
    reactions: NDArray[np.float64]


@compiled(cache=False, inline="always")
def _empty_stand(n_near: int, n_draws: int, n_components: int) -> Stand:
    others = np.arange(1, n_near + 1).astype(np.int32).reshape(1, n_near)
    places, reactions = np.empty((n_components, n_draws)), np.zeros(n_draws)
    return Stand(np.empty((1 + n_near, n_components)), others, np.empty(n_near), places, np.empty(n_draws), reactions)


@compiled(cache=False, inline="always")
def _take_stand(
    stand: Stand,
    row: int,
    embedding: NDArray[Any],
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    competitors: NDArray[Any],
    drawn: NDArray[np.int32],
    draw_weights: NDArray[np.float64],
) -> int:
    """Copy what a row is compared with; return the number of its competitors."""
    for j in range(near.shape[1]):
        stand.shares[j] = shares[row, j]
        for c in range(embedding.shape[1]):
            stand.table[1 + j, c] = embedding[near[row, j], c]
    count = drawn.shape[1]  # how long the others' lists are must not change the order of a row's sums
    while count > 1 and draw_weights[row, count - 1] == 0.0:
        count -= 1
    for k in range(count):
        stand.weights[k] = draw_weights[row, k]
        for c in range(embedding.shape[1]):
            stand.places[c, k] = competitors[drawn[row, k], c]
    return int(count)


@compiled(cache=False, inline="always", **FAST)
def _evaluate(
    loss: Loss,
    kappa: Any,
    stand: Stand,
    kernels: NDArray[np.float64],
    steps: NDArray[np.float64],
    shifted: NDArray[np.float64],
    factors: NDArray[np.float64],
    scratch: NDArray[np.float64],
) -> Any:
    """The loss where the stand's row is now; its gradient is the first row of `scratch`."""
    scratch[:] = 0.0
    mean = _meet(stand.table, 0, stand.places, stand.weights, kernels)
    _reach(stand.table, 0, stand.others, steps, shifted)
    value, slope = _weigh(loss, kappa, mean, stand.shares, shifted, factors)
    _pull(1.0, steps, factors, 0, stand.others, scratch)
    _push(slope, stand.table, 0, stand.places, stand.weights, stand.reactions, kernels, scratch)
    return value


@compiled(**FAST)
def listwise_descent(
    loss: Loss,
    kappa: NDArray[np.float32],
    starts: NDArray[np.float64],
    embedding: NDArray[Any],
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    competitors: NDArray[Any],
    drawn: NDArray[np.int32],
    draw_weights: NDArray[np.float64],
    schedule: Schedule,
    places: NDArray[np.float64],
    values: NDArray[np.float64],
    gradients: NDArray[np.float64],
) -> None:
    """Where each new row ends that descends the listwise loss against its neighbours and competitors.

    It begins at the best of its `starts`, of shape (starts, rows, components), and goes on as `descent` says. `drawn`
    has numbers of rows of `competitors`: places of points, and of cells that stand for many points.
    """
    n_near, n_draws, n_components = near.shape[1], drawn.shape[1], embedding.shape[1]
    stand = _empty_stand(n_near, n_draws, n_components)
    all_kernels = np.empty(n_draws + 2 * MARGIN)[MARGIN:-MARGIN]
    steps, shifted, factors = np.empty((n_components, n_near)), np.empty(n_near), np.empty(n_near)
    scratch = np.empty((1 + n_near, n_components))
    for row in range(places.shape[0]):
        count = _take_stand(stand, row, embedding, near, shares, competitors, drawn, draw_weights)
        kernels, best, length, trial = all_kernels[:count], np.inf, 0.0, 0
        while trial < len(starts) + schedule.n_steps:
            for c in range(n_components):
                if trial < len(starts):
                    stand.table[0, c] = starts[trial, row, c]
                else:
                    stand.table[0, c] = places[row, c] - length * gradients[row, c]
            value = _evaluate(loss, kappa[row], stand, kernels, steps, shifted, factors, scratch)
            better = value < best
            if better:
                best = value
                places[row], gradients[row] = stand.table[0], scratch[0]
            square = 0.0
            for c in range(n_components):
                square += gradients[row, c] * gradients[row, c]
            trial += 1
            if trial == len(starts):
                length = schedule.first / max(math.sqrt(square), schedule.tiny)
            elif trial > len(starts):
                length *= schedule.growth if better else schedule.shrinkage
            if trial >= len(starts) and length * square <= schedule.tolerance:
                break
        values[row] = best
