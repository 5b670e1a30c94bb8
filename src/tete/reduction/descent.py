"""New rows on a finished map: each descends its own loss against the frozen map, independently of the others.

Gradient descent from the best of some likely starts. The step grows after success and shrinks after failure, and a row
stops where its next step promises next to nothing. Every number of a row comes from that row alone, so that it lands on
the same bits whether it comes alone or with others.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCHEDULE", "Schedule", "descend", "likely_starts"]

MovingPlaces: TypeAlias = NDArray[np.float64]
Evaluate: TypeAlias = Callable[[MovingPlaces], tuple[NDArray[np.float64], MovingPlaces]]

N_STARTS = 4  # more find better places for proportionally more time


class Schedule(NamedTuple):
    """How a row descends: steps at most, the first one's length, what a step's factor is multiplied by, when to stop.

    A step promises the decrease (factor times squared gradient); less than `tolerance` is not worth an evaluation.
    """

    n_steps: int
    first: float
    growth: float
    shrinkage: float
    tolerance: float
    tiny: float


# A step that is too long costs more than one that is too short. On MNIST all but one row in a thousand stop by
# themselves, after 9 steps on average, and a hundred times as many steps lower the mean loss of 2.9 by 3e-7.
SCHEDULE = Schedule(n_steps=60, first=0.1, growth=1.5, shrinkage=0.3, tolerance=1e-8, tiny=1e-12)


def likely_starts(embedding: NDArray[Any], near: NDArray[np.int32], shares: NDArray[Any]) -> list[MovingPlaces]:
    """Weighted mean of the neighbours' places, and points just beside the nearest ones."""
    places = embedding[near].astype(np.float64)
    weights = shares / shares.sum(axis=1, keepdims=True)
    center = np.sum(weights[:, :, None] * places, axis=1)
    count = min(N_STARTS - 1, near.shape[1])
    return [center, *(0.9 * places[:, place] + 0.1 * center for place in range(count))]


def descend(evaluate: Evaluate, starts: list[MovingPlaces], schedule: Schedule = SCHEDULE) -> MovingPlaces:
    """Where each row ends; all rows go on until the last one stops, which changes nothing but the time."""
    values, gradients = evaluate(starts[0])
    places = starts[0].copy()
    for start in starts[1:]:
        others, other_gradients = evaluate(start)
        better = others < values
        places[better], values[better], gradients[better] = start[better], others[better], other_gradients[better]
    squares = np.sum(gradients**2, axis=1)
    steps = schedule.first / np.maximum(np.sqrt(squares), schedule.tiny)
    for _ in range(schedule.n_steps):
        going = steps * squares > schedule.tolerance
        if not going.any():
            break
        moved = places - steps[:, None] * gradients
        others, other_gradients = evaluate(moved)
        better = going & (others < values)
        places[better], values[better], gradients[better] = moved[better], others[better], other_gradients[better]
        squares = np.sum(gradients**2, axis=1)
        steps *= np.where(going, np.where(better, schedule.growth, schedule.shrinkage), 1.0)
    return places
