"""From triplets and a loss to what is minimised: embedding -> (value, gradient).

    mean weighted loss + ridge * mean |y|^2                                            eq. (ete-obj), (wtete)

`TripletSum` is the seam. Triplets are cut into shards at places that depend on nothing but their number (`cut`). Each
shard is summed row by row (`shard_loss`), and shards are added by a fixed tree (`core.pairwise_sum`). So the sum has
the same bits on any number of threads, from memory (`ShardedTriplets`), from disk and on a cluster (`distributed`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import fsum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.summary import cancel_out, components
from tete.comparisons.triplets import Triplets
from tete.core.pairwise_sum import PairwiseSum
from tete.core.threads import SERIAL, Threads, row_slices
from tete.core.types import Embedding, Objective
from tete.embedding.losses import LinearLoss, Loss, sum_losses

__all__ = [
    "Block",
    "LossAndGradient",
    "ShardedTriplets",
    "TripletSum",
    "blocks_of_rows",
    "cut",
    "shard_loss",
    "sum_shards",
    "sum_weights",
]

MOST_SHARDS = 16  # as long as none of them is larger than the largest; then a power of two, which machines share evenly
FEWEST_TRIPLETS_IN_A_SHARD = 4096
MOST_TRIPLETS_IN_A_SHARD = 2**22  # so that many machines have something to do
ROWS_IN_A_BLOCK = 2**16  # that are in memory at once where triplets come from a disk

# Anchors, nears, fars and weights of some rows.
Block: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64] | None]


class LossAndGradient:
    """A sum of weighted losses and its gradient."""

    def __init__(self, value: float, gradient: Embedding) -> None:
        self.value, self.gradient = value, gradient

    def __iadd__(self, other: "LossAndGradient") -> "LossAndGradient":
        self.value += other.value
        self.gradient += other.gradient
        return self


class Part(NamedTuple):
    """Objects that answers connect, and the sum over these answers, which numbers the objects from 0."""

    objects: NDArray[np.int64]
    shards: "TripletSum"


class TripletSum(ABC):
    """Triplets whose losses can be summed, wherever they are; every object is in at least one of them."""

    n_triplets: int
    n_objects: int
    total_weight: float

    @abstractmethod
    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient."""

    @abstractmethod
    def parts(self) -> NDArray[np.int64]:
        """For each object the number of the part it belongs to; answers connect the objects they compare."""

    @abstractmethod
    def split(self, parts: NDArray[np.int64]) -> Iterator[Part]:
        """The sums over each part alone."""

    @abstractmethod
    def cancel_out(self) -> bool:
        """Whether every triplet is known to be met by its reverse."""

    def objective(self, loss: Loss, ridge: float) -> Objective:
        """The function to minimise."""

        def evaluate(embedding: Embedding) -> tuple[float, Embedding]:
            total, gradient = self.total_loss(loss, embedding)
            per_object = ridge / len(embedding)
            value = total / self.total_weight + per_object * float(np.einsum("ij,ij->", embedding, embedding))
            gradient /= self.total_weight
            gradient += 2.0 * per_object * embedding
            return value, gradient

        return evaluate

    def compare(self, vectors: Embedding) -> Embedding:
        """B times each column, B being the matrix of comparison counts.

        For every triplet B_ij += w and B_ik -= w (symmetric), B_jj -= w, B_kk += w, which makes the sum of a - b equal
        to minus the trace of Y' B Y. So B is never stored: the product is half the gradient of the linear loss.
        """
        return -0.5 * self.total_loss(LinearLoss(), vectors)[1]


