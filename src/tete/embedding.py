"""Estimators that place objects on a map from triplets.

    TripletEmbedding      fit, predict, score: everything but the loss
    ├── TETE              the paper's robust t-ETE
    ├── STE, TSTE         stochastic triplet embedding, with Gaussian and Student kernels
    ├── CKL               crowd kernel learning
    └── GNMDS             generalised non-metric multidimensional scaling

The classes are dataclasses because a scikit-learn estimator is one: its constructor only keeps its parameters.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tete.exceptions import (
    DisconnectedAnswersWarning,
    InvalidParameterError,
    InvalidTripletsError,
    UnmentionedObjectsWarning,
)
from tete.initialization import best_radius, given_start, random_start
from tete.losses import (
    LOG_RATIOS,
    CKLLoss,
    GNMDSLoss,
    Loss,
    STELoss,
    TSTELoss,
    UnitTETELoss,
    evaluate,
    log_ratios,
    tete_loss,
)
from tete.metrics import satisfied
from tete.objective import Embedding, ShardedTriplets, sharded
from tete.optimization import Callback, Minimum, StopReason, gradient_descent, lbfgs
from tete.progress import progress
from tete.randomness import RandomState, make_generator
from tete.spectral import largest_eigenvalue, spectral_start
from tete.summary import components
from tete.triplets import Triplets, as_triplets
from tete.validation import check_choice, check_interval, check_whole

__all__ = ["CKL", "GNMDS", "STE", "TETE", "TSTE", "TripletEmbedding"]


@dataclass(eq=False, repr=False)
class TripletEmbedding(BaseEstimator, ABC):
    """Base of the triplet embeddings: minimises ``mean loss + ridge * mean |y|^2`` over the map.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    ridge : float, default=3e-4
        Strength of the term that keeps the map from growing without end; 0 for none, as in the paper. Values near
        1e-4 favour nearest neighbours, values near 1e-3 favour unseen answers.
    init : "spectral", "random" or array of shape (n_objects, n_components), default="spectral"
        Start: leading eigenvectors of the comparison counts (deterministic), small normal draws as in the paper, or
        a map.
    n_init : int, default=1
        Number of random starts, of which the one with the least loss is kept; only for ``init="random"``.
    optimizer : "lbfgs" or "gradient_descent", default="lbfgs"
        Gradient descent is what the paper uses; it always takes `max_iter` steps.
    learning_rate : "auto" or float, default="auto"
        Only for gradient descent. A number is the paper's constant step on the sum of losses. "auto" is what its authors use:
        2 n_objects / n_triplets to begin with, times 1.01 after a better step and times 0.5 after a worse one.
    max_iter : int, default=1000
        Most iterations of the optimiser.
    tol : float, default=1e-7
        L-BFGS stops when an iteration lowers the objective by less than this share of it.
    random_state : int, generator or None, default=None
        Seed of random starts; the default start needs none.
    n_jobs : int or None, default=-1
        Threads; -1 means all cores. The result is the same to the last bit for any number.
    verbose : bool, default=False
        Whether to show a progress bar.
    callback : callable or None, default=None
        Called as ``callback(iteration, value, embedding)`` after each iteration; a true result stops the fit.

    Attributes
    ----------
    embedding_ : array of shape (n_objects, n_components)
        The map, centred. Objects without a triplet are at the centre.
    loss_ : float
        The least value found of what is minimised.
    history_ : array
        The value after each iteration.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : StopReason
        "converged", "max_iter", "callback", "stalled" or "diverged"; its `text` explains.
    object_names_ : tuple or None
        Names of the rows of `embedding_`, where the triplets had names.
    n_features_in_ : int
        3: anchor, near and far.
    """

    n_components: int = 2
    _: KW_ONLY
    ridge: float = 3e-4
    init: Literal["spectral", "random"] | ArrayLike = "spectral"
    n_init: int = 1
    optimizer: Literal["lbfgs", "gradient_descent"] = "lbfgs"
    learning_rate: Literal["auto"] | float = "auto"
    max_iter: int = 1000
    tol: float = 1e-7
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False
    callback: Callback | None = None

    # What differs between the estimators -------------------------------------------------------------------------

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss of one triplet."""

    def _path(self) -> tuple[Loss, ...]:
        """Losses to minimise one after the other, each from the solution of the one before; the last is `_loss`."""
        return (self._loss(),)

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_interval("ridge", self.ridge, 0.0, np.inf)
        check_whole("n_init", self.n_init, least=1)
        check_choice("optimizer", self.optimizer, ("lbfgs", "gradient_descent"))
        check_whole("max_iter", self.max_iter, least=1)
        check_interval("tol", self.tol, 0.0, np.inf)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("spectral", "random"))
        if self.n_init > 1 and not (isinstance(self.init, str) and self.init == "random"):
            raise InvalidParameterError(f"`n_init` must be 1 unless `init` is 'random', got {self.n_init}.")
        if self.learning_rate != "auto":
            check_interval("learning_rate", self.learning_rate, 0.0, np.inf, closed=False)
            if self.optimizer != "gradient_descent":
                raise InvalidParameterError(
                    f"`learning_rate` must be 'auto' unless `optimizer` is 'gradient_descent', got {self.learning_rate}."
                )

    # Fitting -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : Triplets, array of shape (n, 3) or data frame with columns anchor, near, far
            Rows say that anchor is more like near than like far.
        y : array of n answers, optional
            Then rows are questions: +1 where the anchor is more like the second column, -1 where it is more like the
            third, 0 where undecided; or booleans.
        sample_weight : array of n non-negative numbers, optional
            How much each row counts.
        """
        self._check_parameters()
        triplets = as_triplets(X, y, sample_weight)
        used = triplets if triplets.weights is None else triplets.select(triplets.weights > 0)
        mentioned = used.mentions() > 0
        if not mentioned.all():
            self._warn_unmentioned(triplets, mentioned)
            used = used.renumbered(np.cumsum(mentioned) - 1, int(mentioned.sum()))
        with sharded(used, self.n_components, self.n_jobs) as shards:
            minimum = self._best_minimum(shards, mentioned)
        self.embedding_: Embedding = np.zeros((triplets.n_objects, self.n_components))
        self.embedding_[mentioned] = minimum.embedding - minimum.embedding.mean(axis=0)
        self.loss_ = minimum.value
        self.history_ = np.array(minimum.history)
        self.n_iter_ = minimum.n_iter
        self.stop_reason_ = minimum.stop_reason
        self.object_names_: tuple[Hashable, ...] | None = triplets.names
        self.n_features_in_ = 3
        self._finish(triplets)
        return self

    def fit_transform(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Embedding:
        """Find the map and return it."""
        return self.fit(X, y, sample_weight).embedding_

    def _best_minimum(self, shards: ShardedTriplets, mentioned: NDArray[np.bool_]) -> Minimum:
        largest = largest_eigenvalue(shards)
        self._refuse_collapse(shards, largest)
        rng = make_generator(self.random_state)
        minima = [self._minimize(shards, self._start(shards, mentioned, rng)) for _ in range(self.n_init)]
        best = min(minima, key=lambda minimum: minimum.value)
        fixed_length = self.optimizer == "gradient_descent" and best.stop_reason is StopReason.MAX_ITER
        if best.stop_reason in {StopReason.MAX_ITER, StopReason.DIVERGED} and not fixed_length:
            warnings.warn(
                f"The optimiser stopped after {best.n_iter} iterations because {best.stop_reason.text}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best

    def _start(self, shards: ShardedTriplets, mentioned: NDArray[np.bool_], rng: np.random.Generator) -> Embedding:
        if not isinstance(self.init, str):
            return given_start(self.init, len(mentioned), self.n_components)[mentioned]
        n_objects = shards.triplets.n_objects
        if self.init == "random":
            return random_start(n_objects, self.n_components, rng)
        parts = components(shards.triplets)
        if parts.max() > 0:
            warnings.warn(
                f"The answers fall into {parts.max() + 1} parts that no answer relates: places within a part can be "
                "compared, places in different parts cannot.",
                DisconnectedAnswersWarning,
                stacklevel=4,
            )
        objective = shards.objective(self._path()[0], self.ridge)
        return best_radius(spectral_start(shards, parts, self.n_components), lambda start: objective(start)[0])

    def _minimize(self, shards: ShardedTriplets, start: Embedding) -> Minimum:
        with progress(type(self).__name__, total=self.max_iter, shown=self.verbose, callback=self.callback) as callback:
            if self.optimizer == "lbfgs":
                return self._follow_path(shards, start, callback)
            objective = shards.objective(self._loss(), self.ridge)
            if self.learning_rate == "auto":
                step = 2.0 * len(start)
                return gradient_descent(
                    objective, start, step=step, max_iter=self.max_iter, growth=1.01, shrinkage=0.5, callback=callback
                )
            # The objective is a mean and the paper's is a sum.
            step = float(self.learning_rate) * shards.total_weight
            return gradient_descent(objective, start, step=step, max_iter=self.max_iter, callback=callback)

    def _follow_path(self, shards: ShardedTriplets, start: Embedding, callback: Callback | None) -> Minimum:
        path = self._path() if isinstance(self.init, str) else (self._loss(),)
        history: list[float] = []
        for loss in path:
            done = len(history)

            def counted(iteration: int, value: float, embedding: Embedding, done: int = done) -> Any:
                return callback is not None and callback(done + iteration, value, embedding)

            minimum = lbfgs(
                shards.objective(loss, self.ridge),
                start,
                max_iter=max(self.max_iter - done, 1),
                tol=self.tol,
                callback=counted,
            )
            history += minimum.history
            start = minimum.embedding
            if minimum.stop_reason is StopReason.CALLBACK:
                break
        return Minimum(start, minimum.value, history, minimum.stop_reason)

    def _refuse_collapse(self, shards: ShardedTriplets, largest: float) -> None:
        """Refuse a ridge that makes Y = 0 a minimum: ridge >= slope * n * mu_1 / |T|, mu_1 being B's largest eigenvalue."""
        slope = evaluate(self._loss(), 0.0, 0.0)[1]
        limit = slope * shards.triplets.n_objects * largest / shards.total_weight
        if limit <= 1e-12:
            raise InvalidTripletsError(
                f"The {len(shards.triplets)} triplets cancel each other out: every one is contradicted, so there is no map."
            )
        if self.ridge >= limit:
            raise InvalidParameterError(
                f"`ridge` must be below {limit:.3g} for these triplets, got {self.ridge}: "
                "a larger one draws all objects into one point."
            )

    def _warn_unmentioned(self, triplets: Triplets, mentioned: NDArray[np.bool_]) -> None:
        names = [repr(triplets.name_of(number)) for number in np.flatnonzero(~mentioned)]
        listed = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        warnings.warn(
            f"{len(names)} of {triplets.n_objects} objects occur in no triplet and are placed at the centre: {listed}.",
            UnmentionedObjectsWarning,
            stacklevel=3,
        )

    def _finish(self, triplets: Triplets) -> None:
        """Learn what else the fitted map tells about its triplets."""

    # Using the map -----------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """For each row of `X`, whether its first object is nearer to the second than to the third on the map."""
        triplets = self._read(X)
        return satisfied(self.embedding_, triplets)

    @available_if(lambda self: type(self._loss()) in LOG_RATIOS)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability that the answer is "the third" and that it is "the second", for each row: eq. (prob)."""
        triplets = self._read(X)
        ratios = log_ratios(self._loss(), self.embedding_, triplets.anchor, triplets.near, triplets.far)
        second = 1.0 / (1.0 + np.exp(np.minimum(ratios, 700.0)))
        return np.column_stack([1.0 - second, second])

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Share of answers that the map agrees with."""
        triplets = self._read(X, y, sample_weight)
        return float(np.average(satisfied(self.embedding_, triplets), weights=triplets.weights))

    def _read(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Triplets:
        check_is_fitted(self, "embedding_")
        return as_triplets(X, y, sample_weight, names=self.object_names_, n_objects=len(self.embedding_))


@dataclass(eq=False, repr=False, kw_only=True)
class TETE(TripletEmbedding):
    """t-Exponential Triplet Embedding (t-ETE): a map that wrong answers hardly disturb. Paper, eq. (ete-obj).

    Each triplet's loss is ``log_t(1 + l)`` with ``l = exp_t'(-|y_i - y_k|^2) / exp_t'(-|y_i - y_j|^2)``. It is capped at
    1/(t-1), so that an answer that cannot be satisfied is forgotten instead of tearing the map.

    Parameters
    ----------
    t : float in [1, 2], default=2.0
        Temperature of the logarithm: 2 is the most robust, 1 has no cap.
    t_prime : float in [1, 2], default=1.75
        Temperature of the kernel: 2 has the heaviest tail, best for nearest neighbours and under much noise; 1.5 is
        best for careful human answers; 1 is Gaussian.
    n_components, ridge, init, n_init, optimizer, learning_rate, max_iter, tol, random_state, n_jobs, verbose, callback
        As in `TripletEmbedding`.

    Attributes
    ----------
    triplet_trust_ : array, one number in (0, 1] for each triplet
        The forgetting factors ``1 / (1 + l)^t`` of eq. (grad) at the solution: near 1 where the map agrees clearly,
        near 0 where it contradicts the answer and the fit has ignored it.
    embedding_, loss_, history_, n_iter_, stop_reason_, object_names_, n_features_in_
        As in `TripletEmbedding`. The history begins with the values at t = t' = 2, where the path begins.

    Notes
    -----
    ``TETE(t=2, t_prime=2, ridge=0, init="random", optimizer="gradient_descent")`` is the paper. Its authors lower the
    temperature with the dimension: ``t = t_prime = min(1.45 + 1.1 / n_components, 2)``. Where a start is not given,
    L-BFGS first goes to the solution at t = t' = 2, which needs no powers and is a good start for the others.

    Examples
    --------
    >>> from tete import TETE
    >>> triplets = [(0, 1, 2), (0, 1, 3), (1, 0, 2), (2, 3, 0), (3, 2, 1), (2, 3, 1)]
    >>> TETE().fit(triplets).predict([(0, 1, 3), (0, 3, 1)])
    array([ True, False])
    """

    t: float = 2.0
    t_prime: float = 1.75

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_interval("t", self.t, 1.0, 2.0)
        check_interval("t_prime", self.t_prime, 1.0, 2.0)

    def _loss(self) -> Loss:
        return tete_loss(self.t, self.t_prime)

    def _path(self) -> tuple[Loss, ...]:
        wanted = self._loss()
        return (wanted,) if wanted == UnitTETELoss() else (UnitTETELoss(), wanted)

    def _finish(self, triplets: Triplets) -> None:
        ratios = log_ratios(self._loss(), self.embedding_, triplets.anchor, triplets.near, triplets.far)
        self.triplet_trust_ = np.exp(-self.t * np.logaddexp(0.0, ratios))


@dataclass(eq=False, repr=False, kw_only=True)
class STE(TripletEmbedding):
    """Stochastic Triplet Embedding (van der Maaten & Weinberger 2012): loss ``log(1 + exp(a - b))``.

    The same as ``TETE(t=1, t_prime=1)``: best for careful answers in enough dimensions, not robust.
    Parameters and attributes as in `TripletEmbedding`.
    """

    def _loss(self) -> Loss:
        return STELoss()


@dataclass(eq=False, repr=False, kw_only=True)
class TSTE(TripletEmbedding):
    """t-distributed Stochastic Triplet Embedding (van der Maaten & Weinberger 2012).

    The loss is ``-log p`` with the Student kernel ``(1 + d / alpha)^(-(alpha + 1) / 2)``.

    Parameters
    ----------
    alpha : float > 0 or None, default=None
        Degrees of freedom; None takes ``n_components - 1``, at least 1, as its authors do.
    n_components, ridge, init, n_init, optimizer, learning_rate, max_iter, tol, random_state, n_jobs, verbose, callback
        As in `TripletEmbedding`, which describes the attributes too.
    """

    alpha: float | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.alpha is not None:
            check_interval("alpha", self.alpha, 0.0, np.inf, closed=False)

    def _loss(self) -> Loss:
        return TSTELoss(float(max(self.n_components - 1, 1) if self.alpha is None else self.alpha))


@dataclass(eq=False, repr=False, kw_only=True)
class CKL(TripletEmbedding):
    """Crowd Kernel Learning (Tamuz et al. 2011): loss ``-log (mu + b) / (2 mu + a + b)``.

    Parameters
    ----------
    mu : float > 0, default=1.0
        Keeps the ratio defined for objects that coincide; with ``ridge=0`` it only sets the scale of the map.
    n_components, ridge, init, n_init, optimizer, learning_rate, max_iter, tol, random_state, n_jobs, verbose, callback
        As in `TripletEmbedding`, which describes the attributes too.
    """

    mu: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_interval("mu", self.mu, 0.0, np.inf, closed=False)

    def _loss(self) -> Loss:
        return CKLLoss(float(self.mu))


@dataclass(eq=False, repr=False, kw_only=True)
class GNMDS(TripletEmbedding):
    """Generalised Non-metric Multidimensional Scaling (Agarwal et al. 2007): hinge loss ``max(0, 1 + a - b)``.

    `ridge` is the method's lambda, the price of the size of the map. There is no probability, so no `predict_proba`.
    Parameters and attributes as in `TripletEmbedding`.
    """

    def _loss(self) -> Loss:
        return GNMDSLoss()
