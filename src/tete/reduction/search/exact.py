"""Nearest neighbours: points -> Neighbors(indices, distances), sorted, without the point itself, ties by number.

    TreeSearch       exact, few dimensions (k-d tree)
    FlatSearch       exact, up to some ten thousand points
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
from tete.reduction.metric_names import OF_TRUTH_VALUES
from tete.reduction.search.nearest import (
    Neighbors,
    NeighborSearch,
    PointArray,
    check_distances,
    refine,
    search_all,
    sorted_neighbors,
    without_own,
)

__all__ = ["FlatSearch", "MetricSearch", "TreeSearch", "exact_search", "make_search"]

TREE_DIMENSIONS = 5  # beyond, a k-d tree visits most of its leaves
OWN_POINTS = 2_000  # up to which a plain loop is done before faiss is loaded
FLAT_POINTS = 15_000  # beyond, cells are faster
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

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        # A few more candidates than wanted, because the order of near ties among them may not be exact yet.
        n_candidates = min(count + 1 + max(4, count // 8), len(self.points))
        if len(self.points) <= OWN_POINTS:
            found: NDArray[Any] = search_all(self.points, self.points, n_candidates, workers).indices
        else:
            import faiss  # noqa: PLC0415  (takes long to import)

            index = faiss.IndexFlatL2(self.points.shape[1])
            index.add(self.points)
            found = index.search(self.points, n_candidates)[1]
        return refine(self.points, self.points, found, count, workers, own=True)

    def of(self, queries: PointArray, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return search_all(self.points, queries, count, workers)


@dataclass
class MetricSearch(NeighborSearch):
    """Exact search with one of scikit-learn's metrics."""

    points: Any
    metric: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fitted: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (takes long to import)

        others = {name: value for name, value in self.parameters.items() if name != "p"}
        power = self.parameters.get("p", 2)  # which scikit-learn takes by itself
        algorithm = "brute" if self.metric in WITHOUT_TRIANGLES else "auto"
        search = NearestNeighbors(metric=self.metric, p=power, metric_params=others or None, algorithm=algorithm)
        self.fitted = search.fit(self.points)

    def within(self, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest other points of each of the points themselves."""
        indices, distances = without_own(*self._search(self.points, count + 1, workers))
        check_distances(distances, self.metric)
        return sorted_neighbors(indices, distances)

    def of(self, queries: Any, count: int, workers: Threads) -> Neighbors:
        """The `count` nearest points of each query."""
        return sorted_neighbors(*self._search(queries, count, workers))

    def _search(self, queries: Any, count: int, workers: Threads) -> tuple[NDArray[Any], NDArray[Any]]:
        self.fitted.set_params(n_jobs=workers.n_jobs)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what comes of it is looked at
            distances, indices = self.fitted.kneighbors(queries, n_neighbors=count)
        return indices, distances


def make_search(points: PointArray, seed: int) -> NeighborSearch:
    """The fastest search by Euclidean distance for these points."""
    if points.shape[1] <= TREE_DIMENSIONS or len(points) <= FLAT_POINTS:
        return exact_search(points)
    from tete.reduction.search.cells import WANTED_RECALL, CellSearch  # noqa: PLC0415  (takes long to import)

    cells = CellSearch(points, seed)
    # PointArray without clusters in many dimensions have their neighbours in all cells.
    return cells if cells.recall >= WANTED_RECALL else exact_search(points)


def exact_search(points: PointArray) -> NeighborSearch:
    """The faster of the two searches that miss nothing."""
    return TreeSearch(points) if points.shape[1] <= TREE_DIMENSIONS else FlatSearch(points)
