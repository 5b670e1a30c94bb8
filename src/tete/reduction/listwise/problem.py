"""The listwise loss of the points of a table: who is drawn to whom, how it is minimised, and the placer of new rows."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tete.core.optimization import Minimum, adam
from tete.core.threads import SERIAL, Threads
from tete.core.types import Callback
from tete.reduction.listwise.affinities import affinities, neighbor_scales
from tete.reduction.listwise.mean_loss import ListwiseObjective, Plan
from tete.reduction.listwise.placer import ListwisePlacer
from tete.reduction.listwise.surface import RANKS, gate, make_surface, may_be_surface
from tete.reduction.merged_rows import MergedRows
from tete.reduction.placer import Places
from tete.reduction.points import Points
from tete.reduction.recipe import Problem, Recipe, handful
from tete.reduction.search.nearest import Neighbors

__all__ = ["PRESETS", "ListwiseProblem", "ListwiseRecipe", "Preset", "preset_of"]

CANDIDATES = 2  # times as many as the neighbours that are kept: more change nothing
COMPETITORS = 1 / 3  # of the points divided by the neighbours; more for a few of the data sets tried, less for others
MORE_IF_WIDE = 2.5  # times as many where twice as many neighbours are kept: a quarter more than without these
LEAST_SHARE_IF_WIDE = 6  # points for each neighbour that is kept: no more of them in tables of some dozen rows
FEWEST_COMPETITORS = 15.0  # on surfaces, as many as there are neighbours
FEWER_ON_SURFACES = 8.0  # times fewer competitors there, because the nearest neighbours are not all that counts
RAMP, LONGEST_RAMP = 22.0, 0.2  # iterations in which kappa grows, and their largest share of all
WARM_UP, LONGEST_WARM_UP = 11.0, 0.1  # iterations in which the step grows: full ones would scramble the start
SMALL_TABLE = 20_000  # rows, whose iterations take a few milliseconds at most
FEW_ROWS = 5_000  # of which farther neighbours tell more: the order of fifteen leaves such a map much freedom


class Preset(NamedTuple):
    """A choice of speed against quality."""

    max_iter: int
    n_outliers: int
    n_full: int  # iterations before the step falls; at most half of all
    t: float = 1.0
    rate: float = 0.03  # full step of the optimiser, divided by the root of the number of points
    longest: float = 8.0  # of steps: those of 16 on a map of 300,000 points cost a twentieth of 10-NN accuracy
    scale_power: float = 0.5  # 1 levels differences of density, 0 keeps the nearest neighbours by plain distance
    width: int = 1  # how many times `n_neighbors` are kept
    n_untempered: int = 0  # iterations with t = 1, if they are more than those in which kappa grows
    on_surfaces: int = 0  # iterations where most points lie on a surface, if they are more than `max_iter`


# Where the surface is laid out first and neighbourhoods have their turn in the end, 110 iterations are few: 200 keep
# .02 to .05 more of the neighbours of 30,000 to 50,000 points of a mammoth, a roll and a sphere.
PRESETS = {
    "fast": Preset(60, 32, 30),
    "default": Preset(110, 64, 55, on_surfaces=200),
    "high": Preset(250, 96, 125, t=1.1),
}
# Long steps reach sharp neighbourhoods in fewer iterations (MNIST: a recall of .322 in 110, where steps of a third take
# 160), still longer ones scramble classes. Small tables can afford iterations instead, which keep the whole better. On
# these, "high" does what "default" does until the latter's step falls, and then lets it fall more slowly: so it refines
# what "default" arranges. Large tables are arranged alike anyway, and more full steps are worth more to them.
SMALL = Preset(500, 96, 250, rate=0.04, longest=1.8, n_untempered=250)
SMALL_TABLE_PRESETS = {
    "fast": SMALL._replace(max_iter=200, n_outliers=32, n_full=100),
    "default": SMALL,
    "high": SMALL._replace(max_iter=1000, t=1.1),
}


def preset_of(quality: str, n_rows: int) -> Preset:
    """The preset of this name for a table of so many rows."""
    preset = (SMALL_TABLE_PRESETS if n_rows <= SMALL_TABLE else PRESETS)[quality]
    if n_rows > FEW_ROWS:
        return preset
    return preset._replace(width=2, scale_power=0.25, t=1.1)  # farther neighbours mix classes, which t keeps apart


@dataclass(frozen=True)
class ListwiseProblem(Problem):
    """The neighbourhoods of all points, and how to go about them."""

    recipe: "ListwiseRecipe"
    points: Points
    n_candidates: int
    n_neighbors: int
    scales: NDArray[np.float32]
    kappa: NDArray[np.float32]
    objective: ListwiseObjective

    @property
    def max_iter(self) -> int:
        """Number of iterations."""
        return self.recipe.max_iter

    def minimize(self, start: Places, callback: Callback | None) -> Minimum:
        """Find the map of at least three distinct points."""
        preset, learning_rate = self.recipe.preset, self.recipe.learning_rate
        automatic = min(preset.rate * np.sqrt(len(start)), preset.longest)
        rate = automatic if isinstance(learning_rate, str) else float(learning_rate)
        return adam(
            self.objective,
            start,
            step=lambda done: rate * self.recipe.step(done),
            max_iter=preset.max_iter,
            epsilon=1e-7 / len(start),
            callback=callback,
            workers=self.objective.workers,
        )

    def placer(self, places: Places) -> ListwisePlacer:
        """What places new rows on the finished map."""
        preset = self.recipe.preset
        return ListwisePlacer(
            points=self.points.for_new_rows(),
            places=places,
            n_candidates=self.n_candidates,
            n_neighbors=self.n_neighbors,
            n_pool=self.recipe.n_pool,
            scale_power=preset.scale_power,
            t=preset.t,
            exaggeration=self.recipe.exaggeration,
            n_outliers=preset.n_outliers,
            seed=self.objective.seed,
            stream=preset.max_iter,
            overall_mean=self.objective.overall_mean,
            scales=self.scales,
            kappa=self.kappa,
        )


@dataclass(frozen=True, kw_only=True)
class ListwiseRecipe(Recipe):
    """The listwise method as an estimator's parameters say."""

    preset: Preset
    n_neighbors: int
    keep_surfaces: bool
    learning_rate: Literal["auto"] | float
    exaggeration: float = 1.0

    @property
    def max_iter(self) -> int:  # type: ignore[override]  # read-only here as there
        """Number of iterations."""
        return self.preset.max_iter

    @property
    def n_pool(self) -> int:
        """Of how many nearest ones the neighbours are chosen."""
        return CANDIDATES * self.preset.width * self.n_neighbors

    @property
    def n_candidates(self) -> int:
        """How many nearest neighbours to look for."""
        return max(self.n_pool, RANKS[1])

    @property
    def bytes_for_neighbors(self) -> int:
        """Memory for neighbours and what is computed from them, in bytes a row."""
        n_kept = self.preset.width * self.n_neighbors
        return 8 * self.n_candidates + 20 * n_kept  # the neighbours are rearranged now and then

    @property
    def n_ramp(self) -> float:
        """Number of iterations in which kappa grows; the same for all qualities, so that they arrange alike."""
        return min(RAMP, LONGEST_RAMP * self.max_iter)

    @property
    def n_full(self) -> float:
        """Number of iterations before the step falls."""
        return min(self.preset.n_full, 0.5 * self.max_iter)

    @property
    def n_untempered(self) -> float:
        """Number of iterations with t = 1, of which the ramp has as many anyway."""
        return min(self.preset.n_untempered, self.n_full)

    def step(self, done: float) -> float:
        """The step's share of the full one: it grows in the first iterations and falls after `n_full`."""
        iteration = done * self.max_iter
        warm = (iteration + 0.5) / min(WARM_UP, LONGEST_WARM_UP * self.max_iter)
        return min(1.0, warm, (self.max_iter - iteration) / (self.max_iter - self.n_full))

    def problem(
        self, rows: MergedRows, point_weights: NDArray[np.float64], seed: int, workers: Threads
    ) -> ListwiseProblem:
        """Who is drawn to whom, and against how many competitors, for at least three distinct points."""
        gates, neighbors = self._gates(rows, workers)  # first, because it takes the most memory
        recipe = self._with_time_for(gates)
        preset = recipe.preset
        scales = neighbor_scales(rows.neighbors, preset.scale_power)
        pool = rows.neighbors.first(self.n_pool)
        count = self._n_kept(len(rows), pool.indices.shape[1])
        near = affinities(pool, scales, scales, count, workers)
        competitors = self._competitors(len(rows), count)
        fewest = min(competitors, FEWEST_COMPETITORS)
        kappa = np.maximum(competitors * FEWER_ON_SURFACES**-gates, fewest).astype(np.float32)
        drawn_to = make_surface(near, neighbors, gates, seed, recipe._stages) if gates.any() else near
        plan = Plan(kappa, recipe.n_ramp, preset.t, preset.n_outliers, self.exaggeration, recipe.n_untempered)
        weights = point_weights.astype(np.float32)
        objective = ListwiseObjective(plan, drawn_to, weights, seed, workers)
        n_candidates = rows.most_candidates(self.n_candidates)
        return ListwiseProblem(recipe, rows.points, n_candidates, count, scales, kappa, objective)

    @property
    def _stages(self) -> tuple[float, int]:
        return self.n_full, self.max_iter

    def _with_time_for(self, gates: NDArray[np.float64]) -> Self:
        """The same, with more iterations where most points lie on a surface."""
        if not gates.mean() > 0.5:
            return self
        return replace(self, preset=self.preset._replace(max_iter=max(self.max_iter, self.preset.on_surfaces)))

    def _n_kept(self, n_points: int, n_candidates: int) -> int:
        """How many neighbours are kept: more than `n_neighbors` in tables of few rows, but not of some dozens."""
        wide = min(self.preset.width * self.n_neighbors, n_points // LEAST_SHARE_IF_WIDE)
        return min(max(self.n_neighbors, wide), n_candidates)

    def _competitors(self, n_points: int, n_kept: int) -> float:
        """Number of competitors in the end, of points that are on no surface."""
        more = MORE_IF_WIDE if n_kept > self.n_neighbors else 1.0
        return max(COMPETITORS * more * n_points / n_kept, 1.0)

    def _gates(self, rows: MergedRows, workers: Threads) -> tuple[NDArray[np.float64], Neighbors]:
        """How much each point lies on a surface, and neighbours enough to walk along it."""
        neighbors = rows.neighbors
        gates = gate(neighbors, RANKS[1]) if self.keep_surfaces else np.zeros(len(rows))
        if not gates.any():
            return gates, neighbors
        if rows.can_search:
            if not may_be_surface(rows.points.search, workers):
                return np.zeros(len(rows)), neighbors
            neighbors = rows.points.search.within(min(RANKS[2], len(rows) - 1), workers)
        return gate(neighbors), neighbors

    def warm_up(self, n_components: int) -> None:
        """Load or compile the loops that a problem needs, on a handful of points."""
        points, distances = handful()
        order = np.argsort(distances, axis=1).astype(np.int32)[:, 1:]
        near = Neighbors(order, np.sort(distances, axis=1)[:, 1:]).first(5)
        scales = neighbor_scales(near)
        shares = affinities(near, scales, scales, 3, SERIAL)
        ones = np.ones(len(points), dtype=np.float32)
        plan = Plan(ones, 1.0, self.preset.t, self.preset.n_outliers, self.exaggeration)
        objective = ListwiseObjective(plan, shares, ones, 0, SERIAL)
        start = np.resize(points, (len(points), n_components))
        adam(objective, start, step=lambda done: 1e-3, max_iter=2)
