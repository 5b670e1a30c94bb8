"""Whether whole numbers are object numbers, or ids of objects.

They are object numbers if 0 is among them and they are not as sparse as ids are. Numbers that begin at 1, and those of
a register, are ids: they become names, so that no object is made that nobody speaks of.
"""

from collections.abc import Collection, Hashable

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_ids", "numbers_of_ids"]

SPARSE = 10  # numbers up to more than this many times the different ones are ids, not object numbers


def are_ids(numbers: Collection[int]) -> bool:
    """Whether different whole numbers are ids rather than object numbers from 0."""
    return 0 not in numbers or max(numbers) >= SPARSE * max(len(numbers), 10)


def numbers_of_ids(rows: NDArray[np.integer]) -> tuple[NDArray[np.integer], tuple[Hashable, ...] | None]:
    """Object numbers of an array of whole numbers, and the ids in the order of the numbers if they were ids."""
    ids, numbers = np.unique(rows, return_inverse=True)
    if not len(ids) or ids[0] < 0 or not are_ids(set(ids.tolist())):
        return rows, None
    return numbers.reshape(rows.shape), tuple(ids.tolist())
