"""What the two reductions of feature data share: reading, fitting, placing new rows. `estimators` has the two."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from tete.core.matrices import is_sparse
from tete.core.optimization import Minimum, StopReason
from tete.core.progress import progress
from tete.core.randomness import RandomState, make_generator
from tete.core.start import given_start, random_start
from tete.core.threads import Threads, beside, threads
from tete.core.types import Callback
from tete.core.validation import check_choice, check_interval, check_whole
from tete.exceptions import FewRowsWarning, InvalidFeaturesError, InvalidParameterError, MemoryNeedWarning, warn
from tete.reduction.feature_start import graph_start, scaled_start
from tete.reduction.points import Features, check_finite, given_neighbors, read_features
from tete.reduction.projection import column_spreads, fit_projection, project
from tete.reduction.search.nearest import Neighbors

__all__ = ["FeatureMap"]

Map = NDArray[np.float32]

OWN_METRICS = ("cosine", "euclidean", "precomputed")
SHARDS_AND_MOMENTS = 24  # tables of the map's size that an optimiser holds
SMALL_TABLES = 8  # weights, scales, orders: a number for each row
ROWS_AT_ONCE = 4096
MANY_ROWS = 10_000  # whose neighbours take longer to find than a rehearsal


@dataclass(eq=False, repr=False)
class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the reductions: a map of the rows of a table.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    n_neighbors : int, default=15
        Nearest neighbours of each row that the map shall keep near.
    metric : str, default="euclidean"
        "euclidean", "cosine" (angles between rows), another metric of scikit-learn, or "precomputed": then `X` is a
        square matrix of distances or a sparse graph of the distances to nearest neighbours.
    pca_components : int or None, default=50
        Tables with more columns are first reduced to so many principal components, found on a sample of the rows;
        None turns this off. Only for "euclidean" and "cosine".
    standardize : bool, default=False
        Whether to divide each column by its standard deviation, so that columns in different units weigh alike.
        Only for "euclidean".
    precomputed_knn : pair of arrays (indices, distances) or None, default=None
        Nearest neighbours of the rows if they are already known, with or without the row itself in front.
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
        Called as ``callback(iteration, value, embedding)`` after each iteration; a true result stops the fit. Equal
        rows have one place in this embedding.

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
    column_spreads_ : array of n_features_in_ numbers or None
        What the columns are divided by if `standardize` is true; 1 for constant columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Their names, if they have any.
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 15
    metric: str = "euclidean"
    pca_components: int | None = 50
    standardize: bool = False
    precomputed_knn: tuple[ArrayLike, ArrayLike] | None = None
    init: Literal["pca", "random"] | ArrayLike = "pca"
    max_iter: int | None = None
    learning_rate: Literal["auto"] | float = "auto"
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False
    callback: Callback | None = None

    # What differs between the estimators -------------------------------------------------------------------------

    @abstractmethod
    def _iterations(self, n_rows: int) -> int:
        """Number of iterations for so many rows."""

    @abstractmethod
    def _n_candidates(self) -> int:
        """How many nearest neighbours to look for."""

    @abstractmethod
    def _minimize(
        self,
        features: Features,
        start: Map,
        weights: NDArray[np.float64],
        workers: Threads,
        callback: Callback | None,
    ) -> Minimum:
        """Find the map of at least three distinct points; weights have mean 1."""

    @abstractmethod
    def _place(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[np.float64]:
        """Places of new rows whose nearest points are known."""

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_whole("n_neighbors", self.n_neighbors, least=1)
        if self.metric not in OWN_METRICS:
            check_choice("metric", self.metric, _metrics())
        if self.standardize and self.metric != "euclidean":
            raise InvalidParameterError(f"`standardize` needs the metric 'euclidean', got {self.metric!r}.")
        if self.pca_components is not None:
            check_whole("pca_components", self.pca_components, least=1)
        if self.max_iter is not None:
            check_whole("max_iter", self.max_iter, least=1)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("pca", "random"))
        if self.learning_rate != "auto":
            check_interval("learning_rate", self.learning_rate, 0.0, np.inf, closed=False)

    # Fitting -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
            Features, or distances for ``metric="precomputed"``.
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
        table = self._read(X, reset=True)
        self.column_spreads_ = column_spreads(table) if self.standardize else None
        n_rows = table.shape[0]
        weights = _check_sample_weight(sample_weight, n_rows)
        rng = make_generator(self.random_state)
        self._warn_few_rows(n_rows)
        self._warn_memory(n_rows, table.shape[1])
        label = type(self).__name__
        with (
            threads(self.n_jobs) as workers,
            progress(label, total=self._iterations(n_rows), shown=self.verbose, callback=self.callback) as (
                announce,
                callback,
            ),
        ):
            announce("neighbours")
            with beside(self._rehearse) if workers.n_jobs > 1 and n_rows >= MANY_ROWS else nullcontext():
                features = self._find_features(table, rng, workers)
            self._seed = int(rng.integers(2**31))
            minimum = self._fit_features(features, features.total_by_point(weights), rng, workers, announce, callback)
        places = minimum.embedding.astype(np.float32)
        self._features = features
        self._map: Map = places - features.by_row(places).mean(axis=0, dtype=np.float64).astype(np.float32)
        self.embedding_: Map = features.by_row(self._map).copy()
        self.loss_ = minimum.value
        self.history_ = np.array(minimum.history)
        self.n_iter_ = minimum.n_iter
        self.stop_reason_ = minimum.stop_reason
        self._finish()
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Map:
        """Find the map and return it.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
            Features, or distances for ``metric="precomputed"``.
        y : object, optional
            Ignored; estimators in a pipeline get it.
        sample_weight : array of n_rows non-negative numbers, optional
            How much each row's own neighbourhood counts.

        Returns
        -------
        array of shape (n_rows, n_components)
            The map, `embedding_`.
        """
        return self.fit(X, y, sample_weight).embedding_

    def _rehearse(self) -> None:
        """Fit a handful of points, which loads or compiles what the fit needs while neighbours are searched."""
        light = {"init": "random", "precomputed_knn": None, "metric": "euclidean", "n_neighbors": 3, "max_iter": 6}
        quiet = {"n_jobs": 1, "verbose": False, "callback": None, "random_state": 0, "learning_rate": "auto"}
        rehearsal = type(self)(**(self.get_params(deep=False) | light | quiet))
        rehearsal.fit(np.random.default_rng(0).normal(size=(64, 3)))

    def _find_features(self, table: Any, rng: np.random.Generator, workers: Threads) -> Features:
        given = None if self.precomputed_knn is None else given_neighbors(self.precomputed_knn, table.shape[0])
        return read_features(
            table,
            metric=self.metric,
            pca_components=self.pca_components,
            n_neighbors=self._n_candidates(),
            given=given,
            spreads=self.column_spreads_,
            rng=rng,
            workers=workers,
        )

    def _fit_features(
        self,
        features: Features,
        weights: NDArray[np.float64],
        rng: np.random.Generator,
        workers: Threads,
        announce: Callable[[str], None],
        callback: Callback | None,
    ) -> Minimum:
        start = self._start(features, rng, workers)
        if len(features) < 3:  # nothing to compare
            return Minimum(start.astype(np.float64), 0.0, [], StopReason.CONVERGED)
        announce("map")
        minimum = self._minimize(features, start, weights / weights.mean(), workers, callback)
        if minimum.stop_reason is StopReason.DIVERGED:
            warn(
                f"The optimiser stopped after {minimum.n_iter} iterations because {minimum.stop_reason.text}.",
                ConvergenceWarning,
            )
        return minimum

    def _start(self, features: Features, rng: np.random.Generator, workers: Threads) -> Map:
        if not isinstance(self.init, str):
            start = given_start(self.init, len(features.by_row(np.arange(len(features)))), self.n_components)
            start = start if features.point_of_row is None else start[features.first_rows()]
        elif self.init == "random":
            start = random_start(len(features), self.n_components, rng)
        elif self.metric == "precomputed":
            start = graph_start(features.neighbors.indices, self.n_components, rng)
            start = scaled_start(start, self.n_components, rng)
        else:
            columns = project(fit_projection(features.points, self.n_components, rng), features.points, workers)
            start = scaled_start(columns.astype(np.float64), self.n_components, rng)
        return np.ascontiguousarray(start, dtype=np.float32)

    def _finish(self) -> None:
        """Learn what placing new rows needs."""

    # Reading -----------------------------------------------------------------------------------------------------

    def _read(self, X: Any, *, reset: bool) -> Any:
        table = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
        check_finite(table)
        if self.metric == "precomputed":
            if reset and table.shape[0] != table.shape[1]:
                raise InvalidFeaturesError(f"A matrix of distances must be square, got shape {table.shape}.")
            if (table.data if is_sparse(table) else table).min(initial=0.0) < 0:
                raise InvalidFeaturesError(
                    "Distances must not be negative, got negative values (Negative values in data)."
                )
        return table

    def _warn_few_rows(self, n_rows: int) -> None:
        if self.n_neighbors > n_rows - 1:
            warn(
                f"`n_neighbors` is reduced from {self.n_neighbors} to {n_rows - 1}, because there are {n_rows} rows.",
                FewRowsWarning,
            )

    @abstractmethod
    def _bytes_for_neighbors(self) -> int:
        """Memory for neighbours and what is computed from them, in bytes a row."""

    def _bytes_per_row(self, n_columns: int) -> int:
        width = min(n_columns, self.pca_components or n_columns)
        map_tables = 4 * SHARDS_AND_MOMENTS * self.n_components
        return self._bytes_for_neighbors() + 8 * (width + SMALL_TABLES) + map_tables

    def _warn_memory(self, n_rows: int, n_columns: int) -> None:
        row = self._bytes_per_row(n_columns)
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else np.inf
        if n_rows * row > free:
            warn(
                f"About {n_rows * row / 1e9:.1f} GB are needed ({row} bytes a row), "
                f"but the machine has {free / 1e9:.1f} GB.",
                MemoryNeedWarning,
            )

    # New rows ----------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Map:
        """Places of new rows on the finished map.

        Each row is placed by the same loss against the frozen map, independently of the other rows. Rows of the fitted
        table get their own places.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_new_rows, n_columns)
            The columns that were fitted; for ``metric="precomputed"``, distances to the rows of the fitted table.

        Returns
        -------
        array of shape (n_new_rows, n_components)
            Their places.

        Raises
        ------
        InvalidFeaturesError
            If the features cannot be used; the message names the first offending row and column.
        """
        check_is_fitted(self, "embedding_")
        table = self._read(X, reset=False)
        result = np.empty((table.shape[0], self.n_components), dtype=np.float32)
        count = min(self._n_candidates(), len(self._features))
        with threads(self.n_jobs) as workers:
            for start in range(0, table.shape[0], ROWS_AT_ONCE):
                rows = slice(start, start + ROWS_AT_ONCE)
                queries = self._features.queries(table[rows], workers)
                neighbors = self._features.search.of(queries, count, workers)
                result[rows] = self._map[neighbors.indices[:, 0]]
                new = np.flatnonzero(~self._features.known(queries, neighbors))
                if len(new) and len(self._features) > 2:
                    some = Neighbors(neighbors.indices[new], neighbors.distances[new])
                    result[start + new] = self._place(queries[new], some, workers)
        return result

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


def _check_sample_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InvalidParameterError(f"`sample_weight` must have {n_rows} entries, got shape {weights.shape}.")
    if not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise InvalidParameterError("`sample_weight` must be finite, not negative and not all zero.")
    return weights


def _metrics() -> tuple[str, ...]:
    """All metrics that there are."""
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS  # noqa: PLC0415  (these two take long to import)
    from sklearn.neighbors import VALID_METRICS  # noqa: PLC0415

    known = {*OWN_METRICS, *PAIRWISE_DISTANCE_FUNCTIONS, *VALID_METRICS["brute"]}
    return tuple(sorted(known - {"haversine", "nan_euclidean"}))
