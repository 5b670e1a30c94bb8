"""The sum over packed answers, read from the disk each time: a block of rows is in memory for each thread."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.threads import Threads, threads
from tete.core.types import Embedding
from tete.distributed.shard_files import Columns
from tete.embedding.losses import Loss
from tete.embedding.objective import Block, LossAndGradient, Part, TripletSum, cut, shard_loss, sum_shards

if TYPE_CHECKING:
    from tete.distributed.triplet_shards import TripletShards

__all__ = ["SUMMED_ELSEWHERE", "PackedSum", "SumMaker", "block_of", "summed"]

SumMaker: TypeAlias = "Callable[[TripletShards, int], AbstractContextManager[TripletSum]]"

# What sums packed answers instead of this machine's threads; `cluster.on` sets it for the time of a block.
SUMMED_ELSEWHERE: "ContextVar[SumMaker | None]" = ContextVar("summed_elsewhere", default=None)


@contextmanager
def summed(answers: "TripletShards", n_components: int, n_jobs: int | None) -> Iterator[TripletSum]:
    """The sum over packed answers, on the cluster there is or else on this machine's threads."""
    elsewhere = SUMMED_ELSEWHERE.get()
    if elsewhere is not None:
        with elsewhere(answers, n_components) as found:
            yield found
        return
    with threads(n_jobs) as workers:
        yield StreamedSum(answers, n_components, workers)


class PackedSum(TripletSum):
    """A sum over packed answers, wherever it is taken; the shards speak of all objects, the sum of those mentioned."""

    def __init__(self, answers: "TripletShards", n_components: int) -> None:
        self.answers = answers
        self.mentioned = answers.mentions() > 0
        self.n_triplets, self.n_objects = len(answers), int(self.mentioned.sum())
        self.total_weight = answers.total_weight
        self.rows = cut(answers.n_rows, self.n_objects, n_components)

    @abstractmethod
    def whole_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient, for a map of all objects."""

    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient."""
        if self.mentioned.all():
            return self.whole_loss(loss, np.ascontiguousarray(embedding))
        places = np.zeros((len(self.mentioned), embedding.shape[1]))
        places[self.mentioned] = embedding
        value, gradient = self.whole_loss(loss, places)
        return value, gradient[self.mentioned]

    def parts(self) -> NDArray[np.int64]:
        """For each object the number of the part it belongs to, as it was found when the answers were packed."""
        return np.unique(self.answers.parts()[self.mentioned], return_inverse=True)[1]

    def split(self, parts: NDArray[np.int64]) -> Iterator[Part]:
        """The sums over each part alone, every one of which goes through all answers."""
        for part in range(parts.max() + 1):
            objects = np.flatnonzero(parts == part)
            yield Part(objects, _SumOfPart(self, objects))

    def cancel_out(self) -> bool:
        """Nothing is known of that: it would need all answers at once."""
        return False


class StreamedSum(PackedSum):
    """Packed answers summed on this machine's threads."""

    def __init__(self, answers: "TripletShards", n_components: int, workers: Threads) -> None:
        super().__init__(answers, n_components)
        self._workers = workers

    def whole_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient, for a map of all objects."""

        def shard(number: int) -> LossAndGradient:
            return shard_loss(loss, embedding, map(block_of, self.answers.blocks(self.rows[number])))

        return sum_shards(self._workers, shard, len(self.rows))


class _SumOfPart(TripletSum):
    """A part of packed answers. Those of other parts compare objects at one place, which adds nothing to a gradient."""

    def __init__(self, whole: PackedSum, objects: NDArray[np.int64]) -> None:
        self._whole, self._objects = whole, objects
        self.n_triplets, self.n_objects = whole.n_triplets, len(objects)
        self.total_weight = whole.total_weight

    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """A sum of weighted losses, with those of other parts as if all their objects met; its own gradient."""
        places = np.zeros((self._whole.n_objects, embedding.shape[1]))
        places[self._objects] = embedding
        value, gradient = self._whole.total_loss(loss, places)
        return value, gradient[self._objects]

    def parts(self) -> NDArray[np.int64]:
        """It is one."""
        return np.zeros(self.n_objects, dtype=np.int64)

    def split(self, parts: NDArray[np.int64]) -> Iterator[Part]:
        """Itself."""
        yield Part(np.arange(len(parts)), self)

    def cancel_out(self) -> bool:
        """Nothing is known of that."""
        return False


def block_of(columns: Columns) -> Block:
    """What the compiled loop takes of a block's columns."""
    return columns["anchor"], columns["near"], columns["far"], columns.get("weights")
