"""The walk that all reductions take, from a table to a map and to what places new rows; `estimators` has the two.

read -> project, search and merge -> start -> problem -> minimise -> placer
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from tete.core.docstrings import filled_from
from tete.core.optimization import Minimum, StopReason
from tete.core.printing import counted
from tete.core.progress import progress
from tete.core.randomness import RandomState, make_generator
from tete.core.showing import ShownMap
from tete.core.start import given_start, random_start
from tete.core.threads import Threads, beside, threads
from tete.core.types import Callback
from tete.core.validation import check_callback, check_choice, check_learning_rate, check_n_jobs, check_whole
from tete.exceptions import InvalidParameterError, warn
from tete.reduction.component_choice import FEWEST
from tete.reduction.feature_start import graph_start, linear_start
from tete.reduction.merged_rows import MergedRows, merge_rows
from tete.reduction.metric_names import Metric, check_metric, metric_arrays, metric_said, metric_values, with_parameters
from tete.reduction.novelty import Novelty, fit_novelty
from tete.reduction.placer import NearestPlacer, Placer, Places
from tete.reduction.points import Points
from tete.reduction.projection import column_spreads
from tete.reduction.recipe import Problem, Recipe
from tete.reduction.row_order import content_order, load_hashing
from tete.reduction.search.given import KnownNeighbors, given_neighbors
from tete.reduction.table_reading import check_sample_weight, read_table, warn_few_rows, warn_memory

__all__ = ["FeatureMap"]

SHARDS_AND_MOMENTS = 24  # tables of the map's size that an optimiser holds
SMALL_TABLES = 8  # weights, scales, orders: a number for each row
WORTH_A_THREAD = 10_000  # rows whose neighbours take longer to find than compiled code takes to load


@dataclass(frozen=True)
class _NothingToCompare(Problem):
    """Fewer than three points, which stay where they start."""

    points: Points

    @property
    def max_iter(self) -> int:
        """None."""
        return 0

    def minimize(self, start: Places, callback: Callback | None) -> Minimum:
        """The start."""
        return Minimum(start.astype(np.float64), 0.0, [], StopReason.CONVERGED)

    def placer(self, places: Places) -> Placer:
        """New rows come to the nearest of them."""
        return NearestPlacer(points=self.points.for_new_rows(), places=places, n_candidates=1)


@dataclass(eq=False, repr=False)
class FeatureMap(ShownMap, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the reductions: a map of the rows of a table.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    n_neighbors : int, default=15
        Nearest neighbours of each row that the map shall keep near.
    metric : str or callable, default="euclidean"
        "euclidean", "cosine" (angles between rows), another metric of scikit-learn ("haversine" for columns of
        latitude and longitude in radians), or "precomputed": then `X` is a square matrix of distances or a sparse graph
        of the distances to nearest neighbours. A function of two rows that returns a distance is called for all pairs
        of rows: about a microsecond a pair if numba has compiled it, else ten or more, 10,000 rows are 10^8 pairs.
    metric_params : dict or None, default=None
        Parameters of the metric: the power ``p`` and weights ``w`` of the columns for "minkowski", the variances ``V``
        of the columns for "seuclidean", the inverse ``VI`` of their covariance matrix for "mahalanobis"; whatever else
        a function takes.
    pca_components : "auto", int or None, default="auto"
        Tables with more columns are first reduced to so many principal components, found on a sample of the rows;
        None turns this off. Only for "euclidean" and "cosine". "auto" takes 50 if a sample of the rows keeps its
        neighbours so, and else compares sparse rows as they are, or takes more components.
    standardize : bool, default=False
        Whether to divide each column by its standard deviation, so that columns in different units weigh alike.
        Only for "euclidean".
    precomputed_knn : pair of arrays (indices, distances), sparse graph of distances or None, default=None
        Nearest neighbours of the rows if they are already known, with or without the row itself in front. UMAP's three
        parts are taken as well, and sparse graphs such as scikit-learn's ``kneighbors_graph(mode="distance")`` and
        scanpy's ``obsp["distances"]``, of which as many neighbours are used as the poorest row has.
    init : "pca", "random" or array of shape (n_rows, n_components), default="pca"
        Start: principal components scaled to a fixed spread (without features, slowest modes of the graph of
        neighbours); small normal draws as in the paper; or a map, to go on from there.
    max_iter : int or None, default=None
        Number of iterations.
    learning_rate : "auto" or float, default="auto"
        First step of the optimiser.
    random_state : int, generator or None, default=None
        Seed of all draws; None takes another one each time.
    n_jobs : int or None, default=-1
        Threads; -1 means all cores. The result is the same to the last bit for any number.
    verbose : bool, default=False
        Whether to show a progress bar.
    callback : callable or None, default=None
        Called as ``callback(iteration, value, embedding)`` after each iteration; a true result stops the fit.

    Attributes
    ----------
    embedding_ : array of shape (n_rows, n_components)
        The map, centred. Equal rows have the same place.
    loss_ : float
        The last value of what is minimised.
    history_ : array
        The value at each iteration.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : StopReason
        "max_iter", "callback" or "diverged", or "converged" for data that need no iterations.
    pca_components_ : int or None
        How many principal components the columns were reduced to, None if they were not.
    column_spreads_ : array of one number for each column, or None
        What the columns are divided by if `standardize` is true; 1 for constant columns.
    placer_ : Placer
        What places new rows: all that `transform` and a model file need.
    novelty_ : Novelty
        What is usual among the rows, so that `transform` can tell which new rows are not.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Their names, if they have any.
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 15
    metric: Metric = "euclidean"
    metric_params: Mapping[str, Any] | None = None
    pca_components: int | Literal["auto"] | None = "auto"
    standardize: bool = False
    precomputed_knn: KnownNeighbors | None = None
    init: Literal["pca", "random"] | ArrayLike = "pca"
    max_iter: int | None = None
    learning_rate: Literal["auto"] | float = "auto"
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False
    callback: Callback | None = None

    # What differs between the estimators -------------------------------------------------------------------------

    @abstractmethod
    def _recipe(self, n_rows: int) -> Recipe:
        """What the parameters say about a table of so many rows."""

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_whole("n_neighbors", self.n_neighbors, least=1)
        check_metric(self.metric, self.metric_params)
        if self.standardize and self.metric != "euclidean":
            raise InvalidParameterError(f"`standardize` needs the metric 'euclidean', got {metric_said(self.metric)}.")
        if isinstance(self.pca_components, str) and self.pca_components != "auto":
            raise InvalidParameterError(
                f"`pca_components` must be 'auto', a whole number or None, got {self.pca_components!r}."
            )
        if not (self.pca_components is None or self.pca_components == "auto"):
            check_whole("pca_components", self.pca_components, least=1)
        if self.max_iter is not None:
            check_whole("max_iter", self.max_iter, least=1)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("pca", "random"))
        check_learning_rate(self.learning_rate)
        check_n_jobs(self.n_jobs)
        check_callback(self.callback)

    # Fitting -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
            Features, or distances for ``metric="precomputed"``. The data frame may be of pandas, polars, pyarrow, modin
            or another library that narwhals knows.
        y : object, optional
            Ignored; estimators in a pipeline get it.
        sample_weight : array of n_rows non-negative numbers, optional
            How much each row's own neighbourhood counts.

        Returns
        -------
        self : estimator
            With the map in `embedding_`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidFeaturesError
            If the features cannot be used; the message names the first offending row and column.
        """
        self._check_parameters()
        shape = getattr(X, "shape", None) or (0,)
        with self._beside(load_hashing, shape[0] if isinstance(shape[0], int) else 0):
            table = read_table(self, X, reset=True)
        weights = check_sample_weight(sample_weight, table.shape[0])
        recipe, rng = self._recipe(table.shape[0]), make_generator(self.random_state)
        warn_few_rows(self.n_neighbors, table.shape[0])
        warn_memory(table.shape[0], self._bytes_per_row(recipe, table.shape[1]))
        label = type(self).__name__
        with (
            threads(self.n_jobs) as workers,
            progress(label, total=recipe.max_iter, shown=self.verbose, callback=self.callback) as (announce, callback),
        ):
            announce("neighbours")
            rows = self._merge_rows(recipe, table, rng, workers)
            seed = int(rng.integers(2**31))
            start = self._start(rows, rng, workers)
            self.novelty_ = fit_novelty(rows, table, self.column_spreads_, workers)
            problem = self._problem(rows, rows.total_by_point(weights), seed, workers)
            announce("map", total=problem.max_iter)
            rows = rows.without_neighbors()
            minimum = self._minimize(problem, start, rows.told_by_row(callback))
        places = minimum.embedding.astype(np.float32)
        counts = rows.total_by_point(np.ones(rows.n_rows))
        places -= (np.sum(counts[:, None] * places, axis=0) / rows.n_rows).astype(np.float32)
        self._learn(problem.placer(places), rows.by_row(places).copy(), minimum)
        return self

    @filled_from(fit)
    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Places:
        """Find the map and return it.

        Returns
        -------
        array of shape (n_rows, n_components)
            The map, `embedding_`.
        """
        return self.fit(X, y, sample_weight).embedding_

    def _beside(self, work: Callable[[], object], n_rows: int) -> AbstractContextManager[None]:
        """Load compiled code on a thread of its own, if there are threads and rows enough that it pays."""
        return beside(work) if n_rows >= WORTH_A_THREAD and effective_n_jobs(self.n_jobs) > 1 else nullcontext()

    def _merge_rows(self, recipe: Recipe, table: Any, rng: np.random.Generator, workers: Threads) -> MergedRows:
        """Project the rows, merge equal ones and find their neighbours, while compiled code is loaded beside."""
        given = None if self.precomputed_knn is None else given_neighbors(self.precomputed_knn, table.shape[0])
        by_number = given is not None or self.metric == "precomputed"  # so that rows cannot be numbered otherwise
        order = None if by_number else content_order(table, rng, workers)
        self.column_spreads_ = column_spreads(table, order) if self.standardize else None
        with self._beside(lambda: recipe.warm_up(self.n_components), table.shape[0]):
            return merge_rows(
                table,
                metric=with_parameters(self.metric, self.metric_params),
                metric_arrays=metric_arrays(self.metric_params, table.shape[1]) if isinstance(self.metric, str) else {},
                pca_components=self.pca_components,
                n_neighbors=lambda n_points: self._recipe(n_points).n_candidates,
                given=given,
                spreads=self.column_spreads_,
                order=order,
                rng=rng,
                workers=workers,
            )

    def _start(self, rows: MergedRows, rng: np.random.Generator, workers: Threads) -> Places:
        if not isinstance(self.init, str):
            start = rows.of_first_rows(given_start(self.init, rows.n_rows, self.n_components))
        elif self.init == "random":
            start = random_start(len(rows), self.n_components, rng)
        elif self.metric == "precomputed":
            start = graph_start(rows.neighbors.indices, self.n_components, rng)
        else:
            start = linear_start(rows.points.table, self.n_components, rng, workers)
        return np.ascontiguousarray(start, dtype=np.float32)

    def _problem(self, rows: MergedRows, weights: NDArray[np.float64], seed: int, workers: Threads) -> Problem:
        """What is minimised; equal rows are one."""
        if len(rows) < 3:
            return _NothingToCompare(rows.points)
        return self._recipe(len(rows)).problem(rows, weights / weights.mean(), seed, workers)

    def _minimize(self, problem: Problem, start: Places, callback: Callback | None) -> Minimum:
        """Where the points end."""
        minimum = problem.minimize(start, callback)
        if minimum.stop_reason is StopReason.DIVERGED:
            took = counted(minimum.n_iter, "iteration")
            warn(f"The optimiser stopped after {took} because {minimum.stop_reason.text}.", ConvergenceWarning)
        return minimum

    def _learn(self, placer: Placer, embedding: Places, minimum: Minimum) -> None:
        self.placer_ = placer
        self.pca_components_ = placer.points.n_components
        self.embedding_: Places = embedding
        self.loss_ = minimum.value
        self.history_ = np.array(minimum.history)
        self.n_iter_ = minimum.n_iter
        self.stop_reason_ = minimum.stop_reason

    def _bytes_per_row(self, recipe: Recipe, n_columns: int) -> int:
        components = FEWEST if self.pca_components == "auto" else self.pca_components
        width = min(n_columns, components or n_columns)
        map_tables = 4 * SHARDS_AND_MOMENTS * self.n_components
        return recipe.bytes_for_neighbors + 8 * (width + SMALL_TABLES) + map_tables

    # New rows ----------------------------------------------------------------------------------------------------

    def transform(self, X: Any, return_novelty: bool = False) -> Any:
        """Places of new rows on the finished map.

        Each row is placed by the same loss against the frozen map, independently of the other rows. Rows of the fitted
        table get their own places. A row that is unlike all others gets a place as well: its novelty tells.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_new_rows, n_columns)
            The columns that were fitted; for ``metric="precomputed"``, distances to the rows of the fitted table.
        return_novelty : bool, default=False
            Whether to return also how unlike the fitted rows each row is.

        Returns
        -------
        places : array of shape (n_new_rows, n_components)
            Their places.
        novelty : array of n_new_rows numbers
            If asked for: the distance to the nearest fitted rows over what is usual among these, to a power that
            makes it 2 for one fitted row in a hundred; about 1 for rows like them, above 3 for rows that hardly belong,
            10⁹ for texts and other sparse rows that have nothing in common with any.

        Raises
        ------
        InvalidFeaturesError
            If the features cannot be used; the message names the first offending row and column.
        """
        check_is_fitted(self, "placer_")
        table = read_table(self, X, reset=False)
        with threads(self.n_jobs) as workers:
            places, novelty = self.placer_.place_with(table, workers, self.novelty_ if return_novelty else None)
        return (places, novelty) if return_novelty else places

    @classmethod
    def restored(
        cls,
        parameters: Mapping[str, Any],
        placer: Placer,
        *,
        novelty: Novelty,
        embedding: Places,
        minimum: Minimum,
        column_spreads: NDArray[np.float64] | None = None,
        feature_names: NDArray[Any] | None = None,
    ) -> Self:
        """A fitted estimator from what a model file holds; its parameters are checked like any others.

        Parameters
        ----------
        parameters : mapping of names to values
            The estimator's parameters.
        placer : Placer
            What places new rows.
        novelty : Novelty
            What tells which of them do not belong.
        embedding : array of shape (n_rows, n_components)
            The map, in the order of the fitted table.
        minimum : Minimum
            How the optimiser ended.
        column_spreads : array of n_columns numbers, optional
            What the columns were divided by.
        feature_names : array of n_columns texts, optional
            The names of the columns.

        Returns
        -------
        estimator
            It places new rows exactly where the one that was saved does.

        Raises
        ------
        InvalidParameterError
            If a parameter is unknown, breaks its rule, or is not that of the map.
        """
        unknown = set(parameters) - set(cls._get_param_names())
        if unknown:
            raise InvalidParameterError(f"{cls.__name__} has no parameter {min(unknown)!r}.")
        own = metric_values(placer.points.metric_arrays) or None
        model = cls(**{**parameters, "metric_params": own})
        model._check_parameters()
        if (model.n_components, model.metric) != (placer.places.shape[1], placer.points.metric):
            raise InvalidParameterError(
                f"`n_components` and `metric` must be those of the map, {placer.places.shape[1]} and "
                f"{placer.points.metric!r}, got {model.n_components} and {model.metric!r}."
            )
        model._learn(placer, embedding, minimum)
        model.novelty_ = novelty
        model.column_spreads_ = column_spreads
        model.n_features_in_ = placer.points.n_columns
        if feature_names is not None:
            model.feature_names_in_ = feature_names.astype(object)
        return model

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = []
        tags.non_deterministic = False
        return tags
