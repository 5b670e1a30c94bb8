"""What classes are called and in which order they get their colours: the same for every picture and page."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from tete.exceptions import InvalidParameterError

__all__ = ["class_texts", "given_colors", "ordered_classes"]

COLOR = re.compile(r"#[0-9a-fA-F]{6}")


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


def given_colors(colors: Mapping[Any, str] | None) -> dict[str, str]:
    """Colours of classes that somebody has chosen, by what the classes are called."""
    for name, color in (colors or {}).items():
        if not isinstance(color, str) or not COLOR.fullmatch(color):
            raise InvalidParameterError(f"`colors[{name!r}]` must be a colour like '#1f77b4', got {color!r}.")
    return {_class_text(name): color for name, color in (colors or {}).items()}


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
