"""The contract between a fitted map and everything that judges it, asks about it or adds to it."""

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.types import Embedding
from tete.embedding.answer_model import AnswerModel, Floats
from tete.embedding.packed import Answers

__all__ = ["FittedMap", "fitted_to"]


@runtime_checkable
class FittedMap(Protocol):
    """What every fitted map from comparisons can do.

    `TETE`, the baselines and `TETECV` keep this contract, and nothing else of them is used by `trust`, `suggest`,
    `position_uncertainty` and `learning_curve`. Another estimator that keeps it works with these too.

    Attributes
    ----------
    embedding_ : array of shape (n_objects, n_components)
        The map. Its second length is the number of dimensions; the parameter `n_components` may be a list to choose
        from, as in `TETECV`.
    object_names_ : tuple or None
        Names of the rows of `embedding_`, where the answers had names.

    Examples
    --------
    >>> from tete import TETE, FittedMap
    >>> isinstance(TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)]), FittedMap)
    True
    >>> model = TETE(1).on_map([[0.0], [1.0], [3.0]])
    >>> model.margins([(0, 1, 2), (2, 0, 1)]).tolist()  # by how much farther "far" is than "near"
    [2.0, -1.0]
    >>> model.predict_proba([(0, 1, 2)]).argmax(axis=1).tolist(), 0 <= model.answer_model().lapse < 0.5
    ([1], True)
    >>> answers = model.read([(0, 1, 2), (2, 1, 0)])
    >>> answers, model.map_of(answers).shape, model.settled().n_components
    (Triplets(2 triplets of 3 objects), (3, 1), 1)
    """

    embedding_: Embedding
    object_names_: tuple[Hashable, ...] | None

    @filled_from(as_triplets)
    def read(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Triplets:
        """Answers as `fit` takes them, as triplets that number the objects as the map does.

        Names or numbers that the map does not have are an error.

        Returns
        -------
        Triplets
            The answers.
        """

    @filled_from(as_triplets)
    def margins(self, X: Any, y: ArrayLike | None = None, *, embedding: ArrayLike | None = None) -> Floats:
        """By how much the map agrees with each answer: ``|y_i - y_k| - |y_i - y_j|``, positive where it agrees.

        Parameters
        ----------
        embedding : array of shape (n_objects, n_components), optional
            Another map of the same objects, made by the same kind of fit: see `map_of`.

        Returns
        -------
        array, one number for each triplet
            Positive where the map agrees, the larger the clearer.
        """

    def answer_model(self) -> AnswerModel:
        """How likely answers are by their margins, learned from the answers the map was made of.

        Returns
        -------
        AnswerModel
            With `lapse`, the share of answers that are wrong however clear the call, and `steepness`.
        """

    def map_of(self, triplets: Answers, *, start: ArrayLike | None = None) -> Embedding:
        """The map that the same kind of fit makes of other answers, and nothing but the map.

        The fitted map itself is left alone. The fit shows no bar, calls no callback and warns of nothing, because the
        fit to all answers did.

        Parameters
        ----------
        triplets : Triplets or packed answers
            The other answers, about the same objects.
        start : array of shape (n_objects, n_components), optional
            Where the fit starts; by default as any fit of this kind.

        Returns
        -------
        array of shape (n_objects, n_components)
            The map.
        """


Estimator = TypeVar("Estimator", bound=FittedMap)


def fitted_to(estimator: Estimator, triplets: Triplets) -> Estimator:
    """The estimator itself where it is fitted, else a copy fitted to these answers."""
    if hasattr(estimator, "embedding_"):
        return estimator
    fitted: Estimator = clone(estimator).fit(triplets)
    check_is_fitted(fitted, "embedding_", msg="This %(name)s makes no map: give it `refit=True`.")
    return fitted
