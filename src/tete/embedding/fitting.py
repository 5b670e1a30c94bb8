"""How all triplet embeddings are fitted. `triplet_map` has what they do with the map, `estimators` the kinds.

The walk reads downwards: `fit` reads the answers, finds the map (`_found` and what follows it), and learns what the map
says about the answers (`_learn`). `map_of` takes the same walk for other answers and stops at the map.
"""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tete.comparisons.checks import refuse_zero_weights
from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.geometry import aligned, principal_axes
from tete.core.optimization import Minimum, StopReason, descent_steps, gradient_descent
from tete.core.progress import progress
from tete.core.randomness import RandomState, make_generator
from tete.core.start import given_start, random_start
from tete.core.threads import threads
from tete.core.types import Callback, Embedding
from tete.core.validation import (
    check_callback,
    check_choice,
    check_interval,
    check_learning_rate,
    check_n_jobs,
    check_whole,
)
from tete.embedding.checkpoint import Checkpoint, Standing
from tete.embedding.fit_messages import (
    refuse_beside_packed,
    refuse_collapse,
    warn_of_parts,
    warn_of_stop,
    warn_of_unmentioned,
)
from tete.embedding.fitted_map import FittedMap
from tete.embedding.fixed_objects import fixed_places, minimize_beside, newcomer_start
from tete.embedding.losses import Loss
from tete.embedding.objective import ShardedTriplets, TripletSum
from tete.embedding.packed import Answers, PackedAnswers, summed
from tete.embedding.spectral_start import best_radius, spectral_start
from tete.embedding.stages import Stage, minimize_in_stages
from tete.embedding.triplet_map import TripletMap
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.io.sources import AnyPath

__all__ = ["TripletEmbedding"]

LARGEST_RIDGE = 1e30  # no map withstands so much, and the objective stays finite
EXTRA_COMPONENTS = 4  # of the first stage; 0, 2, 4 and 8 are compared in benchmarks/results/lifting.md


