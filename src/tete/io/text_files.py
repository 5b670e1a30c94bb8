"""Text files as people have them: any separator, quotes, byte order marks; and which line a record is on.

Python's own csv module reads the header and finds lines, pandas' compiled parser reads the records. Both see the same
records, because neither leaves out blank lines: record r of the one is record r of the other.
"""

import csv
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFileError
from tete.io.encodings import checked_encoding
from tete.io.sources import Source
from tete.io.spreadsheets import without_apostrophe

__all__ = ["TextFile", "shortened"]

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True)
class TextFile:
    """A table in a text file: how it is written, the names of its columns, and where its records begin."""

    source: Source
    encoding: str
    separator: str
    columns: tuple[str, ...]
    header_line: int | None  # the line of the names, if there are any
    n_lines_before: int  # lines before the first record

    @classmethod
    def of(cls, source: Source, *, encoding: str, header: bool, least_columns: int = 1) -> "TextFile":
        """Look at the file; the separator is the one that gives the first line the most columns."""
        encoding = checked_encoding(source, encoding)
        line, after, separator, cells = max(
            (_first_record(source, separator, encoding) for separator in SEPARATORS),
            key=lambda record: len(record[3]),  # of equals, the first
        )
        if len(cells) < least_columns:
            known = ", ".join(SEPARATORS.values())
            raise InvalidFileError(
                f"{source.name}, line {line}: expected at least {least_columns} columns separated by one of {known}, "
                f"got {len(cells)}: {shortened(' '.join(cells))!r}."
            )
        if not header:
            return cls(source, encoding, separator, tuple(str(n + 1) for n in range(len(cells))), None, line - 1)
        names = tuple(without_apostrophe(cell.strip()) for cell in cells)
        return cls(source, encoding, separator, names, line, after)

    def headless(self) -> "TextFile":
        """The same file with its first line taken for a record."""
        assert self.header_line is not None
        numbers = tuple(str(position + 1) for position in range(len(self.columns)))
        return TextFile(self.source, self.encoding, self.separator, numbers, None, self.header_line - 1)

    @contextmanager
    def opened(self) -> Iterator[TextIOWrapper]:
        """The text from the first record on."""
        with (
            self.source.reading("a table of text") as stream,
            TextIOWrapper(stream, encoding=self.encoding, newline="") as text,
        ):
            for _ in range(self.n_lines_before):
                text.readline()
            yield text

    @contextmanager
    def parsed(self) -> Iterator[TextIOWrapper]:
        """The same for pandas' parser, whose mistakes become sentences that name the line."""
        import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

        with self.opened() as text:
            try:
                yield text
            except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
                raise self._mistake(str(error)) from error

    def records(self) -> Generator[tuple[int, list[str]]]:
        """The lines on which records begin, and their cells; a blank line is a record without cells."""
        with self.opened() as text:
            for line, _, cells in _records(text, self.separator, self.source.name):
                yield self.n_lines_before + line, cells

    def line_of(self, record: int) -> int | None:
        """The line on which a record begins; None where no line can be told."""
        with closing(self.records()) as records:
            try:
                return next((line for line, _ in islice(records, record, None)), None)
            except InvalidFileError:  # csv takes no cell of more than 131,072 letters
                return None

    def lines_of(self, records: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """The lines on which these records begin; None where no line can be told."""
        with self.opened() as text:
            quoted = any('"' in line for line in text)
        if not quoted:  # then no record has more than one line
            return self.n_lines_before + 1 + records
        with closing(self.records()) as found:
            try:
                return np.array([line for line, _ in found], dtype=np.int64)[records]
            except InvalidFileError:  # as above
                return None

    def cell_counts(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many cells each of these blank records has, all of them empty: none on a blank line."""
        counts = np.zeros(len(records), dtype=np.int64)
        place_of = {int(record): place for place, record in enumerate(records)}
        with closing(self.records()) as found:
            for record, (_, cells) in enumerate(islice(found, int(records.max(initial=-1)) + 1)):
                if record in place_of:
                    counts[place_of[record]] = len(cells)
        return counts

    def _mistake(self, reason: str) -> InvalidFileError:
        """Why pandas does not read the records: the line with too many cells or an open quote."""
        n_columns, last = len(self.columns), self.n_lines_before
        with closing(self.records()) as records:
            for line, cells in records:
                if len(cells) > n_columns:
                    return InvalidFileError(
                        f"{self.source.name}, line {line}: expected {counted(n_columns, 'column')} as in the first "
                        f"line, got {len(cells)}; names that contain a {SEPARATORS[self.separator]} need quotes."
                    )
                last = line
        if "EOF inside string" in reason:
            return InvalidFileError(f"{self.source.name}, line {last}: a quote is opened and never closed.")
        return InvalidFileError(f"{self.source.name} cannot be read as a table: {reason}.")


def _first_record(source: Source, separator: str, encoding: str) -> tuple[int, int, str, list[str]]:
    """The first record that is not blank: its line, the lines up to its end, the separator and the cells."""
    with (
        source.reading("a table of text") as stream,
        TextIOWrapper(stream, encoding=encoding, newline="") as text,
    ):
        for line, after, cells in _records(text, separator, source.name):
            if any(cell.strip() for cell in cells):
                return line, after, separator, cells
    raise InvalidFileError(f"{source.name} is empty: expected a header line and one row a line.")


def _records(text: TextIOWrapper, separator: str, name: str) -> Iterator[tuple[int, int, list[str]]]:
    """For each record the line on which it begins, the number of lines up to its end, and its cells."""
    reader = csv.reader(text, delimiter=separator, skipinitialspace=True)
    line = 1
    try:
        for cells in reader:
            yield line, reader.line_num, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidFileError(f"{name}, line {line} cannot be read: {error}.") from error


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a text."""
    return text if len(text) <= most else f"{text[:most]}..."
