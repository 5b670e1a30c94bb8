"""The mean listwise loss of all points: embedding -> (value, gradient), on several threads.

The tiles are cut into a fixed number of shards, whatever the number of threads; see `core.threads`.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.threads import ShardSum, Threads, row_slices
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.draws import Draws, draw_for_tiles
from tete.reduction.listwise.grid import GRID_DIMENSIONS, TILE, Grid, consecutive_tiles, make_grid
from tete.reduction.listwise.kernel import sum_listwise
from tete.reduction.listwise.surface import Surface

__all__ = ["ListwiseObjective", "Plan"]

Floats: TypeAlias = NDArray[np.float32]

MOST_SHARDS = 16  # work for as many threads; each costs a table of the map's size
FEWEST_TILES_IN_A_SHARD = 16  # below, adding shards takes longer than summing them

FIRST_TILE = 8  # points that share draws at first: few, because they lie anywhere
GRID_LIFETIME, ARRANGEMENT_LIFETIME = 10, 50  # iterations; other lifetimes were tried and gained nothing


@dataclass(frozen=True)
class Plan:
    """How the listwise loss changes while it is minimised.

    kappa is 1 until the share `grow_from` of the iterations, then grows geometrically to its last value at `grow_to`.
    Until `grow_from` a few uniform draws are enough, because every point still competes with all others alike. A
    longer first part serves the arrangement of the whole, a longer last part the neighbourhoods.
    """

    max_iter: int
    last_kappa: NDArray[np.float32]
    n_outliers: int = 96
    n_first: int = 20
    grow_from: float = 0.2
    grow_to: float = 0.5

    def growth(self, iteration: int) -> float:
        """How far kappa has come on its way, from 0 to 1."""
        done = iteration / self.max_iter
        return float(np.clip((done - self.grow_from) / (self.grow_to - self.grow_from), 0.0, 1.0))

    def kappa(self, last: Floats, iteration: int) -> Floats:
        """Number of competitors of points that shall have `last` of them in the end."""
        growth = np.float32(self.growth(iteration))
        return last if growth == 1.0 else np.asarray(np.power(last, growth))


class ArrangedPoints(NamedTuple):
    """What belongs to each point, in some order: row r is point ``order[r]``, and point p is row ``rank[p]``."""

    order: NDArray[np.int32]
    rank: NDArray[np.int32]
    affinities: Affinities
    weights: Floats
    kappa: Floats

    def arranged(self, order: NDArray[np.int32]) -> "ArrangedPoints":
        """The same in another order, for points that are here in their own order."""
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order), dtype=np.int32)
        near, shares = self.affinities
        arranged = Affinities(rank[near[order]], shares[order])
        return ArrangedPoints(order, rank, arranged, self.weights[order], self.kappa[order])


@dataclass
class ListwiseObjective:
    """Mean of the listwise losses of all points, estimated with new draws in each iteration.

    Once a grid is laid over the map, the points are kept in its order, renewed now and then: what lies together on the
    map then lies together in memory, which makes the loop up to twice as fast.
    """

    t: float
    plan: Plan
    affinities: Affinities | Surface
    point_weights: Floats
    seed: int
    workers: Threads
    _grid: Grid | None = field(init=False, default=None)
    _points: ArrangedPoints | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._sum = ShardSum(self.workers)
        self._total = float(self.point_weights.sum(dtype=np.float64))

    def __call__(self, iteration: int, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""
        plan = self.plan
        early = iteration < plan.grow_from * plan.max_iter
        if early or embedding.shape[1] > GRID_DIMENSIONS:
            grid = consecutive_tiles(len(embedding), FIRST_TILE if early else TILE)
            draws = Draws(plan.n_first if early else 2 * plan.n_outliers, 0, self.seed, iteration)
            return self._evaluate(embedding, self._own_order(iteration, len(embedding)), draws, grid)
        draws = Draws(plan.n_outliers, plan.n_outliers, self.seed, iteration)
        points = self._arranged(iteration, embedding)
        places = np.take(embedding, points.order, axis=0)
        if self._grid is None or iteration % GRID_LIFETIME == 0:
            self._grid = make_grid(places, TILE)
        value, gradient = self._evaluate(places, points, draws, self._grid)
        return value, np.take(gradient, points.rank, axis=0)

    def _own_order(self, iteration: int, n_points: int) -> ArrangedPoints:
        near = self.affinities.affinities(iteration) if isinstance(self.affinities, Surface) else self.affinities
        order = np.arange(n_points, dtype=np.int32)
        return ArrangedPoints(order, order, near, self.point_weights, self.plan.last_kappa)

    def _arranged(self, iteration: int, embedding: Any) -> ArrangedPoints:
        points = self._own_order(iteration, len(embedding))
        if isinstance(self.affinities, Surface):  # whose neighbours change in every iteration
            return points
        if self._points is None or iteration % ARRANGEMENT_LIFETIME == 0:
            self._points = points.arranged(make_grid(embedding, TILE).order)
            self._grid = None
        return self._points

    def _evaluate(self, places: Any, points: ArrangedPoints, draws: Draws, grid: Grid) -> tuple[float, Any]:
        near, shares = points.affinities
        kappa = self.plan.kappa(points.kappa, draws.iteration)

        def work(tiles: slice, gradient: Any) -> float:
            shape = (tiles.stop - tiles.start, draws.n_uniform + draws.n_near)
            drawn, weights = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=places.dtype)
            counts = np.empty(shape[0], dtype=np.int32)
            draw_for_tiles(draws, grid, tiles.start, drawn, weights, counts)
            arrays = (kappa, places, near, shares, points.weights, grid, tiles.start, drawn, weights, counts)
            return float(sum_listwise(self.t, *arrays, gradient))

        shards = row_slices(len(grid.tile_cells), size=FEWEST_TILES_IN_A_SHARD, most=MOST_SHARDS)
        return self._sum(work, shards, places, self._total)
