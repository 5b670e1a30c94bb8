"""Rows of a table as points among which neighbours can be searched.

    table, Euclidean or cosine   -> projection -> points -> the fastest search
    sparse table, the same       -> scaled rows -> the search along lists of rows for each column
    table, another metric        -> scikit-learn's search on the table itself
    "precomputed"                -> a square matrix of distances, or a sparse graph of nearest neighbours

This is what new rows need to find their neighbours on a finished map; `merged_rows` has what a fit knows besides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.checked_arrays import CheckedArrays
from tete.core.matrices import is_sparse
from tete.core.threads import SERIAL, Threads
from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.reduction.metric_names import (
    METRIC_PARAMETERS,
    PROJECTED,
    Metric,
    check_metric,
    known_metrics,
    metric_arrays,
    metric_said,
    metric_values,
)
from tete.reduction.projection import Projection, project
from tete.reduction.row_order import row_hashes
from tete.reduction.search.cells import CellSearch
from tete.reduction.search.distances import DistanceBetween, euclidean_between, given_between, metric_between
from tete.reduction.search.exact import MetricSearch, exact_search
from tete.reduction.search.given import GivenDistances
from tete.reduction.search.inverted import InvertedSearch, sparse_between
from tete.reduction.search.nearest import Neighbors, NeighborSearch
from tete.reduction.sparse_scaling import SparseScaling, check_canonical

__all__ = ["Found", "Points", "points_of_rows", "square_lengths"]

ONE_LENGTH = 1e-4  # the share by which squared lengths differ after rounding, of rows that were divided by theirs


def points_of_rows(projection: Projection | SparseScaling, rows: Any, workers: Threads) -> Any:
    """Rows of a table as points that have Euclidean distances."""
    return projection.rows(rows) if isinstance(projection, SparseScaling) else project(projection, rows, workers)


def square_lengths(rows: Any) -> NDArray[np.float64]:
    """The squared length of each row, sparse or dense."""
    if is_sparse(rows):
        return np.asarray(rows.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


class Found(NamedTuple):
    """New rows among the points: as the search wants them, their nearest points, the point that each is, or -1.

    Rows that are no finite numbers any more are zeros in `queries`.
    """

    queries: Any
    neighbors: Neighbors
    equal: NDArray[np.int64]
    finite: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct rows of a table, how new rows become comparable with them, and the search among them."""

    metric: Metric
    n_columns: int
    projection: Projection | SparseScaling | None
    search: NeighborSearch
    metric_arrays: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.n_columns if self.metric == "precomputed" else int(self.table.shape[0])

    @property
    def table(self) -> Any:
        """The points, as the search wants them; of given distances nothing needs to be known."""
        return self.search.points

    @property
    def is_graph(self) -> bool:
        """Whether all that is known of the points is a graph of nearest neighbours."""
        return self.metric == "precomputed" and is_sparse(self.table)

    @cached_property
    def used_columns(self) -> NDArray[np.float64] | None:
        """1 for each column that any point has, of sparse points without negative numbers; None of others."""
        if not isinstance(self.projection, SparseScaling) or np.any(self.table.data < 0.0):
            return None
        return (np.bincount(self.table.indices, minlength=self.n_columns) > 0).astype(np.float64)

    @cached_property
    def have_one_length(self) -> bool:
        """Whether all rows but empty ones have one length, so that distances are angles."""
        if self.metric == "cosine":
            return self.projection is not None
        lengths = np.zeros(0) if self.used_columns is None else self.square_lengths[self.square_lengths > 0.0]
        return len(lengths) > 0 and float(np.ptp(lengths)) <= ONE_LENGTH * float(lengths.max())

    @cached_property
    def square_lengths(self) -> NDArray[np.float64]:
        """Of the points, as the search wants them."""
        return square_lengths(self.table)

    @property
    def n_components(self) -> int | None:
        """How many principal components the columns were reduced to; None if they were not."""
        components = self.projection.components if isinstance(self.projection, Projection) else None
        return components.shape[1] if components is not None and components.shape[1] < self.n_columns else None

    def queries(self, rows: Any, workers: Threads) -> Any:
        """New rows as the search wants them."""
        return rows if self.projection is None else points_of_rows(self.projection, rows, workers)

    def prepare(self) -> None:
        """Make what all new rows share."""
        self.search.prepare()
        if self.metric != "precomputed" and not is_sparse(self.table):
            _ = self._order_of_hashes

    def find(self, rows: Any, n_candidates: int, workers: Threads) -> Found:
        """So many nearest points of each new row."""
        queries = self.queries(rows, workers)
        finite = self.finite(queries)
        if not finite.all():
            self.empty(queries, ~finite)  # no search takes them
        neighbors = self.search.of(queries, n_candidates, workers)
        return Found(queries, neighbors, self.equal_points(queries, neighbors), finite)

    def finite(self, queries: Any) -> NDArray[np.bool_]:
        """Which queries are still numbers: a projection of very large ones is not."""
        if self.projection is None:
            return np.ones(queries.shape[0], dtype=bool)
        if is_sparse(queries):
            return np.asarray(np.isfinite(queries.sum(axis=1, dtype=np.float64)))
        return np.asarray(np.isfinite(queries).all(axis=1))

    def empty(self, queries: Any, some: NDArray[np.bool_]) -> None:
        """Make all numbers of some queries 0."""
        if is_sparse(queries):
            queries.data[np.repeat(some, np.diff(queries.indptr))] = 0.0
        else:
            queries[some] = 0.0

    def equal_points(self, queries: Any, neighbors: Neighbors) -> NDArray[np.int64]:
        """For each query the number of the point that it is, or -1."""
        if self.metric == "precomputed" or is_sparse(queries):
            return np.where(neighbors.distances[:, 0] == 0.0, neighbors.indices[:, 0], -1).astype(np.int64)
        # By some metrics equal rows are not at distance 0, nor nearest to each other; and distances can vanish.
        places = np.searchsorted(self._hashes, row_hashes(queries, SERIAL), sorter=self._order_of_hashes)
        found = self._order_of_hashes[np.minimum(places, len(self) - 1)]
        return np.where(np.all(queries == self.table[found], axis=1), found, -1)

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return row_hashes(self.table, SERIAL)

    @cached_property
    def _order_of_hashes(self) -> NDArray[np.int64]:
        return np.argsort(self._hashes)

    def between(self, queries: Any) -> DistanceBetween:
        """Function of (query numbers, point numbers) that returns the distances between them."""
        if self.projection is not None and is_sparse(queries):
            return sparse_between(queries, self.table)
        if self.projection is not None:
            return euclidean_between(queries, self.table)
        if self.metric == "precomputed":
            return given_between(queries)
        return metric_between(queries, self.table, self.metric, metric_values(self.metric_arrays))

    def for_new_rows(self) -> Self:
        """The same without what only fitting needs: new rows bring their own distances."""
        return replace(self, search=GivenDistances()) if self.metric == "precomputed" else self

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays; a function is none."""
        if not isinstance(self.metric, str):
            raise InvalidParameterError(
                "A model whose `metric` is a function cannot be saved: files hold no code, got "
                f"{metric_said(self.metric)}."
            )
        arrays: dict[str, NDArray[Any]] = {"metric": np.array(self.metric), "n_columns": np.array(self.n_columns)}
        if self.projection is not None:
            arrays |= self.projection.to_arrays()
        if self.metric != "precomputed":
            arrays |= _table_to_arrays(self.table)
        arrays |= {f"metric_{name}": array for name, array in self.metric_arrays.items()}
        return arrays | self.search.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        metric = arrays.text("metric", known_metrics())
        n_columns = arrays.whole("n_columns", least=1)
        if metric == "precomputed":
            return cls(metric, n_columns, None, GivenDistances())
        if metric not in PROJECTED:
            parameters = _metric_from_arrays(arrays, metric, n_columns)
            table = _table_from_arrays(arrays, n_columns)
            return cls(metric, n_columns, None, _restored_search(table, metric, metric_values(parameters)), parameters)
        sparse_rows = arrays.has("points_data")
        projection = (SparseScaling if sparse_rows else Projection).from_arrays(arrays, n_columns)
        if projection.unit_rows != (metric == "cosine"):
            raise InvalidFileError(f"`unit_rows` must be true for cosine distances only, got {metric!r}.")
        if isinstance(projection, SparseScaling):
            rows = check_canonical(_table_from_arrays(arrays, n_columns))
            return cls(metric, n_columns, projection, InvertedSearch(rows))
        table = arrays.numbers("points", "f4", (None, projection.width))
        search = CellSearch.from_arrays(table, arrays) if arrays.has("cells") else exact_search(table)
        return cls(metric, n_columns, projection, search)


def _table_to_arrays(table: Any) -> dict[str, NDArray[Any]]:
    if not is_sparse(table):
        return {"points": np.asarray(table)}
    rows = sparse.csr_array(table)
    return {"points_data": rows.data, "points_columns": rows.indices, "points_starts": rows.indptr}


def _metric_from_arrays(arrays: CheckedArrays, metric: str, n_columns: int) -> dict[str, NDArray[np.float64]]:
    """The metric's own parameters, which keep the rules of the estimator's."""
    shapes = {"w": (n_columns,), "V": (n_columns,), "VI": (n_columns, n_columns)}
    names = [name for name in METRIC_PARAMETERS.get(metric, ()) if arrays.has(f"metric_{name}")]
    found: dict[str, Any] = {
        name: arrays.numbers(f"metric_{name}", "f8", shapes[name]) for name in names if name != "p"
    }
    if "p" in names:
        found["p"] = arrays.real("metric_p", least=1.0, most=float(np.finfo(np.float64).max))
    check_metric(metric, found or None)
    return metric_arrays(found, n_columns)


def _restored_search(table: Any, metric: str, parameters: dict[str, Any]) -> MetricSearch:
    try:
        return MetricSearch(table, metric, parameters)
    except (TypeError, ValueError) as error:  # a metric that does not go with such rows
        raise InvalidFileError(f"`metric` {metric!r} does not go with the points: {error}.") from error


def _table_from_arrays(arrays: CheckedArrays, n_columns: int) -> Any:
    """The rows that another metric compares, dense or sparse."""
    if arrays.has("points"):
        return arrays.numbers("points", None, (None, n_columns))
    data = arrays.numbers("points_data", None, (None,))
    if data.dtype not in (np.float32, np.float64, np.int32, np.int64):
        data = data.astype(np.float64)  # SciPy has no others
    columns = arrays.numbering("points_columns", len(data), most=n_columns - 1)
    starts = arrays.numbering("points_starts", None, most=len(data))
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(data) or np.any(np.diff(starts.astype(np.int64)) < 0):
        raise InvalidFileError(f"`points_starts` must rise from 0 to {len(data)}.")
    kind = np.int32 if len(data) < 2**31 else np.int64  # scikit-learn's metrics take small numbers only
    return sparse.csr_array((data, columns.astype(kind), starts.astype(kind)), shape=(len(starts) - 1, n_columns))
