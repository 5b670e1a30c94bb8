"""The deterministic start: leading eigenvectors of the matrix B of comparison counts.

Near Y = 0 every loss of the family is a constant minus g * trace(Y' B Y), g being its slope there. A tiny random start
therefore only performs a slow power iteration on B, whose result the eigenvectors give at once, the same for any seed.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from tete.core.blas import one_blas_thread
from tete.core.types import Embedding, Objective
from tete.embedding.objective import TripletSum

__all__ = ["best_radius", "brought_back", "largest_eigenvalue", "spectral_start"]

LARGEST_DENSE_MATRIX = 64  # up to here all of B is formed and solved at once; the limit was not tuned
SMALLEST_SHARE = 1e-3  # of the largest eigenvalue: small and negative ones count as this much, lest an axis be empty
RADII = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # powers of two up to the radius of fitted maps, 4 to 7 at the default ridge
BOUNDLESS = 10.0  # times the largest of these: at the default ridge so large a map is worse than one point


def spectral_start(shards: TripletSum, parts: NDArray[np.int64], n_components: int) -> Embedding:
    """Map of root mean square radius 1, made for each connected part by itself.

    B has no entries between parts, so its leading eigenvectors would leave all but one part at the origin, where the
    gradient vanishes.
    """
    if parts.max() == 0:
        return _connected_start(shards, n_components)
    start = np.zeros((len(parts), n_components))
    for part in shards.split(parts):
        start[part.objects] = _connected_start(part.shards, n_components)
    return start


def largest_eigenvalue(shards: TripletSum) -> float:
    """The largest eigenvalue of B, which is never negative because the trace of B is 0."""
    return float(_leading_eigenvectors(shards.compare, shards.n_objects, 1)[0][0])


def _leading_eigenvectors(
    multiply: Callable[[Embedding], Embedding], size: int, n_components: int
) -> tuple[NDArray[np.float64], Embedding]:
    """The largest eigenvalues, falling, and their eigenvectors as columns; columns beyond `size` are zero."""
    wanted = min(n_components, size)
    if size <= max(LARGEST_DENSE_MATRIX, 4 * n_components):
        with one_blas_thread():
            values, vectors = eigh(multiply(np.eye(size)), subset_by_index=(size - wanted, size - 1))
    else:
        operator = LinearOperator(
            (size, size), matvec=lambda v: multiply(v.reshape(-1, 1)), matmat=multiply, dtype=np.dtype(np.float64)
        )
        first = np.random.default_rng(0).normal(size=size)  # a fixed vector: the start does not depend on a seed
        with one_blas_thread():
            values, vectors = eigsh(operator, k=wanted, which="LA", v0=first, tol=1e-3)
    order = np.argsort(values)[::-1]
    vectors *= np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(wanted)])  # else the solver's whim
    missing = n_components - wanted
    return np.pad(values[order], (0, missing)), np.pad(vectors[:, order], ((0, 0), (0, missing)))


def _connected_start(shards: TripletSum, n_components: int) -> Embedding:
    """Eigenvectors scaled by the root of their eigenvalue, with a floor so that none starts at zero."""
    values, vectors = _leading_eigenvectors(shards.compare, shards.n_objects, n_components)
    if values[0] > 1e-12 * shards.total_weight:
        shape = vectors * np.sqrt(np.maximum(values, SMALLEST_SHARE * values[0]))
    else:  # answers that go in circles make B vanish: any start without symmetries will do
        shape = np.random.default_rng(0).normal(size=vectors.shape)
    return np.asarray(shape / np.sqrt(np.mean(np.sum(shape**2, axis=1))))


def best_radius(shape: Embedding, value_of: Callable[[Embedding], float]) -> Embedding:
    """The map scaled to that one of a few radii at which the objective is least."""
    values = [value_of(radius * shape) for radius in RADII]
    return RADII[int(np.argmin(values))] * shape


def brought_back(embedding: Embedding, objective: Objective) -> Embedding:
    """The map itself as a start for another objective, or, where no ridge has held it, the map of a sensible size.

    Answers without errors let a map grow without end. There every loss is flat or steep, and the next fit would stay.
    """
    centred = embedding - embedding.mean(axis=0)
    radius = np.sqrt(np.mean(np.sum(centred**2, axis=1)))
    if radius <= BOUNDLESS * RADII[-1]:
        return embedding
    return best_radius(centred / radius, lambda start: objective(start)[0])
