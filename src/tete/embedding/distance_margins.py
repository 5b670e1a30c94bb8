"""By how much a map agrees with an answer, as a difference of plain distances: |y_i - y_k| - |y_i - y_j|.

It is what the answer model of held-out answers takes for the clearness of a call. -log l of eq. (loss) would do for one
pair of temperatures; plain distances do for all, and people's doubts follow them best (docs/method.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.embedding.triplet_distances import squared_distances

__all__ = ["distance_margins"]


def distance_margins(
    embedding: NDArray[np.float64],
    anchor: NDArray[np.integer[Any]],
    near: NDArray[np.integer[Any]],
    far: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """For each triplet how much farther from the anchor the far object is than the near one; negative where nearer."""
    to_near, to_far = squared_distances(embedding, anchor, near, far)
    # The difference of squares over the sum, whose sign is that of the squares, by which answers are counted.
    total = np.sqrt(to_near) + np.sqrt(to_far)
    return np.asarray(np.divide(to_far - to_near, total, out=np.zeros(len(total)), where=total > 0.0))
