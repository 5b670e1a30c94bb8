"""One way to turn a `random_state` into a generator. Nothing here touches NumPy's global state."""

from typing import TypeAlias

import numpy as np

from tete.exceptions import InvalidParameterError

__all__ = ["RandomState", "make_generator"]

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def make_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed, an existing generator, a legacy `RandomState` or None (fresh entropy)."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"`random_state` must be a whole number from 0 on, a generator or None, got {random_state!r}."
        ) from None
