"""Farther neighbours where the data are a surface, so that the listwise loss does not tear it into filaments.

The listwise loss only asks who a point's nearest neighbours are. On a curve or surface that many points sample densely,
the nearest fifteen lie in a tiny patch, and nothing holds the patches together. There, and only there, a point is also
drawn to points some steps away along the surface: ends of short and long random walks on the graph of neighbours.

Where this applies is read off the distances r_1 < r_2 < ... to a point's neighbours: in dimension d the logarithm of
r_b / r_a is (psi(b) - psi(a)) / d on average, psi being the digamma function.
"""

from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from tete.core.compilation import compiled
from tete.core.hashed_draws import draw, stream
from tete.core.threads import Threads, row_slices
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.search.nearest import Indices, Neighbors, NeighborSearch

__all__ = ["RANKS", "Surface", "gate", "local_dimension", "make_surface", "may_be_surface"]

Floats: TypeAlias = NDArray[np.float32]

RANKS = (10, 30, 60)  # the dimension is measured between these neighbours: nearer ones feel noise, farther ones bends
HIGHEST_DIMENSION, SOFTNESS = 3.0, 0.5  # a surface has 2 and measures somewhat more; images and text measure far more
FEWEST_POINTS = 480  # fewer do not sample a surface densely
LEAST_MEAN_GATE = 0.1  # below, a few points look flat by chance
SAMPLE, FEWEST_TO_ASK, CLEARLY = 400, 5, 4.0  # points, how many times their neighbours the others are, standard errors
# Of the farther neighbours, while steps are full, which lays the surface out, and at the end, when it lies: .5 there
# costs the mammoth .06 of its neighbourhoods, .2 still .015, nothing leaves it less whole
FIRST_SHARE, LAST_SHARE = 0.9, 0.1
FADING = 0.5  # of the iterations in which steps fall: from one share to the other, then neighbourhoods have their turn
WALKS_OF_EACH_LENGTH = 2  # farther neighbours of each length in an iteration
WALKS_KEPT = 8  # of which these are chosen
ROWS_IN_A_PIECE = 4096  # enough work for a thread
RENEWAL = 20  # iterations that the same walks serve: walking takes longer than choosing


def local_dimension(neighbors: Neighbors, low: int, high: int) -> NDArray[np.float64]:
    """Dimension around each point between neighbours number `low` and `high`, averaged over its `high` nearest."""
    return _averaged(_inverse_dimension(neighbors, low, high), neighbors.indices, high)


def _inverse_dimension(neighbors: Neighbors, low: int, high: int) -> NDArray[np.float64]:
    farther, nearer = (neighbors.distances[:, rank - 1].astype(np.float64) for rank in (high, low))
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.log(farther / nearer) / (digamma(high) - digamma(low))
    inverse[~np.isfinite(inverse)] = 0.0
    return np.asarray(inverse)


def _averaged(inverse: NDArray[np.float64], near: NDArray[Any], high: int) -> NDArray[np.float64]:
    smooth = np.zeros(len(near))
    for rank in range(high):  # column by column, because the whole table of neighbours' values would be large
        smooth += inverse[near[:, rank]]
    return np.asarray(high / np.maximum(smooth, 1e-12))


def gate(neighbors: Neighbors, last: int = RANKS[-1]) -> NDArray[np.float64]:
    """How much each point lies on a surface, from 0 to 1; all 0 if that is so for less than a tenth of the data.

    Judged by the neighbours up to number `last`.
    """
    n_points, count = len(neighbors.indices), min(neighbors.indices.shape[1], last)
    pairs = [(low, high) for low, high in pairwise(RANKS) if high <= count]
    if not pairs or n_points <= FEWEST_POINTS:
        return np.zeros(n_points)
    dimensions = [local_dimension(neighbors, low, high) for low, high in pairs]
    gates = _gates(dimensions) * (1.0 - FEWEST_POINTS / n_points)
    return gates if gates.mean() > LEAST_MEAN_GATE else np.zeros(n_points)


