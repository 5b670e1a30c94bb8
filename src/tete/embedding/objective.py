"""From triplets and a loss to what is minimised: embedding -> (value, gradient).

    mean weighted loss + ridge * mean |y|^2                                            eq. (ete-obj), (wtete)

The triplets are cut into a fixed number of shards, whatever the number of threads; see `threads`.
"""

import numpy as np

from tete.comparisons.triplets import Triplets
from tete.core.threads import ShardSum, Threads, row_slices
from tete.core.types import Embedding, Objective
from tete.embedding.losses import LinearLoss, Loss, sum_losses

__all__ = ["ShardedTriplets"]

MOST_SHARDS = 16
FEWEST_TRIPLETS_IN_A_SHARD = 4096


class ShardedTriplets:
    """Triplets that can be summed on several threads."""

    def __init__(self, triplets: Triplets, n_components: int, workers: Threads) -> None:
        self.triplets = triplets
        self.total_weight = float(len(triplets) if triplets.weights is None else triplets.weights.sum())
        self._sum = ShardSum(workers)
        # A shard's own gradient must not cost more than its triplets, hence few shards for many objects.
        size = max(FEWEST_TRIPLETS_IN_A_SHARD, triplets.n_objects * n_components)
        self._shards = row_slices(len(triplets), size=size, most=MOST_SHARDS)

    def total_loss(self, loss: Loss, embedding: Embedding) -> tuple[float, Embedding]:
        """Sum of weighted losses and its gradient."""
        data = self.triplets
        embedding = np.ascontiguousarray(embedding)

        def sum_rows(rows: slice, gradient: Embedding) -> float:
            weights = None if data.weights is None else data.weights[rows]
            columns = data.anchor[rows], data.near[rows], data.far[rows]
            return float(sum_losses(loss, embedding, *columns, weights, gradient))

        return self._sum(sum_rows, self._shards, embedding)

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
