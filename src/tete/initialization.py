"""Where an optimiser starts: at random as in the paper, at a given map, or at a linear map of feature data.

The spectral start of triplets is in `spectral`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh

from tete.arrays import Embedding
from tete.exceptions import InvalidParameterError

__all__ = ["best_radius", "given_start", "graph_start", "random_start", "scaled_start"]

RADII = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def random_start(n_objects: int, n_components: int, rng: np.random.Generator) -> Embedding:
    """Draws from N(0, 10^-3 I), as in Algorithm 1."""
    return rng.normal(scale=np.sqrt(1e-3), size=(n_objects, n_components))


def given_start(init: ArrayLike, n_objects: int, n_components: int) -> Embedding:
    """A copy of the user's array, or an error that says which shape was expected."""
    try:
        start = np.array(init, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"`init` must be one of its names or an array of numbers: {error}.") from None
    if start.shape != (n_objects, n_components):
        raise InvalidParameterError(
            f"`init` must have shape ({n_objects}, {n_components}), one row for each object, got {start.shape}."
        )
    if not np.isfinite(start).all():
        raise InvalidParameterError(f"`init` must be finite, got {int((~np.isfinite(start)).sum())} other values.")
    return start


def best_radius(shape: Embedding, value_of: Callable[[Embedding], float]) -> Embedding:
    """The map scaled to that one of a few radii at which the objective is least."""
    values = [value_of(radius * shape) for radius in RADII]
    return RADII[int(np.argmin(values))] * shape


def scaled_start(columns: Embedding, n_components: int, rng: np.random.Generator) -> Embedding:
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
    """Slowest modes of a random walk on the graph of nearest neighbours: a start without features."""
    n_points, n_neighbors = indices.shape
    if n_points <= n_components + 2:
        return rng.normal(size=(n_points, n_components))
    rows = np.repeat(np.arange(n_points), n_neighbors)
    graph = csr_array((np.ones(indices.size), (rows, indices.ravel())), shape=(n_points, n_points))
    graph = graph + graph.T
    roots = 1.0 / np.sqrt(np.asarray(graph.sum(axis=0)).ravel())
    walk: Any = diags_array(roots) @ graph @ diags_array(roots)
    first: NDArray[np.float64] = rng.normal(size=(n_points,))
    modes = eigsh(walk, n_components + 1, which="LA", v0=first, tol=1e-3)[1][:, -2::-1]
    return np.asarray(modes * roots[:, None])
