"""New rows by the listwise loss."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import Threads
from tete.reduction.descent import descend, likely_starts
from tete.reduction.listwise.affinities import affinities, neighbor_scales
from tete.reduction.listwise.draws import Draws, draws_of_places
from tete.reduction.listwise.grid import Grid, grid_of_map
from tete.reduction.listwise.kernel import listwise_places
from tete.reduction.placer import Placer
from tete.reduction.search.nearest import Neighbors

__all__ = ["MOST_DRAWS", "ListwisePlacer"]

MOST_DRAWS = 10_000  # of a row: more would not fit into memory while new rows are placed


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
    n_outliers : int
        Draws from all points, and as many from the surroundings.
    seed, stream : int
        Seed of the draws, and the number of their stream: the one after the last iteration.
    scales, kappa : arrays of n_points numbers
        Local scale and number of competitors of each point.
    """

    name = "listwise"

    n_neighbors: int
    n_pool: int
    scale_power: float
    t: float
    n_outliers: int
    seed: int
    stream: int
    scales: NDArray[np.float32]
    kappa: NDArray[np.float32]

    @cached_property
    def grid(self) -> Grid:
        """The grid over the map, from whose cells draws come."""
        return grid_of_map(self.places)

    def descend(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[Any]:
        """Places of rows that are none of the points, from their nearest points."""
        scales = neighbor_scales(neighbors, self.scale_power)
        near = affinities(neighbors.first(self.n_pool), scales, self.scales, self.n_neighbors, workers)
        starts = likely_starts(self.places, near.indices, near.shares)
        nearest = neighbors.indices[:, 0]
        draws = Draws(self.n_outliers, self.n_outliers, self.seed, self.stream)
        points, weights = draws_of_places(draws, self.grid, starts[1], nearest)
        kappa = self.kappa[nearest]

        def evaluate(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            values, gradients = np.empty(len(places)), np.empty_like(places)
            listwise_places(
                self.t, kappa, places, self.places, near.indices, near.shares, points, weights, values, gradients
            )
            return values, gradients

        return descend(evaluate, starts)

    def own_values(self) -> dict[str, Any]:
        """What this kind of placer has beside points and places, by public names; None where it has none."""
        names = ("n_neighbors", "n_pool", "scale_power", "t", "n_outliers", "seed", "stream", "scales", "kappa")
        return {name: getattr(self, name) for name in names}

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
            "n_outliers": arrays.whole("n_outliers", least=1, most=MOST_DRAWS),
            "seed": arrays.whole("seed", least=0),
            "stream": arrays.whole("stream", least=0),
            "scales": arrays.numbers("scales", "f4", (n_points,), least=positive),
            "kappa": arrays.numbers("kappa", "f4", (n_points,), least=positive),
        }
