"""Whether a map is in one piece, as numbers beside the picture."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

__all__ = ["pieces", "torn_share"]


def pieces(embedding: ArrayLike, *, reach: float = 3.0, least: float = 0.01) -> int:
    """Number of pieces that a map falls into.

    Points are joined if they are nearer to each other than `reach` times the median distance to the fifth nearest
    neighbour. A connected part with at least the share `least` of the points is a piece.
    """
    places = np.asarray(embedding, dtype=np.float64)
    tree = KDTree(places)
    radius = reach * float(np.median(np.asarray(tree.query(places, min(6, len(places)))[0])[:, -1]))
    pairs = np.asarray(tree.query_pairs(radius, output_type="ndarray"))
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(places), len(places)))
    sizes = np.bincount(connected_components(graph, directed=False)[1])
    return int(np.sum(sizes >= least * len(places)))


def torn_share(truth: ArrayLike, embedding: ArrayLike, *, n_neighbors: int = 10, stretch: float = 5.0) -> float:
    """Share of true neighbours that lie far apart on the map: more than `stretch` times the median distance of all."""
    real, places = np.asarray(truth, dtype=np.float64), np.asarray(embedding, dtype=np.float64)
    neighbors: NDArray[np.int64] = np.asarray(KDTree(real).query(real, n_neighbors + 1)[1])[:, 1:]
    distances = np.linalg.norm(places[:, None, :] - places[neighbors], axis=2)
    return float(np.mean(distances > stretch * np.median(distances)))
