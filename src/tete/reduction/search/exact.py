"""Nearest neighbours: points -> Neighbors(indices, distances), sorted, without the point itself, ties by number.

    TreeSearch       exact, few dimensions (k-d tree)
    FlatSearch       exact, all distances: up to ten thousand points, and noise without any cells
    CellSearch       nearly exact, many points
    MetricSearch     scikit-learn's metrics

A query is answered from its own row alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from tete.core.threads import Threads
from tete.reduction.metric_names import OF_TRUTH_VALUES, Metric, metric_said
from tete.reduction.search.cells import cell_search
from tete.reduction.search.nearest import (
    Neighbors,
    NeighborSearch,
    PointArray,
    check_distances,
    refine,
    sorted_neighbors,
    without_own,
)
from tete.reduction.search.scanning import Blocks, make_blocks, scan_all

__all__ = ["FlatSearch", "MetricSearch", "TreeSearch", "exact_search", "make_search"]

TREE_DIMENSIONS = 5  # beyond, a k-d tree visits most of its leaves
FLAT_POINTS = 10_000  # all distances take less than half a second; beyond, cells are faster
NEARLY_ALL = 0.4  # of the cells, beyond which all distances are faster
WITH_A_BUFFER = ("mahalanobis",)  # scikit-learn's writes into memory that threads would share: nine of ten rows wrong
WITHOUT_TRIANGLES = (*OF_TRUTH_VALUES, "braycurtis")  # trees would miss neighbours where a way round is shorter


@dataclass
class TreeSearch(NeighborSearch):
    """Exact search in a k-d tree."""

    points: PointArray
    tree: KDTree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.tree = KDTree(self.points)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        found = self._candidates(self.points, count + 1, workers)
        return refine(self.points, self.points, found, count, workers, own=True)

    def of(self, queries: PointArray, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return refine(self.points, queries, self._candidates(queries, count, workers), count, workers)

    def _candidates(self, queries: PointArray, count: int, workers: Threads) -> NDArray[Any]:
        found = self.tree.query(queries, k=count, workers=workers.n_jobs)[1]
        return np.asarray(found).reshape(len(queries), count)


@dataclass
class FlatSearch(NeighborSearch):
    """Exact search by all distances."""

    points: PointArray
    _blocks: Blocks | None = field(default=None, init=False, repr=False)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        return scan_all(make_blocks(self.points), self.points, count, workers, own=True)

    def of(self, queries: PointArray, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        self.prepare()
        assert self._blocks is not None
        return scan_all(self._blocks, queries, count, workers)

    def prepare(self) -> None:
        """Put the points into blocks, which all later queries share."""
        if self._blocks is None:
            self._blocks = make_blocks(self.points)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_blocks": None}  # the points again, in another order


@dataclass
class MetricSearch(NeighborSearch):
    """Exact search with one of scikit-learn's metrics."""

    points: Any
    metric: Metric
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fitted: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (takes long to import)

        others = {name: value for name, value in self.parameters.items() if name != "p"}
        power = self.parameters.get("p", 2)  # which scikit-learn takes by itself
        algorithm = "brute" if self.metric in WITHOUT_TRIANGLES or callable(self.metric) else "auto"
        search = NearestNeighbors(metric=self.metric, p=power, metric_params=others or None, algorithm=algorithm)
        self.fitted = search.fit(self.points)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        indices, distances = without_own(*self._search(self.points, count + 1, workers))
        check_distances(distances, metric_said(self.metric))
        return sorted_neighbors(indices, distances)

    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return sorted_neighbors(*self._search(queries, count, workers))

    def _search(self, queries: Any, count: int, workers: Threads) -> tuple[NDArray[Any], NDArray[Any]]:
        one_thread = callable(self.metric) or self.metric in WITH_A_BUFFER
        self.fitted.set_params(n_jobs=1 if one_thread else workers.n_jobs)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what comes of it is looked at
            distances, indices = self.fitted.kneighbors(queries, n_neighbors=count)
        return indices, distances


def make_search(points: PointArray, seed: int, workers: Threads) -> NeighborSearch:
    """The fastest search by Euclidean distance for these points."""
    if points.shape[1] <= TREE_DIMENSIONS or len(points) <= FLAT_POINTS:
        return exact_search(points)
    cells = cell_search(points, seed, workers)
    # Points without clusters in many dimensions have their neighbours in all cells.
    return exact_search(points) if cells.n_visited >= NEARLY_ALL * len(cells.centers) else cells


def exact_search(points: PointArray) -> NeighborSearch:
    """The faster of the two searches that miss nothing."""
    return TreeSearch(points) if points.shape[1] <= TREE_DIMENSIONS else FlatSearch(points)
