"""From neighbourhoods to what is minimised: embedding -> (value, gradient), on several threads.

The points are cut into a fixed number of shards, whatever the number of threads. Each shard is summed serially into
its own gradient and the shards are added in order, so that the same input gives the same bits on any number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.affinities import Affinities
from tete.anchored import AnchoredLoss, DenseWeights, SeparableWeights, UnitLoss, sum_anchored
from tete.grid import GRID_DIMENSIONS, Grid, consecutive_tiles, make_grid
from tete.listwise import Draws, sum_listwise
from tete.surface import Surface
from tete.threads import Threads, row_slices

__all__ = ["AnchoredObjective", "ListwiseObjective", "Plan", "sum_shards"]

Floats: TypeAlias = NDArray[np.float32]

MOST_SHARDS = 16
FEWEST_POINTS_IN_A_SHARD = 512
FEWEST_TILES_IN_A_SHARD = 16

FIRST_TILE, TILE = 8, 32
GRID_LIFETIME = 10  # iterations


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


@dataclass(frozen=True)
class AnchoredObjective:
    """Weighted mean of the losses of all triplets of all anchors: eq. (wtete) divided by the sum of the weights."""

    loss: AnchoredLoss | UnitLoss
    weights: SeparableWeights | DenseWeights
    near: NDArray[np.int32]
    far: NDArray[np.int32]
    workers: Threads

    def __call__(self, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""

        def work(rows: slice, gradient: Any) -> float:
            return float(
                sum_anchored(self.loss, self.weights, embedding, self.near, self.far, rows.start, rows.stop, gradient)
            )

        shards = row_slices(len(embedding), size=FEWEST_POINTS_IN_A_SHARD, most=MOST_SHARDS)
        value, gradient = sum_shards(work, shards, embedding, self.workers)
        total = self.weights.total()
        return value / total, gradient / embedding.dtype.type(total)


@dataclass(frozen=True)
class Plan:
    """How the listwise loss changes while it is minimised.

    kappa is 1 until the share `grow_from` of the iterations, then grows geometrically to its last value at `grow_to`.
    Until `grow_from` a few uniform draws are enough, because every point still competes with all others alike.
    """

    max_iter: int
    last_kappa: NDArray[np.float32]
    n_uniform: int = 200
    n_near: int = 100
    n_first: int = 20
    grow_from: float = 0.2
    grow_to: float = 0.5

    def growth(self, iteration: int) -> float:
        """How far kappa has come on its way, from 0 to 1."""
        done = iteration / self.max_iter
        return float(np.clip((done - self.grow_from) / (self.grow_to - self.grow_from), 0.0, 1.0))

    def kappa(self, iteration: int) -> Floats:
        """Number of competitors of each point."""
        return np.asarray(np.power(self.last_kappa, np.float32(self.growth(iteration))))


@dataclass
class ListwiseObjective:
    """Mean of the listwise losses of all points, estimated with new draws in each iteration."""

    t: float
    plan: Plan
    affinities: Affinities | Surface
    point_weights: Floats
    seed: int
    workers: Threads
    _grid: Grid | None = None

    def __call__(self, iteration: int, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""
        plan = self.plan
        early = iteration < plan.grow_from * plan.max_iter
        near_draws = not early and embedding.shape[1] <= GRID_DIMENSIONS
        if early or not near_draws:
            grid = consecutive_tiles(len(embedding), FIRST_TILE if early else TILE)
        else:
            if self._grid is None or iteration % GRID_LIFETIME == 0:
                self._grid = make_grid(embedding, TILE)
            grid = self._grid
        n_uniform = plan.n_first if early else plan.n_uniform
        draws = Draws(n_uniform, plan.n_near if near_draws else 0, self.seed, iteration)
        near = self.affinities.affinities(iteration) if isinstance(self.affinities, Surface) else self.affinities
        return self._evaluate(embedding, near, plan.kappa(iteration), draws, grid)

    def _evaluate(
        self, embedding: Any, affinities: Affinities, kappa: Floats, draws: Draws, grid: Grid
    ) -> tuple[float, Any]:
        near, shares = affinities

        def work(tiles: slice, gradient: Any) -> float:
            point = (kappa, embedding, near, shares, self.point_weights)
            return float(sum_listwise(self.t, *point, draws, grid, tiles.start, tiles.stop, gradient))

        shards = row_slices(len(grid.tile_cells), size=FEWEST_TILES_IN_A_SHARD, most=MOST_SHARDS)
        value, gradient = sum_shards(work, shards, embedding, self.workers)
        total = self.point_weights.sum(dtype=np.float64)
        return float(value / total), gradient / embedding.dtype.type(total)