def cut(n_triplets: int, n_objects: int, n_components: int) -> list[slice]:
    """Where triplets are cut into shards, whatever sums them."""
    # A shard's own gradient must not cost more than its triplets, hence few shards for many objects.
    size = max(FEWEST_TRIPLETS_IN_A_SHARD, n_objects * n_components)
    n_shards = max(min(n_triplets // size, MOST_SHARDS), 1)
    fewest = -(-n_triplets // MOST_TRIPLETS_IN_A_SHARD)
    if fewest > n_shards:
        n_shards = 2 ** (fewest - 1).bit_length()
    return row_slices(n_triplets, size=1, most=n_shards)


def blocks_of_rows(rows: slice) -> list[slice]:
    """A shard's rows in blocks, which its sum takes one after the other."""
    return [
        slice(start, min(start + ROWS_IN_A_BLOCK, rows.stop)) for start in range(rows.start, rows.stop, ROWS_IN_A_BLOCK)
    ]


def shard_loss(loss: Loss, embedding: Embedding, blocks: Iterable[Block]) -> LossAndGradient:
    """Sum over the blocks of one shard."""
    total = LossAndGradient(0.0, np.zeros_like(embedding))
    for block in blocks:
        total.value += float(sum_losses(loss, embedding, *block, total.gradient))
    return total


def sum_shards(workers: Threads, shard: Callable[[int], LossAndGradient], n_shards: int) -> tuple[float, Embedding]:
    """Sum over all shards on these threads."""
    total: PairwiseSum[LossAndGradient] = PairwiseSum(n_shards)
    workers.run(lambda number: total.add(number, shard(number)), n_shards)
    return total.result().value, total.result().gradient


def sum_weights(weights: Iterable[NDArray[np.float64]]) -> float:
    """Sum of weights that come in blocks of `ROWS_IN_A_BLOCK` rows, to the last bit the same for all ways to sum."""
    return fsum(float(np.sum(block)) for block in weights)


class ShardedTriplets(TripletSum):
    """Triplets in memory, summed on several threads; those of a part keep the `shards` of the whole."""

    def __init__(
        self, triplets: Triplets, n_components: int, workers: Threads, *, shards: list[slice] | None = None
    ) -> None:
        self.triplets = triplets
        self.n_triplets, self.n_objects = len(triplets), triplets.n_objects
        self.total_weight = float(len(triplets))
        if triplets.weights is not None:
            self.total_weight = sum_weights(triplets.weights[rows] for rows in blocks_of_rows(slice(0, len(triplets))))
        self._workers = workers
        self._shards = cut(self.n_triplets, self.n_objects, n_components) if shards is None else shards

    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient."""
        embedding = np.ascontiguousarray(embedding)

        def shard(number: int) -> LossAndGradient:
            return shard_loss(loss, embedding, map(self._block, blocks_of_rows(self._shards[number])))

        return sum_shards(self._workers, shard, len(self._shards))

    def _block(self, rows: slice) -> Block:
        data: Any = self.triplets
        weights = None if data.weights is None else data.weights[rows]
        return data.anchor[rows], data.near[rows], data.far[rows], weights

    def parts(self) -> NDArray[np.int64]:
        """For each object the number of the part it belongs to; answers connect the objects they compare."""
        return components(self.triplets)

    def cancel_out(self) -> bool:
        """Whether every triplet is met by its reverse."""
        return cancel_out(self.triplets)

    def split(self, parts: NDArray[np.int64]) -> Iterator[Part]:
        """The sums over each part alone, which take the rows of each shard in the same order as the whole does."""
        triplets = self.triplets
        by_part = np.argsort(parts, kind="stable")
        first_object = np.searchsorted(parts[by_part], np.arange(parts.max() + 2))
        number = np.empty(len(parts), dtype=np.int64)
        number[by_part] = np.arange(len(parts)) - first_object[parts[by_part]]
        part_of_row = parts[triplets.anchor]
        rows = np.argsort(part_of_row, kind="stable")
        first_row = np.searchsorted(part_of_row[rows], np.arange(parts.max() + 2))
        edges = [0, *(shard.stop for shard in self._shards)]
        for part in range(parts.max() + 1):
            objects = by_part[first_object[part] : first_object[part + 1]]
            mine = rows[first_row[part] : first_row[part + 1]]
            places = np.searchsorted(mine, edges).tolist()
            shards = [slice(start, stop) for start, stop in pairwise(places)]
            own = triplets.select(mine).renumbered(number, len(objects))
            yield Part(objects, ShardedTriplets(own, 1, SERIAL, shards=shards))
