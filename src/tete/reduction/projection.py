"""Features of any kind to a dense table of moderate width: centred, scaled, and by principal components where wide.

The components come from a sample of the rows. A row's projection is computed from that row alone by a compiled loop,
never by a matrix product, in which the last bits of a row depend on its place among the others on some processors even
if their number is fixed: a row must land on the same point whether it comes alone or with others. Rows are read in
place, memory-mapped and sparse ones too. Single precision is enough once a row is centred, and as fast as the product.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh

from tete.core.array_places import index
from tete.core.blas import one_blas_thread
from tete.core.checked_arrays import CheckedArrays
from tete.core.compilation import compiled
from tete.core.matrices import as_dense, computable, is_sparse
from tete.core.threads import SERIAL, Threads, row_slices

__all__ = ["Projection", "column_spreads", "fit_projection", "project", "standardized"]

PointArray: TypeAlias = NDArray[np.float32]

SAMPLE_ROWS = 10_000  # for principal components: half a second for 784 columns
NOTHING = np.finfo(np.float64).eps ** 2  # variance that rounding has, of numbers up to 1
SMALLEST_SPREAD = 1e-300  # so that one over it is finite
FEW_ROWS = 64  # which are copied sooner than the loop for their type of numbers is loaded
ROWS_IN_A_PIECE = 2048  # enough work for a thread
ROWS_OF_A_PART = 512  # of the sample, whose copies then stay in the cache: memory that is new costs more than sums
LANES = 16  # single precision numbers that a processor of today works on at once
COLUMNS_AT_ONCE = 4  # of a row: fewer sums to load and store
LARGEST_FACTOR = 1e18  # of single precision: products with what it multiplies stay far from 1e38
COVARIANCE_COLUMNS = 2000  # up to which all covariances are faster than iterating
COVARIANCE_SHARDS = 2  # a table of covariances each


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
    workers: Threads = SERIAL,
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
        sample = standardized(sample, spreads)
        plain = fit_projection(sample, width, rng, center=center, unit_rows=unit_rows, workers=workers)
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
                components, variances = _components_by_covariance(sample, size, mean, width, workers)
        total = variances.sum()
    else:
        total = sum(np.sum(np.square(as_dense(part) - mean)) for part in _parts(sample, size)) / len(rows)
    scale = float(np.sqrt(total)) if total > 0.0 else 1.0
    return Projection(mean * size, components, scale * size, unit_rows)


def _largest(sample: Any) -> float:
    """Size of the largest number, or 1: squares of very large or small numbers would overflow or vanish."""
    if sample.shape[1] == 0:
        return 1.0
    return max(float(sample.max()), -float(sample.min())) or 1.0


def _parts(sample: Any, size: float) -> Iterator[Any]:
    """The sample over `size`, some rows at a time: whole copies of it would take longer to make than to use."""
    for start in range(0, sample.shape[0], ROWS_OF_A_PART):
        yield _divided(sample[start : start + ROWS_OF_A_PART], size)


def _divided(part: Any, divisor: Any) -> Any:
    """A copy in double precision; the inverse of the smallest divisors, by which SciPy multiplies, is infinite."""
    if not is_sparse(part):
        numbers = part.astype(np.float64)
        numbers /= divisor
        return numbers
    rows = sparse.csr_array(part, dtype=np.float64, copy=True)
    rows.data /= divisor if np.ndim(divisor) == 0 else divisor[rows.indices]
    return rows


def _components_by_covariance(
    sample: Any, size: float, mean: NDArray[np.float64], width: int, workers: Threads
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Principal components as columns, and their variances."""
    shards = row_slices(sample.shape[0], size=ROWS_OF_A_PART, most=COVARIANCE_SHARDS)
    sums = np.zeros((len(shards), len(mean), len(mean)))

    def add(shard: int) -> None:
        for part in _parts(sample[shards[shard]], size):
            single = np.subtract(part, mean, out=part).astype(np.float32)  # enough once centred, and twice as fast
            sums[shard] += single.T @ single

    workers.run(add, len(shards))
    covariance = sums.sum(axis=0) / max(sample.shape[0] - 1, 1)
    variances, axes = eigh(covariance, subset_by_index=[len(covariance) - width, len(covariance) - 1])
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(width)]
    return (axes * np.where(largest < 0.0, -1.0, 1.0))[:, ::-1], np.maximum(variances[::-1], 0.0)


