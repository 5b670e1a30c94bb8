"""Tables about objects: which column has their names, and what the other columns say of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.number_texts import is_number, numbers_of
from tete.io.parquet_files import parquet_table
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.tables import Table, refuse_equal_names
from tete.io.text_tables import text_table

__all__ = ["NAME_COLUMNS", "as_column", "kept_columns", "name_positions", "read_columns"]

NAME_COLUMNS = ("object", "name", "id", "key", "index")


def read_columns(path: AnyPath, names: Sequence[str], *, encoding: str = "utf-8") -> dict[str, NDArray[Any]]:
    """What a table says about objects, in the order of `names`: its column object, name, id or index tells which.

    Objects that the table does not have get empty cells; a table that has none of them is an error.
    """
    kind = kind_of(path, ("text", "parquet"), packed=True)
    source = Source.of(path)
    table = text_table(source, encoding=encoding) if kind == "text" else parquet_table(source)
    refuse_equal_names(table)
    rows = {position: _rows_of(table, position, names) for position in name_positions(table)}
    key = max(rows, key=lambda position: int(np.sum(rows[position] >= 0)), default=-1)  # names may be numbers
    if key < 0 or rows[key].max(initial=-1) < 0:
        raise InvalidFileError(
            f"{source.name}: no row names an object of the map, expected names such as "
            f"{', '.join(map(repr, names[:3]))} in a column {', '.join(NAME_COLUMNS[:-1])} or {NAME_COLUMNS[-1]}."
        )
    _refuse_repeats(table, key, set(names))
    return {
        column: as_column([values[row] if row >= 0 else "" for row in rows[key]])
        for column, values in kept_columns(table, {key}).items()
    }


def name_positions(table: Table) -> list[int]:
    """The columns that may have the names of objects, the likeliest first."""
    lower = [column.casefold() for column in table.columns]
    return [lower.index(name) for name in NAME_COLUMNS if name in lower]


def kept_columns(table: Table, left_out: set[int]) -> dict[str, NDArray[Any]]:
    """Texts of all other columns by name; columns without a name and without content are left out, too."""
    kept: dict[str, NDArray[Any]] = {}
    for position, column in enumerate(table.columns):
        if position in left_out or (not column and not any(table.column(position).names)):
            continue
        if column in kept:
            raise InvalidFileError(f"{table.head}: two columns have no name: names of columns must differ.")
        kept[column] = table.values(position)
    return kept


def as_column(texts: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Numbers where all texts are numbers or empty, with gaps as not-a-number; texts otherwise."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    written = np.array([str(text) for text in texts], dtype=object)
    codes, different = pd.factorize(written)
    plain = [text.strip() for text in different]
    if not all(is_number(text) for text in plain if text):
        return written
    numbers = numbers_of([text or "nan" for text in plain])[codes]
    if not np.isfinite(numbers).any():
        return written
    whole = bool(np.all(np.isfinite(numbers) & (numbers == np.round(numbers)) & (np.abs(numbers) < 2**53)))
    return numbers.astype(np.int64) if whole else numbers


def _rows_of(table: Table, position: int, names: Sequence[str]) -> NDArray[np.int64]:
    """For each name the row that has it in this column, or -1."""
    row_of = {name: row for row, name in enumerate(table.names(position))}
    return np.array([row_of.get(name, -1) for name in names], dtype=np.int64)


def _refuse_repeats(table: Table, position: int, names: set[str]) -> None:
    """Name the second row about one object: nobody could say which of them is meant."""
    seen: set[str] = set()
    for row, name in enumerate(table.names(position)):
        if name in names and name in seen:
            raise InvalidFileError(f"{table.location(row, position)}: {name!r} is there already: names must differ.")
        seen.add(name)
