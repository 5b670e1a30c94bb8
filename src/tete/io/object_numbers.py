"""Object numbers of what files say: numbers, ids or names.

Whole numbers are object numbers if 0 is among them and they are not as sparse as ids are. Numbers that begin at 1, and
those of a register, are ids: they become names, so that no object is made that nobody speaks of.
"""

from collections.abc import Collection, Hashable

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_ids", "numbers_of_ids", "numbers_of_texts"]

SPARSE = 10  # numbers up to more than this many times the different ones are ids, not object numbers


def are_ids(numbers: Collection[int]) -> bool:
    """Whether different whole numbers are ids rather than object numbers from 0."""
    return 0 not in numbers or max(numbers) >= SPARSE * max(len(numbers), 10)


def numbers_of_texts(
    texts: set[str], known: tuple[Hashable, ...] | None
) -> tuple[dict[str, int], tuple[Hashable, ...] | None]:
    """For each text the number of its object, and the names in the order of the numbers if the objects have any."""
    if known is not None:
        return {str(name): number for number, name in enumerate(known)}, known
    if all(text.isdecimal() and text.isascii() and len(text) < 10 for text in texts):
        numbers = {text: int(text) for text in texts}
        different = set(numbers.values())
        if len(different) == len(texts):  # 7 and 07 may be two
            if not different or not are_ids(different):
                return numbers, None
            ids = sorted(different)
            ranks = {number: rank for rank, number in enumerate(ids)}
            return {text: ranks[number] for text, number in numbers.items()}, tuple(ids)
    names = sorted(texts)
    return {name: number for number, name in enumerate(names)}, tuple(names)


def numbers_of_ids(rows: NDArray[np.integer]) -> tuple[NDArray[np.integer], tuple[Hashable, ...] | None]:
    """The same for an array of whole numbers from 0 on: object numbers, and the ids if they were ids."""
    ids, numbers = np.unique(rows, return_inverse=True)
    if not len(ids) or ids[0] < 0 or not are_ids(set(ids.tolist())):
        return rows, None
    return numbers.reshape(rows.shape), tuple(ids.tolist())
