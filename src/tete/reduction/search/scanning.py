"""Which points are nearest to a query, by looking at all points of some blocks: the one loop of our searches.

A block holds the points of a cell, or just some points, column after column, filled up to a multiple of `LANES` with
points at infinity, so that a processor works on several points at once. Distances are sums of squared differences:
|x|^2 - 2 x'y + |y|^2 would be no faster here and loses the digits that tell near points apart.

Queries go in groups. All of a group that visit a block do so together while it is in the cache, two at a time because
then each number that is loaded is used twice. What a query finds depends on its own row and the blocks that it visits
alone: the nearest by distance, equally near ones by number.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.array_places import index
from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices
from tete.reduction.search.nearest import Indices, Neighbors, PointArray, empty_neighbors

__all__ = ["Blocks", "make_blocks", "scan", "scan_all"]

Keys: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.uint8]

LANES = 16  # single precision numbers that a processor of today works on at once
EIGHT = 8  # flags of one byte in a number of 64 bits
POINTS_IN_A_BLOCK = 128  # where nothing else tells: 25 KB on 50 columns stay in the first cache
GROUP = 96  # queries at once: the candidates of all stay in the second cache
ROWS_IN_A_PIECE, FEWEST_PIECES = 768, 8  # enough work for a thread; few rows that visit all points go on several
FARTHEST = np.float32(np.finfo(np.float32).max).view(np.int32)  # bits of it: nearer than the points at infinity
SPARE = 12  # keys beyond those that are wanted: an exact number takes longer to find
OCTAVE = np.int64(1) << 55  # from the key of a square distance to that of its half

# No reassociation: each distance is added up in one order, wherever its point stands.
FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz"}}


class Blocks(NamedTuple):
    """Points in blocks: block b has the lanes from ``starts[b]`` on, and each lane the number of its point."""

    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    numbers: Indices


def make_blocks(points: PointArray, members: Indices | None = None, sizes: NDArray[Any] | None = None) -> Blocks:
    """Blocks of so many `members` each; of equal sizes in the order of the points if nothing is said."""
    if members is None or sizes is None:
        members = np.arange(len(points), dtype=np.int32)
        sizes = np.full(-(-len(points) // POINTS_IN_A_BLOCK), POINTS_IN_A_BLOCK, dtype=np.int64)
        sizes[-1:] -= sizes.sum() - len(points)
    filled = -(-np.asarray(sizes) // LANES) * LANES
    starts = np.concatenate([[0], np.cumsum(filled)]).astype(np.int64)
    values = np.empty(starts[-1] * points.shape[1], dtype=np.float32)
    numbers = np.empty(starts[-1], dtype=np.int32)
    _fill_blocks(points, members, np.cumsum(sizes), starts, values, numbers)
    return Blocks(values, starts, numbers)


def scan(
    blocks: Blocks,
    queries: PointArray,
    count: int,
    workers: Threads,
    *,
    visits: Callable[[Indices], Indices] | None = None,
    order: Indices | None = None,
    own: bool = False,
    into: Neighbors | None = None,
) -> Neighbors:
    """The `count` nearest points of each query in the blocks that it visits, or in all of them.

    `visits` tells of the queries with these numbers which blocks they visit. Queries that come together in `order` had
    better visit the same ones; those that are not in it are left as they are in `into`. With `own`, query i is never
    point i. Where the blocks hold too few points, the number of those that are missing is -1.
    """
    result = empty_neighbors(len(queries), count) if into is None else into
    order = np.arange(len(queries), dtype=np.int32) if order is None else order
    slices = row_slices(len(order), size=min(ROWS_IN_A_PIECE, max(len(order) // FEWEST_PIECES, GROUP)))
    all_blocks = np.empty((0, 0), dtype=np.int32)

    def work(piece: int) -> None:
        rows = order[slices[piece]]
        _scan_rows(*blocks, queries, rows, all_blocks if visits is None else visits(rows), own, *result)

    workers.run(work, len(slices) if len(order) else 0)
    return result


def scan_all(
    blocks: Blocks,
    queries: PointArray,
    count: int,
    workers: Threads,
    *,
    own: bool = False,
    rows: Indices | None = None,
    into: Neighbors | None = None,
) -> Neighbors:
    """The `count` nearest of all points for each query, of which there must be so many; or only for these `rows`."""
    result = scan(blocks, queries, count, workers, order=rows, own=own, into=into)
    for row in np.flatnonzero(result.indices[:, -1] < 0):  # squares that overflow: all of these are equally far
        found = result.indices[row][result.indices[row] >= 0]
        taken = np.append(found, row) if own else found
        result.indices[row, len(found) :] = np.setdiff1d(np.arange(2 * count + 1), taken)[: count - len(found)]
    return result


@compiled(**FAST)
def _fill_blocks(
    points: PointArray,
    members: Indices,
    ends: NDArray[np.int64],
    starts: NDArray[np.int64],
    values: NDArray[np.float32],
    numbers: Indices,
) -> None:
    width, place = points.shape[1], 0
    for block in range(len(starts) - 1):
        n_lanes = starts[block + 1] - starts[block]
        columns = values[starts[block] * width : starts[block + 1] * width].reshape((width, n_lanes))
        for lane in range(n_lanes):
            if place < ends[block]:
                numbers[starts[block] + lane] = members[place]
                for c in range(width):
                    columns[c, lane] = points[members[place], c]
                place += 1
            else:
                numbers[starts[block] + lane] = -1
                columns[:, lane] = np.inf


@compiled(**FAST)
def _square_distances(
    queries: PointArray, first: int, second: int, columns: PointArray, of_first: PointArray, of_second: PointArray
) -> None:
    """From two queries to all points of a block, some columns at a time.

    Numbers are named one by one: a slice of a few dozen takes longer to make than to use.
    """
    width, n_lanes, here, there = index(columns.shape[0]), columns.shape[1], index(first), index(second)
    c, one, four = index(0), index(1), index(4)
    for lane in range(n_lanes):
        of_first[lane], of_second[lane] = np.float32(0.0), np.float32(0.0)
    while c + four <= width:
        c1, c2, c3 = c + one, c + one + one, c + one + one + one
        a0, a1, a2, a3 = queries[here, c], queries[here, c1], queries[here, c2], queries[here, c3]
        b0, b1, b2, b3 = queries[there, c], queries[there, c1], queries[there, c2], queries[there, c3]
        for lane in range(n_lanes):
            x0, x1, x2, x3 = columns[c, lane], columns[c1, lane], columns[c2, lane], columns[c3, lane]
            a, b = of_first[lane], of_second[lane]
            a += (a0 - x0) * (a0 - x0)
            b += (b0 - x0) * (b0 - x0)
            a += (a1 - x1) * (a1 - x1)
            b += (b1 - x1) * (b1 - x1)
            a += (a2 - x2) * (a2 - x2)
            b += (b2 - x2) * (b2 - x2)
            a += (a3 - x3) * (a3 - x3)
            b += (b3 - x3) * (b3 - x3)
            of_first[lane], of_second[lane] = a, b
        c += four
    while c < width:
        a0, b0 = queries[here, c], queries[there, c]
        for lane in range(n_lanes):
            x0 = columns[c, lane]
            of_first[lane] += (a0 - x0) * (a0 - x0)
            of_second[lane] += (b0 - x0) * (b0 - x0)
        c += one


@compiled(**FAST)
def _keep_near(
    bits: Indices, numbers: Indices, flags: Flags, eights: Keys, limit: Any, n_kept: int, filled: Any, keys: Keys
) -> tuple[Any, Any]:
    """Add the points of a block that are near enough to a query's keys; how many these are now, and the new limit.

    `bits` are those of the square distances, which are in the same order as these themselves. Few points are near
    enough, so whether any of eight is comes first: their flags, one after the other in `eights`, are one number.
    """
    for lane in range(numbers.shape[0]):
        flags[lane] = bits[lane] <= limit
    for eight in range(numbers.shape[0] // EIGHT):
        if eights[eight] != 0:
            for lane in range(EIGHT * eight, EIGHT * eight + EIGHT):
                keys[filled] = (np.int64(bits[lane]) << 32) | np.int64(numbers[lane])
                filled += np.int64(bits[lane] <= limit)
            if filled > keys.shape[0] - LANES:
                filled, limit = _keep_smallest(keys, filled, n_kept)
    return filled, limit


@compiled(**FAST)
def _keep_smallest(keys: Keys, filled: Any, n_kept: int) -> tuple[Any, Any]:
    """Move the `n_kept` smallest keys to the front, and perhaps some more; how many, and the limit for others.

    By halving what the largest of them can be: counting does not branch, unlike exchanging keys (Hoare's selection).
    """
    most = n_kept + SPARE
    low, high = keys[0], keys[0]
    for place in range(filled):
        low, high = min(low, keys[place]), max(high, keys[place])
    while filled > most:  # more than `n_kept` are at most `high`
        middle, count = max(low + ((high - low) >> 1), high - OCTAVE), np.int64(0)
        for place in range(filled):
            count += np.int64(keys[place] <= middle)
        if count < n_kept:
            low = middle + 1
            continue
        high = middle
        if count <= most:
            count = np.int64(0)
            for place in range(filled):
                key = keys[place]
                keys[count] = key
                count += np.int64(key <= high)
            filled = count
    return filled, np.int32(high >> 32)


@compiled(**FAST)
def _square_of(key: Any) -> Any:
    return np.int32(key >> 32).view(np.float32)


@compiled(**FAST)
def _list_visitors(visits: Indices, n_blocks: int, n_queries: int) -> tuple[Indices, Indices, Indices]:
    """The blocks that a group of queries visits, nearest ones first, where the list of each ends, and all lists."""
    if visits.shape[1] == 0:
        everyone = np.empty(n_blocks * n_queries, dtype=np.int32)
        for place in range(len(everyone)):
            everyone[place] = place % n_queries
        each = np.arange(1, n_blocks + 1) * n_queries
        return np.arange(n_blocks).astype(np.int32), each.astype(np.int32), everyone
    counts, visited = np.zeros(n_blocks, dtype=np.int32), np.empty(n_blocks, dtype=np.int32)
    n_visited = 0
    for rank in range(visits.shape[1]):
        for query in range(n_queries):
            block = visits[query, rank]
            if counts[block] == 0:
                visited[n_visited] = block
                n_visited += 1
            counts[block] += 1
    ends, total = np.empty(n_visited, dtype=np.int32), 0
    for place in range(n_visited):
        block = visited[place]
        total += counts[block]
        ends[place] = total
        counts[block] = total - counts[block]  # from here on, where its next visitor is written
    visitors = np.empty(total, dtype=np.int32)
    for query in range(n_queries):
        for rank in range(visits.shape[1]):
            block = visits[query, rank]
            visitors[counts[block]] = query
            counts[block] += 1
    return visited[:n_visited], ends, visitors


@compiled(**FAST)
def _scan_rows(
    values: NDArray[np.float32],
    starts: NDArray[np.int64],
    numbers: Indices,
    queries: PointArray,
    rows: Indices,
    visits: Indices,
    own: bool,
    indices: Indices,
    distances: NDArray[np.float32],
) -> None:
    width, n_blocks = queries.shape[1], len(starts) - 1
    n_kept = indices.shape[1] + int(own)
    keys = np.empty((GROUP, 2 * n_kept + 3 * LANES), dtype=np.int64)
    limits, filled = np.empty(GROUP, dtype=np.int32), np.empty(GROUP, dtype=np.int64)
    scratch = np.empty((2, np.max(starts[1:] - starts[:-1])), dtype=np.float32)
    of_first, of_second = scratch[0], scratch[1]
    first_bits, second_bits = of_first.view(np.int32), of_second.view(np.int32)
    flags = np.empty(scratch.shape[1], dtype=np.uint8)
    eights = flags.view(np.int64)
    for first in range(0, len(rows), GROUP):
        group = rows[first : first + GROUP]
        limits[:], filled[:] = FARTHEST, 0
        visited, ends, visitors = _list_visitors(visits[first : first + GROUP], n_blocks, len(group))
        begin = 0
        for place in range(len(visited)):
            start, stop = starts[visited[place]], starts[visited[place] + 1]
            columns = values[start * width : stop * width].reshape((width, stop - start))
            lanes = numbers[start:stop]
            for visitor in range(begin, ends[place], 2):
                # The last of an odd number goes with itself: another loop could round otherwise.
                query, other = visitors[visitor], visitors[min(visitor + 1, ends[place] - 1)]
                _square_distances(queries, group[query], group[other], columns, of_first, of_second)
                filled[query], limits[query] = _keep_near(
                    first_bits, lanes, flags, eights, limits[query], n_kept, filled[query], keys[query]
                )
                if other != query:
                    filled[other], limits[other] = _keep_near(
                        second_bits, lanes, flags, eights, limits[other], n_kept, filled[other], keys[other]
                    )
            begin = ends[place]
        for query in range(len(group)):
            row = group[query]
            _write_nearest(keys[query], filled[query], row if own else -1, indices[row], distances[row])


@compiled(**FAST)
def _write_nearest(keys: Keys, filled: Any, left_out: Any, indices: Indices, distances: NDArray[np.float32]) -> None:
    """The numbers and distances of the smallest keys, in order, which is that of how many keys are smaller."""
    filled, _ = _keep_smallest(keys, filled, len(indices) + int(left_out >= 0))
    for place in range(filled):
        if np.int32(keys[place] & 0x7FFFFFFF) == left_out:
            filled -= 1
            keys[place] = keys[filled]
            break
    for place in range(filled):
        key, rank = keys[place], np.int64(0)
        for other in range(filled):
            rank += np.int64(keys[other] < key)
        if rank < len(indices):
            indices[rank], distances[rank] = np.int32(key & 0x7FFFFFFF), np.sqrt(_square_of(key))
    indices[filled:], distances[filled:] = -1, np.inf
