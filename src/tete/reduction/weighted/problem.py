"""Weighted t-ETE of the points of a table: from neighbourhoods to what is minimised, and to the placer of new rows.

The points are cut into a fixed number of shards, whatever the number of threads; see `core.threads`.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tete.core.array_places import in_words
from tete.core.optimization import Minimum, descent_steps, gradient_descent, momentum_descent
from tete.core.threads import SERIAL, ShardSum, Threads, row_slices
from tete.core.types import Callback
from tete.embedding.losses import TETELoss, UnitTETELoss, tete_loss
from tete.exceptions import InvalidParameterError
from tete.reduction.merged_rows import MergedRows
from tete.reduction.placer import Places
from tete.reduction.points import Points
from tete.reduction.recipe import Problem, Recipe, handful
from tete.reduction.search.nearest import Neighbors
from tete.reduction.weighted.four_at_once import alike_weights, sum_in_the_plane
from tete.reduction.weighted.kernel import SeparableWeights, sum_anchored
from tete.reduction.weighted.placer import WeightedPlacer
from tete.reduction.weighted.sampling import SCALE_RANK, local_scales, scaled_weights
from tete.reduction.weighted.triplet_choice import TripletChoice

__all__ = ["AnchoredObjective", "WeightedProblem", "WeightedRecipe"]

MOST_SHARDS = 8  # work for as many threads; each costs a table of the map's size
FEWEST_POINTS_IN_A_SHARD = 512  # below, adding shards takes longer than summing them
RATE = 8.0  # step along the gradient of a point's mean loss: so long that 100 iterations do beyond 30,000 rows


@dataclass
class AnchoredObjective:
    """Weighted mean of the losses of all triplets of all anchors: eq. (wtete) divided by the sum of the weights."""

    loss: TETELoss | UnitTETELoss
    weights: Any  # SeparableWeights or DenseWeights
    near: NDArray[np.int32]
    far: NDArray[np.int32]
    workers: Threads

    def __post_init__(self) -> None:
        self._sum = ShardSum(self.workers)
        self._total = self.weights.total()
        separable = isinstance(self.loss, UnitTETELoss) and isinstance(self.weights, SeparableWeights)
        self._alike = alike_weights(self.weights) if separable else None

    def __call__(self, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""
        alike = self._alike if embedding.shape[1] == 2 else None

        def work(rows: slice, gradient: Any) -> float:
            arrays: Any = (embedding, self.near, self.far, rows.start, rows.stop, gradient)
            if alike is not None:
                return float(sum_in_the_plane(self.weights, alike, in_words(embedding), *arrays))
            return float(sum_anchored(self.loss, self.weights, *arrays))

        shards = row_slices(len(embedding), size=FEWEST_POINTS_IN_A_SHARD, most=MOST_SHARDS)
        return self._sum(work, shards, embedding, self._total)


@dataclass(frozen=True)
class WeightedProblem(Problem):
    """The triplets of all points, and how to go about them."""

    recipe: "WeightedRecipe"
    points: Points
    n_candidates: int
    choice: TripletChoice
    scales: NDArray[np.float32]
    largest: float | None
    objective: AnchoredObjective

    def minimize(self, start: Places, callback: Callback | None) -> Minimum:
        """Find the map of at least three distinct points."""
        recipe, total = self.recipe, self.objective.weights.total()
        if recipe.optimizer == "gradient_descent":
            return gradient_descent(
                self.objective,
                start.astype(np.float64),
                **descent_steps(recipe.learning_rate, len(start), total)._asdict(),
                max_iter=recipe.max_iter,
                callback=callback,
            )
        rate = RATE if isinstance(recipe.learning_rate, str) else float(recipe.learning_rate)
        step = rate * len(start)  # the objective is a mean over the points
        return momentum_descent(
            self.objective,
            start,
            step=step,
            max_iter=recipe.max_iter,
            callback=callback,
            workers=self.objective.workers,
        )

    @property
    def max_iter(self) -> int:
        """Number of iterations."""
        return self.recipe.max_iter

    def placer(self, places: Places) -> WeightedPlacer:
        """What places new rows on the finished map."""
        return WeightedPlacer(
            points=self.points.for_new_rows(),
            places=places,
            n_candidates=self.n_candidates,
            choice=self.choice,
            t=self.recipe.t,
            t_prime=self.recipe.t_prime,
            scales=self.scales,
            largest=self.largest,
        )


@dataclass(frozen=True, kw_only=True)
class WeightedRecipe(Recipe):
    """Weighted t-ETE as an estimator's parameters say."""

    max_iter: int
    n_neighbors: int
    n_outliers: int
    t: float
    t_prime: float
    weights: Literal["paper", "log", "uniform"]
    weight_bias: float
    triplets: Literal["shared", "paired"]
    optimizer: Literal["momentum", "gradient_descent"]
    learning_rate: Literal["auto"] | float

    @property
    def n_candidates(self) -> int:
        """How many nearest neighbours to look for."""
        return max(self.n_neighbors, SCALE_RANK)

    @property
    def bytes_for_neighbors(self) -> int:
        """Memory for neighbours and what is computed from them, in bytes a row."""
        separable = self.weights != "log" and self.triplets == "shared"
        n_weights = self.n_neighbors + self.n_outliers if separable else self.n_neighbors * self.n_outliers
        return 8 * self.n_candidates + 8 * self.n_outliers + 14 * n_weights

    def problem(
        self, rows: MergedRows, point_weights: NDArray[np.float64], seed: int, workers: Threads
    ) -> WeightedProblem:
        """Neighbours, outliers and weights of at least three distinct points."""
        if self.weights != "uniform" and rows.points.is_graph:
            raise InvalidParameterError(
                f"`weights` must be 'uniform' when `X` is a graph, which has no distances to outliers, "
                f"got {self.weights!r}."
            )
        # At least one point must remain outside every neighbourhood.
        count = min(self.n_neighbors, len(rows) - 2, rows.neighbors.indices.shape[1])
        choice = TripletChoice(count, self.n_outliers, self.weights, self.weight_bias, self.triplets, seed)
        scales = local_scales(rows.neighbors)
        near = rows.neighbors.first(count)
        far = choice.outliers(rows.points, rows.points.table, near, np.arange(len(rows)), workers)
        weights, largest = choice.weigh(near, far, scales, scales)
        loss = tete_loss(self.t, self.t_prime)
        weights = scaled_weights(weights, point_weights)
        if weights.total() == 0.0:  # the one row that counts may have triplets that weigh nothing
            raise InvalidParameterError(
                "`sample_weight` must leave some triplets that count: the rows that count most have none, as "
                f"`weight_bias` is {self.weight_bias:g}."
            )
        objective = AnchoredObjective(loss, weights, near.indices, far.indices, workers)
        n_candidates = rows.most_candidates(self.n_candidates)
        return WeightedProblem(self, rows.points, n_candidates, choice, scales, largest, objective)

    def warm_up(self, n_components: int) -> None:
        """Load or compile the loops that a problem needs, on a handful of points."""
        points, distances = handful()
        order = np.argsort(distances, axis=1).astype(np.int32)[:, 1:]
        near = Neighbors(order, np.sort(distances, axis=1)[:, 1:]).first(3)
        far = Neighbors(near.indices[::-1].copy(), near.distances + np.float32(1.0))
        choice = TripletChoice(3, 3, self.weights, self.weight_bias, self.triplets, 0)
        scales = np.ones(len(points), dtype=np.float32)
        weights = scaled_weights(choice.weigh(near, far, scales, scales)[0], np.ones(len(points)))
        objective = AnchoredObjective(tete_loss(self.t, self.t_prime), weights, near.indices, far.indices, SERIAL)
        start = np.resize(points, (len(points), n_components))
        if self.optimizer == "gradient_descent":
            objective(start.astype(np.float64))
        else:
            momentum_descent(objective, start, step=1.0, max_iter=1)