class FoundMap(NamedTuple):
    """A map of all objects, the minimum it was made from, and which objects the answers have moved."""

    embedding: Embedding
    minimum: Minimum
    moved: NDArray[np.bool_]


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

    def _first_loss(self) -> Loss:
        """The loss to begin with."""
        return self._loss()

    def _settle(self, answers: Answers | None) -> None:
        """Nothing is left to the answers."""

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_interval("ridge", self.ridge, 0.0, LARGEST_RIDGE)
        check_whole("n_init", self.n_init, least=1)
        check_choice("optimizer", self.optimizer, ("lbfgs", "gradient_descent"))
        check_whole("max_iter", self.max_iter, least=1)
        check_interval("tol", self.tol, 0.0, np.inf)
        check_n_jobs(self.n_jobs)
        check_callback(self.callback)
        check_learning_rate(self.learning_rate)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("spectral", "random"))
        if self.n_init > 1 and not (isinstance(self.init, str) and self.init == "random"):
            raise InvalidParameterError(f"`n_init` must be 1 unless `init` is 'random', got {self.n_init}.")
        if not isinstance(self.learning_rate, str) and self.optimizer != "gradient_descent":
            raise InvalidParameterError(
                f"`learning_rate` must be 'auto' unless `optimizer` is 'gradient_descent', got {self.learning_rate}."
            )

    def _finish(self, triplets: Triplets | None) -> None:
        """Learn what else the fitted map tells about its triplets; None where they are too many for memory."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True  # object numbers
        tags.input_tags.categorical = True
        return tags

    # Fitting: from the answers to what is known of them ------------------------------------------------------------

    @filled_from(as_triplets)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_objects: int | None = None,
        fixed: Mapping[Hashable, ArrayLike] | ArrayLike | None = None,
        checkpoint: AnyPath | None = None,
    ) -> Self:
        """Find the map.

        Parameters
        ----------
        checkpoint : str or path, optional
            A file in which the fit from the spectral start writes each minute where it stands, and from which it goes
            on where it is there; it is removed at the end.
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
        if isinstance(X, PackedAnswers):
            refuse_beside_packed(y=y, sample_weight=sample_weight, n_objects=n_objects, fixed=fixed)
            self._settle(X)
            return self._learn(X, self._found(X, self._checkpoint(checkpoint, X)))
        triplets = as_triplets(X, y, sample_weight, n_objects=n_objects)
        refuse_zero_weights(triplets.weights)
        places = None if fixed is None else fixed_places(fixed, triplets, self.n_components)
        self._settle(triplets)
        if places is not None:
            return self._learn(triplets, self._found_beside(triplets, places))
        return self._learn(triplets, self._found(triplets, self._checkpoint(checkpoint, triplets)))

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

    @filled_from(FittedMap.map_of)
    def map_of(self, triplets: Answers, *, start: ArrayLike | None = None) -> Embedding:
        """The map that the same kind of fit makes of other answers, in silence; the estimator is left alone.

        Fits that only serve to judge another map take this way, because nothing but the map is computed.

        Returns
        -------
        array of shape (n_objects, n_components)
            The map.
        """
        again = self.settled().set_params(verbose=False, callback=None)
        if start is not None:
            again.set_params(init=start, n_init=1)
        again._check_parameters()
        if isinstance(triplets, Triplets):
            refuse_zero_weights(triplets.weights)
        again._settle(triplets)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit to all answers warned of what matters
            found: FoundMap = again._found(triplets)
        return found.embedding

    def settled(self) -> Self:
        """A copy that is not fitted, with the parameters that this one was given or has learned.

        To fit it to other answers chooses nothing again. Its maps have the dimensions of the map, if there is one.

        Returns
        -------
        estimator
            The copy.
        """
        copied: Self = clone(self)
        if hasattr(self, "embedding_"):
            copied.set_params(n_components=self.embedding_.shape[1])
        return copied

    def _learn(self, triplets: Answers, found: FoundMap) -> Self:
        """Keep the map, and learn what it says about the answers."""
        self.embedding_: Embedding = found.embedding
        self.loss_ = found.minimum.value
        self.history_ = np.array(found.minimum.history)
        self.n_iter_ = found.minimum.n_iter
        self.stop_reason_ = found.minimum.stop_reason
        self.object_names_: tuple[Hashable, ...] | None = triplets.names
        self.n_features_in_ = 3
        self._answer_sample = self._sample_answers(triplets, found.moved)
        self._finish(triplets if isinstance(triplets, Triplets) else None)
        return self

    # A free map: objects that answers mention -> start -> stages -> minimum -------------------------------------------

    def _found(self, answers: Answers, checkpoint: Checkpoint | None = None) -> FoundMap:
        """The map of the answers that count, with objects that they do not mention at the centre."""
        with summed(answers, self.n_components, self.n_jobs) as (shards, mentioned):
            if not mentioned.all():
                warn_of_unmentioned(answers, mentioned)
            try:
                minimum = self._best_minimum(shards, mentioned, checkpoint)
            except BaseException:  # an interrupt, too
                if checkpoint is not None:
                    checkpoint.write()
                raise
        if checkpoint is not None:
            checkpoint.remove()
        embedding = np.zeros((answers.n_objects, self.n_components))
        embedding[mentioned] = minimum.embedding - minimum.embedding.mean(axis=0)
        return FoundMap(embedding, minimum, mentioned)

    def leave_checkpoint(self, path: AnyPath, answers: Answers) -> None:
        """Write a file from which a fit to the same answers begins at this map, as `fit` does while it is under way.

        Parameters
        ----------
        path : str or path
            The file.
        answers : Triplets or packed answers
            Those that this estimator was fitted to.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> from tete import TETE
        >>> from tete.datasets import make_sphere, make_uniform_triplets
        >>> answers = make_uniform_triplets(make_sphere(20).data, 400)
        >>> found, path = TETE(t=2, t_prime=2).fit(answers), Path(mkdtemp(), "fit.npz")
        >>> found.leave_checkpoint(path, answers)
        >>> TETE(t=2, t_prime=2).fit(answers, checkpoint=path).loss_ <= found.loss_ + 1e-6
        True
        """
        checkpoint = self._checkpoint(path, answers)
        with summed(answers, self.n_components, self.n_jobs) as (_, mentioned):
            places = self.embedding_[mentioned]
        if checkpoint is not None:
            checkpoint.keep(Standing(len(self._stages()) - 1, places, self.history_.tolist()))
            checkpoint.write()

    def _checkpoint(self, path: AnyPath | None, answers: Answers) -> Checkpoint | None:
        """The file of this very fit: of its parameters and answers."""
        if path is None:
            return None
        if not (isinstance(self.init, str) and self.init == "spectral" and self.optimizer == "lbfgs"):
            raise InvalidParameterError("`checkpoint` needs `init` to be 'spectral' and `optimizer` to be 'lbfgs'.")
        unimportant = ("n_jobs", "verbose", "callback", "random_state")
        parameters = {name: value for name, value in self.get_params().items() if name not in unimportant}
        content = answers.to_array().tobytes() if isinstance(answers, Triplets) else answers.digest.encode()
        described = f"{type(self).__name__} {sorted(parameters.items())} {self._loss()}".encode()
        return Checkpoint(path, blake2b(described + content, digest_size=16).hexdigest())

    def _best_minimum(self, shards: TripletSum, mentioned: NDArray[np.bool_], checkpoint: Checkpoint | None) -> Minimum:
        parts = shards.parts()
        warn_of_parts(parts)
        if isinstance(self.init, str) and self.init == "spectral":
            best = self._from_spectral_start(shards, parts, checkpoint)
        else:
            best = self._from_other_starts(shards, mentioned)
        refuse_collapse(self._loss(), self.ridge, shards, best)
        warn_of_stop(best, planned=self.optimizer == "gradient_descent")
        return best

    def _from_spectral_start(
        self, shards: TripletSum, parts: NDArray[np.int64], checkpoint: Checkpoint | None
    ) -> Minimum:
        stages = self._stages()
        if checkpoint is not None and (standing := checkpoint.found()) is not None:
            return self._minimize(shards, stages, standing.embedding, checkpoint)
        objective = shards.objective(stages[0].loss, self.ridge)
        shape = spectral_start(shards, parts, stages[0].n_components)
        return self._minimize(shards, stages, best_radius(shape, lambda start: objective(start)[0]), checkpoint)

    def _from_other_starts(self, shards: TripletSum, mentioned: NDArray[np.bool_]) -> Minimum:
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

    def _stages(self) -> list[Stage]:
        """What to minimise from the spectral start, one after the other; the last is the wanted problem."""
        first, wanted = self._first_loss(), self._loss()
        stages = [Stage(first, self.n_components + EXTRA_COMPONENTS)]
        if first != wanted:
            stages.append(Stage(first, self.n_components))
        return [*stages, Stage(wanted, self.n_components)]

    def _minimize(
        self, shards: TripletSum, stages: list[Stage], start: Embedding, checkpoint: Checkpoint | None = None
    ) -> Minimum:
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
                    checkpoint=checkpoint,
                )
            return gradient_descent(
                shards.objective(self._loss(), self.ridge),
                principal_axes(start, self.n_components),
                **descent_steps(self.learning_rate, len(start), shards.total_weight)._asdict(),
                max_iter=self.max_iter,
                callback=callback,
            )

    # A map of which some objects stay where they are ------------------------------------------------------------------

    def _found_beside(self, triplets: Triplets, places: Embedding) -> FoundMap:
        """From two starts: newcomers beside the fixed objects, and a free map moved onto them."""
        if self.optimizer != "lbfgs":
            raise InvalidParameterError(f"`optimizer` must be 'lbfgs' with `fixed`, got {self.optimizer!r}.")
        fixed = np.asarray(~np.isnan(places).any(axis=1))
        unknown = ~fixed & (triplets.mentions() == 0)
        if unknown.any():
            warn_of_unmentioned(triplets, ~unknown)
        center = places[fixed].mean(axis=0)  # where the ridge pulls to
        starts = self._starts_beside(triplets, places, fixed)
        label = type(self).__name__
        with (
            threads(self.n_jobs) as workers,
            progress(label, total=self.max_iter, shown=self.verbose, callback=self.callback) as (_, callback),
        ):
            minimum = minimize_beside(
                ShardedTriplets(triplets, self.n_components, workers).objective(self._loss(), self.ridge),
                places - center,
                [start - center for start in starts],
                max_iter=self.max_iter,
                tol=self.tol,
                callback=callback,
            )
        embedding = minimum.embedding + center
        embedding[fixed] = places[fixed]  # to the last bit
        return FoundMap(embedding, minimum, ~fixed & ~unknown)

    def _starts_beside(self, triplets: Triplets, places: Embedding, fixed: NDArray[np.bool_]) -> list[Embedding]:
        if not isinstance(self.init, str):
            return [given_start(self.init, len(places), self.n_components)]
        newcomers = newcomer_start(triplets, places, fixed)
        try:
            alone = self.map_of(triplets)
        except InvalidTripletsError:  # too few answers for a map of their own
            return [newcomers]
        return [newcomers, aligned(places, alone, by=fixed)]
