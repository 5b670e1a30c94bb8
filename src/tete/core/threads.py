"""One way to work on several threads: numbered pieces, each done by whichever thread is free.

The pieces do not depend on the number of threads. Sums are made serially within a piece and added in the order of the
pieces, so that a result has the same bits on any number of threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np
from joblib import effective_n_jobs

__all__ = ["SERIAL", "ShardSum", "Threads", "beside", "row_slices", "threads"]

ROWS_IN_A_BLOCK = 8192  # of the gradient, which one thread adds up over all shards: work enough for a piece


class Threads:
    """Threads that do numbered pieces of work. Made by `threads`, which ends them as well."""

    def __init__(self, n_jobs: int, pool: ThreadPoolExecutor | None) -> None:
        self.n_jobs = n_jobs
        self._pool = pool

    def run(self, work: Callable[[int], None], n_pieces: int) -> None:
        """Call ``work(piece)`` for each piece; the caller's thread helps."""
        remaining = iter(range(n_pieces))

        def take() -> None:
            for piece in remaining:
                work(piece)

        helpers = min(self.n_jobs, n_pieces) - 1
        futures = [self._pool.submit(take) for _ in range(helpers)] if self._pool is not None else []
        take()
        for future in futures:
            future.result()


SERIAL = Threads(1, None)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Threads]:
    """As many threads as `n_jobs` says in joblib's meaning: -1 is all cores, None is one."""
    count = effective_n_jobs(n_jobs)
    if count == 1:
        yield SERIAL
        return
    with ThreadPoolExecutor(count - 1, thread_name_prefix="tete") as pool:
        yield Threads(count, pool)


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Do `work` on a thread of its own while the block runs; the block's end waits for it."""
    thread = Thread(target=work, name="tete-beside")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def row_slices(n_rows: int, *, size: int, most: int = 2**31) -> list[slice]:
    """Cut rows into pieces of about `size` rows, but into at most so many pieces."""
    n_pieces = min(max(n_rows // size, 1), most)
    edges = np.linspace(0, n_rows, n_pieces + 1).astype(int)
    return [slice(int(start), int(stop)) for start, stop in pairwise(edges)]


@dataclass
class ShardSum:
    """Adds up a function and its gradient over shards: slices of the anchors or triplets, the same for any threads.

    The memory for the shards' gradients is kept between calls.
    """

    workers: Threads
    _gradients: Any = None

    def __call__(
        self, work: Callable[[slice, Any], float], shards: list[slice], embedding: Any, divisor: float = 1.0
    ) -> tuple[float, Any]:
        """The sum of ``work(shard, gradient)``, which returns a value and adds to a gradient, and its gradient.

        Both are divided by `divisor`.
        """
        shape = (len(shards), *embedding.shape)
        if self._gradients is None or self._gradients.shape != shape or self._gradients.dtype != embedding.dtype:
            self._gradients = np.empty(shape, dtype=embedding.dtype)
        values, parts, total = np.zeros(len(shards)), self._gradients, np.empty_like(embedding)
        blocks = row_slices(len(embedding), size=ROWS_IN_A_BLOCK)

        def sum_shard(shard: int) -> None:
            parts[shard] = 0.0
            values[shard] = work(shards[shard], parts[shard])

        def add_shards(block: int) -> None:
            rows = blocks[block]
            np.sum(parts[:, rows], axis=0, out=total[rows])
            total[rows] /= embedding.dtype.type(divisor)

        self.workers.run(sum_shard, len(shards))
        self.workers.run(add_shards, len(blocks))
        return float(values.sum()) / divisor, total
