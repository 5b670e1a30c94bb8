"""The types that the stages pass to each other."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Callback", "Embedding", "Objective"]

Embedding: TypeAlias = NDArray[np.float64]
Objective: TypeAlias = Callable[[Embedding], tuple[float, Embedding]]
Callback: TypeAlias = Callable[[int, float, Embedding], Any]
