"""How much each neighbour counts in the listwise loss: p_ij, whose rows sum to 1.

Of some candidates, the m neighbours of least D_ij = d_ij^2 / (s_i s_j) are kept. The local scale s_i lets a sparse
region's points be neighbours of each other rather than of the dense region beside it. The p_ij are Gaussian in D_ij
with one width for each row, found by Newton's method so that the row has the wanted perplexity. D is divided by its
row's mean first, so that nothing depends on the units of the data.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices
from tete.reduction.search.nearest import Indices, Neighbors

__all__ = ["LANES", "Affinities", "affinities", "neighbor_scales", "wanted_perplexity"]

Floats: TypeAlias = NDArray[np.float32]

SCALE_RANKS = (3, 6)  # neighbours 4 to 6, as TriMap's local scales (Amid & Warmuth 2019)
# Of the neighbours, so that the last of them still count: two thirds up to this perplexity, beyond at least half
SHARE, PERPLEXITY, LEAST_SHARE = 0.66, 10.0, 0.5
ROWS_IN_A_PIECE = 1024  # enough work for a thread
MOST_STEPS = 40  # of Newton's method, which halves where it fails: more than enough
ENTROPY_ERROR = 1e-5  # far below what shares in single precision can show
LANES = 8  # rows that loops go through are filled up to a multiple of this: whole vectors of single precision


class Affinities(NamedTuple):
    """For each row the neighbours that count, and how much."""

    indices: Indices
    shares: Floats

    @classmethod
    def in_lanes(cls, n_rows: int, count: int) -> "Affinities":
        """Room for `count` neighbours of each row, filled up to whole lanes with the row itself, which has no share."""
        width = -(-count // LANES) * LANES
        result = cls(np.empty((n_rows, width), dtype=np.int32), np.zeros((n_rows, width), dtype=np.float32))
        result.indices[:, count:] = np.arange(n_rows, dtype=np.int32)[:, None]
        return result

    def arranged(self, order: Indices, rank: Indices, iteration: int, workers: Threads) -> "Affinities":
        """The same for rows in another order, in lanes: row r is point ``order[r]``, and point p is row ``rank[p]``."""
        count = self.indices.shape[1]
        result = Affinities.in_lanes(len(order), count)
        slices = row_slices(len(order), size=ROWS_IN_A_PIECE)

        def work(piece: int) -> None:
            rows = slices[piece]
            result.indices[rows, :count] = rank[self.indices[order[rows]]]
            result.shares[rows, :count] = self.shares[order[rows]]

        workers.run(work, len(slices))
        return result


def neighbor_scales(neighbors: Neighbors, power: float = 1.0, instead: float | None = None) -> Floats:
    """s_i: root of the mean squared distance to neighbours 4 to 6 (the last three if there are fewer), to a power.

    Where all these are at distance 0, `instead` stands for the result: the smallest of the others if nothing is said.
    """
    count = neighbors.distances.shape[1]
    last = min(SCALE_RANKS[1], count)
    first = max(min(SCALE_RANKS[0], last - 3), 0)
    scales = np.sqrt(np.mean(np.square(neighbors.distances[:, first:last], dtype=np.float64), axis=1))
    result, positive = np.asarray(scales**power, dtype=np.float32), scales > 0.0
    if instead is None:
        instead = float(result[positive].min()) if positive.any() else 1.0
    result[~positive] = instead
    return result


def affinities(
    candidates: Neighbors, own_scales: Floats, other_scales: Floats, count: int, workers: Threads
) -> Affinities:
    """Keep `count` of the candidates of each row and weigh them.

    `own_scales` has the scales of the rows, `other_scales` those of the points that the candidates' numbers mean.
    """
    n_rows = len(candidates.indices)
    result = Affinities(np.empty((n_rows, count), dtype=np.int32), np.empty((n_rows, count), dtype=np.float32))
    slices = row_slices(n_rows, size=ROWS_IN_A_PIECE)
    perplexity = wanted_perplexity(count)

    def work(piece: int) -> None:
        rows = slices[piece]
        _weigh_rows(
            candidates.indices[rows],
            candidates.distances[rows],
            own_scales[rows],
            other_scales,
            perplexity,
            result.indices[rows],
            result.shares[rows],
        )

    workers.run(work, len(slices) if n_rows else 0)
    return result


def wanted_perplexity(count: int) -> float:
    """How many of so many neighbours count, in effect."""
    return min(SHARE * count, max(PERPLEXITY, LEAST_SHARE * count)) if count > 1 else 1.0


@compiled(error_model="numpy")
def _weigh_rows(
    candidates: Indices,
    distances: Floats,
    own_scales: Floats,
    other_scales: Floats,
    perplexity: float,
    indices: Indices,
    shares: Floats,
) -> None:
    count = indices.shape[1]
    scaled = np.empty(candidates.shape[1])
    kept = np.empty(count)
    for row in range(candidates.shape[0]):
        for place in range(candidates.shape[1]):
            # numba's `float` would leave these in single precision, in which squares of small numbers vanish.
            scale = np.float64(own_scales[row]) * np.float64(other_scales[candidates[row, place]])
            scaled[place] = np.float64(distances[row, place]) ** 2 / scale
        order = np.argsort(scaled, kind="mergesort")
        for place in range(count):
            indices[row, place] = candidates[row, order[place]]
            kept[place] = scaled[order[place]]
        _gaussian_shares(kept, perplexity, shares[row])


@compiled(error_model="numpy")
def _gaussian_shares(scaled: NDArray[np.float64], perplexity: float, shares: Floats) -> None:
    """exp(-precision D), normalised, with the precision that gives the wanted perplexity."""
    mean = scaled.mean()
    mean = mean if mean > 0.0 else 1.0
    nearest = scaled.min()
    low, high, precision = 0.0, np.inf, 1.0
    for _ in range(MOST_STEPS):
        total, moment, square = 0.0, 0.0, 0.0
        for place in range(scaled.shape[0]):
            distance = (scaled[place] - nearest) / mean
            weight = math.exp(-precision * distance)
            total += weight
            moment += weight * distance
            square += weight * distance * distance
        moment, square = moment / total, square / total
        excess = math.log(total) + precision * moment - math.log(perplexity)
        if abs(excess) < ENTROPY_ERROR:
            break
        low, high = (precision, high) if excess > 0.0 else (low, precision)
        slope = precision * precision * (square - moment * moment)  # minus the derivative in log(precision)
        wanted = precision * math.exp(min(excess / slope, 1.0)) if slope > 0.0 else np.inf
        halfway = 2.0 * precision if high == np.inf else 0.5 * (low + high)
        precision = wanted if low < wanted < high else halfway
    total = 0.0
    for place in range(scaled.shape[0]):
        shares[place] = math.exp(-precision * (scaled[place] - nearest) / mean)
        total += shares[place]
    for place in range(scaled.shape[0]):
        shares[place] /= total
