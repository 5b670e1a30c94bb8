"""Features of any kind to a dense table of moderate width: centred, scaled, and by principal components where wide.

The components come from a sample of the rows. A row's projection is computed from that row alone by a compiled loop,
never by a matrix product over many rows, whose last bits depend on how many rows there are: a row must land on the same
point whether it comes alone or with others. The loop reads memory-mapped and sparse rows in place and skips zeros.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh

from tete.core.blas import one_blas_thread
from tete.core.checked_arrays import CheckedArrays
from tete.core.compilation import compiled
from tete.core.matrices import as_dense, computable, is_sparse
from tete.core.threads import Threads, row_slices

__all__ = ["Projection", "column_spreads", "fit_projection", "project", "standardized"]

PointArray: TypeAlias = NDArray[np.float32]

SAMPLE_ROWS = 10_000  # for principal components: half a second for 784 columns
SMALLEST_SPREAD = 1e-300  # so that one over it is finite
ROWS_IN_A_PIECE = 2048  # enough work for a thread
COVARIANCE_COLUMNS = 2000  # up to which all covariances are faster than iterating


@dataclass(frozen=True)
class Projection:
    """``(x - mean) @ components / scale``; without components only ``(x - mean) / scale``."""

    mean: NDArray[np.float64]
    components: NDArray[np.float64] | None
    scale: float
    unit_rows: bool = False

    @property
    def width(self) -> int:
        """Number of columns of what comes out."""
        return len(self.mean) if self.components is None else int(self.components.shape[1])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays."""
        arrays = {"mean": self.mean, "scale": np.array(self.scale), "unit_rows": np.array(self.unit_rows)}
        return arrays if self.components is None else arrays | {"components": self.components}

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays, n_columns: int) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        components = arrays.numbers("components", "f8", (n_columns, None)) if arrays.has("components") else None
        scale = arrays.real("scale", least=np.finfo(float).tiny, most=np.finfo(float).max)
        return cls(arrays.numbers("mean", "f8", (n_columns,)), components, scale, arrays.flag("unit_rows"))


def fit_projection(
    X: Any,
    width: int | None,
    rng: np.random.Generator,
    *,
    center: bool = True,
    unit_rows: bool = False,
    spreads: NDArray[np.float64] | None = None,
    order: NDArray[np.int64] | None = None,
) -> Projection:
    """Mean, principal components (if there are more than `width` columns) and scale, from a sample of the rows.

    With `unit_rows` each projected row is scaled to length 1, so that Euclidean distances order as cosine distances.
    Columns are divided by their `spreads` first, which then are a part of the components. The rows are taken in this
    random `order`, or as they stand.
    """
    n_rows, n_columns = X.shape
    rows = np.arange(n_rows) if order is None else order[:SAMPLE_ROWS]
    if len(rows) > SAMPLE_ROWS:
        rows = np.sort(rng.choice(n_rows, SAMPLE_ROWS, replace=False))
    sample: Any = X[rows]
    if spreads is not None:
        plain = fit_projection(standardized(sample, spreads), width, rng, center=center, unit_rows=unit_rows)
        columns = np.eye(n_columns) if plain.components is None else plain.components
        return Projection(plain.mean * spreads, columns / spreads[:, None], plain.scale, unit_rows)
    size = _largest(sample)
    mean = np.zeros(n_columns)
    if center:
        mean += sum(np.asarray(part.sum(axis=0)).ravel() for part in _parts(sample, size)) / len(rows)
    components = None
    if width is not None and n_columns > width and n_rows > width:
        seed = int(rng.integers(2**31))
        with one_blas_thread():  # the last bits of a product on several threads can vary
            if n_columns > COVARIANCE_COLUMNS or is_sparse(sample):
                components, variances = _components_by_iteration(_divided(sample, size), width, seed)
            else:
                components, variances = _components_by_covariance(sample, size, mean, width)
        total = variances.sum()
    else:
        total = sum(np.sum((as_dense(part) - mean) ** 2) for part in _parts(sample, size)) / len(rows)
    scale = float(np.sqrt(total)) if total > 0.0 else 1.0
    return Projection(mean * size, components, scale * size, unit_rows)


def _largest(sample: Any) -> float:
    """Size of the largest number, or 1: squares of very large or small numbers would overflow or vanish."""
    if sample.shape[1] == 0:
        return 1.0
    return max(float(sample.max()), -float(sample.min())) or 1.0


def _parts(sample: Any, size: float) -> Iterator[Any]:
    """The sample over `size`, some rows at a time: whole copies of it would take longer to make than to use."""
    for start in range(0, sample.shape[0], ROWS_IN_A_PIECE):
        yield _divided(sample[start : start + ROWS_IN_A_PIECE], size)


def _divided(part: Any, divisor: Any) -> Any:
    """A copy in double precision; the inverse of the smallest divisors, by which SciPy multiplies, is infinite."""
    if not is_sparse(part):
        return part.astype(np.float64) / divisor
    rows = sparse.csr_array(part, dtype=np.float64, copy=True)
    rows.data /= divisor if np.ndim(divisor) == 0 else divisor[rows.indices]
    return rows


