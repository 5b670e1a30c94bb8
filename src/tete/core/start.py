"""Where any optimiser may start: at random as in the paper, or at a given map. Starts from data are in their rooms."""

import numpy as np
from numpy.typing import ArrayLike

from tete.core.types import Embedding
from tete.exceptions import InvalidParameterError

__all__ = ["given_start", "random_start"]

FARTHEST_START = 1e12  # squares of more come too near to what single precision holds


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
    if np.abs(start).max(initial=0.0) > FARTHEST_START:
        raise InvalidParameterError(
            f"`init` must be from {-FARTHEST_START:g} to {FARTHEST_START:g}, got {np.abs(start).max():g} in size."
        )
    return start
