"""Squared distances from anchors to near and to far objects, for all that judges a map triplet by triplet."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled

__all__ = ["squared_distances"]


@compiled(error_model="numpy")
def squared_distances(
    embedding: NDArray[np.float64],
    anchor: NDArray[np.integer[Any]],
    near: NDArray[np.integer[Any]],
    far: NDArray[np.integer[Any]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each triplet a = |y_i - y_j|^2 and b = |y_i - y_k|^2."""
    to_near = np.zeros(anchor.shape[0])
    to_far = np.zeros(anchor.shape[0])
    for row in range(anchor.shape[0]):
        for c in range(embedding.shape[1]):
            step_near = embedding[anchor[row], c] - embedding[near[row], c]
            step_far = embedding[anchor[row], c] - embedding[far[row], c]
            to_near[row] += step_near * step_near
            to_far[row] += step_far * step_far
    return to_near, to_far
