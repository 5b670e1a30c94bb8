"""How all triplet embeddings are fitted. `triplet_map` has what they do with the map, `estimators` the kinds."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from tete.comparisons.checks import refuse_zero_weights
from tete.comparisons.summary import cancel_out, components
from tete.comparisons.triplets import Triplets, as_triplets
from tete.core.docstrings import filled_from
from tete.core.geometry import aligned, principal_axes
from tete.core.optimization import Minimum, StopReason, gradient_descent
from tete.core.progress import progress
from tete.core.randomness import RandomState, make_generator
from tete.core.start import given_start, random_start
from tete.core.threads import threads
from tete.core.types import Callback, Embedding
from tete.core.validation import check_choice, check_interval, check_n_jobs, check_whole
from tete.embedding.answer_model import TYPICAL
from tete.embedding.fixed_objects import fixed_places, minimize_beside
from tete.embedding.losses import Loss, evaluate
from tete.embedding.new_objects import place_beside
from tete.embedding.objective import ShardedTriplets
from tete.embedding.spectral_start import best_radius, largest_eigenvalue, spectral_start
from tete.embedding.stages import Stage, minimize_in_stages
from tete.embedding.triplet_map import TripletMap
from tete.exceptions import (
    DisconnectedAnswersWarning,
    InvalidParameterError,
    InvalidTripletsError,
    UnmentionedObjectsWarning,
    warn,
)

EXTRA_COMPONENTS = 4  # of the first stage: benchmarks/lifting.py

__all__ = ["TripletEmbedding"]


@dataclass(eq=False, repr=False)
class TripletEmbedding(TripletMap):
    """Base of the triplet embeddings: minimises ``mean loss + ridge * mean |y|^2`` over the map.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    ridge : float, default=3e-4
        Strength of the term that keeps the map from growing without end; 0 for none, as in the paper. Values near
        1e-4 favour nearest neighbours, values near 1e-3 favour unseen answers.
    init : "spectral", "random" or array of shape (n_objects, n_components), default="spectral"
        Start: leading eigenvectors of the comparison counts, then with L-BFGS a fit with a few more dimensions
        (deterministic); small normal draws as in the paper; or a map, to go on from there.
    n_init : int, default=1
        Number of random starts, of which the one with the least loss is kept; only for ``init="random"``.
    optimizer : "lbfgs" or "gradient_descent", default="lbfgs"
        Gradient descent is what the paper uses; it always takes `max_iter` steps.
    learning_rate : "auto" or float, default="auto"
        Only for gradient descent. A number is the paper's constant step on the sum of losses. "auto" is what its
        authors use: 2 n_objects / sum of weights at first, times 1.01 after a better step, times 0.5 after a worse one.
    max_iter : int, default=1000
        Most iterations of the optimiser.
    tol : float, default=1e-6
        L-BFGS stops when an iteration lowers the objective by less than this share of it.
    random_state : int, generator or None, default=None
        Seed of random starts; None takes another one each time. The default start draws nothing.
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
        The value after each iteration. From the spectral start the first part is that of an easier problem (more
        dimensions, t = t' = 2), so the values may jump where the next one begins.
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
    tol: float = 1e-6
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False
    callback: Callback | None = None

    # What differs between the estimators -------------------------------------------------------------------------

    def _stages(self) -> list[Stage]:
        """What to minimise from the spectral start, one after the other; the last is the wanted problem."""
        first, wanted = self._first_loss(), self._loss()
        stages = [Stage(first, self.n_components + EXTRA_COMPONENTS)]
        if first != wanted:
            stages.append(Stage(first, self.n_components))
        return [*stages, Stage(wanted, self.n_components)]

    def _first_loss(self) -> Loss:
        """The loss to begin with."""
        return self._loss()

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_interval("ridge", self.ridge, 0.0, np.inf)
        check_whole("n_init", self.n_init, least=1)
        check_choice("optimizer", self.optimizer, ("lbfgs", "gradient_descent"))
        check_whole("max_iter", self.max_iter, least=1)
        check_interval("tol", self.tol, 0.0, np.inf)
        check_n_jobs(self.n_jobs)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("spectral", "random"))
        if self.n_init > 1 and not (isinstance(self.init, str) and self.init == "random"):
            raise InvalidParameterError(f"`n_init` must be 1 unless `init` is 'random', got {self.n_init}.")
        if self.callback is not None and not callable(self.callback):
            raise InvalidParameterError(f"`callback` must be callable or None, got {self.callback!r}.")
        if not (isinstance(self.learning_rate, str) and self.learning_rate == "auto"):
            check_interval("learning_rate", self.learning_rate, 0.0, np.inf, closed=False)
            if self.optimizer != "gradient_descent":
                raise InvalidParameterError(
                    f"`learning_rate` must be 'auto' unless `optimizer` is 'gradient_descent', "
                    f"got {self.learning_rate}."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True  # object numbers
        tags.input_tags.categorical = True
        return tags

    # Fitting -----------------------------------------------------------------------------------------------------

    @filled_from(as_triplets)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_objects: int | None = None,
        fixed: Mapping[Hashable, ArrayLike] | ArrayLike | None = None,
    ) -> Self:
        """Find the map.

        Parameters
        ----------
        fixed : dict of places by name or number, or array of shape (n_objects, n_components), optional
            Objects that stay exactly where they are while the others move; in an array the others are NaN. The map is
            then not centred.

        Returns
        -------
        self : estimator
            With the map in `embedding_`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidTripletsError
            If the answers cannot be used; the message names the first offending row.
        """
        self._check_parameters()
        triplets = as_triplets(X, y, sample_weight, n_objects=n_objects)
        refuse_zero_weights(triplets.weights)
        if fixed is not None:
            return self._fit_beside(triplets, fixed_places(fixed, triplets, self.n_components))
        used = triplets
        if triplets.weights is not None and not triplets.weights.all():
            used = triplets.select(triplets.weights > 0)
        mentioned = used.mentions() > 0
        if not mentioned.all():
            self._warn_unmentioned(triplets, mentioned)
            used = used.renumbered(np.cumsum(mentioned) - 1, int(mentioned.sum()))
        with threads(self.n_jobs) as workers:
            minimum = self._best_minimum(ShardedTriplets(used, self.n_components, workers), mentioned)
        embedding = np.zeros((triplets.n_objects, self.n_components))
        embedding[mentioned] = minimum.embedding - minimum.embedding.mean(axis=0)
        return self._learn(triplets, embedding, minimum, mentioned)

    def _learn(self, triplets: Triplets, embedding: Embedding, minimum: Minimum, moved: NDArray[np.bool_]) -> Self:
        self.embedding_: Embedding = embedding
        self.loss_ = minimum.value
        self.history_ = np.array(minimum.history)
        self.n_iter_ = minimum.n_iter
        self.stop_reason_ = minimum.stop_reason
        self.object_names_: tuple[Hashable, ...] | None = triplets.names
        self.n_features_in_ = 3
        self._sampled_ratios = self._sample_ratios(triplets, moved)
        self._finish(triplets)
        return self

    @filled_from(as_triplets)
    def fit_transform(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_objects: int | None = None,
    ) -> Embedding:
        """Find the map and return it.

        Returns
        -------
        array of shape (n_objects, n_components)
            The map, `embedding_`.
        """
        return self.fit(X, y, sample_weight, n_objects).embedding_

    def _fit_beside(self, triplets: Triplets, places: Embedding) -> Self:
        """Fit with some objects fixed, from two starts: newcomers beside the fixed, and a free map moved onto them."""
        if self.optimizer != "lbfgs":
            raise InvalidParameterError(f"`optimizer` must be 'lbfgs' with `fixed`, got {self.optimizer!r}.")
        fixed = np.asarray(~np.isnan(places).any(axis=1))
        unknown = ~fixed & (triplets.mentions() == 0)
        if unknown.any():
            self._warn_unmentioned(triplets, ~unknown)
        center = places[fixed].mean(axis=0)  # where the ridge pulls to
        with threads(self.n_jobs) as workers:
            minimum = minimize_beside(
                ShardedTriplets(triplets, self.n_components, workers).objective(self._loss(), self.ridge),
                places - center,
                [start - center for start in self._starts_beside(triplets, places)],
                max_iter=self.max_iter,
                tol=self.tol,
                callback=self.callback,
            )
        embedding = minimum.embedding + center
        embedding[fixed] = places[fixed]  # to the last bit
        return self._learn(triplets, embedding, minimum, ~fixed & ~unknown)

    def _starts_beside(self, triplets: Triplets, places: Embedding) -> list[Embedding]:
        if not isinstance(self.init, str):
            return [given_start(self.init, len(places), self.n_components)]
        free = np.asarray(np.isnan(places).any(axis=1))
        order = np.argsort(free, kind="stable")
        beside = triplets.renumbered(np.argsort(order, kind="stable"), len(order))
        newcomers = np.array(np.where(free[:, None], places[~free].mean(axis=0), places))
        placed = place_beside(self._loss(), TYPICAL, places[~free], beside)
        newcomers[order[np.array(placed.names, dtype=np.int64)]] = placed.embedding
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it says of the fixed objects does not matter here
                alone = clone(self).set_params(callback=None).fit(triplets).embedding_
        except InvalidTripletsError:  # too few answers for a map of their own
            return [newcomers]
        return [newcomers, aligned(places, alone, by=~free)]

    def _best_minimum(self, shards: ShardedTriplets, mentioned: NDArray[np.bool_]) -> Minimum:
        parts = components(shards.triplets)
        if parts.max() > 0:
            warn(
                f"The answers fall into {parts.max() + 1} parts that no answer relates: places within a part can be "
                "compared, places in different parts cannot.",
                DisconnectedAnswersWarning,
            )
        if isinstance(self.init, str) and self.init == "spectral":
            best = self._from_spectral_start(shards, parts)
        else:
            best = self._from_other_starts(shards, mentioned)
        self._refuse_collapse(shards, best)
        finished = best.stop_reason is StopReason.MAX_ITER and self.optimizer == "gradient_descent"
        if best.stop_reason in {StopReason.MAX_ITER, StopReason.DIVERGED} and not finished:
            warn(
                f"The optimiser stopped after {best.n_iter} iterations because {best.stop_reason.text}.",
                ConvergenceWarning,
            )
        return best

    def _from_spectral_start(self, shards: ShardedTriplets, parts: NDArray[np.int64]) -> Minimum:
        stages = self._stages()
        objective = shards.objective(stages[0].loss, self.ridge)
        shape = spectral_start(shards, parts, stages[0].n_components)
        return self._minimize(shards, stages, best_radius(shape, lambda start: objective(start)[0]))

    def _from_other_starts(self, shards: ShardedTriplets, mentioned: NDArray[np.bool_]) -> Minimum:
        rng = make_generator(self.random_state)
        stages = [Stage(self._loss(), self.n_components)]
        minima: list[Minimum] = []
        while len(minima) < self.n_init and not (minima and minima[-1].stop_reason is StopReason.CALLBACK):
            start = self._start(mentioned, rng)
            minima.append(self._minimize(shards, stages, start - start.mean(axis=0)))
        return min(minima, key=lambda minimum: minimum.value)

    def _start(self, mentioned: NDArray[np.bool_], rng: np.random.Generator) -> Embedding:
        if isinstance(self.init, str):
            return random_start(int(mentioned.sum()), self.n_components, rng)
        return given_start(self.init, len(mentioned), self.n_components)[mentioned]

    def _minimize(self, shards: ShardedTriplets, stages: list[Stage], start: Embedding) -> Minimum:
        label = type(self).__name__
        with progress(label, total=self.max_iter, shown=self.verbose, callback=self.callback) as (_, callback):
            if self.optimizer == "lbfgs":
                return minimize_in_stages(
                    shards,
                    stages,
                    start,
                    ridge=self.ridge,
                    max_iter=self.max_iter,
                    tol=self.tol,
                    callback=callback,
                )
            objective = shards.objective(self._loss(), self.ridge)
            start = principal_axes(start, self.n_components)
            if isinstance(self.learning_rate, str):
                step, growth, shrinkage = 2.0 * len(start), 1.01, 0.5
            else:  # the objective is a mean, the paper's is a sum
                step, growth, shrinkage = float(self.learning_rate) * shards.total_weight, 1.0, 1.0
            return gradient_descent(
                objective,
                start,
                step=step,
                max_iter=self.max_iter,
                growth=growth,
                shrinkage=shrinkage,
                callback=callback,
            )

    def _refuse_collapse(self, shards: ShardedTriplets, best: Minimum) -> None:
        """Say why, if no map was found that is better than all objects in one point.

        Y = 0 is a minimum if ridge >= g n mu / W: g is the loss's slope at 0 (2^-t for t-ETE), mu is the largest
        eigenvalue of the comparison counts and W is the sum of the weights.
        """
        at_one_point = evaluate(self._loss(), 0.0, 0.0)
        if best.value < at_one_point[0] or best.stop_reason not in {StopReason.CONVERGED, StopReason.STALLED}:
            return
        if cancel_out(shards.triplets):
            raise InvalidTripletsError(
                f"The {len(shards.triplets)} triplets cancel each other out: each is contradicted, so there is no map."
            )
        limit = at_one_point[1] * shards.triplets.n_objects * largest_eigenvalue(shards) / shards.total_weight
        if 1e-12 < limit <= self.ridge:
            raise InvalidParameterError(
                f"`ridge` must be below {limit:.3g} for these triplets, got {self.ridge}: "
                "a larger one draws all objects into one point."
            )
        raise InvalidTripletsError(
            f"No map of the {len(shards.triplets)} triplets was found that is better than all objects in one point: "
            "the answers go in circles, or `init` has all objects in one place."
        )

    def _warn_unmentioned(self, triplets: Triplets, mentioned: NDArray[np.bool_]) -> None:
        missing = np.flatnonzero(~mentioned)
        listed = ", ".join(repr(triplets.name_of(int(number))) for number in missing[:10])
        warn(
            f"{len(missing)} of {triplets.n_objects} objects occur in no triplet and are placed at the centre: "
            f"{listed}{', ...' if len(missing) > 10 else ''}.",
            UnmentionedObjectsWarning,
        )

    def _finish(self, triplets: Triplets) -> None:
        """Learn what else the fitted map tells about its triplets."""
