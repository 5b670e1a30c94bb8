"""Screens in one cell: a column of lists of objects, read as columns of one object each.

A list column `choices` becomes the columns choices1, choices2, ..., as many as the longest list has; cells are empty
where a list is shorter, as on screens that showed less.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Cell", "Unfolds", "cells_of", "lists_of", "longest_of", "never", "nth_of_lists", "nth_of_values"]

MOST_SHOWN = 100  # objects in one cell: nobody chooses among more


class Cell(NamedTuple):
    """A column of a table: its name, the column of the file, and which place of its lists if it has lists."""

    name: str
    column: str
    place: int | None = None


# Says of a column by its name whether lists in it become columns.
Unfolds: TypeAlias = Callable[[str], bool]


def never(_: str) -> bool:
    """Leave lists to be refused."""
    return False


def cells_of(source: Source, columns: Sequence[str], longest: dict[str, int]) -> list[Cell]:
    """The columns of a table, with several for each column of lists, of which the longest are given."""
    cells = []
    for column in columns:
        if column not in longest:
            cells.append(Cell(column, column))
            continue
        if longest[column] > MOST_SHOWN:
            raise InvalidFileError(
                f"{source.name}, column {column!r}: a screen may show at most {MOST_SHOWN} objects, got a list of "
                f"{longest[column]:,}."
            )
        cells += [Cell(f"{column}{place + 1}", column, place) for place in range(longest[column])]
    return cells


def lists_of(cells: Sequence[Cell]) -> dict[str, tuple[str, ...]]:
    """For each column of lists the names of those that it became."""
    found: dict[str, tuple[str, ...]] = {}
    for cell in cells:
        if cell.place is not None:
            found[cell.column] = (*found.get(cell.column, ()), cell.name)
    return found


def longest_of(lists: "pa.Array[Any]") -> int:
    """How long the longest list of a column of Parquet is."""
    return int(_lengths(lists).max(initial=0))


def nth_of_lists(lists: "pa.Array[Any]", place: int) -> "pa.Array[Any]":
    """For each list of a column of Parquet its object at this place, null where it is shorter."""
    import pyarrow as pa  # noqa: PLC0415

    lengths = _lengths(lists)
    starts = np.cumsum(lengths) - lengths
    return lists.flatten().take(pa.array(starts + place, mask=lengths <= place, type=pa.int64()))


def _lengths(lists: "pa.Array[Any]") -> NDArray[np.int64]:
    from pyarrow import compute  # noqa: PLC0415

    lengths = compute.list_value_length(lists).fill_null(0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)


def nth_of_values(value: Any, place: int) -> Any:
    """Of a list in JSON its object at this place, None where it is shorter."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return values[place] if place < len(values) else None
