"""New rows on a finished map: each descends its own loss against the frozen map, independently of the others.

All rows descend together, but every number of a row comes from that row alone, so that it lands on the same bits
whether it comes alone or with others.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["descend", "likely_starts"]

MovingPlaces: TypeAlias = NDArray[np.float64]
Evaluate: TypeAlias = Callable[[MovingPlaces], tuple[NDArray[np.float64], MovingPlaces]]

N_STEPS = 60  # plain choices, these four: more steps or starts find better places for proportionally more time
GROWTH, SHRINKAGE = 1.5, 0.3  # a step that is too long costs more than one that is too short
N_STARTS = 4


def likely_starts(embedding: NDArray[Any], near: NDArray[np.int32], shares: NDArray[Any]) -> list[MovingPlaces]:
    """Weighted mean of the neighbours' places, and points just beside the nearest ones."""
    places = embedding[near].astype(np.float64)
    weights = shares / shares.sum(axis=1, keepdims=True)
    center = np.sum(weights[:, :, None] * places, axis=1)
    count = min(N_STARTS - 1, near.shape[1])
    return [center, *(0.9 * places[:, place] + 0.1 * center for place in range(count))]


def descend(evaluate: Evaluate, starts: list[MovingPlaces]) -> MovingPlaces:
    """Gradient descent of each row from its best start; its step grows after success and shrinks after failure."""
    values, gradients = evaluate(starts[0])
    places = starts[0].copy()
    for start in starts[1:]:
        others, other_gradients = evaluate(start)
        better = others < values
        places[better], values[better], gradients[better] = start[better], others[better], other_gradients[better]
    lengths = np.sqrt(np.sum(gradients**2, axis=1))
    steps = 0.1 / np.maximum(lengths, 1e-12)
    for _ in range(N_STEPS):
        moved = places - steps[:, None] * gradients
        others, other_gradients = evaluate(moved)
        better = others < values
        places[better], values[better], gradients[better] = moved[better], others[better], other_gradients[better]
        steps *= np.where(better, GROWTH, SHRINKAGE)
    return places
