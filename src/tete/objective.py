"""From triplets and a loss to what is minimised: embedding -> (value, gradient).

    mean weighted loss + ridge * mean |y|^2                                            eq. (ete-obj), (wtete)

The triplets are cut into a fixed number of shards, whatever the number of threads. Each shard is summed serially into
its own gradient and the shards are added in order, so that the same input gives the same bits on any number of threads.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from tete.arrays import Embedding, Objective
from tete.losses import LinearLoss, Loss, sum_losses
from tete.triplets import Triplets

__all__ = ["ShardedTriplets", "sharded"]

MOST_SHARDS = 16
FEWEST_TRIPLETS_IN_A_SHARD = 4096


class ShardedTriplets:
    """Triplets that can be summed on several threads. Made by `sharded`, which ends the threads as well."""

    def __init__(self, triplets: Triplets, n_components: int, n_jobs: int, pool: ThreadPoolExecutor | None) -> None:
        self.triplets = triplets
        self.total_weight = float(len(triplets) if triplets.weights is None else triplets.weights.sum())
        self._n_jobs = n_jobs
        self._pool = pool
        # A shard's own gradient must not cost more than its triplets, hence few shards for many objects.
        size = max(FEWEST_TRIPLETS_IN_A_SHARD, triplets.n_objects * n_components)
        n_shards = min(max(len(triplets) // size, 1), MOST_SHARDS)
        edges = np.linspace(0, len(triplets), n_shards + 1).astype(int)
        self._shards = [slice(start, stop) for start, stop in pairwise(edges)]

    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient."""
        values = np.zeros(len(self._shards))
        gradients = np.zeros((len(self._shards), *embedding.shape))
        remaining = iter(range(len(self._shards)))
        work = partial(self._sum_shards, remaining, loss, np.ascontiguousarray(embedding), values, gradients)
        helpers = min(self._n_jobs, len(self._shards)) - 1
        futures = [self._pool.submit(work) for _ in range(helpers)] if self._pool is not None else []
        work()
        for future in futures:
            future.result()
        return float(values.sum()), gradients.sum(axis=0)

    def _sum_shards(
        self,
        remaining: Iterator[int],
        loss: Loss,
        embedding: Embedding,
        values: NDArray[np.float64],
        gradients: NDArray[np.float64],
    ) -> None:
        """Work on shards that no other thread has taken yet."""
        data = self.triplets
        for shard in remaining:
            rows = self._shards[shard]
            weights = None if data.weights is None else data.weights[rows]
            values[shard] = sum_losses(
                loss, embedding, data.anchor[rows], data.near[rows], data.far[rows], weights, gradients[shard]
            )

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


@contextmanager
def sharded(triplets: Triplets, n_components: int, n_jobs: int | None) -> Iterator[ShardedTriplets]:
    """Triplets ready to be summed on `n_jobs` threads (joblib's meaning: -1 is all cores, None is one)."""
    threads = effective_n_jobs(n_jobs)
    if threads == 1:
        yield ShardedTriplets(triplets, n_components, 1, None)
        return
    with ThreadPoolExecutor(threads - 1, thread_name_prefix="tete") as pool:
        yield ShardedTriplets(triplets, n_components, threads, pool)
