"""Rows that do not belong: how far a new row is from its nearest points, beside how far these are from theirs.

A map has a place for every row, also for noise. The ratio of the two distances, divided by its median over the fitted
rows, is about 1 for a row like them and larger for one that is unlike all. In many dimensions all distances are nearly
alike, and 1.5 can be a lot: so the ratio is raised to a power that makes it 2 for the one fitted row in a hundred that
is farthest out. Beyond 3 a row hardly belongs.

Principal components would hide the very part of a strange row that is strange, so what they leave out counts as well.
Of it only the length is known, and the left out parts of two rows are taken to be orthogonal:

    Euclidean   d² = (distance by components)² + beyond_i² + beyond_j²
    cosine      s = kept_i kept_j cos(angle by components),    kept² + beyond² = 1

Two rows that have nothing in common are at an end of the scale where texts nearly are already, so that no ratio of
distances is large. So angles, and sparse rows of one length, are told by their cosines, of which the logarithm knows no
end; where it is small, d is the angle:

    s = 2 x_i'x_j / (|x_i|² + |x_j|²),    d = sqrt(-2 log(mean of s))

A row that has nothing in common with any, such as an empty one, is as novel as can be; of sparse rows of any length,
whose zeros say that something is not there, this is looked up.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tete.core.checked_arrays import CheckedArrays
from tete.core.compilation import compiled
from tete.core.matrices import computable, is_sparse
from tete.core.threads import Threads, row_slices
from tete.reduction.merged_rows import MergedRows
from tete.reduction.points import Found, Points, square_lengths
from tete.reduction.projection import Projection, project
from tete.reduction.search.nearest import Neighbors

__all__ = ["NOVELTY_ARRAYS", "Novelty", "fit_novelty"]

N_NEAREST = 5
ROWS_IN_A_PIECE = 2048  # enough work for a thread
OUTER_SHARE = 0.01
LARGEST, LARGEST_POWER = 1e9, 20.0
LEAST_IN_COMMON = 1e-6  # what single precision cannot tell from nothing
NOVELTY_ARRAYS = ("novelty_scales", "novelty_beyond", "novelty_typical", "novelty_power")

Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Novelty:
    """What is usual among the points of a finished map.

    Attributes
    ----------
    scales : array of n_points numbers
        Mean distance of each point from its nearest others.
    beyond : array of n_points numbers or None
        Length of what the components leave out of each point, None without components; of rows of length 1 for cosine.
    typical : float
        Median ratio of distances over the points.
    power : float
        What the ratios are raised to.
    spreads : array of n_columns numbers or None
        What the columns are divided by.
    """

    scales: Numbers
    beyond: Numbers | None
    typical: float
    power: float
    spreads: NDArray[np.float64] | None = None

    def of(self, points: Points, rows: Any, found: Found, workers: Threads) -> Numbers:
        """The novelty of each row, by itself; a row of the fitted table is compared with the others there."""
        near = found.neighbors.first(N_NEAREST + 1)
        own = near.indices == found.equal[:, None]
        own[~own.any(axis=1), -1] = own.shape[1] > N_NEAREST  # one more than is needed
        own[own.all(axis=1)] = False
        beyond = None if self.beyond is None else _beyond(points, rows, found.queries, self.spreads, workers)
        distances = _mean_distances(points, found.queries, near, ~own, beyond, self.beyond)
        ratios = distances / _mean_of_used(self.scales[near.indices], ~own) / self.typical
        ratios[_has_nothing_in_common(points, found)] = np.inf
        with np.errstate(over="ignore"):
            return np.minimum(ratios**self.power, LARGEST).astype(np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays, but for the spreads, which are the estimator's."""
        arrays = {"novelty_scales": self.scales, "novelty_typical": np.array(self.typical)}
        arrays["novelty_power"] = np.array(self.power)
        return arrays if self.beyond is None else arrays | {"novelty_beyond": self.beyond}

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays, n_points: int, spreads: NDArray[np.float64] | None) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        tiny = float(np.finfo(np.float32).smallest_subnormal)
        scales = arrays.numbers("novelty_scales", "f4", (n_points,), least=tiny)
        beyond = None
        if arrays.has("novelty_beyond"):
            beyond = arrays.numbers("novelty_beyond", "f4", (n_points,), least=0.0)
        typical = arrays.real("novelty_typical", least=float(np.finfo(float).tiny), most=float(np.finfo(float).max))
        return cls(scales, beyond, typical, arrays.real("novelty_power", least=1.0, most=LARGEST_POWER), spreads)


def fit_novelty(rows: MergedRows, table: Any, spreads: NDArray[np.float64] | None, workers: Threads) -> Novelty:
    """What is usual among the rows of a fitted table."""
    points, near = rows.points, rows.neighbors.first(N_NEAREST)
    if near.indices.shape[1] == 0:
        return Novelty(np.ones(len(rows), dtype=np.float32), None, 1.0, 1.0, spreads)
    beyond = None
    if points.n_components is not None:
        by_point = rows.by_row(points.table)
        beyond = np.asarray(rows.of_first_rows(_beyond(points, table, by_point, spreads, workers)))
    used = np.ones(near.indices.shape, dtype=bool)
    distances = _mean_distances(points, points.table, near, used, beyond, beyond)
    known = distances[(distances > 0.0) & np.isfinite(distances)]
    least, most = (known.min(), known.max()) if len(known) else (1.0, 1.0)
    scales = np.clip(distances, least, most)
    ratios = np.minimum(distances, most) / _mean_of_used(scales[near.indices], used)
    typical = float(np.median(ratios)) or 1.0
    return Novelty(scales.astype(np.float32), beyond, typical, _power(ratios / typical), spreads)


