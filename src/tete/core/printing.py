"""Short tables for people to read: a label at the left, what there is to say at the right."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Printed", "counted", "listed", "rows_under", "table_lines", "were", "whole_counts"]

LARGEST_COUNT = 2.0**62  # which fits, and is more than anybody counts


def table_lines(rows: Iterable[tuple[str, str]], *, width: int = 20) -> list[str]:
    """The lines of a table of labels and texts; a label gets `width` letters, more than the longest has."""
    return [f"{label:<{width}}{text}" for label, text in rows]


def rows_under(label: str, texts: Iterable[str]) -> list[tuple[str, str]]:
    """Rows of which the first alone has the label, because all of them belong to it."""
    return [("" if number else label, text) for number, text in enumerate(texts)]


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number with what it counts: 1 row, 1,200 rows; `several` is said where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def listed(values: Sequence[Hashable], *, most: int = 8) -> str:
    """The first few of the values, and how many there are if these are not all."""
    shown = ", ".join(str(value) for value in values[:most]) or "none"
    return shown if len(values) <= most else f"{shown}, ... ({len(values):,} in all)"


def were(number: int) -> str:
    """The verb for so many."""
    return "was" if number == 1 else "were"


def whole_counts(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Counts as whole numbers: weights count as answers, and may be parts of one or beyond any number."""
    return np.asarray(np.rint(np.minimum(counts, LARGEST_COUNT)), dtype=np.int64)


class Printed:
    """A result that notebooks show as `print` does, where it is the last line of a cell: as text for people to read."""

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))
