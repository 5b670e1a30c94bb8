"""What comes in: tables of finite numbers, weights, and a word before a long run."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from tete.comparisons.checks import LARGEST_WEIGHT, SMALLEST_WEIGHT
from tete.core.matrices import is_sparse
from tete.core.printing import counted
from tete.exceptions import (
    FewRowsWarning,
    InvalidFeaturesError,
    InvalidParameterError,
    MemoryNeedWarning,
    TruthValuesWarning,
    warn,
)
from tete.reduction.column_kinds import numbers_only
from tete.reduction.metric_and_table import check_metric_of_table
from tete.reduction.metric_names import OF_TRUTH_VALUES, check_sparse_metric, with_parameters
from tete.reduction.missing_codes import warn_missing_codes

__all__ = ["check_finite", "check_sample_weight", "read_table", "warn_few_rows", "warn_memory"]

ROWS_AT_ONCE = 4096  # of a table that may be larger than memory


def read_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The table as scikit-learn's estimators take it, sparse or dense; `reset` for the one that is fitted."""
    try:
        table = validate_data(
            estimator,
            numbers_only(X),
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=1,
        )
    except OverflowError as error:  # a whole number of hundreds of digits
        raise InvalidFeaturesError(f"`X` must hold numbers of at most 308 digits: {error}.") from None
    if reset and table.shape[0] < 2:
        raise InvalidFeaturesError("`X` must have at least 2 rows, got 1 (n_samples=1).")
    names = getattr(estimator, "feature_names_in_", None)
    limits = check_finite(table, names)
    if estimator.metric == "precomputed":
        if reset and table.shape[0] != table.shape[1]:
            raise InvalidFeaturesError(f"A matrix of distances must be square, got shape {table.shape}.")
        if (table.data if is_sparse(table) else table).min(initial=0.0) < 0:
            raise InvalidFeaturesError("Distances must not be negative, got negative values (Negative values in data).")
        return table
    if is_sparse(table):
        check_sparse_metric(estimator.metric)
        return table
    check_metric_of_table(with_parameters(estimator.metric, estimator.metric_params), table, fitted=reset)
    if estimator.metric in OF_TRUTH_VALUES:
        return _truth_values(table, estimator.metric, told=not reset)
    if reset:
        warn_missing_codes(table, limits, names)
    return table


def _truth_values(table: NDArray[Any], metric: str, *, told: bool) -> NDArray[np.bool_]:
    """Which numbers are not zero; other numbers than 0 and 1 are worth a word, once."""
    if not told and table.dtype != np.bool_ and np.any((table != 0) & (table != 1)):
        warn(
            f"The metric {metric!r} compares true and false values: all numbers in `X` other than 0 count as true.",
            TruthValuesWarning,
        )
    return np.asarray(table != 0)


def check_finite(X: Any, names: Sequence[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Refuse NaN and infinity, naming the first offending row and column; reads some rows at a time.

    Returns the smallest and the largest number of each column; of a sparse table, of all that is written down.
    """
    values = X.data if is_sparse(X) else X
    limits = []
    for start in range(0, len(values), ROWS_AT_ONCE):
        some = np.asarray(values[start : start + ROWS_AT_ONCE])
        with np.errstate(invalid="ignore"):
            low, high = some.min(axis=0), some.max(axis=0)
        if not (np.isfinite(low) & np.isfinite(high)).all():
            _refuse_first(X, start, some, names)
        limits.append((low, high))
    lows, highs = zip(*limits, strict=True) if limits else ([0.0], [0.0])
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _refuse_first(X: Any, start: int, some: NDArray[Any], names: Sequence[Any] | None) -> None:
    place = np.argwhere(~np.isfinite(some))[0]
    if is_sparse(X):
        entry = start + int(place[0])
        row, column = int(np.flatnonzero(X.indptr <= entry)[-1]), int(X.indices[entry])
    else:
        row, column = start + int(place[0]), int(place[1])
    value = "NaN" if np.isnan(some[tuple(place)]) else "infinity (inf)"
    name = "" if names is None else f" ({names[column]!r})"
    raise InvalidFeaturesError(
        f"Row {row}, column {column}{name} of `X` is {value}: all values must be finite numbers."
    )


def check_sample_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Finite weights that are not negative and not all zero; ones if there are none."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InvalidParameterError(
            f"`sample_weight` must have {counted(n_rows, 'entry', 'entries')}, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise InvalidParameterError("`sample_weight` must be finite, not negative and not all zero.")
    least, most = float(weights[weights > 0.0].min()), float(weights.max())
    if least < SMALLEST_WEIGHT or most > LARGEST_WEIGHT:
        raise InvalidParameterError(
            f"`sample_weight` must be 0 or from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}, got {least:g} to {most:g}."
        )
    return weights


def warn_few_rows(n_neighbors: int, n_rows: int) -> None:
    """Say that there are fewer other rows than neighbours were asked for."""
    if n_neighbors > n_rows - 1:
        warn(
            f"`n_neighbors` is reduced from {n_neighbors} to {n_rows - 1}, because there are {counted(n_rows, 'row')}.",
            FewRowsWarning,
        )


def warn_memory(n_rows: int, bytes_per_row: int) -> None:
    """Say that the machine has too little memory for a run."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else np.inf
    if n_rows * bytes_per_row > has:
        warn(
            f"About {n_rows * bytes_per_row / 1e9:.1f} GB are needed ({bytes_per_row} bytes a row), "
            f"but the machine has {has / 1e9:.1f} GB.",
            MemoryNeedWarning,
        )
