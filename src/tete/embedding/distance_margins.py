"""By how much a map agrees with an answer, as a difference of plain distances: |y_i - y_k| - |y_i - y_j|.

It is what the answer model of held-out answers takes for the clearness of a call. -log l of eq. (loss) would do for one
pair of temperatures; plain distances do for all, and people's doubts follow them best (docs/method.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled

__all__ = ["distance_margins"]


@compiled(error_model="numpy")
def distance_margins(
    embedding: NDArray[np.float64],
    anchor: NDArray[np.integer[Any]],
    near: NDArray[np.integer[Any]],
    far: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """For each triplet how much farther from the anchor the far object is than the near one; negative where nearer."""
    result = np.empty(anchor.shape[0])
    for row in range(anchor.shape[0]):
        to_near = 0.0
        to_far = 0.0
        for c in range(embedding.shape[1]):
            step_near = embedding[anchor[row], c] - embedding[near[row], c]
            step_far = embedding[anchor[row], c] - embedding[far[row], c]
            to_near += step_near * step_near
            to_far += step_far * step_far
        # The difference of squares over the sum, whose sign is that of the squares, by which answers are counted.
        total = np.sqrt(to_near) + np.sqrt(to_far)
        result[row] = (to_far - to_near) / total if total > 0.0 else 0.0
    return result
