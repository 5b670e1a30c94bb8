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
from tete.reduction.listwise.pyramid import PYRAMID_DIMENSIONS, make_pyramid, no_pyramid, node_values
from tete.reduction.listwise.surface import Surface

__all__ = ["ListwiseObjective", "Plan"]

Floats: TypeAlias = NDArray[np.float32]

MOST_SHARDS = 8  # work for as many threads; each costs a table of the map's size
FEWEST_DRAWS = 96  # from all points where there is no pyramid, and as many from the surroundings
FEWEST_TILES_IN_A_SHARD = 16  # below, adding shards takes longer than summing them

GRID_LIFETIME, ARRANGEMENT_LIFETIME = 10, 50  # iterations; other lifetimes were tried and gained nothing


@dataclass(frozen=True)
class Plan:
    """How the listwise loss changes while it is minimised.

    kappa grows geometrically from 1 to its last value in the first `n_ramp` iterations. A longer ramp serves the
    arrangement of the whole, a shorter one leaves more iterations to the neighbourhoods.
    """

    last_kappa: NDArray[np.float32]
    n_ramp: float
    n_outliers: int = 32
    exaggeration: float = 1.0
    t_from: float = 0.0

    def kappa(self, last: Floats, iteration: int) -> Floats:
        """Number of competitors of points that shall have `last` of them in the end."""
        growth = np.float32(min(iteration / self.n_ramp, 1.0))
        return last if growth == 1.0 else np.asarray(np.power(last, growth))

    def draws(self, n_components: int, seed: int, iteration: int) -> Draws:
        """What tiles draw: near ones only where a pyramid stands for all others."""
        if n_components <= PYRAMID_DIMENSIONS:
            return Draws(0, self.n_outliers, seed, iteration)
        count = max(self.n_outliers, FEWEST_DRAWS)
        return Draws(count, count if n_components <= GRID_DIMENSIONS else 0, seed, iteration)


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

    The points are kept in the order of the grid over the map, renewed now and then: what lies together on the map then
    lies together in memory, which makes the loop up to twice as fast.
    """

    t: float
    plan: Plan
    affinities: Affinities | Surface
    point_weights: Floats
    seed: int
    workers: Threads
    _points: ArrangedPoints | None = field(init=False, default=None)
    _slopes: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._sum = ShardSum(self.workers)
        self._total = float(self.point_weights.sum(dtype=np.float64))

    def __call__(self, iteration: int, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""
        points = self._arranged(iteration, embedding)
        places = np.take(embedding, points.order, axis=0)
        if self._grid is None or iteration % GRID_LIFETIME == 0:
            self._lay_grid(places)
        if self._slopes is None:  # the first iteration has none before it
            self._slopes = np.zeros(len(embedding), dtype=embedding.dtype)
            self._evaluate(iteration, places, points)
        value, gradient = self._evaluate(iteration, places, points)
        return value, np.take(gradient, points.rank, axis=0)

    def _own_order(self, iteration: int, n_points: int) -> ArrangedPoints:
        near = self.affinities.affinities(iteration) if isinstance(self.affinities, Surface) else self.affinities
        order = np.arange(n_points, dtype=np.int32)
        return ArrangedPoints(order, order, near, self.point_weights, self.plan.last_kappa)

    def _arranged(self, iteration: int, embedding: Any) -> ArrangedPoints:
        if self._points is None or iteration % ARRANGEMENT_LIFETIME == 0 or isinstance(self.affinities, Surface):
            points = self._own_order(iteration, len(embedding))
            order = points.order
            if embedding.shape[1] <= GRID_DIMENSIONS and not isinstance(self.affinities, Surface):
                order = make_grid(embedding, TILE, self.workers).order
            if self._slopes is not None and self._points is not None:
                self._slopes = self._slopes[self._points.rank][order]
            self._points = points.arranged(order)
            self._grid = None
        return self._points

    def _lay_grid(self, places: Any) -> None:
        n_points, n_components = places.shape
        self._grid = make_grid(places, TILE, self.workers) if n_components <= GRID_DIMENSIONS else consecutive_tiles(n_points, TILE)
        self._pyramid = make_pyramid(self._grid) if n_components <= PYRAMID_DIMENSIONS else no_pyramid(len(self._grid.tile_cells))

    def _evaluate(self, iteration: int, places: Any, points: ArrangedPoints) -> tuple[float, Any]:
        near, shares = points.affinities
        grid, pyramid, slopes = self._grid, self._pyramid, self._slopes
        kappa = self.plan.kappa(points.kappa, iteration)
        draws = self.plan.draws(places.shape[1], self.seed, iteration)
        values = node_values(pyramid, grid, places, slopes, self.workers)
        new_slopes = np.empty_like(slopes)

        def work(tiles: slice, gradient: Any) -> float:
            shape = (tiles.stop - tiles.start, draws.n_uniform + draws.n_near)
            drawn, weights = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=places.dtype)
            counts = np.empty(shape[0], dtype=np.int32)
            draw_for_tiles(draws, grid, tiles.start, drawn, weights, counts)
            arrays = (kappa, places, near, shares, points.weights, grid, pyramid, values, slopes, tiles.start, drawn, weights, counts)
            return float(sum_listwise(1.0 if iteration < self.plan.t_from else self.t, 1.0 / self.plan.exaggeration, *arrays, new_slopes, gradient))

        shards = row_slices(len(grid.tile_cells), size=FEWEST_TILES_IN_A_SHARD, most=MOST_SHARDS)
        result = self._sum(work, shards, places, self._total)
        self._slopes = new_slopes
        return result
