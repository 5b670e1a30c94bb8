"""Which triplets, and how much each counts (paper, section "Applications to Dimensionality Reduction").

A point's neighbours j and outliers k make its triplets (i, j, k). The weights of eq. (weight) are a product,
omega_ijk = exp(-d_ij^2 / (s_i s_j)) * exp(d_ik^2 / (s_i s_k)), so that m + m_o numbers a point say m m_o weights.
The second factor can exceed any float, so everything is added in logarithms and the largest weight subtracted first,
which is the division by the maximum that Algorithm 1 asks for.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.hashed_draws import draw, stream
from tete.core.threads import SERIAL, Threads, row_slices
from tete.reduction.search.distances import DistanceBetween
from tete.reduction.search.nearest import Indices, Neighbors, empty_neighbors
from tete.reduction.weighted.kernel import DenseWeights, SeparableWeights

__all__ = [
    "draw_outliers",
    "equal_weights",
    "largest_log_weight",
    "local_scales",
    "log_like",
    "log_weights",
    "paired",
    "scaled_weights",
    "weights_of_logs",
]

SCALE_RANK = 10  # sigma_i is the distance of i to its 10th nearest neighbour
MOST_TRIES = 64  # fails for a point with a share f of all points outside its neighbourhood in (1 - f)^64 of the draws
ROWS_IN_A_PIECE = 2048  # enough work for a thread
LOG_STRENGTH = 500.0  # TriMap's


def local_scales(neighbors: Neighbors, instead: float | None = None) -> NDArray[np.float32]:
    """sigma_i: the distance to the 10th neighbour, or to the last one if there are fewer.

    Where it is 0, `instead` stands for it: the smallest of the others if nothing is said.
    """
    scales = neighbors.distances[:, min(SCALE_RANK, neighbors.distances.shape[1]) - 1].copy()
    if instead is None:
        positive = scales[scales > 0.0]
        instead = float(positive.min()) if len(positive) else 1.0
    scales[scales <= 0.0] = instead
    return scales


def draw_outliers(
    rows: NDArray[Any],
    radii: NDArray[np.float32],
    n_points: int,
    seed: int,
    between: DistanceBetween,
    workers: Threads = SERIAL,
) -> Neighbors:
    """For each row as many uniform draws as it has radii, each farther away than its radius.

    Parameters
    ----------
    rows : numbers that name the rows' random streams; a row never draws its own number
    radii : array of shape (n_rows, n_outliers)
    between : function of row positions and point numbers that returns the distances between them

    Notes
    -----
    Draws that are not farther are drawn again. Where 64 tries find none (a point with hardly anything outside its
    neighbourhood), the farthest one tried is taken.
    """
    result = empty_neighbors(*radii.shape)
    slices = row_slices(len(radii), size=ROWS_IN_A_PIECE)

    def work(piece: int) -> None:
        some = slices[piece]
        room = Neighbors(result.indices[some], result.distances[some])
        _draw_rows(rows[some], radii[some], n_points, seed, lambda row, point: between(some.start + row, point), room)

    workers.run(work, len(slices) if len(radii) else 0)
    return result


def _draw_rows(
    rows: NDArray[Any],
    radii: NDArray[np.float32],
    n_points: int,
    seed: int,
    between: DistanceBetween,
    result: Neighbors,
) -> None:
    n_rows, n_outliers = radii.shape
    position, slot = np.divmod(np.arange(n_rows * n_outliers), n_outliers)
    wanted = radii.ravel()
    indices, distances = result.indices.reshape(-1), result.distances.reshape(-1)
    indices[:], distances[:] = 0, -1.0
    pending = np.arange(n_rows * n_outliers)
    for attempt in range(MOST_TRIES):
        tried = _draw_table(rows[position[pending]], slot[pending], seed, attempt, n_points)
        found = between(position[pending], tried)
        found = np.where(tried == rows[position[pending]], np.float32(-1.0), found)
        better = found > distances[pending]
        indices[pending[better]] = tried[better]
        distances[pending[better]] = found[better]
        pending = pending[distances[pending] <= wanted[pending]]
        if len(pending) == 0:
            break


@compiled()
def _draw_table(rows: NDArray[np.int64], slots: NDArray[np.int64], seed: int, attempt: int, n_points: int) -> Indices:
    result = np.empty(rows.shape[0], dtype=np.int32)
    for place in range(rows.shape[0]):
        result[place] = draw(stream(seed, rows[place], slots[place]), attempt, n_points)
    return result


def log_weights(
    distances: NDArray[np.float32], own_scales: NDArray[np.float32], other_scales: NDArray[np.float32]
) -> NDArray[np.float64]:
    """d_ij^2 / (sigma_i sigma_j), the logarithm of one factor of eq. (weight) up to its sign."""
    own = own_scales.astype(np.float64)[:, None]
    return np.square(distances.astype(np.float64)) / (own * other_scales.astype(np.float64))


def largest_log_weight(near: NDArray[np.float64], far: NDArray[np.float64]) -> float:
    """Logarithm of the largest omega among all m x m_o triplets of all points."""
    return float((far.max(axis=1) - near.min(axis=1)).max())


def weights_of_logs(
    near: NDArray[np.float64], far: NDArray[np.float64], largest: float, bias: float
) -> SeparableWeights:
    """Weights omega / max omega + gamma of all m x m_o triplets of each point, from the logarithms of the factors."""
    nearest = -near.min(axis=1, keepdims=True)
    return SeparableWeights(
        np.exp(-near - nearest).astype(np.float32),
        np.exp(np.minimum(far + nearest - largest, 0.0)).astype(np.float32),
        np.full(len(near), bias, dtype=np.float32),
    )


def equal_weights(n_points: int, n_neighbors: int, n_outliers: int) -> SeparableWeights:
    """Every triplet counts 1."""
    zeros = [np.zeros((n_points, count), dtype=np.float32) for count in (n_neighbors, n_outliers)]
    return SeparableWeights(zeros[0], zeros[1], np.ones(n_points, dtype=np.float32))


def scaled_weights(weights: SeparableWeights | DenseWeights, factors: NDArray[Any]) -> SeparableWeights | DenseWeights:
    """Multiply the weights of each point's triplets by the point's own factor."""
    scale = factors.astype(np.float32)
    if isinstance(weights, DenseWeights):
        return DenseWeights(weights.table * scale[:, None, None])
    return SeparableWeights(weights.near * scale[:, None], weights.far, weights.bias * scale)


def log_like(weights: SeparableWeights) -> DenseWeights:
    """log(1 + 500 omega), TriMap's form, which lets also the triplets of middling weight count.

    It does not separate: m m_o numbers a point.
    """
    table = dense_table(weights)
    table *= np.float32(LOG_STRENGTH)
    return DenseWeights(np.log1p(table, out=table))


def dense_table(weights: SeparableWeights) -> NDArray[np.float32]:
    """All weights, multiplied out."""
    return weights.near[:, :, None] * weights.far[:, None, :] + weights.bias[:, None, None]


def paired(weights: SeparableWeights | DenseWeights) -> DenseWeights:
    """Keep only the triplets of neighbour and outlier with the same number, as in Algorithm 1."""
    table = dense_table(weights) if isinstance(weights, SeparableWeights) else weights.table
    return DenseWeights(table * np.eye(*table.shape[1:], dtype=np.float32))