def _components_by_covariance(
    sample: Any, size: float, mean: NDArray[np.float64], width: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Principal components as columns, and their variances."""
    covariance = np.zeros((len(mean), len(mean)))
    for part in _parts(sample, size):
        single = (part - mean).astype(np.float32)  # enough once the table is centred, and twice as fast
        covariance += single.T @ single
    covariance /= max(sample.shape[0] - 1, 1)
    variances, axes = eigh(covariance, subset_by_index=[len(covariance) - width, len(covariance) - 1])
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(width)]
    return (axes * np.where(largest < 0.0, -1.0, 1.0))[:, ::-1], np.maximum(variances[::-1], 0.0)


def _components_by_iteration(sample: Any, width: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same for sparse or very wide tables."""
    from sklearn.decomposition import PCA  # noqa: PLC0415  (takes long to import)
    from sklearn.utils.sparsefuncs import mean_variance_axis  # noqa: PLC0415

    spread = mean_variance_axis(sample, axis=0)[1] if is_sparse(sample) else sample.var(axis=0)
    if not spread.any():  # constant rows, or nearly so beside the largest number: no direction is a better one
        return np.eye(sample.shape[1], width), np.zeros(width)
    pca = PCA(width, random_state=seed)
    with np.errstate(invalid="ignore"):  # constant data divide zero by zero, harmlessly
        components = pca.fit(sample).components_.T.astype(np.float64)
    return components, pca.explained_variance_


def project(projection: Projection, X: Any, workers: Threads) -> PointArray:
    """Project all rows. Takes four bytes a number of the result and nothing else."""
    result = np.empty((X.shape[0], projection.width), dtype=np.float32)
    if X.shape[0] == 0:
        return result
    slices = row_slices(X.shape[0], size=ROWS_IN_A_PIECE)
    work = _project_sparse if is_sparse(X) else _project_dense
    workers.run(partial(_project_piece, projection, X, result, slices, work), len(slices))
    return result


def column_spreads(X: Any, order: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Standard deviation of each column, 1 where it is constant. Reads some rows at a time, in this `order`."""
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415  (takes long to import)

    scaler = StandardScaler(with_mean=not is_sparse(X))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, X.shape[0], SAMPLE_ROWS):
            some = slice(start, start + SAMPLE_ROWS)
            scaler.partial_fit(X[some if order is None else order[some]])
    spreads = np.asarray(np.maximum(scaler.scale_, SMALLEST_SPREAD), dtype=np.float64)
    if np.isfinite(spreads).all():
        return spreads
    largest = as_dense(abs(X).max(axis=0)).ravel().astype(np.float64)  # its square overflows
    sizes = np.where(np.isfinite(spreads), 1.0, largest)
    return np.asarray(column_spreads(standardized(X, sizes), order) * sizes)


def standardized(X: Any, spreads: NDArray[np.float64]) -> Any:
    """A copy of a table whose columns are divided by their spreads."""
    return _divided(X, spreads) if is_sparse(X) else np.asarray(X) / spreads


def _project_piece(
    projection: Projection, X: Any, result: PointArray, slices: list[slice], work: Any, piece: int
) -> None:
    rows = slices[piece]
    part: Any = X[rows]
    mean, scale = projection.mean, projection.scale
    if projection.components is None:
        dense = as_dense(part)
        projected = (dense - mean) / scale
    else:
        # Summing x itself and subtracting the mean's own projection lets the loop skip zeros.
        projected = np.empty((rows.stop - rows.start, projection.width))
        work(part, projection.components, projected)
        projected = (projected - _project_row(mean, projection.components)) / scale
    if projection.unit_rows:
        # By a power of 2 first, which changes no digit: squares of very large or small numbers overflow or vanish.
        projected = np.ldexp(projected, -np.frexp(np.abs(projected).max(axis=1, keepdims=True, initial=0.0))[1])
        lengths = np.sqrt(np.sum(projected**2, axis=1, keepdims=True))
        projected = projected / np.where(lengths > 0.0, lengths, 1.0)
    result[rows] = projected


def _project_row(row: NDArray[np.float64], components: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.empty((1, components.shape[1]))
    _project_rows(row[None, :], components, result)
    return np.asarray(result[0])


def _project_dense(part: Any, components: NDArray[np.float64], result: NDArray[np.float64]) -> None:
    _project_rows(computable(part), components, result)


def _project_sparse(part: Any, components: NDArray[np.float64], result: NDArray[np.float64]) -> None:
    _project_sparse_rows(part.indptr, part.indices, computable(part.data), components, result)


@compiled(error_model="numpy")
def _project_rows(rows: NDArray[Any], components: NDArray[np.float64], result: NDArray[np.float64]) -> None:
    width = components.shape[1]
    for row in range(rows.shape[0]):
        for c in range(width):
            result[row, c] = 0.0
        for column in range(rows.shape[1]):
            value = float(rows[row, column])
            if value != 0.0:
                for c in range(width):
                    result[row, c] += value * components[column, c]


@compiled(error_model="numpy")
def _project_sparse_rows(
    starts: NDArray[np.int32],
    columns: NDArray[np.int32],
    values: NDArray[Any],
    components: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:
    width = components.shape[1]
    for row in range(result.shape[0]):
        for c in range(width):
            result[row, c] = 0.0
        for place in range(starts[row], starts[row + 1]):
            value = float(values[place])
            for c in range(width):
                result[row, c] += value * components[columns[place], c]
