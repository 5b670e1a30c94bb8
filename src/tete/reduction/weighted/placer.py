"""New rows by Weighted t-ETE."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL
from tete.embedding.losses import tete_loss
from tete.reduction.descent import descend, likely_starts
from tete.reduction.placer import Placer
from tete.reduction.search.nearest import Neighbors
from tete.reduction.weighted.kernel import anchored_places
from tete.reduction.weighted.sampling import local_scales
from tete.reduction.weighted.triplet_choice import MOST_OUTLIERS, TRIPLETS, WEIGHTS, TripletChoice

__all__ = ["WeightedPlacer"]

SMALLEST = float(np.finfo(np.float32).smallest_subnormal)  # positive number


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedPlacer(Placer):
    """Each new row minimises eq. (wtete) over its own triplets.

    Attributes
    ----------
    choice : TripletChoice
        Which triplets a row has, and how much each counts.
    t, t_prime : float
        Temperatures of the loss.
    scales : array of n_points numbers
        sigma of eq. (weight) for each point.
    largest : float or None
        Logarithm of the largest weight of the fitted triplets; None where all weigh the same.
    """

    name = "weighted"

    choice: TripletChoice
    t: float
    t_prime: float
    scales: NDArray[np.float32]
    largest: float | None

    def descend(self, queries: Any, neighbors: Neighbors) -> NDArray[Any]:
        """Places of rows that are none of the points, from their nearest points."""
        near = neighbors.first(self.choice.n_neighbors)
        # New rows take the random stream of their nearest point, which depends on nothing else.
        names = near.indices[:, 0].astype(np.int64)
        far = self.choice.outliers(self.points, queries, near, names, SERIAL)
        scales = local_scales(neighbors, instead=float(self.scales.min()))
        weights, _ = self.choice.weigh(near, far, scales, self.scales, self.largest)
        loss = tete_loss(self.t, self.t_prime)

        def evaluate(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            values, gradients = np.empty(len(places)), np.empty_like(places)
            anchored_places(loss, weights, places, self.places, near.indices, far.indices, values, gradients)
            return values, gradients

        return descend(evaluate, likely_starts(self.places, near.indices, np.ones(near.indices.shape)))

    def own_values(self) -> dict[str, Any]:
        """What this kind of placer has beside points and places, by public names; None where it has none."""
        return {
            "n_neighbors": self.choice.n_neighbors,
            "n_outliers": self.choice.n_outliers,
            "weights": self.choice.weights,
            "weight_bias": self.choice.weight_bias,
            "triplets": self.choice.triplets,
            "seed": self.choice.seed,
            "t": self.t,
            "t_prime": self.t_prime,
            "scales": self.scales,
            "largest_log_weight": self.largest,
        }

    @classmethod
    def checked_values(cls, arrays: CheckedArrays, n_points: int, n_candidates: int) -> dict[str, Any]:
        """The arguments that `own_values` were made of."""
        choice = TripletChoice(
            n_neighbors=arrays.whole("n_neighbors", least=1, most=min(n_candidates, max(n_points - 2, 1))),
            n_outliers=arrays.whole("n_outliers", least=1, most=MOST_OUTLIERS),
            weights=cast("Any", arrays.text("weights", WEIGHTS)),
            weight_bias=arrays.real("weight_bias", least=0.0, most=float(np.finfo(np.float32).max)),
            triplets=cast("Any", arrays.text("triplets", TRIPLETS)),
            seed=arrays.whole("seed", least=0),
        )
        largest = None
        if choice.weights != "uniform":
            largest = arrays.real("largest_log_weight", least=-np.inf, most=np.inf)
        return {
            "choice": choice,
            "t": arrays.real("t", least=1.0, most=2.0),
            "t_prime": arrays.real("t_prime", least=1.0, most=2.0),
            "scales": arrays.numbers("scales", "f4", (n_points,), least=SMALLEST),
            "largest": largest,
        }
