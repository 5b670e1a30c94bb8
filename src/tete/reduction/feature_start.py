"""Where the map of a table starts: at its principal components, or without features at slow modes of its graph."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh

from tete.core.blas import one_blas_thread
from tete.core.threads import Threads
from tete.core.types import Embedding
from tete.reduction.projection import fit_projection, project

__all__ = ["graph_start", "linear_start"]


def linear_start(points: Any, n_components: int, rng: np.random.Generator, workers: Threads) -> Embedding:
    """The first principal components of the points, scaled."""
    projection = fit_projection(points, n_components, rng)
    columns = project(projection, points, workers).astype(np.float64)
    if projection.components is None:  # so few columns that they are taken as they are: the widest first
        columns = columns[:, np.argsort(-columns.std(axis=0), kind="stable")]
    return _scaled(columns, n_components, rng)


def _scaled(columns: Embedding, n_components: int, rng: np.random.Generator) -> Embedding:
    """Principal components scaled so that the first has standard deviation 1, whatever the units of the data.

    Missing columns (more dimensions wanted than the data has) are small normal draws.
    """
    start = rng.normal(scale=1e-2, size=(len(columns), n_components))
    width = min(columns.shape[1], n_components)
    spread = columns[:, 0].std() if width else 0.0
    if spread > 0.0:
        start[:, :width] = columns[:, :width] / spread
    return start


def graph_start(indices: NDArray[np.int32], n_components: int, rng: np.random.Generator) -> Embedding:
    """Slowest modes of a random walk on the graph of nearest neighbours, scaled: a start without features."""
    n_points, n_neighbors = indices.shape
    if n_points <= n_components + 2:
        return _scaled(rng.normal(size=(n_points, n_components)), n_components, rng)
    rows = np.repeat(np.arange(n_points), n_neighbors)
    graph = csr_array((np.ones(indices.size), (rows, indices.ravel())), shape=(n_points, n_points))
    graph = graph + graph.T
    roots = 1.0 / np.sqrt(np.asarray(graph.sum(axis=0)).ravel())
    walk: Any = diags_array(roots) @ graph @ diags_array(roots)
    first: NDArray[np.float64] = rng.normal(size=(n_points,))
    with one_blas_thread():  # the last bits of a product on several threads can vary
        modes = eigsh(walk, n_components + 1, which="LA", v0=first, tol=1e-3)[1][:, -2::-1]
    return _scaled(np.asarray(modes * roots[:, None]), n_components, rng)
