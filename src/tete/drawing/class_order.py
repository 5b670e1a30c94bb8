"""What classes are called and in which order they get their colours: the same for every picture and page."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

__all__ = ["class_texts", "ordered_classes"]


def class_texts(values: NDArray[Any]) -> list[str]:
    """What the class of each object is called; "" where it has none. Whole numbers have no decimals."""
    return [_class_text(value) for value in values.tolist()]


def _class_text(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.0f}" if value.is_integer() else str(value)
    return "" if value is None else str(value)


def ordered_classes(texts: Iterable[str], known: Sequence[str] = ()) -> list[str]:
    """The different classes in the order of their colours, without "".

    The `known` ones come first as they are, whether or not they occur, so that a part of the objects is coloured like
    the whole. Others follow by number if all are numbers, and else as people sort: class 2 before class 10.
    """
    found = set(texts) - {*known, ""}
    return [*known, *sorted(found, key=_as_number if all(map(_is_number, found)) else _as_people_sort)]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _as_number(text: str) -> tuple[float, str]:
    return float(text), text


def _as_people_sort(text: str) -> tuple[list[str | int], str]:
    parts = re.split(r"([0-9]+)", text.casefold())  # texts and numbers in turn
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], text
