"""Sparse rows as points without a projection: columns divided, rows scaled, zeros left as they are."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.checked_arrays import CheckedArrays
from tete.core.compilation import compiled
from tete.exceptions import InvalidFileError

__all__ = ["SparseScaling", "check_canonical", "fit_sparse_scaling"]


@dataclass(frozen=True, eq=False)
class SparseScaling:
    """``x / spreads / scale``, with `unit_rows` each row then divided by its length; rows of zeros stay."""

    n_columns: int
    scale: float
    unit_rows: bool
    spreads: NDArray[np.float64] | None = None

    def rows(self, table: Any) -> Any:
        """The rows of a table, sparse or dense, as canonical CSR in single precision."""
        rows = sparse.csr_array(table, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        if self.spreads is not None:
            rows.data /= self.spreads[rows.indices]
        if self.unit_rows:
            _divide_by_lengths(rows.indptr, rows.data)
        else:
            rows.data /= self.scale
        with np.errstate(over="ignore"):  # numbers too large for single precision are looked at
            values = rows.data.astype(np.float32)
        small = np.int32 if max(rows.nnz, self.n_columns) < 2**31 else np.int64
        points = sparse.csr_array(
            (values, rows.indices.astype(small), rows.indptr.astype(small)), shape=(rows.shape[0], self.n_columns)
        )
        points.has_canonical_format = True
        return points

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays."""
        arrays: dict[str, NDArray[Any]] = {"scale": np.array(self.scale), "unit_rows": np.array(self.unit_rows)}
        return arrays if self.spreads is None else arrays | {"spreads": self.spreads}

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays, n_columns: int) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        tiny, huge = float(np.finfo(float).tiny), float(np.finfo(float).max)
        spreads = arrays.numbers("spreads", "f8", (n_columns,), least=tiny) if arrays.has("spreads") else None
        return cls(n_columns, arrays.real("scale", least=tiny, most=huge), arrays.flag("unit_rows"), spreads)


def fit_sparse_scaling(
    table: Any, *, unit_rows: bool, spreads: NDArray[np.float64] | None, order: NDArray[np.int64] | None
) -> SparseScaling:
    """The scaling of a sparse table: Euclidean distances over the root of the total variance, as a projection has."""
    n_rows, n_columns = table.shape
    if unit_rows:
        return SparseScaling(n_columns, 1.0, True, spreads)
    rows = sparse.csr_array(table if order is None else table[order], dtype=np.float64, copy=True)
    if spreads is not None:
        rows.data /= spreads[rows.indices]
    size = float(np.abs(rows.data).max(initial=0.0)) or 1.0
    rows.data /= size  # squares of very large or small numbers would overflow or vanish
    mean = np.asarray(rows.sum(axis=0)).ravel() / n_rows
    total = float(np.sum(rows.data**2)) / n_rows - float(np.sum(mean**2))
    return SparseScaling(n_columns, size * (np.sqrt(total) if total > 1e-12 else 1.0), False, spreads)


def check_canonical(points: Any) -> Any:
    """Refuse points of a file that compiled code could not trust: columns must rise along each row."""
    starts, columns = points.indptr, points.indices
    rising = np.diff(columns.astype(np.int64)) > 0
    first = np.zeros(max(len(columns), 1), dtype=bool)
    first[starts[:-1][starts[:-1] < len(columns)]] = True
    if points.data.dtype != np.float32 or not np.all(rising | first[1 : len(columns)]):
        raise InvalidFileError("`points_data` must have the type float32, and `points_columns` must rise in each row.")
    return points


@compiled(error_model="numpy")
def _divide_by_lengths(starts: NDArray[Any], values: NDArray[np.float64]) -> None:
    for row in range(len(starts) - 1):
        largest = 0.0
        for place in range(starts[row], starts[row + 1]):
            largest = max(largest, abs(values[place]))
        total = 0.0
        for place in range(starts[row], starts[row + 1]):
            values[place] /= largest  # squares of very large or small numbers overflow or vanish
            total += values[place] * values[place]
        for place in range(starts[row], starts[row + 1]):
            values[place] /= np.sqrt(total)
