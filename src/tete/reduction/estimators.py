"""Estimators that map feature data.

    FeatureMap           fit, transform: everything but the loss
    ├── WeightedTETE     the paper's Weighted t-ETE: keeps surfaces and the shape of the whole
    └── ListwiseTETE     the listwise loss: keeps neighbourhoods and classes

The two are two lenses. For shapes, motions and other smooth surfaces take `WeightedTETE`; for images, text and cells,
where neighbours and clusters matter most, take `ListwiseTETE`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.core.docstrings import filled_from
from tete.core.matrices import is_sparse
from tete.core.optimization import Minimum, adam, gradient_descent, momentum_descent
from tete.core.threads import Threads
from tete.core.types import Callback
from tete.core.validation import check_choice, check_interval, check_whole
from tete.embedding.losses import tete_loss
from tete.exceptions import InvalidParameterError
from tete.reduction.feature_map import FeatureMap, Map
from tete.reduction.listwise.affinities import Affinities, affinities, neighbor_scales
from tete.reduction.listwise.draws import Draws
from tete.reduction.listwise.grid import GRID_DIMENSIONS, Grid, consecutive_tiles, make_grid
from tete.reduction.listwise.kernel import listwise_places
from tete.reduction.listwise.surface import RANKS, Surface, gate, make_surface
from tete.reduction.placing import descend, draws_of_places, likely_starts
from tete.reduction.points import Features
from tete.reduction.problem import TILE, AnchoredObjective, ListwiseObjective, Plan
from tete.reduction.search.nearest import Neighbors
from tete.reduction.weighted.kernel import DenseWeights, SeparableWeights, anchored_places
from tete.reduction.weighted.sampling import (
    SCALE_RANK,
    draw_outliers,
    equal_weights,
    largest_log_weight,
    local_scales,
    log_like,
    log_weights,
    paired,
    scaled_weights,
    triplet_weights,
)

__all__ = ["ListwiseTETE", "WeightedTETE"]

WEIGHTED_RATE = 6.0
MANY_ROWS = 30_000
CANDIDATES = 4  # times as many as the neighbours that are kept

Weights = SeparableWeights | DenseWeights


@filled_from(FeatureMap)
@dataclass(eq=False, repr=False, kw_only=True)
class WeightedTETE(FeatureMap):
    """Weighted t-ETE (paper, section "Applications to Dimensionality Reduction" and Algorithm 1).

    Every point i is compared with its nearest neighbours j and with outliers k, drawn uniformly from the points
    farther away. The weighted sum of the robust losses ``log_t(1 + l_ijk)`` of these triplets, eq. (wtete), is
    minimised.

    Parameters
    ----------
    n_neighbors : int, default=20
        Nearest neighbours of each point, the paper's m.
    n_outliers : int, default=20
        Outliers of each point.
    t : float in [1, 2], default=2.0
        Temperature of the logarithm. t = t' = 2 needs no powers and is by far the fastest.
    t_prime : float in [1, 2] or None, default=None
        Temperature of the kernel; None takes `t`.
    weights : "paper", "log" or "uniform", default="paper"
        Weights of eq. (weight), divided by their maximum, plus `weight_bias`; or log(1 + 500 times that), in which
        triplets of middling weight count more, as in TriMap; or all equal.
    weight_bias : float, default=0.01
        The paper's gamma.
    triplets : "shared" or "paired", default="shared"
        The paper's text has m neighbours times m outliers a point ("shared": all neighbours of a point share its
        outliers, n m^2 triplets); its Algorithm 1 draws one outlier for each neighbour ("paired": n m triplets).
    optimizer : "momentum" or "gradient_descent", default="momentum"
        Momentum with a gain for every coordinate, as t-SNE and TriMap use; or the paper's plain gradient descent.
    learning_rate : "auto" or float, default="auto"
        Step along the gradient of a point's mean loss; 6 by default. With gradient descent a number is the paper's
        constant step on the sum of losses, and "auto" adapts the step.
    max_iter : int or None, default=None
        Number of iterations. None takes 250, and 150 beyond 30,000 rows, whose global arrangement later suffers more
        than their neighbourhoods gain.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from tete import WeightedTETE
    >>> WeightedTETE(random_state=0).fit_transform(load_wine().data).shape
    (178, 2)
    """

    n_neighbors: int = 20
    n_outliers: int = 20
    t: float = 2.0
    t_prime: float | None = None
    weights: Literal["paper", "log", "uniform"] = "paper"
    weight_bias: float = 0.01
    triplets: Literal["shared", "paired"] = "shared"
    optimizer: Literal["momentum", "gradient_descent"] = "momentum"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_outliers", self.n_outliers, least=1)
        check_interval("t", self.t, 1.0, 2.0)
        if self.t_prime is not None:
            check_interval("t_prime", self.t_prime, 1.0, 2.0)
        check_choice("weights", self.weights, ("paper", "log", "uniform"))
        check_interval("weight_bias", self.weight_bias, 0.0, np.inf)
        check_choice("triplets", self.triplets, ("shared", "paired"))
        check_choice("optimizer", self.optimizer, ("momentum", "gradient_descent"))

    def _iterations(self, n_rows: int) -> int:
        if self.max_iter is not None:
            return self.max_iter
        return 250 if n_rows <= MANY_ROWS else 150

    def _n_candidates(self) -> int:
        return max(self.n_neighbors, SCALE_RANK)

    def _bytes_for_neighbors(self) -> int:
        separable = self.weights != "log" and self.triplets == "shared"
        n_weights = self.n_neighbors + self.n_outliers if separable else self.n_neighbors * self.n_outliers
        return 8 * self._n_candidates() + 8 * self.n_outliers + 14 * n_weights

    def _minimize(
        self,
        features: Features,
        start: Map,
        weights: NDArray[np.float64],
        workers: Threads,
        callback: Callback | None,
    ) -> Minimum:
        if self.weights != "uniform" and self.metric == "precomputed" and is_sparse(features.points):
            raise InvalidParameterError(
                f"`weights` must be 'uniform' when `X` is a graph, which has no distances to outliers, "
                f"got {self.weights!r}."
            )
        # At least one point must remain outside every neighbourhood.
        self._count = min(self.n_neighbors, len(features) - 2, features.neighbors.indices.shape[1])
        self._scales = local_scales(features.neighbors)
        self._largest: float | None = None
        near = features.neighbors.first(self._count)
        far = self._outliers(features, features.points, near, np.arange(len(features)), workers)
        triplet_weights = scaled_weights(self._weigh(near, far, self._scales), weights)
        loss = tete_loss(self.t, self.t if self.t_prime is None else self.t_prime)
        objective = AnchoredObjective(loss, triplet_weights, near.indices, far.indices, workers)
        if self.optimizer == "gradient_descent":
            return self._descend(objective, start, triplet_weights.total(), callback)
        rate = WEIGHTED_RATE if self.learning_rate == "auto" else float(self.learning_rate)
        step = rate * len(start)  # the objective is a mean over the points
        return momentum_descent(objective, start, step=step, max_iter=self._iterations(len(start)), callback=callback)

    def _descend(
        self, objective: AnchoredObjective, start: Map, total_weight: float, callback: Callback | None
    ) -> Minimum:
        if self.learning_rate == "auto":
            step, growth, shrinkage = 2.0 * len(start), 1.01, 0.5
        else:  # the objective is a mean, the paper's is a sum
            step, growth, shrinkage = float(self.learning_rate) * total_weight, 1.0, 1.0
        return gradient_descent(
            objective,
            start.astype(np.float64),
            step=step,
            max_iter=self._iterations(len(start)),
            growth=growth,
            shrinkage=shrinkage,
            callback=callback,
        )

    def _outliers(
        self, features: Features, queries: Any, near: Neighbors, names: NDArray[np.int64], workers: Threads
    ) -> Neighbors:
        """Draw outliers, each farther than all neighbours or, for "paired", than its own neighbour."""
        if self.triplets == "paired":
            radii = near.distances
        else:
            radii = np.broadcast_to(near.distances[:, -1:], (len(names), self.n_outliers))
        return draw_outliers(names, radii, len(features), self._seed, features.between(queries), workers)

    def _weigh(self, near: Neighbors, far: Neighbors, own_scales: NDArray[np.float32]) -> Weights:
        weights: Weights
        if self.weights == "uniform":
            weights = equal_weights(len(near.indices), near.indices.shape[1], far.indices.shape[1])
        else:
            near_logs = log_weights(near.distances, own_scales, self._scales[near.indices])
            far_logs = log_weights(far.distances, own_scales, self._scales[far.indices])
            if self._largest is None:
                self._largest = largest_log_weight(near_logs, far_logs)
            weights = triplet_weights(near_logs, far_logs, self._largest, self.weight_bias)
            weights = log_like(weights) if self.weights == "log" else weights
        return paired(weights) if self.triplets == "paired" else weights

    def _place(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[np.float64]:
        near = neighbors.first(self._count)
        # New rows take the random stream of their nearest point, which depends on nothing else.
        names = near.indices[:, 0].astype(np.int64)
        far = self._outliers(self._features, queries, near, names, workers)
        weights = self._weigh(near, far, local_scales(neighbors))
        loss = tete_loss(self.t, self.t if self.t_prime is None else self.t_prime)

        def evaluate(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            values, gradients = np.empty(len(places)), np.empty_like(places)
            anchored_places(loss, weights, places, self._map, near.indices, far.indices, values, gradients)
            return values, gradients

        return descend(evaluate, likely_starts(self._map, near.indices, np.ones(near.indices.shape)))


class Preset(NamedTuple):
    """A choice of speed against quality."""

    max_iter: int
    t: float
    rate: float  # step of the optimiser at first, divided by the root of the number of points
    n_outliers: int
    scale_power: float  # 1 levels differences of density and keeps classes apart, 1/2 keeps more neighbourhoods


@filled_from(FeatureMap)
@dataclass(eq=False, repr=False, kw_only=True)
class ListwiseTETE(FeatureMap):
    """Listwise t-ETE: sharp neighbourhoods with the global arrangement kept, in little time.

    The outliers of a point are pooled inside the robust logarithm of eq. (ete-obj):
    ``l_ij = kappa * mean_k q_ik / q_ij`` with ``q_ij = exp_2(-|y_i - y_j|^2)``, and ``sum_ij p_ij log_t(1 + l_ij)`` is
    minimised. 1 + l_ij is a soft rank of neighbour j among kappa competitors, so that neighbours keep pulling when
    single triplets are already satisfied. kappa grows from 1 (the global arrangement) to n / (4 n_neighbors).

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours of each point, chosen from four times as many nearest ones by distances scaled to the local density.
    quality : "fast", "default" or "high", default="default"
        Presets of `max_iter`, `t`, `n_outliers` and `learning_rate`; each can be overridden. "fast" is enough up to
        some 20,000 rows.
    t : float in [1, 2] or None, default=None
        Temperature of the logarithm; None takes the preset's: 1, for high quality 1.1.
    n_outliers : int or None, default=None
        Draws from all points for each tile of points and iteration, and as many from the tile's surroundings. None
        takes the preset's: 96, for "fast" 64, for "high" 128.
    keep_surfaces : bool, default=True
        Whether points are also drawn to points some steps farther away where the data are locally of at most about
        two dimensions (a scanned shape, a sheet, a curve), which would come apart otherwise. Other data are not
        changed by this.
    learning_rate : "auto" or float, default="auto"
        First step of Adam, which falls linearly; "auto" is 0.01 (high quality 0.012) times the root of the number of
        points.
    max_iter : int or None, default=None
        Number of iterations; None takes the preset's: 300, for "fast" 150, for "high" 500.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from tete import ListwiseTETE
    >>> ListwiseTETE(random_state=0).fit_transform(load_digits().data[:500]).shape
    (500, 2)
    """

    n_neighbors: int = 15
    quality: Literal["fast", "default", "high"] = "default"
    t: float | None = None
    n_outliers: int | None = None
    keep_surfaces: bool = True

    _PRESETS: ClassVar[dict[str, Preset]] = {
        "fast": Preset(150, 1.0, 0.01, 64, 1.0),
        "default": Preset(300, 1.0, 0.01, 96, 1.0),
        "high": Preset(500, 1.1, 0.012, 128, 0.5),
    }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("quality", self.quality, tuple(self._PRESETS))
        if self.t is not None:
            check_interval("t", self.t, 1.0, 2.0)
        if self.n_outliers is not None:
            check_whole("n_outliers", self.n_outliers, least=1)

    def _preset(self) -> Preset:
        """The preset with what the user has set himself."""
        preset = self._PRESETS[self.quality]
        if self.max_iter is not None:
            preset = preset._replace(max_iter=self.max_iter)
        if self.t is not None:
            preset = preset._replace(t=float(self.t))
        if self.n_outliers is not None:
            preset = preset._replace(n_outliers=self.n_outliers)
        return preset

    def _iterations(self, n_rows: int) -> int:
        return self._preset().max_iter

    def _n_candidates(self) -> int:
        return max(CANDIDATES * self.n_neighbors, RANKS[1])

    def _bytes_for_neighbors(self) -> int:
        return 8 * self._n_candidates() + 20 * self.n_neighbors  # the neighbours are rearranged now and then

    def _minimize(
        self,
        features: Features,
        start: Map,
        weights: NDArray[np.float64],
        workers: Threads,
        callback: Callback | None,
    ) -> Minimum:
        preset, n_points = self._preset(), len(features)
        near = self._neighborhoods(features, preset, workers)
        plan = Plan(preset.max_iter, self._kappa, preset.n_outliers)
        rate = preset.rate * np.sqrt(n_points) if self.learning_rate == "auto" else float(self.learning_rate)
        return adam(
            ListwiseObjective(preset.t, plan, near, weights.astype(np.float32), self._seed, workers),
            start,
            step=lambda done: rate * (1.0 - done),
            max_iter=preset.max_iter,
            epsilon=1e-7 / n_points,
            callback=callback,
        )

    def _neighborhoods(self, features: Features, preset: Preset, workers: Threads) -> Affinities | Surface:
        """Who is drawn to whom, and against how many competitors."""
        n_points = len(features)
        self._scales = neighbor_scales(features.neighbors, preset.scale_power)
        candidates = features.neighbors.first(CANDIDATES * self.n_neighbors)
        self._count = min(self.n_neighbors, candidates.indices.shape[1])
        near = affinities(candidates, self._scales, self._scales, self._count, workers)
        competitors = max(n_points / (4.0 * self._count), 1.0)
        gates, neighbors = self._gates(features, workers)
        self._kappa = np.maximum(competitors * 8.0**-gates, min(competitors, 15.0)).astype(np.float32)
        return make_surface(near, neighbors, gates, self._seed, preset.max_iter) if gates.any() else near

    def _gates(self, features: Features, workers: Threads) -> tuple[NDArray[np.float64], Neighbors]:
        """How much each point lies on a surface, and neighbours enough to walk along it."""
        neighbors = features.neighbors
        gates = gate(neighbors, RANKS[1]) if self.keep_surfaces else np.zeros(len(features))
        if not gates.any():
            return gates, neighbors
        if self.precomputed_knn is None and not is_sparse(features.points):
            neighbors = features.search.within(min(RANKS[2], len(features) - 1), workers)
        return gate(neighbors), neighbors

    def _finish(self) -> None:
        self._grid: Grid = (
            make_grid(self._map, TILE)
            if self.n_components <= GRID_DIMENSIONS
            else consecutive_tiles(len(self._map), TILE)
        )

    def _place(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[np.float64]:
        preset = self._preset()
        candidates = neighbors.first(CANDIDATES * self.n_neighbors)
        scales = neighbor_scales(neighbors, preset.scale_power)
        near = affinities(candidates, scales, self._scales, self._count, workers)
        starts = likely_starts(self._map, near.indices, near.shares)
        nearest = neighbors.indices[:, 0]
        draws = Draws(preset.n_outliers, preset.n_outliers, self._seed, preset.max_iter)
        points, weights = draws_of_places(draws, self._grid, starts[1], nearest)
        kappa = self._kappa[nearest]

        def evaluate(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            values, gradients = np.empty(len(places)), np.empty_like(places)
            listwise_places(
                preset.t, kappa, places, self._map, near.indices, near.shares, points, weights, values, gradients
            )
            return values, gradients

        return descend(evaluate, starts)
