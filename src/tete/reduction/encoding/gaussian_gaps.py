"""Gaps of a table filled in by their conditional means under a Gaussian, which EM fits to the cells that are there.

A row with the missing cells m and the others o has, with the precision matrix K = inverse covariance,

    E[x_m | x_o] = mean_m - K_mm^-1 K_mo (x_o - mean_o),    Cov[x_m | x_o] = K_mm^-1,

so that only systems of the size of the gaps are solved. One round of EM fills in all gaps so, and takes mean and
covariance of the filled table plus the conditional covariances. A weak prior, `PRIOR_ROWS` rows of independent columns
of variance 1, keeps the covariance regular (indicators of categories sum to one) and the rounds monotone in the
likelihood times the prior.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tete.core.blas import one_blas_thread
from tete.core.checked_arrays import CheckedArrays
from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices
from tete.exceptions import InvalidFileError

__all__ = ["GaussianGaps", "fit_gaussian", "next_gaussian"]

Table = NDArray[np.float64]

PRIOR_ROWS = 3.0
MOST_COLUMNS = 400  # of a covariance matrix; gaps of wider tables get the columns' means
MOST_ROWS = 20_000  # of a random order of the rows, that EM looks at: enough for 400 columns
MOST_ROUNDS = 100
TOLERANCE = 1e-4  # of covariances of columns of variance 1
ROWS_IN_A_SHARD, MOST_SHARDS = 256, 16  # fixed, so that sums have the same bits on any number of threads


@dataclass(frozen=True, eq=False)
class GaussianGaps:
    """A Gaussian of the columns of a table; without a `covariance` the columns are independent."""

    mean: Table
    covariance: Table | None

    @cached_property
    def precision(self) -> Table:
        """The inverse of the covariance."""
        assert self.covariance is not None
        with one_blas_thread():
            inverse = np.linalg.inv(self.covariance)
        return np.ascontiguousarray((inverse + inverse.T) / 2.0)

    def filled(self, table: Table, workers: Threads) -> Table:
        """A copy of the table whose gaps have their conditional means, each row by itself."""
        return self.expected(table, workers)[0]

    def expected(self, table: Table, workers: Threads) -> tuple[Table, Table]:
        """The filled table, and the sum over its rows of the covariances of what was filled in."""
        if self.covariance is None:
            return np.where(np.isnan(table), self.mean, table), np.zeros((0, 0))
        result, precision, width = table.copy(), self.precision, table.shape[1]
        shards = row_slices(len(table), size=ROWS_IN_A_SHARD, most=MOST_SHARDS)
        totals = np.zeros((len(shards), width, width))

        def work(shard: int) -> None:
            _fill_rows(result[shards[shard]], self.mean, precision, totals[shard])

        workers.run(work, len(shards))
        return result, totals.sum(axis=0)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays."""
        arrays = {"encoder_mean": self.mean}
        return arrays if self.covariance is None else arrays | {"encoder_covariance": self.covariance}

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays, width: int) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        mean = arrays.numbers("encoder_mean", "f8", (width,))
        if not arrays.has("encoder_covariance"):
            return cls(mean, None)
        covariance = arrays.numbers("encoder_covariance", "f8", (width, width))
        positive = np.array_equal(covariance, covariance.T)
        if positive:
            try:
                np.linalg.cholesky(covariance)
            except np.linalg.LinAlgError:
                positive = False
        if not positive:
            raise InvalidFileError("`encoder_covariance` must be a symmetric positive definite matrix.")
        return cls(mean, covariance)


def fit_gaussian(table: Table, workers: Threads) -> GaussianGaps:
    """The Gaussian of a table with gaps; columns of about mean 0 and variance 1, rows in a random order."""
    some = table[:MOST_ROWS]
    current = _independent(some)
    if table.shape[1] > MOST_COLUMNS:
        return GaussianGaps(current.mean, None)
    for _ in range(MOST_ROUNDS if np.isnan(some).any() else 1):
        previous, current = current, next_gaussian(current, some, workers)
        if _change(previous, current) < TOLERANCE:
            break
    return current


def _change(first: GaussianGaps, second: GaussianGaps) -> float:
    assert first.covariance is not None
    assert second.covariance is not None
    return float(max(np.abs(second.mean - first.mean).max(), np.abs(second.covariance - first.covariance).max()))


def next_gaussian(current: GaussianGaps, table: Table, workers: Threads) -> GaussianGaps:
    """One round of EM."""
    filled, spread = current.expected(table, workers)
    mean = filled.mean(axis=0)
    filled -= mean
    with one_blas_thread():  # the last bits of a product on several threads can vary
        total = filled.T @ filled + spread
    total.flat[:: len(total) + 1] += PRIOR_ROWS
    covariance = total / (len(table) + PRIOR_ROWS)
    return GaussianGaps(mean, (covariance + covariance.T) / 2.0)


def _independent(table: Table) -> GaussianGaps:
    """Mean and variance of each column's own cells, as a start."""
    counts = np.maximum(np.sum(~np.isnan(table), axis=0), 1)
    mean = np.nansum(table, axis=0) / counts
    variances = (np.nansum((table - mean) ** 2, axis=0) + PRIOR_ROWS) / (counts + PRIOR_ROWS)
    return GaussianGaps(mean, np.diag(variances))


@compiled(error_model="numpy")
def _fill_rows(rows: Table, mean: Table, precision: Table, total: Table) -> None:
    """Fill in each row's gaps, and add the covariances of what was filled in to `total`."""
    width = rows.shape[1]
    inverse, pulls, steps = np.empty((width, width)), np.empty(width), np.empty(width)
    for row in range(rows.shape[0]):
        gaps = np.flatnonzero(np.isnan(rows[row]))
        if len(gaps) == 0:
            continue
        for other in range(width):
            known = not np.isnan(rows[row, other])
            steps[other] = rows[row, other] - mean[other] if known else 0.0
        for place, column in enumerate(gaps):
            pulls[place] = -np.sum(precision[column] * steps)
            for other in range(place + 1):
                inverse[place, other] = precision[column, gaps[other]]
        _invert(inverse, len(gaps))
        for place, column in enumerate(gaps):
            rows[row, column] = mean[column]
            for other in range(len(gaps)):
                share = inverse[max(place, other), min(place, other)]
                rows[row, column] += share * pulls[other]
                total[column, gaps[other]] += share


@compiled(error_model="numpy")
def _invert(matrix: Table, size: int) -> None:
    """The lower triangle of the inverse of a positive definite matrix, in place of its own: L L', L^-1, L^-T L^-1."""
    for column in range(size):
        for row in range(column, size):
            value = matrix[row, column]
            for other in range(column):
                value -= matrix[row, other] * matrix[column, other]
            matrix[row, column] = np.sqrt(value) if row == column else value / matrix[column, column]
    for column in range(size):
        matrix[column, column] = 1.0 / matrix[column, column]
        for row in range(column + 1, size):
            value = 0.0
            for other in range(column, row):
                value -= matrix[row, other] * matrix[other, column]
            matrix[row, column] = value / matrix[row, row]
    for column in range(size):
        for row in range(column, size):
            value = 0.0
            for other in range(row, size):
                value += matrix[other, row] * matrix[other, column]
            matrix[row, column] = value
