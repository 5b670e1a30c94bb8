"""The types that the stages pass to each other.

`Objective` is the seam between the two halves of every fit: a function from a map to its value and its gradient. What
makes it knows nothing of the optimiser, and the optimiser (`optimization`) knows nothing else.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Callback", "Embedding", "NamedArrays", "Objective", "RowNumbers"]

Embedding: TypeAlias = NDArray[np.float64]  # a map: one row an object, one column a dimension
Objective: TypeAlias = Callable[[Embedding], tuple[float, Embedding]]
Callback: TypeAlias = Callable[[int, float, Embedding], Any]  # iteration, value, map; true ends the fit
RowNumbers: TypeAlias = NDArray[np.int64]
NamedArrays: TypeAlias = Mapping[str, NDArray[Any]]
