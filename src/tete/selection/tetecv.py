"""TETECV: dimension and temperatures of t-ETE by cross-validation; `candidates` does it for a few fits' price."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tete.comparisons.by_people import By, check_by
from tete.comparisons.folds import blocks_of, folds, kind_of_blocks, units_of
from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.randomness import RandomState
from tete.core.showing import ShownMap
from tete.core.types import Embedding
from tete.core.validation import check_choice, check_interval, check_n_jobs, check_whole
from tete.embedding.answer_model import AnswerModel, Floats
from tete.embedding.estimators import TETE
from tete.embedding.fitted_map import FittedMap
from tete.embedding.new_objects import NewPlaces
from tete.exceptions import InvalidParameterError
from tete.selection.candidates import TEMPERATURES, Fold, Search

__all__ = ["TETECV"]


@filled_from(TETE)
@dataclass(eq=False, repr=False)
class TETECV(ShownMap, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The map of t-ETE with dimension and temperatures chosen by cross-validation, as `LassoCV` chooses alpha.

    Whole answers (or annotators) are held out, none is torn apart. The chosen dimension is the smallest whose score
    is within one standard error of the best one; the chosen temperatures are those with the best score. Scores are
    log-likelihoods of held-out answers, as in the choice of `TETE`, which is this one in one dimension on fewer folds.

    Parameters
    ----------
    n_components : int or sequence of int, default=(1, 2, 3, 4, 5, 6, 7, 8)
        Dimensions to try; the map has the chosen one.
    temperatures : sequence of pairs (t, t'), optional
        Temperatures to try, neighbours beside each other, because fits go on from each other; None for t' is the
        kernel on plain distances. By default those of `TETE`.
    cv : int, splitter of scikit-learn or iterable of (train, test), optional
        Number of folds, or the folds; a splitter gets the answers or annotators as groups. By default 5, or as many as
        there are groups.
    by : "answers" or "annotators", default="answers"
        What is held out as a whole. "annotators" says how well the map predicts people who were not asked;
        at least 15 are needed.
    refit : bool, default=True
        Whether to fit the chosen candidate to all answers in the end.
    tol : float, default=1e-6
        L-BFGS stops when an iteration lowers the objective by less than this share of it. Most fits of the search stop
        at a looser tolerance.
    random_state : int, generator or None, default=None
        Seed of the folds. None deals them always alike, as scikit-learn's folds without shuffling are: what is chosen
        does not change from run to run. What a question asks decides its fold, as for `TETE`.

    Attributes
    ----------
    best_params_ : dict
        The chosen n_components, t, t_prime and kernel, as `TETE` takes them.
    best_score_ : float
        Share of held-out answers that maps of the chosen kind agreed with.
    best_index_ : int
        Place of the chosen candidate in `cv_results_`.
    cv_results_ : dict of arrays
        For each candidate that was tried, as in scikit-learn's `GridSearchCV`: params, ``param_...``,
        split..._test_score (NaN for folds on which it was no longer tried), mean_test_score, std_test_score,
        rank_test_score and mean_fit_time; also standard_error (of the mean, by answers), likelihood_error, n_iter
        (iterations of all folds) and n_folds (on which it was tried). As one fold is harder than another, means over
        different folds cannot be compared; comparable_score is the chosen candidate's mean plus the mean difference to
        it on the folds of both, and comparable_likelihood, by which candidates are chosen and ranked, is the same of
        the log-likelihood of an answer.
        ``pandas.DataFrame(model.cv_results_)`` makes a table of it.
    n_splits_ : int
        Number of folds.
    best_estimator_ : TETE
        The final fit, with `refit`.
    embedding_ : array of shape (n_objects, n_components)
        The final map, with `refit`.
    object_names_ : tuple or None
        Names of the rows of `embedding_`, where the triplets had names; with `refit`.
    n_features_in_ : int
        3: anchor, near and far.

    Examples
    --------
    >>> from tete import TETECV
    >>> from tete.datasets import make_uniform_triplets
    >>> points = [[0.0], [1.0], [2.5], [4.5], [7.0], [10.0]]
    >>> model = TETECV((1, 2, 3)).fit(make_uniform_triplets(points, 300, random_state=0))
    >>> model.best_params_["n_components"]
    1
    """

    n_components: int | Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8)
    _: KW_ONLY
    temperatures: Sequence[tuple[float, float | None]] = TEMPERATURES
    cv: Any = None
    by: By = "answers"
    refit: bool = True
    ridge: float = 3e-4
    max_iter: int = 1000
    tol: float = 1e-6
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False

    @filled_from(as_triplets)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_objects: int | None = None,
    ) -> Self:
        """Choose dimension and temperatures, and find the map.

        Returns
        -------
        self : estimator
            With the choice in `best_params_` and, with `refit`, the map in `embedding_`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidTripletsError
            If the answers cannot be used, or are too few for the folds.
        """
        dimensions, temperatures = self._check_parameters()
        triplets = as_triplets(X, y, sample_weight, n_objects=n_objects)
        units = units_of(triplets, check_by(self.by, triplets))
        seed = 0 if self.random_state is None else self.random_state
        blocks, kind = blocks_of(triplets, self.by), kind_of_blocks(triplets, self.by)
        parts = [
            Fold(number, triplets.select(train), triplets.select(test), units[test])
            for number, (train, test) in enumerate(folds(self.cv, blocks, seed, units=units, kind=kind))
        ]
        copies = triplets.answer_counts() if self.by == "answers" else np.ones(int(units.max()) + 1)
        search = Search(parts, copies, self._estimator())
        best = search.choose(dimensions, temperatures, verbose=self.verbose)
        self.cv_results_ = search.results(best)
        self.best_index_ = list(search.trials).index(best)
        self.best_params_ = best.params
        self.best_score_ = search.trials[best].held_out.score
        self.n_features_in_ = 3
        self.n_splits_ = len(parts)
        if self.refit:
            self.best_estimator_ = self._estimator().set_params(**self.best_params_).fit(triplets)
            self.embedding_ = self.best_estimator_.embedding_
            self.object_names_ = self.best_estimator_.object_names_
        return self

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
        return self._fitted().predict(X)

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
        return np.asarray(self._fitted().predict_proba(X))

    @filled_from(as_triplets)
    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Share of answers that the map agrees with.

        Returns
        -------
        float
            From 0 to 1.
        """
        return self._fitted().score(X, y, sample_weight)

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
        return self._fitted().place_new(X, y, sample_weight)

    # The contract of `fitted_map`, kept by the final fit ----------------------------------------

    @filled_from(FittedMap.read)
    def read(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Triplets:
        """Answers as `fit` takes them, as triplets that number the objects as the map does.

        Returns
        -------
        Triplets
            The answers.
        """
        return self._fitted().read(X, y, sample_weight)

    @filled_from(FittedMap.margins)
    def margins(self, X: Any, y: ArrayLike | None = None, *, embedding: ArrayLike | None = None) -> Floats:
        """By how much the map, or another one of the same objects, agrees with each answer.

        Returns
        -------
        array, one number for each triplet
            Positive where the map agrees, the larger the clearer.
        """
        return self._fitted().margins(X, y, embedding=embedding)

    def answer_model(self) -> AnswerModel:
        """How likely answers are by their margins, learned from the answers the map was made of.

        Returns
        -------
        AnswerModel
            With `lapse`, the share of answers that are wrong however clear the call, and `steepness`.
        """
        return self._fitted().answer_model()

    @filled_from(FittedMap.map_of)
    def map_of(self, triplets: Triplets, *, start: ArrayLike | None = None) -> Embedding:
        """The map of other answers in the chosen dimension and at the chosen temperatures: nothing is chosen again.

        Returns
        -------
        array of shape (n_objects, n_components)
            The map.
        """
        return self._fitted().map_of(triplets, start=start)

    def _fitted(self) -> TETE:
        check_is_fitted(self, "best_estimator_")
        fitted: TETE = self.best_estimator_
        return fitted

    def _estimator(self) -> TETE:
        return TETE(ridge=self.ridge, max_iter=self.max_iter, tol=self.tol, n_jobs=self.n_jobs)

    def _check_parameters(self) -> tuple[list[int], list[tuple[float, float | None]]]:
        """The dimensions, the largest first, and the temperatures."""
        dimensions = np.atleast_1d(np.asarray(self.n_components, dtype=object))
        if dimensions.ndim != 1 or not len(dimensions):
            raise InvalidParameterError(
                f"`n_components` must be a number or a list of numbers, got {self.n_components!r}."
            )
        for dimension in dimensions:
            check_whole("n_components", dimension, least=1)
        pairs: list[Any] = [tuple(pair) for pair in self.temperatures]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise InvalidParameterError(f"`temperatures` must be pairs of t and t', got {self.temperatures!r}.")
        for t, t_prime in pairs:
            check_interval("temperatures", t, 1.0, 2.0)
            if t_prime is not None:
                check_interval("temperatures", t_prime, 1.0, 2.0)
        check_choice("by", self.by, ("answers", "annotators"))
        check_n_jobs(self.n_jobs)
        wanted = [(float(t), None if t_prime is None else float(t_prime)) for t, t_prime in pairs]
        return sorted({int(each) for each in dimensions}, reverse=True), wanted
