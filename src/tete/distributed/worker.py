"""What the workers of a cluster do: sum some shards of packed answers, and add up sums.

A worker reads its shards from the folder, which must be at the same path on all machines, and keeps as many as there
is room for until half of its memory is in use; what does not fit is read again each time. So no worker takes more
memory than it may, and a worker that takes over another's shards needs nothing but the folder.
"""

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TypeAlias

import numpy as np

from tete.core.pairwise_sum import PairwiseSum
from tete.core.types import Embedding
from tete.distributed.streaming import block_of
from tete.distributed.triplet_shards import TripletShards
from tete.embedding.losses import Loss
from tete.embedding.objective import Block, LossAndGradient, shard_loss
from tete.exceptions import InvalidFileError

__all__ = ["Rows", "add_sums", "as_it_is", "sum_of_shards"]

SHARE_OF_MEMORY = 0.5  # of a worker's limit, in use when it keeps no more shards; Dask begins to worry at 0.6
WITHOUT_LIMIT = 2**30  # bytes that are kept where a worker has no limit

Rows: TypeAlias = tuple[int, int]
Key: TypeAlias = tuple[str, str, int, int]


class _Kept:
    """The shards that this process keeps, those of one folder at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: TripletShards | None = None
        self._blocks: dict[Rows, list[Block]] = {}
        self._room = 0

    def folder(self, path: str, digest: str, left_out: int) -> TripletShards:
        """The packed answers that the fit is about, and no others."""
        with self._lock:
            found = self._answers
            if found is None or (str(found.path), found.digest, found.left_out) != (path, digest, left_out):
                found = TripletShards(path)
                if not digest.startswith(found.digest):
                    raise InvalidFileError(f"{path} has other answers on a worker than on the machine of the fit.")
                found.digest = digest
                found.leave_out_below(left_out)
                self._blocks = {}  # before the room is counted
                self._answers, self._room = found, _room()
            return found

    def blocks(self, answers: TripletShards, rows: Rows) -> Iterable[Block]:
        """A shard's blocks: kept ones, or else read, and kept if there is room."""
        with self._lock:
            if rows in self._blocks:
                return self._blocks[rows]
            n_bytes = (rows[1] - rows[0]) * (20 if "weights" in answers.columns else 12)
            keep = answers is self._answers and n_bytes <= self._room
            if keep:
                self._room -= n_bytes
        read = map(block_of, answers.blocks(slice(*rows)))
        if not keep:
            return read
        copied = [_copied(block) for block in read]
        with self._lock:
            if answers is self._answers:
                self._blocks[rows] = copied
        return copied


_KEPT = _Kept()


def sum_of_shards(
    path: str, digest: str, left_out: int, shards: Sequence[Rows], loss: Loss, embedding: Embedding
) -> tuple[float, Embedding]:
    """The sum over neighbouring shards, a subtree of the whole sum."""
    answers = _KEPT.folder(path, digest, left_out)
    embedding = np.ascontiguousarray(embedding)
    total: PairwiseSum[LossAndGradient] = PairwiseSum(len(shards))
    for number, rows in enumerate(shards):
        total.add(number, shard_loss(loss, embedding, _KEPT.blocks(answers, rows)))
    return total.result().value, total.result().gradient


def as_it_is(embedding: Embedding) -> Embedding:
    """The map, on the worker that gets it first."""
    return embedding


def add_sums(one: tuple[float, Embedding], other: tuple[float, Embedding]) -> tuple[float, Embedding]:
    """A sum of two; neither is changed, because it may be asked for again."""
    return one[0] + other[0], one[1] + other[1]


def _copied(block: Block) -> Block:
    """A block of its own memory, which compiled code sees as it sees what is mapped: not to be written to."""
    anchor, near, far, weights = (None if column is None else column.copy() for column in block)
    for column in (anchor, near, far, weights):
        if column is not None:
            column.setflags(write=False)
    return anchor, near, far, weights  # type: ignore[return-value]


def _room() -> int:
    """Bytes of shards that this worker may keep beside what it has in memory, which may be most of a small limit."""
    from distributed import get_worker  # noqa: PLC0415  (only workers have it for sure)

    try:
        worker = get_worker()
    except ValueError:  # no worker: a test calls this
        return WITHOUT_LIMIT
    limit = worker.memory_manager.memory_limit
    if limit is None:
        return WITHOUT_LIMIT
    return max(int(SHARE_OF_MEMORY * limit) - int(worker.monitor.get_process_memory()), 0)
