"""What triplet embeddings can do once they have a map: predict, score, place new objects.

Together with `map_of` of `fitting` this keeps the contract of `fitted_map`.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tete.comparisons.checks import check_names, refuse_zero_weights
from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.printing import counted, were
from tete.core.showing import ShownMap
from tete.core.types import Embedding
from tete.core.validation import check_map
from tete.embedding.answer_model import AnswerModel, AnswerSample, Floats, some_rows, typical_model
from tete.embedding.distance_margins import distance_margins
from tete.embedding.fitted_map import FittedMap
from tete.embedding.losses import LOG_RATIOS, Loss, log_ratios
from tete.embedding.new_objects import NewPlaces, beside_map, place_beside
from tete.embedding.packed import Answers, PackedAnswers
from tete.exceptions import DroppedAnswersWarning, InvalidParameterError, InvalidTripletsError, warn
from tete.metrics.satisfaction import satisfied, share_satisfied

__all__ = ["TripletMap"]


class TripletMap(ShownMap, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A map and the names of its objects, found by `fit` or given by `on_map`."""

    n_components: int
    embedding_: Embedding
    object_names_: tuple[Hashable, ...] | None
    _answer_sample: AnswerSample

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss of one triplet."""

    @abstractmethod
    def _settle(self, answers: Answers | None) -> None:
        """Learn the parameters that are left to the answers; None where there are no answers to learn from."""

    def on_map(self, embedding: ArrayLike, names: Sequence[Hashable] | None = None) -> Self:
        """Use a map that was made elsewhere, by another program or read from a file, as if it had been fitted.

        Parameters
        ----------
        embedding : array of shape (n_objects, n_components)
            The map.
        names : sequence of n_objects names, optional
            What the objects are called.

        Returns
        -------
        self : estimator
            With the map in `embedding_`.

        Raises
        ------
        InvalidParameterError
            If the map does not have `n_components` dimensions.
        """
        places, names = check_map("embedding", embedding), None if names is None else check_names(names)
        if places.shape[1] != self.n_components:
            raise InvalidParameterError(
                f"`embedding` must have {counted(self.n_components, 'column')} like `n_components`, "
                f"got {places.shape[1]}."
            )
        self.embedding_, self.object_names_ = places, names
        self.n_features_in_ = 3
        if hasattr(self, "_answer_sample"):
            del self._answer_sample  # it is that of another map
        self._settle(None)
        return self

    # The contract of `fitted_map` ----------------------------------------------------------------------------------

    @filled_from(FittedMap.read)
    def read(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Triplets:
        """Answers as `fit` takes them, as triplets that number the objects as the map does.

        Returns
        -------
        Triplets
            The answers.
        """
        check_is_fitted(self, "embedding_")
        triplets = as_triplets(X, y, sample_weight, names=self.object_names_, n_objects=len(self.embedding_))
        if triplets.names is not None and self.object_names_ is None:
            raise InvalidTripletsError("The triplets name their objects, but the map was fitted without names.")
        if triplets.n_objects < len(self.embedding_):  # they do not mention the last ones
            return replace(triplets, n_objects=len(self.embedding_))
        return triplets

    @filled_from(FittedMap.margins)
    def margins(self, X: Any, y: ArrayLike | None = None, *, embedding: ArrayLike | None = None) -> Floats:
        """By how much the map, or another one of the same objects, agrees with each answer.

        It is the difference of distances ``|y_i - y_k| - |y_i - y_j|``, positive where the map agrees.

        Returns
        -------
        array, one number for each triplet
            Positive where the map agrees, the larger the clearer.
        """
        triplets = self.read(X, y)
        places = self.embedding_ if embedding is None else check_map("embedding", embedding)
        if places.shape != self.embedding_.shape:
            raise InvalidParameterError(
                f"`embedding` must have the shape {self.embedding_.shape} of the fitted map, got {places.shape}."
            )
        return distance_margins(places, triplets.anchor, triplets.near, triplets.far)

    def answer_model(self) -> AnswerModel:
        """How likely answers are by their margins, learned from the answers the map was made of.

        Where some of these were held out to choose temperatures, what maps without them said is learned from, too. A
        map that was made elsewhere (`on_map`) gets typical ones.

        Returns
        -------
        AnswerModel
            With `lapse`, the share of answers that are wrong however clear the call, and `steepness`.
        """
        check_is_fitted(self, "embedding_")
        if hasattr(self, "_answer_sample"):
            return self._answer_sample.model()
        return typical_model(self.embedding_)

    # What users ask of a map -----------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """For each row of `X`, whether its first object is nearer to the second than to the third on the map.

        Parameters
        ----------
        X : Triplets, array of shape (n, 3) or data frame
            Rows of three objects of the map.

        Returns
        -------
        array of n booleans
            True where it is nearer to the second.
        """
        triplets = self.read(X)
        return satisfied(self.embedding_, triplets)

    @available_if(lambda self: type(self._loss()) in LOG_RATIOS)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of the two answers to each row: eq. (prob).

        Parameters
        ----------
        X : Triplets, array of shape (n, 3) or data frame
            Rows of three objects of the map.

        Returns
        -------
        array of shape (n, 2)
            Probability that the answer is "the third", and that it is "the second".
        """
        triplets = self.read(X)
        ratios = log_ratios(self._loss(), self.embedding_, triplets.anchor, triplets.near, triplets.far)
        second = 1.0 / (1.0 + np.exp(np.minimum(ratios, 700.0)))
        return np.column_stack([1.0 - second, second])

    @filled_from(as_triplets)
    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Share of answers that the map agrees with.

        Returns
        -------
        float
            From 0 to 1.
        """
        triplets = self.read(X, y, sample_weight)
        return share_satisfied(self.embedding_, triplets)

    @filled_from(as_triplets)
    def place_new(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> NewPlaces:
        """Place new objects on the map from a handful of answers about them; the map itself does not move.

        Names that the map does not have, or numbers beyond its own, are new objects. Answers may compare a new object
        with objects of the map or with other new ones.

        Returns
        -------
        NewPlaces
            With `names`, `embedding`, `covariance`, `radii()` of the 90 % ellipses, and `to_frame()`.

        Raises
        ------
        InvalidTripletsError
            If no answer mentions a new object.
        """
        check_is_fitted(self, "embedding_")
        triplets = as_triplets(X, y, sample_weight)
        refuse_zero_weights(triplets.weights)
        known = beside_map(triplets, self.object_names_, len(self.embedding_))
        settled = int(np.sum((known.to_array() < len(self.embedding_)).all(axis=1)))
        if settled:
            left_out = f"{settled} of {counted(len(known), 'answer')} {were(settled)} left out"
            warn(f"{left_out}: about objects of the map alone.", DroppedAnswersWarning)
        return place_beside(self.answer_model(), self.embedding_, known)

    # What fits leave behind ------------------------------------------------------------------------------------------

    def _sample_answers(self, answers: Answers, moved: NDArray[np.bool_]) -> AnswerSample:
        """Some thousand of the triplets, and how many coordinates of moved objects there are to each.

        Weights above 1 count as repeats, weights below 1 as little trust, and their common scale does not matter then.
        """
        if isinstance(answers, PackedAnswers):
            some = answers.triplets_at(some_rows(len(answers)))
            total, squares = answers.total_weight, answers.squared_weight
        else:
            used = answers if answers.weights is None else answers.select(answers.weights > 0)
            some, weights = used.select(some_rows(len(used))), used.weights_or_ones()
            total, squares = float(weights.sum()), float(np.sum(weights**2))
        return AnswerSample(
            distance_margins(self.embedding_, some.anchor, some.near, some.far),
            some.weights_or_ones(),
            float(self.n_components * moved.sum() / max(total, total**2 / squares)),
        )
