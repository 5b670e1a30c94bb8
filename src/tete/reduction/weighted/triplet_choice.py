"""Which triplets a point has and how much each counts: what fitting a map and placing new rows on it share."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.threads import Threads, row_slices
from tete.reduction.points import Points
from tete.reduction.search.nearest import Neighbors
from tete.reduction.weighted.kernel import DenseWeights, SeparableWeights
from tete.reduction.weighted.sampling import (
    draw_outliers,
    equal_weights,
    largest_log_weight,
    log_like,
    log_weights,
    paired,
    weights_of_logs,
)

__all__ = ["MOST_OUTLIERS", "TRIPLETS", "WEIGHTS", "TripletChoice", "Weights"]

Weights: TypeAlias = SeparableWeights | DenseWeights

WEIGHTS = ("paper", "log", "uniform")
TRIPLETS = ("shared", "paired")
ROWS_AT_ONCE = 100_000
MOST_OUTLIERS = 10_000  # of a row: more would not fit into memory while new rows are placed


@dataclass(frozen=True)
class TripletChoice:
    """A point's nearest `n_neighbors` and `n_outliers` draws from the rest, in one of the readings of the paper."""

    n_neighbors: int
    n_outliers: int
    weights: Literal["paper", "log", "uniform"]
    weight_bias: float
    triplets: Literal["shared", "paired"]
    seed: int

    def outliers(
        self, points: Points, queries: Any, near: Neighbors, names: NDArray[np.int64], workers: Threads
    ) -> Neighbors:
        """Draw outliers, each farther than all neighbours or, for "paired", than its own neighbour."""
        if self.triplets == "paired":
            radii = near.distances
        else:
            radii = np.broadcast_to(near.distances[:, -1:], (len(names), self.n_outliers))
        return draw_outliers(names, radii, len(points), self.seed, points.between(queries), workers)

    def weigh(
        self,
        near: Neighbors,
        far: Neighbors,
        own_scales: NDArray[np.float32],
        scales: NDArray[np.float32],
        largest: float | None = None,
    ) -> tuple[Weights, float | None]:
        """Weights of all triplets, and the logarithm of the largest weight of all, by which they are divided.

        The largest is that of these triplets, unless it is given: new rows are weighed like the fitted ones.
        """
        weights: Weights
        if self.weights == "uniform":
            weights = equal_weights(len(near.indices), near.indices.shape[1], far.indices.shape[1])
        else:
            weights, largest = self._paper_weights(near, far, own_scales, scales, largest)
            weights = log_like(weights) if self.weights == "log" else weights
        return paired(weights) if self.triplets == "paired" else weights, largest

    def _paper_weights(
        self,
        near: Neighbors,
        far: Neighbors,
        own_scales: NDArray[np.float32],
        scales: NDArray[np.float32],
        largest: float | None,
    ) -> tuple[SeparableWeights, float]:
        """Eq. (weight), some rows at a time, because logarithms of all take more memory than all else."""
        slices = row_slices(len(own_scales), size=ROWS_AT_ONCE)

        @lru_cache(maxsize=1)
        def logs(piece: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            rows = slices[piece]
            near_logs = log_weights(near.distances[rows], own_scales[rows], scales[near.indices[rows]])
            return near_logs, log_weights(far.distances[rows], own_scales[rows], scales[far.indices[rows]])

        if largest is None:
            largest = max(largest_log_weight(*logs(piece)) for piece in range(len(slices)))
        shapes = (near.indices.shape, far.indices.shape, len(own_scales))
        weights = SeparableWeights(*(np.empty(shape, dtype=np.float32) for shape in shapes))
        for piece, rows in enumerate(slices):
            some = weights_of_logs(*logs(piece), largest, self.weight_bias)
            weights.near[rows], weights.far[rows], weights.bias[rows] = some
        return weights, largest
