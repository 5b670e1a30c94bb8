"""Orders of the rows of a table that depend on what they hold alone, not on where they stand.

Sums, draws and ties between equally near neighbours go by the numbers of the points. Points that are numbered by
their contents make the map of a permuted table the permuted map, to the last bit. It takes two orders:

`content_order` is that of a hash, for sums over the table and samples of it. It holds for any table, but another unit
or a changed digit changes it altogether. The hash of a row is the sum over the columns of scrambled numbers times the
column's own odd factor, modulo 2^64. A zero adds nothing, so that a sparse row and the same row written out have one
hash. Different rows share one with a probability of n^2 / 2^65, less than 1 in 10^4 for fifty million rows; only then
do they stand as in the table.

`point_order` is that of the points along a line, shuffled. Other units and small changes leave it nearly as it is, and
with it who draws whom and most of the map.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.matrices import computable, is_sparse
from tete.core.threads import SERIAL, Threads, row_slices

__all__ = ["content_order", "load_hashing", "point_order", "row_hashes"]

Hashes: TypeAlias = NDArray[np.uint64]

ROWS_IN_A_PIECE = 2048  # enough work for a thread
SEED_OF_FACTORS = 0  # of the columns: they are part of what a seed of a map means, so it never changes
HALF = np.uint64(32)
SCRAMBLER = np.uint64(0x9E3779B97F4A7C15)  # odd, of many ones: 2^64 times the golden section


def content_order(table: Any, rng: np.random.Generator, workers: Threads) -> NDArray[np.int64]:
    """Numbers of the rows in a random order that depends on their contents alone; its beginning is a sample of them.

    Equal rows stand apart from each other, so that a sample has its share of them.
    """
    hashes = row_hashes(table, workers)
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    place = np.arange(len(hashes))
    first = np.append(True, hashes[1:] != hashes[:-1])
    copy = place - np.maximum.accumulate(np.where(first, place, 0))
    salt = rng.integers(2**64, dtype=np.uint64)
    keys = _scrambled((hashes ^ salt) + copy.astype(np.uint64) * SCRAMBLER)
    return order[np.argsort(keys, kind="stable")]


def point_order(points: Any, order: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of the points in an order that small changes hardly change, ties in the given `order` by content.

    Shuffled, because what comes next to each other shares draws and had better lie anywhere.
    """
    if is_sparse(points):
        return order
    along = np.empty(points.shape[0])
    with np.errstate(over="ignore", invalid="ignore"):  # sums of very large numbers make ties, nothing worse
        _sum_along(computable(points), rng.normal(size=points.shape[1]), along)
    return order[np.argsort(along[order], kind="stable")][rng.permutation(len(order))]


def load_hashing() -> None:
    """Load what hashes rows: it is the first compiled code of a fit, for which numba loads all of its own."""
    row_hashes(np.zeros((1, 1), dtype=np.float32), SERIAL)


def row_hashes(table: Any, workers: Threads) -> Hashes:
    """A number of 64 bits for each row, the same for equal rows of any type, dense or sparse."""
    factors = np.random.default_rng(SEED_OF_FACTORS).integers(2**64, size=table.shape[1], dtype=np.uint64)
    factors |= np.uint64(1)
    result = np.empty(table.shape[0], dtype=np.uint64)
    slices = row_slices(table.shape[0], size=ROWS_IN_A_PIECE)

    def work(piece: int) -> None:
        rows = slices[piece]
        part = table[rows]
        with np.errstate(over="ignore"):  # products modulo 2^64 are meant
            if is_sparse(part):
                _hash_sparse(part.indptr, part.indices, computable(part.data), factors, result[rows])
            else:
                _hash_dense(computable(part), factors, result[rows])

    workers.run(work, len(slices))
    return result


def _scrambled(keys: Hashes) -> Hashes:
    keys = (keys ^ (keys >> HALF)) * SCRAMBLER
    return np.asarray(keys ^ (keys >> HALF))


@compiled(error_model="numpy")
def _hash_dense(rows: NDArray[Any], factors: Hashes, result: Hashes) -> None:
    for row in range(rows.shape[0]):
        total = np.uint64(0)
        for column in range(rows.shape[1]):
            bits = np.float64(rows[row, column] + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
            bits = (bits ^ (bits >> HALF)) * SCRAMBLER
            total += (bits ^ (bits >> HALF)) * factors[column]
        result[row] = total


@compiled(error_model="numpy")
def _hash_sparse(
    starts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], factors: Hashes, result: Hashes
) -> None:
    for row in range(result.shape[0]):
        total = np.uint64(0)
        for place in range(starts[row], starts[row + 1]):
            bits = np.float64(values[place] + 0.0).view(np.uint64)
            bits = (bits ^ (bits >> HALF)) * SCRAMBLER
            total += (bits ^ (bits >> HALF)) * factors[columns[place]]
        result[row] = total


@compiled(error_model="numpy")
def _sum_along(points: NDArray[Any], direction: NDArray[np.float64], result: NDArray[np.float64]) -> None:
    for point in range(points.shape[0]):
        total = 0.0
        for c in range(points.shape[1]):
            total += points[point, c] * direction[c]
        result[point] = total
