"""By how much a map agrees with answers, in the map's own units, whatever the loss that it was fitted with."""

import numpy as np

from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.embedding.answer_model import Floats
from tete.embedding.losses import DistanceLoss, log_ratios

__all__ = ["distance_margins"]


def distance_margins(embedding: Embedding, triplets: Triplets) -> Floats:
    """For each triplet |y_i - y_k| - |y_i - y_j|: positive where the map agrees, the larger the clearer.

    Maps of different losses can be compared by these: a margin -log l would also judge the loss's own kernel.
    """
    margins = log_ratios(
        DistanceLoss(1.0), np.ascontiguousarray(embedding), triplets.anchor, triplets.near, triplets.far
    )
    return np.negative(margins, out=margins)  # in place: triplets may be many