def _power(ratios: NDArray[np.float64]) -> float:
    """What makes the ratio that one point in a hundred exceeds a 2; never less than 1, so that 2 is at least twice."""
    outer = float(np.quantile(ratios, 1.0 - OUTER_SHARE))
    return float(np.clip(np.log(2.0) / np.log(outer), 1.0, LARGEST_POWER)) if outer > 1.0 else 1.0


def _mean_of_used(values: NDArray[Any], used: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean over the neighbours that are used."""
    return np.asarray(np.sum(values * used, axis=1, dtype=np.float64) / used.sum(axis=1))


def _mean_distances(
    points: Points,
    queries: Any,
    found: Neighbors,
    used: NDArray[np.bool_],
    own: Numbers | None,
    others: Numbers | None,
) -> NDArray[np.float64]:
    """How far each query is from the neighbours that are used; `own` and `others` lie beyond the components."""
    squares = np.square(found.distances, dtype=np.float64)
    here = there = np.zeros(1)
    if own is not None and others is not None:
        here, there = np.square(own[:, None], dtype=np.float64), np.square(others[found.indices], dtype=np.float64)
    if not points.have_one_length:
        return _mean_of_used(np.sqrt(squares + here + there), used)
    totals = square_lengths(queries)[:, None] + points.square_lengths[found.indices]
    common = 1.0 - squares / np.where(totals > 0.0, totals, np.inf)
    mean = _mean_of_used(common * np.sqrt(np.maximum((1.0 - here) * (1.0 - there), 0.0)), used)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(-2.0 * np.log(np.where(mean < LEAST_IN_COMMON, 0.0, np.minimum(mean, 1.0)))))


def _has_nothing_in_common(points: Points, found: Found) -> NDArray[np.bool_]:
    """Which sparse queries have no column that any point has, and are no points themselves."""
    if points.used_columns is None:
        return np.zeros(len(found.equal), dtype=bool)
    return np.asarray((found.queries @ points.used_columns == 0.0) & (found.equal < 0))


def _beyond(
    points: Points, rows: Any, projected: Any, spreads: NDArray[np.float64] | None, workers: Threads
) -> Numbers:
    """Length of what the components leave out of each row, in the points' units; of cosine, of rows of length 1."""
    projection = points.projection
    assert isinstance(projection, Projection)
    with np.errstate(over="ignore", divide="ignore"):
        scale = projection.scale if spreads is None else projection.scale * spreads
        factors = np.broadcast_to(1.0 / np.asarray(scale), projection.mean.shape)
    if not np.isfinite(factors).all():  # numbers so small that nothing is left to be seen beyond the components
        return np.zeros(rows.shape[0], dtype=np.float32)
    squares = _centered_square_lengths(rows, projection.mean, factors, workers)
    if projection.unit_rows:
        projected = project(replace(projection, unit_rows=False), rows, workers)
    kept = np.sum(np.square(projected, dtype=np.float64), axis=1)
    left = np.maximum(squares - kept, 0.0)
    if projection.unit_rows:
        left /= np.where(squares > 0.0, squares, 1.0)
    return np.asarray(np.minimum(np.sqrt(left), LARGEST), dtype=np.float32)


def _centered_square_lengths(
    rows: Any, mean: NDArray[np.float64], factors: NDArray[np.float64], workers: Threads
) -> NDArray[np.float64]:
    """Of centred rows whose columns are multiplied by factors."""
    result = np.empty(rows.shape[0])
    slices = row_slices(rows.shape[0], size=ROWS_IN_A_PIECE)
    of_mean = float(np.sum((mean * factors) ** 2))
    workers.run(partial(_square_piece, rows, mean, np.ascontiguousarray(factors), of_mean, result, slices), len(slices))
    return result


def _square_piece(
    rows: Any,
    mean: NDArray[np.float64],
    factors: NDArray[np.float64],
    of_mean: float,
    result: NDArray[np.float64],
    slices: list[slice],
    piece: int,
) -> None:
    part = rows[slices[piece]]
    if not is_sparse(part):
        _square_rows(computable(part), mean, factors, result[slices[piece]])
        return
    scaled = sparse.csr_array(part, dtype=np.float64)
    scaled.data = scaled.data * factors[scaled.indices]
    squares = np.asarray((scaled * scaled).sum(axis=1)).ravel()
    result[slices[piece]] = np.maximum(squares - 2.0 * (scaled @ (mean * factors)) + of_mean, 0.0)


@compiled(error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _square_rows(
    rows: NDArray[Any], mean: NDArray[np.float64], factors: NDArray[np.float64], result: NDArray[np.float64]
) -> None:
    for row in range(rows.shape[0]):
        total = 0.0
        for column in range(rows.shape[1]):
            step = (rows[row, column] - mean[column]) * factors[column]
            total += step * step
        result[row] = total
