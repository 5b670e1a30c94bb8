"""Tables of texts, whatever kind of file they come from, that know where in the file each row is.

A column is read when it is asked for, as its different texts and, for each row, the number of its text: a file may name
a few objects in millions of rows, and what is done with texts is done once for each of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.encodings import NO_CHARACTER
from tete.io.number_texts import has_decimal_commas, numbers_of
from tete.io.sources import Source
from tete.io.spreadsheets import without_apostrophe
from tete.io.text_files import TextFile

__all__ = ["Coded", "LocatedRows", "Table", "refuse_equal_names", "text_of"]


@dataclass(frozen=True)
class LocatedRows:
    """Rows of a file: the names of their columns, the number of each row's record, and how the file is written."""

    source: Source
    columns: tuple[str, ...]
    records: Sequence[int] | NDArray[Any]
    file: TextFile | None = None  # of text; others have no lines

    @property
    def head(self) -> str:
        """Where the names of the columns are, as the beginning of a message."""
        line = None if self.file is None else self.file.header_line
        return self.source.name if line is None else f"{self.source.name}, line {line}"

    def lines(self) -> NDArray[np.int64] | None:
        """The line of each row, or the number of its record where there are no lines; None where none can be told."""
        records = np.asarray(self.records, dtype=np.int64)
        return records if self.file is None else self.file.lines_of(records)

    def location(self, row: int, position: int | None = None) -> str:
        """Where a row is, as the beginning of a message: file, line and column."""
        record = int(self.records[row])
        line = None if self.file is None else self.file.line_of(record)
        where = f"{self.source.name}, row {record}" if line is None else f"{self.source.name}, line {line}"
        return where if position is None else f"{where}, column {self.columns[position]!r}"


@dataclass(frozen=True)
class Coded:
    """A column: its different texts, as the file has them, and for each row the number of its text."""

    codes: NDArray[Any]
    written: Sequence[str]
    for_spreadsheets: bool = False  # an apostrophe may keep a spreadsheet from computing the text

    @property
    def texts(self) -> list[str]:
        """The different texts."""
        return [without_apostrophe(text) for text in self.written] if self.for_spreadsheets else list(self.written)

    @property
    def names(self) -> list[str]:
        """The different texts without the space around them, which does not count in names."""
        stripped = [text.strip() for text in self.written]
        return [without_apostrophe(text) for text in stripped] if self.for_spreadsheets else stripped

    def each(self, values: Sequence[Any] | NDArray[Any], dtype: Any = None) -> NDArray[Any]:
        """For each row the value of its text."""
        spread: NDArray[Any] = np.asarray(values, dtype=dtype)[self.codes]
        return spread


@dataclass(frozen=True)
class Table(LocatedRows):
    """All rows of a file that are not blank; columns are read when they are asked for."""

    read_column: Callable[[int], Coded] = field(kw_only=True)
    lists: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, kw_only=True
    )  # columns of lists: see `list_cells`
    _read: dict[int, Coded] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.records)

    def column(self, position: int) -> Coded:
        """One column."""
        if position not in self._read:
            found = self.read_column(position)
            if self.file is None and NO_CHARACTER.search("".join(found.written)):  # text files are checked before
                bad = next(code for code, text in enumerate(found.written) if NO_CHARACTER.search(text))
                raise InvalidFileError(
                    f"{self.location(int(np.argmax(found.codes == bad)), position)}: {found.written[bad]!r} holds what "
                    "is no character of a text."
                )
            self._read[position] = found
        return self._read[position]

    def values(self, position: int) -> NDArray[Any]:
        """One column, a text for each row."""
        column = self.column(position)
        return column.each(column.texts, object)

    def names(self, position: int) -> NDArray[Any]:
        """One column, for each row a text without the space around it."""
        column = self.column(position)
        return column.each(column.names, object)

    def numbers(self, position: int) -> NDArray[np.float64]:
        """One column as numbers; decimal commas only where commas separate nothing and no number has a point."""
        column = self.column(position)
        commas = self.file is not None and self.file.separator != "," and has_decimal_commas(column.names)
        return column.each(numbers_of(column.names, decimal="," if commas else "."))


def refuse_equal_names(rows: LocatedRows) -> None:
    """Refuse two columns of one name, of which only one could be kept; columns without a name do not count."""
    seen: dict[str, int] = {}
    for position, name in enumerate(rows.columns):
        if name and name in seen:
            raise InvalidFileError(
                f"{rows.head}: columns {seen[name] + 1} and {position + 1} are both called {name!r}: "
                "names of columns must differ."
            )
        seen[name] = position


def text_of(value: Any) -> str:
    """A value of a table as text, empty where it is missing; whole numbers beside gaps are stored as 3.0."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, float):
        return "" if isnan(value) else repr(float(value)).removesuffix(".0")
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    return "" if pd.isna(value) else str(value)
