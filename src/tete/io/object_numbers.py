"""Object numbers of what files say: numbers, ids or names; `comparisons.object_ids` tells the former two apart."""

from collections.abc import Hashable

from tete.comparisons.object_ids import are_ids

__all__ = ["numbers_of_texts"]


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
