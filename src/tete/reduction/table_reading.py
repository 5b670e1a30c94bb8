"""What comes in: tables of finite numbers, weights, and a word before a long run."""

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from tete.core.matrices import is_sparse
from tete.exceptions import FewRowsWarning, InvalidFeaturesError, InvalidParameterError, MemoryNeedWarning, warn

__all__ = ["check_finite", "check_sample_weight", "read_table", "warn_few_rows", "warn_memory"]

ROWS_AT_ONCE = 4096  # of a table that may be larger than memory


def read_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The table as scikit-learn's estimators take it, sparse or dense; `reset` for the one that is fitted."""
    table = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype="numeric",
        ensure_all_finite=False,
        ensure_min_samples=2 if reset else 1,
    )
    check_finite(table)
    if estimator.metric == "precomputed":
        if reset and table.shape[0] != table.shape[1]:
            raise InvalidFeaturesError(f"A matrix of distances must be square, got shape {table.shape}.")
        if (table.data if is_sparse(table) else table).min(initial=0.0) < 0:
            raise InvalidFeaturesError("Distances must not be negative, got negative values (Negative values in data).")
    return table


def check_finite(X: Any) -> None:
    """Refuse NaN and infinity, naming the first offending row and column; reads some rows at a time."""
    values = X.data if is_sparse(X) else X
    if values.dtype.kind != "f":
        return
    for start in range(0, len(values), ROWS_AT_ONCE):
        some = np.asarray(values[start : start + ROWS_AT_ONCE])
        with np.errstate(over="ignore", invalid="ignore"):  # a sum tells quickly, though it may overflow
            doubtful = not np.isfinite(some.sum())
        if doubtful and not np.isfinite(some).all():
            _refuse_first(X, start, some)


def _refuse_first(X: Any, start: int, some: NDArray[Any]) -> None:
    place = np.argwhere(~np.isfinite(some))[0]
    if is_sparse(X):
        entry = start + int(place[0])
        row, column = int(np.flatnonzero(X.indptr <= entry)[-1]), int(X.indices[entry])
    else:
        row, column = start + int(place[0]), int(place[1])
    value = "NaN" if np.isnan(some[tuple(place)]) else "infinity (inf)"
    raise InvalidFeaturesError(f"Row {row}, column {column} of `X` is {value}: all values must be finite numbers.")


def check_sample_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Finite weights that are not negative and not all zero; ones if there are none."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InvalidParameterError(f"`sample_weight` must have {n_rows} entries, got shape {weights.shape}.")
    if not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise InvalidParameterError("`sample_weight` must be finite, not negative and not all zero.")
    return weights


def warn_few_rows(n_neighbors: int, n_rows: int) -> None:
    """Say that there are fewer other rows than neighbours were asked for."""
    if n_neighbors > n_rows - 1:
        warn(
            f"`n_neighbors` is reduced from {n_neighbors} to {n_rows - 1}, because there are {n_rows} rows.",
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
