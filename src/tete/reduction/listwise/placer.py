"""New rows by the listwise loss."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL
from tete.reduction.descent import SCHEDULE, likely_starts
from tete.reduction.listwise.affinities import affinities, neighbor_scales
from tete.reduction.listwise.draws import FEWEST_DRAWS, draws_of_places, planned_draws
from tete.reduction.listwise.grid import Grid, cells_of, grid_of_map
from tete.reduction.listwise.kernel import Loss, listwise_descent
from tete.reduction.listwise.pyramid import Pyramid, lists_of_cells, node_values, pyramid_of_map
from tete.reduction.placer import Placer
from tete.reduction.search.nearest import Neighbors

__all__ = ["MOST_DRAWS", "MOST_EXAGGERATION", "ListwisePlacer"]

MOST_DRAWS = 10_000  # of a row: more would not fit into memory while new rows are placed
MOST_EXAGGERATION = 100.0  # far beyond what leaves anything to see


class Surroundings(NamedTuple):
    """The grid over a finished map, the levels over it, and places of all points and then of all cells."""

    grid: Grid
    pyramid: Pyramid
    nodes: NDArray[Any]
    table: NDArray[Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class ListwisePlacer(Placer):
    """Each new row minimises the listwise loss against its own neighbours and draws.

    Attributes
    ----------
    n_neighbors, n_pool : int
        How many neighbours are kept of how many nearest ones.
    scale_power : float
        How much of the differences of density is levelled; see `affinities`.
    t : float
        Temperature of the logarithm.
    exaggeration : float
        How much neighbours count beside competitors.
    n_outliers : int
        Draws from the surroundings.
    seed, stream : int
        Seed of the draws, and the number of their stream: the one after the last iteration.
    overall_mean : float
        Mean of q over all pairs of points.
    scales, kappa : arrays of n_points numbers
        Local scale and number of competitors of each point.
    """

    name = "listwise"

    n_neighbors: int
    n_pool: int
    scale_power: float
    t: float
    exaggeration: float
    n_outliers: int
    seed: int
    stream: int
    overall_mean: float
    scales: NDArray[np.float32]
    kappa: NDArray[np.float32]

    @cached_property
    def surroundings(self) -> Surroundings:
        """Where the points of the finished map lie."""
        grid = grid_of_map(self.places)
        pyramid = pyramid_of_map(grid)
        nodes = node_values(pyramid, grid, self.places, np.zeros(len(self.places), dtype=self.places.dtype))
        return Surroundings(grid, pyramid, nodes, np.concatenate([self.places, nodes[:, :-2]]))

    @cached_property
    def smallest_scale(self) -> float:
        """What stands for the scale of a row that is at distance 0 from its neighbours."""
        return float(self.scales.min())

    def prepare(self) -> None:
        """Make what all new rows share, so that no thread waits for it and the first row takes no longer."""
        super().prepare()
        _ = self.surroundings

    def descend(self, queries: Any, neighbors: Neighbors) -> NDArray[Any]:
        """Places of rows that are none of the points, from their nearest points."""
        scales = neighbor_scales(neighbors, self.scale_power, instead=self.smallest_scale)
        near = affinities(neighbors.first(self.n_pool), scales, self.scales, self.n_neighbors, SERIAL)
        starts = np.stack(likely_starts(self.places, near.indices, near.shares))
        nearest = neighbors.indices[:, 0]
        competitors = self._competitors(starts[1], nearest)
        loss = Loss(self.t, 1.0 / self.exaggeration, self.overall_mean, 0.0)
        shape = starts.shape[1:]
        places, gradients, values = np.empty(shape), np.empty(shape), np.empty(shape[0])
        arrays = (starts, self.places, *near, self.surroundings.table, *competitors)
        listwise_descent(loss, self.kappa[nearest], *arrays, SCHEDULE, places, values, gradients)
        return places

    def _competitors(
        self, places: NDArray[np.float64], nearest: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Rows of the table that new rows around these places compete with: points drawn, and cells far away."""
        grid, pyramid, nodes, _ = self.surroundings
        with_cells = len(grid.shape) > 0
        cells = cells_of(places, grid.low, grid.side, grid.shape) if with_cells else np.full(len(places), -1, np.int32)
        n_outliers = max(self.n_outliers, FEWEST_DRAWS)  # a row draws once, not in each iteration
        draws = planned_draws(self.places.shape[1], n_outliers, self.seed, self.stream)
        points, weights = draws_of_places(draws, grid, cells, nearest)
        far = lists_of_cells(pyramid, nodes, cells)
        far_weights = np.where(far >= 0, nodes[:, -2][far] if far.size else 0.0, 0.0)
        far_rows = np.where(far >= 0, len(self.places) + far, 0).astype(np.int32)
        return np.concatenate([points, far_rows], axis=1), np.concatenate([weights, far_weights], axis=1)

    def own_values(self) -> dict[str, Any]:
        """What this kind of placer has beside points and places, by public names; None where it has none."""
        names = ("n_neighbors", "n_pool", "scale_power", "t", "exaggeration", "n_outliers", "seed", "stream")
        return {name: getattr(self, name) for name in (*names, "overall_mean", "scales", "kappa")}

    @classmethod
    def checked_values(cls, arrays: CheckedArrays, n_points: int, n_candidates: int) -> dict[str, Any]:
        """The arguments that `own_values` were made of."""
        n_pool = arrays.whole("n_pool", least=1)
        positive = float(np.finfo(np.float32).smallest_subnormal)
        return {
            "n_pool": n_pool,
            "n_neighbors": arrays.whole("n_neighbors", least=1, most=min(n_pool, n_candidates)),
            "scale_power": arrays.real("scale_power", least=0.0, most=1.0),
            "t": arrays.real("t", least=1.0, most=2.0),
            "exaggeration": arrays.real("exaggeration", least=1.0, most=MOST_EXAGGERATION),
            "n_outliers": arrays.whole("n_outliers", least=1, most=MOST_DRAWS),
            "seed": arrays.whole("seed", least=0),
            "stream": arrays.whole("stream", least=0),
            "overall_mean": arrays.real("overall_mean", least=positive, most=1.0),
            "scales": arrays.numbers("scales", "f4", (n_points,), least=positive),
            "kappa": arrays.numbers("kappa", "f4", (n_points,), least=positive),
        }
