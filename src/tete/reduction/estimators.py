"""Estimators that map feature data.

    FeatureMap           fit, transform: everything but the loss
    ├── WeightedTETE     the paper's Weighted t-ETE: keeps surfaces and the shape of the whole
    └── ListwiseTETE     the listwise loss: keeps neighbourhoods and classes

The two are two lenses. For shapes, motions and other smooth surfaces take `WeightedTETE`; for images, text and cells,
where neighbours and clusters matter most, take `ListwiseTETE`.
"""

from dataclasses import dataclass
from typing import Literal

from tete.core.docstrings import filled_from
from tete.core.validation import check_choice, check_interval, check_whole
from tete.reduction.feature_map import FeatureMap
from tete.reduction.listwise.placer import MOST_DRAWS, MOST_EXAGGERATION
from tete.reduction.listwise.problem import PRESETS, ListwiseRecipe, preset_of
from tete.reduction.weighted.problem import WeightedRecipe
from tete.reduction.weighted.triplet_choice import MOST_OUTLIERS, TRIPLETS, WEIGHTS

__all__ = ["ListwiseTETE", "WeightedTETE"]

LARGEST_BIAS = 1e6  # beside weights of at most 1, in single precision
LARGE_TABLE = 30_000  # rows; beyond, later iterations cost the global arrangement more than neighbourhoods gain


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
        Step along the gradient of a point's mean loss; 8 by default. With gradient descent a number is the paper's
        constant step on the sum of losses, and "auto" adapts the step.
    max_iter : int or None, default=None
        Number of iterations. None takes 180, and 100 beyond 30,000 rows, whose global arrangement later suffers more
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
        check_whole("n_outliers", self.n_outliers, least=1, most=MOST_OUTLIERS)
        check_interval("t", self.t, 1.0, 2.0)
        if self.t_prime is not None:
            check_interval("t_prime", self.t_prime, 1.0, 2.0)
        check_choice("weights", self.weights, WEIGHTS)
        check_interval("weight_bias", self.weight_bias, 0.0, LARGEST_BIAS)
        check_choice("triplets", self.triplets, TRIPLETS)
        check_choice("optimizer", self.optimizer, ("momentum", "gradient_descent"))

    def _recipe(self, n_rows: int) -> WeightedRecipe:
        iterations = 180 if n_rows <= LARGE_TABLE else 100
        return WeightedRecipe(
            max_iter=iterations if self.max_iter is None else self.max_iter,
            n_neighbors=self.n_neighbors,
            n_outliers=self.n_outliers,
            t=float(self.t),
            t_prime=float(self.t if self.t_prime is None else self.t_prime),
            weights=self.weights,
            weight_bias=float(self.weight_bias),
            triplets=self.triplets,
            optimizer=self.optimizer,
            learning_rate=self.learning_rate,
        )


@filled_from(FeatureMap)
@dataclass(eq=False, repr=False, kw_only=True)
class ListwiseTETE(FeatureMap):
    """Listwise t-ETE: sharp neighbourhoods with the global arrangement kept, in little time.

    The outliers of a point are pooled inside the robust logarithm of eq. (ete-obj):
    ``l_ij = kappa * (mean_k q_ik + 2 mean_ik q_ik) / 3 / q_ij`` with ``q_ij = exp_2(-|y_i - y_j|^2)``, and
    ``sum_ij p_ij log_t(1 + l_ij)`` is minimised. 1 + l_ij is a soft rank of neighbour j among kappa competitors, a
    third of them around i and the others around any point, so that neighbours keep pulling when single triplets are
    already satisfied. kappa grows from 1 (the global arrangement) to n / (3 n_neighbors).

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours of each point, chosen from twice as many nearest ones by distances scaled to the local density. Up to
        5,000 rows twice as many are kept, the farther ones with less weight.
    quality : "fast", "default" or "high", default="default"
        Presets of `max_iter`, `t` and `n_outliers`; each can be overridden. "high" refines the arrangement that
        "default" finds with the same seed: up to 20,000 rows its first iterations are the same, and then its steps fall
        more slowly.
    t : float in [1, 2] or None, default=None
        Temperature of the logarithm once kappa has grown; None takes the preset's: 1, for high quality and up
        to 5,000 rows 1.1. Up to 20,000 rows it is 1 in the first 250 iterations.
    n_outliers : int or None, default=None
        Draws from the surroundings of each tile of points in each iteration; in maps of three and more dimensions at
        least 96, and as many from all points. None takes the preset's: 64, for "fast" 32, for "high" 96; up to 20,000
        rows 96, 32 and 96.
    exaggeration : float in [1, 100], default=1
        How much neighbours count beside competitors: ``l_ij`` has the mean of q to the power ``1 / exaggeration``. More
        than 1 gives compact groups with gaps between them, as in pictures of UMAP, and keeps fewer neighbourhoods.
    keep_surfaces : bool, default=True
        Whether points are also drawn to points some steps farther away where the data are locally of at most about
        two dimensions (a scanned shape, a sheet, a curve), which would come apart otherwise. Other data are not
        changed by this.
    learning_rate : "auto" or float, default="auto"
        Full step of Adam, which grows in the first iterations and falls in the second half (up to 20,000 rows
        from iteration 250 on at the latest); "auto" is 0.03 times the root of the number of points, at most 8; up to
        20,000 rows 0.04 times, at most 1.8.
    max_iter : int or None, default=None
        Number of iterations; None takes the preset's: 110 (200 where most points lie on a surface), for "fast" 60, for
        "high" 250; up to 20,000 rows 500, 200 and 1000.

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
    exaggeration: float = 1.0
    keep_surfaces: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("quality", self.quality, tuple(PRESETS))
        if self.t is not None:
            check_interval("t", self.t, 1.0, 2.0)
        if self.n_outliers is not None:
            check_whole("n_outliers", self.n_outliers, least=1, most=MOST_DRAWS)
        check_interval("exaggeration", self.exaggeration, 1.0, MOST_EXAGGERATION)

    def _recipe(self, n_rows: int) -> ListwiseRecipe:
        preset = preset_of(self.quality, n_rows)
        if self.max_iter is not None:
            preset = preset._replace(max_iter=self.max_iter, on_surfaces=0)
        if self.t is not None:
            preset = preset._replace(t=float(self.t))
        if self.n_outliers is not None:
            preset = preset._replace(n_outliers=self.n_outliers)
        return ListwiseRecipe(
            preset=preset,
            n_neighbors=self.n_neighbors,
            exaggeration=float(self.exaggeration),
            keep_surfaces=self.keep_surfaces,
            learning_rate=self.learning_rate,
        )