def _gates(dimensions: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(np.clip((HIGHEST_DIMENSION - np.max(dimensions, axis=0)) / SOFTNESS, 0.0, 1.0))


def may_be_surface(search: NeighborSearch, workers: Threads) -> bool:
    """Whether it is worth the time and memory to look for the farthest neighbours of all points.

    Of so many points that it takes a small share of that, the first ones, a random sample, are asked for their gates.
    """
    if len(search.points) < FEWEST_TO_ASK * SAMPLE * RANKS[-1]:
        return True
    search = copy(search)  # so that what is made for these queries does not outlive them

    def around(points: Any) -> Neighbors:
        found = search.of(points, RANKS[-1] + 1, workers)
        return Neighbors(found.indices[:, 1:], found.distances[:, 1:])  # each is its own nearest

    near = around(search.points[:SAMPLE]).indices
    others, places = np.unique(near, return_inverse=True)
    found, places = around(search.points[others]), places.reshape(near.shape)
    gates = _gates([_averaged(_inverse_dimension(found, low, high), places, high) for low, high in pairwise(RANKS)])
    error = gates.std() / np.sqrt(SAMPLE)
    return bool(gates.mean() + CLEARLY * error > LEAST_MEAN_GATE)


@dataclass
class Surface:
    """Affinities with farther neighbours, which change from iteration to iteration."""

    near: Affinities
    gates: Floats
    graph: Indices
    n_doublings: int
    seed: int
    n_full: float
    max_iter: int
    _ends: Indices | None = None

    def arranged(self, order: Indices, rank: Indices, iteration: int, workers: Threads) -> Affinities:
        """The nearest neighbours, then the farther ones of this iteration, for rows in another order, in lanes.

        Row r is point ``order[r]``, and point p is row ``rank[p]``.
        """
        if self._ends is None or iteration % RENEWAL == 0:
            self._ends = self._walk(iteration)
        ends, late = self._ends, (iteration - self.n_full) / (FADING * (self.max_iter - self.n_full))
        late = min(max(late, 0.0), 1.0)
        share = (1.0 - late) * FIRST_SHARE + late * LAST_SHARE
        result = Affinities.in_lanes(len(order), self.near.indices.shape[1] + ends.shape[1] * WALKS_OF_EACH_LENGTH)
        slices = row_slices(len(order), size=ROWS_IN_A_PIECE)

        def work(piece: int) -> None:
            rows = slices[piece]
            own = (order[rows], rank, share, self.gates)
            _join(*own, *self.near, ends, self.seed, iteration, result.indices[rows], result.shares[rows])

        workers.run(work, len(slices))
        return result

    def _walk(self, iteration: int) -> Indices:
        """Ends of walks of 1, 2^(L // 2) and 2^L steps, a few of each for every point."""
        lengths = (0, self.n_doublings // 2, self.n_doublings)
        ends = _first_steps(self.graph, self.seed, iteration)
        result = []
        for doubling in range(self.n_doublings + 1):
            result += [ends] * lengths.count(doubling)
            ends = _double(ends, self.seed, iteration + 1 + doubling)
        return np.ascontiguousarray(np.stack(result, axis=1))


def make_surface(
    near: Affinities, neighbors: Neighbors, gates: NDArray[np.float64], seed: int, stages: tuple[float, int]
) -> Surface:
    """Prepare farther neighbours; the walks' reach grows with the number of points.

    `stages` are the number of iterations with full steps, and of all.
    """
    n_points = len(gates)
    width = min(int(np.clip(n_points // 32, 15, 60)), neighbors.indices.shape[1])
    n_doublings = max(0, round(float(np.log2(0.2 * n_points / width))))
    graph = neighbors.first(width).indices
    return Surface(near, gates.astype(np.float32), graph, n_doublings, seed, *stages)


@compiled()
def _first_steps(graph: Indices, seed: int, iteration: int) -> Indices:
    ends = np.empty((graph.shape[0], WALKS_KEPT), dtype=np.int32)
    for point in range(graph.shape[0]):
        name = stream(seed + 1, iteration, point)
        for walk in range(WALKS_KEPT):
            ends[point, walk] = graph[point, draw(name, walk, graph.shape[1])]
    return ends


@compiled()
def _double(ends: Indices, seed: int, iteration: int) -> Indices:
    """Walks twice as long: from where a walk ends, on with one of the walks that begin there."""
    result = np.empty_like(ends)
    for point in range(ends.shape[0]):
        name = stream(seed + 2, iteration, point)
        for walk in range(WALKS_KEPT):
            result[point, walk] = ends[ends[point, walk], draw(name, walk, WALKS_KEPT)]
    return result


@compiled()
def _join(
    points: Indices,
    rank: Indices,
    share: float,
    gates: Floats,
    near: Indices,
    near_shares: Floats,
    ends: NDArray[np.int32],
    seed: int,
    iteration: int,
    indices: Indices,
    shares: Floats,
) -> None:
    """Near neighbours of these points, ends of some of their walks, and shares of both, which the gates divide."""
    n_near, n_far = near.shape[1], ends.shape[1] * WALKS_OF_EACH_LENGTH
    for row in range(points.shape[0]):
        point = points[row]
        far = share * gates[point]
        for place in range(n_near):
            indices[row, place] = rank[near[point, place]]
            shares[row, place] = near_shares[point, place] * (1.0 - far)
        name = stream(seed + 3, iteration, point)
        for place in range(n_far):
            end = ends[point, place // WALKS_OF_EACH_LENGTH, draw(name, place, WALKS_KEPT)]
            indices[row, n_near + place] = rank[end]
            shares[row, n_near + place] = far / n_far
