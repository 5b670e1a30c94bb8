"""One way to work on several threads: numbered pieces, each done by whichever thread is free.

The pieces do not depend on the number of threads. Sums are made serially within a piece and added in the order of the
pieces, so that a result has the same bits on any number of threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs

__all__ = ["SERIAL", "Threads", "row_slices", "sum_shards", "threads"]


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


def row_slices(n_rows: int, *, size: int, most: int = 2**31) -> list[slice]:
    """Cut rows into pieces of about `size` rows, but into at most so many pieces."""
    n_pieces = min(max(n_rows // size, 1), most)
    edges = np.linspace(0, n_rows, n_pieces + 1).astype(int)
    return [slice(int(start), int(stop)) for start, stop in pairwise(edges)]


def sum_shards(
    work: Callable[[slice, Any], float], shards: list[slice], embedding: Any, workers: Threads
) -> tuple[float, Any]:
    """Add up ``work(shard, gradient)``, which returns a value and adds to a gradient, over all shards."""
    values = np.zeros(len(shards))
    gradients = np.empty((len(shards), *embedding.shape), dtype=embedding.dtype)

    def sum_shard(shard: int) -> None:
        gradients[shard] = 0.0
        values[shard] = work(shards[shard], gradients[shard])

    workers.run(sum_shard, len(shards))
    return float(values.sum()), gradients.sum(axis=0)
