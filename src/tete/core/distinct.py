"""Which whole numbers there are, in order.

`numpy.unique` gathers them in a hash table, which takes fifty times as long as sorting for numbers that are regular,
such as those of pairs (numpy 2.4).
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct"]

Number = TypeVar("Number", bound=np.integer[Any])


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The different ones, rising."""
    rising = np.sort(numbers, axis=None)
    return rising[np.append(True, rising[1:] != rising[:-1])] if len(rising) else rising