def _components_by_iteration(sample: Any, width: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same for sparse or very wide tables."""
    from sklearn.decomposition import PCA  # noqa: PLC0415  (takes long to import)
    from sklearn.utils.sparsefuncs import mean_variance_axis  # noqa: PLC0415

    spread = mean_variance_axis(sample, axis=0)[1] if is_sparse(sample) else sample.var(axis=0)
    if spread.max() <= NOTHING:  # constant rows, or nearly so beside the largest number: no direction is a better one
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
    factors = _single_factors(projection)
    workers.run(partial(_project_piece, projection, factors, X, result, slices), len(slices))
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
    projection: Projection, factors: PointArray | None, X: Any, result: PointArray, slices: list[slice], piece: int
) -> None:
    rows = slices[piece]
    part: Any = X[rows]
    if factors is None or is_sparse(part):
        projected = _in_double(projection, part)
    else:
        single = np.empty((part.shape[0], projection.width), dtype=np.float32)
        numbers = part.astype(np.float64) if len(part) <= FEW_ROWS else computable(part)
        _project_rows(numbers, projection.mean, factors, single)
        lost = ~np.isfinite(single).all(axis=1)  # on the way too large for single precision
        projected = single.astype(np.float64) if lost.any() else single
        if lost.any():
            projected[lost] = _in_double(projection, part[lost])
    result[rows] = _of_length_1(projected) if projection.unit_rows else projected


def _in_double(projection: Projection, part: Any) -> NDArray[np.float64]:
    """The same for rows of any kind and size."""
    mean, components, scale = projection.mean, projection.components, projection.scale
    if components is None:
        return np.asarray((as_dense(part) - mean) / scale)
    # Summing x itself and subtracting the mean's own projection lets the loop skip zeros.
    projected, own = np.empty((part.shape[0], projection.width)), np.empty((1, projection.width))
    _project_in_double(mean[None, :], components, own)
    if is_sparse(part):
        _project_sparse_rows(part.indptr, part.indices, computable(part.data), components, projected)
    else:
        _project_in_double(computable(part), components, projected)
    return (projected - own) / scale


def _of_length_1(projected: NDArray[np.float64]) -> NDArray[np.float64]:
    # By a power of 2 first, which changes no digit: squares of very large or small numbers overflow or vanish.
    projected = np.ldexp(projected, -np.frexp(np.abs(projected).max(axis=1, keepdims=True, initial=0.0))[1])
    lengths = np.sqrt(np.sum(projected**2, axis=1, keepdims=True))
    return np.asarray(projected / np.where(lengths > 0.0, lengths, 1.0))


def _single_factors(projection: Projection) -> PointArray | None:
    """The components over the scale, filled up with zeros; None where single precision is not enough.

    By angles, a row and a multiple of it must come out equal, which only the digits beyond single precision allow.
    """
    if projection.components is None or projection.unit_rows:
        return None
    n_columns, width = projection.components.shape
    factors = np.zeros((-(-n_columns // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE, -(-width // LANES) * LANES))
    with np.errstate(over="ignore"):
        factors[:n_columns, :width] = projection.components / projection.scale
    return factors.astype(np.float32) if np.abs(factors).max() <= LARGEST_FACTOR else None


@compiled(error_model="numpy", fastmath={"contract", "nsz"})
def _project_rows(rows: NDArray[Any], mean: NDArray[np.float64], factors: PointArray, result: PointArray) -> None:
    """Two rows at a time, because then each factor that is loaded is used twice; the last of an odd number twice."""
    width = factors.shape[1]
    centered, totals = np.zeros((2, len(factors)), dtype=np.float32), np.empty((2, width), dtype=np.float32)
    first, second, here, one = totals[0], totals[1], index(0), index(1)
    for row in range(0, rows.shape[0], 2):
        other = min(row + 1, rows.shape[0] - 1)
        for column in range(mean.shape[0]):
            centered[0, column] = np.float32(np.float64(rows[row, column]) - mean[column])
            centered[1, column] = np.float32(np.float64(rows[other, column]) - mean[column])
        totals[:] = np.float32(0.0)
        for k in range(index(0), index(len(factors)), index(COLUMNS_AT_ONCE)):
            k1, k2, k3 = k + one, k + one + one, k + one + one + one
            a0, a1, a2, a3 = centered[here, k], centered[here, k1], centered[here, k2], centered[here, k3]
            b0, b1, b2, b3 = centered[one, k], centered[one, k1], centered[one, k2], centered[one, k3]
            for c in range(width):
                x0, x1, x2, x3 = factors[k, c], factors[k1, c], factors[k2, c], factors[k3, c]
                first[c] = (((first[c] + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
                second[c] = (((second[c] + b0 * x0) + b1 * x1) + b2 * x2) + b3 * x3
        result[row] = first[: result.shape[1]]
        result[other] = second[: result.shape[1]]


@compiled(error_model="numpy")
def _project_in_double(rows: NDArray[Any], components: NDArray[np.float64], result: NDArray[np.float64]) -> None:
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
