"""Maps turned, moved and resized: principal axes, and one map laid over another (Procrustes)."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd

from tete.core.types import Embedding

__all__ = ["aligned", "principal_axes"]


def principal_axes(embedding: Embedding, n_components: int, *, of: Embedding | None = None) -> Embedding:
    """The map itself, or its first principal components, widest first, where it has more dimensions than wanted.

    The axes are those of the map `of`, if it is given.
    """
    if embedding.shape[1] == n_components:
        return embedding
    base = embedding if of is None else of
    center = base.mean(axis=0)
    _, axes = np.linalg.eigh((base - center).T @ (base - center))
    return np.ascontiguousarray((embedding - center) @ axes[:, ::-1][:, :n_components])


def aligned(
    reference: Embedding, embedding: Embedding, *, by: NDArray[np.bool_] | None = None, scale: bool = True
) -> Embedding:
    """The map moved, turned, mirrored and, with `scale`, resized so that its rows `by` lie nearest to the reference's.

    All rows are moved; by default all of them also say where to.
    """
    some = slice(None) if by is None else by
    target, own = reference[some].mean(axis=0), embedding[some].mean(axis=0)
    moved = embedding[some] - own
    left, strengths, right = svd(moved.T @ (reference[some] - target))
    size = float(np.sum(moved**2))
    factor = strengths.sum() / size if scale and size > 0.0 else 1.0
    return np.asarray(factor * ((embedding - own) @ left @ right) + target)
