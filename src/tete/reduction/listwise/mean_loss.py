"""The mean listwise loss of all points: embedding -> (value, gradient), on several threads.

The tiles are cut into a fixed number of shards, whatever the number of threads; see `core.threads`.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.array_places import in_words
from tete.core.threads import ShardSum, Threads
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.draws import draw_for_tiles, planned_draws
from tete.reduction.listwise.grid import Grid, grid_of_map
from tete.reduction.listwise.kernel import ANYWHERE, Loss, sum_listwise
from tete.reduction.listwise.plane import sum_in_the_plane
from tete.reduction.listwise.pyramid import Pyramid, node_values, pyramid_of_map
from tete.reduction.listwise.series import series_of_tiles
from tete.reduction.listwise.surface import Surface

__all__ = ["ListwiseObjective", "Plan"]

Floats: TypeAlias = NDArray[np.float32]

MOST_SHARDS = 8  # work for as many threads; each costs a table of the map's size
FEWEST_TILES_IN_A_SHARD = 16  # below, adding shards takes longer than summing them
LARGEST_MAP = 100.0  # times as large, squared distances would not be finite numbers
# Iterations that they serve: at first, while points move fast, and at last; between these a share of those done.
GRID_LIFETIMES, ARRANGEMENT_LIFETIMES = (3, 10, 1 / 8), (10, 50, 1.0)


@dataclass(frozen=True)
class Plan:
    """How the listwise loss changes while it is minimised.

    kappa grows geometrically from 1 to `last_kappa` in the first `n_ramp` iterations. These arrange the whole, the
    others the neighbourhoods. The temperature is 1, and `last_t` once `n_untempered` iterations are done as well.
    """

    last_kappa: NDArray[np.float32]
    n_ramp: float
    last_t: float = 1.0
    n_outliers: int = 32
    exaggeration: float = 1.0
    n_untempered: float = 0.0

    def kappa(self, last: Floats, iteration: int) -> Floats:
        """Number of competitors of points that shall have `last` of them in the end."""
        growth = np.float32(min(iteration / self.n_ramp, 1.0))
        return last if growth == 1.0 else np.asarray(np.power(last, growth))

    def t(self, iteration: int) -> float:
        """Temperature of the logarithm."""
        return 1.0 if iteration < max(self.n_ramp, self.n_untempered) else self.last_t


def lifetime(iteration: int, least: int, most: int, share: float) -> float:
    """Iterations that something serves: a share of those done, between two limits."""
    return min(max(share * iteration, least), most)


class Arrangement(NamedTuple):
    """Points in the order of a grid over the map: row r is point ``order[r]``, and point p is row ``rank[p]``."""

    order: NDArray[np.int32]
    rank: NDArray[np.int32]
    weights: Floats
    kappa: Floats
    made: int  # in this iteration


class Field(NamedTuple):
    """Where the rows lie: the grid over the map, and the levels over it."""

    grid: Grid
    pyramid: Pyramid
    made: int  # in this iteration


@dataclass
class ListwiseObjective:
    """Mean of the listwise losses of all points, estimated with new draws in each iteration.

    The points are kept in the order of the grid over the map, renewed now and then: what lies together on the map then
    lies together in memory, which makes the loop up to twice as fast. Slopes and means of the last call are kept for
    the next one; see `kernel`.
    """

    plan: Plan
    affinities: Affinities | Surface
    point_weights: Floats
    seed: int
    workers: Threads
    overall_mean: float = field(init=False, default=1.0)
    _overall_slope: float = field(init=False, default=0.0)
    _slopes: Any = field(init=False, default=None)
    _points: Arrangement | None = field(init=False, default=None)
    _near: Affinities | None = field(init=False, default=None)
    _field: Field | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._sum = ShardSum(self.workers)
        self._total = float(self.point_weights.sum(dtype=np.float64))

    def __call__(self, iteration: int, embedding: Any) -> tuple[float, Any]:
        """Value and gradient, in the embedding's precision."""
        if self._points is None or iteration - self._points.made >= lifetime(iteration, *ARRANGEMENT_LIFETIMES):
            self._points, self._near, self._field = self._arranged(iteration, embedding, self._points), None, None
        points = self._points
        places = np.take(embedding, points.order, axis=0)
        if self._field is None or iteration - self._field.made >= lifetime(iteration, *GRID_LIFETIMES):
            grid = grid_of_map(places, self.workers)
            self._field = Field(grid, pyramid_of_map(grid), iteration)
        if self._near is None or isinstance(self.affinities, Surface):  # whose neighbours change in every iteration
            self._near = self.affinities.arranged(points.order, points.rank, iteration, self.workers)
        if self._slopes is None:  # the first iteration has none before it
            self._slopes = np.zeros(len(embedding), dtype=embedding.dtype)
            self._evaluate(iteration, places, points, self._near, self._field)
        value, gradient = self._evaluate(iteration, places, points, self._near, self._field)
        return value, np.take(gradient, points.rank, axis=0)

    def _arranged(self, iteration: int, embedding: Any, last: Arrangement | None) -> Arrangement:
        order = grid_of_map(embedding, self.workers).order
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order), dtype=np.int32)
        if last is not None:
            self._slopes = self._slopes[last.rank][order]
        return Arrangement(order, rank, self.point_weights[order], self.plan.last_kappa[order], iteration)

    def _evaluate(
        self, iteration: int, places: Any, points: Arrangement, neighbors: Affinities, around: Field
    ) -> tuple[float, Any]:
        grid, pyramid, slopes = around.grid, around.pyramid, self._slopes
        kappa = self.plan.kappa(points.kappa, iteration)
        loss = Loss(self.plan.t(iteration), 1.0 / self.plan.exaggeration, self.overall_mean, self._overall_slope)
        draws = planned_draws(places.shape[1], self.plan.n_outliers, self.seed, iteration)
        values = node_values(pyramid, grid, places, slopes, self.workers)
        series = series_of_tiles(pyramid, grid, values, self.workers)
        means, new_slopes = np.empty_like(slopes), np.empty_like(slopes)

        def work(tiles: slice, gradient: Any) -> float:
            shape = (tiles.stop - tiles.start, draws.n_uniform + draws.n_near)
            drawn, weights = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=places.dtype)
            counts = np.empty(shape[0], dtype=np.int32)
            draw_for_tiles(draws, grid, tiles.start, drawn, weights, counts)
            anchors = (kappa, places, *neighbors, points.weights)
            arrays: Any = (slopes, tiles.start, drawn, weights, counts, means, new_slopes, gradient)
            if places.shape[1] == 2:
                return float(sum_in_the_plane(loss, *anchors, in_words(places), grid, pyramid, values, series, *arrays))
            return float(sum_listwise(loss, *anchors, grid, pyramid, values, *arrays))

        value, gradient = self._sum(work, _even_shards(grid), places, self._total)
        if np.ptp(places) > np.sqrt(np.finfo(places.dtype).max) / LARGEST_MAP:
            value = np.nan
        mean = float(means.mean(dtype=np.float64))
        self.overall_mean = mean if mean > 0.0 else self.overall_mean  # a map that overflows keeps its last one
        self._overall_slope = float(new_slopes.mean(dtype=np.float64)) * ANYWHERE / (1.0 - ANYWHERE)
        new_slopes += new_slopes.dtype.type(self._overall_slope)
        self._slopes = new_slopes
        return value, gradient


def _even_shards(grid: Grid) -> list[slice]:
    """Cut the tiles into shards of about as many points each, because full tiles take longer than others."""
    n_tiles = len(grid.tile_cells)
    n_shards = min(max(n_tiles // FEWEST_TILES_IN_A_SHARD, 1), MOST_SHARDS)
    edges = np.searchsorted(grid.tile_starts, np.linspace(0, grid.tile_starts[-1], n_shards + 1))
    return [slice(int(first), int(last)) for first, last in pairwise(edges)]
