"""Tables of text as people have them: any separator, quotes, byte order marks; and which line a problem is on.

The whole table is read as text by pandas' compiled parser. Only when something is wrong is the file read again, slowly,
to find the line.
"""

import csv
import warnings
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError, Parameter
from tete.io.sources import Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Table",
    "as_numbers",
    "as_text",
    "check_text",
    "first_line",
    "read_parquet_table",
    "read_text_table",
    "refuse_long_records",
    "text_records",
]

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
HEAD = 2**16  # bytes that tell whether a file is text at all


@dataclass(frozen=True)
class Table:
    """Cells by column position, without rows that are empty throughout; the index counts the records of the file."""

    source: Source
    columns: tuple[str, ...]
    cells: "pd.DataFrame"
    has_header: bool = True
    separator: str | None = None
    encoding: str = "utf-8-sig"
    decimal: str = "."

    def values(self, position: int) -> NDArray[Any]:
        """One column as text."""
        return self.cells.iloc[:, position].to_numpy(dtype=object)

    def location(self, row: int, position: int | None = None) -> str:
        """Where a row is, as the beginning of a message: file, line and column."""
        record = int(self.cells.index[row])
        where = f"{self.source.name}, row {record}"
        if self.separator is not None:
            with closing(text_records(self.source, self.separator, self.encoding)) as found:
                line, _ = next(islice(found, record + self.has_header, None))
            where = f"{self.source.name}, line {line}"
        return where if position is None else f"{where}, column {self.columns[position]!r}"


def read_text_table(source: Source, *, encoding: str = "utf-8", header: bool = True, least_columns: int = 1) -> Table:
    """All cells of a text table; the separator is the one that gives the first line the most columns."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    encoding = check_text(source, encoding)
    separator, columns = first_line(source, encoding, least_columns)
    try:
        with source.open() as stream, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a first row that is too long only warns
            cells = pd.read_csv(
                stream,
                sep=separator,
                encoding=encoding,
                dtype=object,
                na_filter=False,
                header=0 if header else None,
                names=list(range(len(columns))),
                index_col=False,
                skipinitialspace=True,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        refuse_long_records(source, separator, encoding, len(columns))
        raise InvalidFileError(f"{source.name} cannot be read as a table: {error}.") from error
    cells = cells[(cells != "").any(axis=1).to_numpy()]
    if cells.empty:
        raise InvalidFileError(f"{source.name} has a header but no rows: expected one answer or object a line.")
    if not header:
        columns = [str(position + 1) for position in range(len(columns))]
    return Table(source, tuple(columns), cells, header, separator, encoding)


def read_parquet_table(source: Source) -> Table:
    """All cells of a Parquet file, as text."""
    import pandas as pd  # noqa: PLC0415

    try:
        with source.open() as stream:
            frame = pd.read_parquet(stream)
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'tete[parquet]'") from error
    except ValueError as error:  # pyarrow's errors are ValueErrors
        raise InvalidFileError(f"{source.name} is not a Parquet file: {str(error).splitlines()[0]}") from error
    if frame.empty:
        raise InvalidFileError(f"{source.name} has no rows: expected one answer or object a row.")
    cells = pd.DataFrame({position: as_text(frame.iloc[:, position]) for position in range(frame.shape[1])})
    return Table(source, tuple(str(column) for column in frame.columns), cells)


def as_numbers(texts: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of texts, with a decimal point or comma; not a number where a text is none."""
    import pandas as pd  # noqa: PLC0415

    plain = pd.Series(texts, dtype=object).str.strip().str.replace(",", ".")
    try:
        return plain.to_numpy(dtype=object).astype(np.float64)  # exact to the last bit, unlike pandas
    except ValueError:
        return np.asarray(pd.to_numeric(plain, errors="coerce"), dtype=np.float64)


def as_text(column: "pd.Series[Any]") -> NDArray[Any]:
    """A column of any kind as texts, empty where a value is missing."""
    texts = column.astype(object).where(column.notna(), "").astype(str)
    if column.dtype.kind == "f":  # whole numbers beside gaps are stored as 3.0
        texts = texts.str.removesuffix(".0")
    return texts.to_numpy(dtype=object)


def check_text(source: Source, encoding: str) -> str:
    """The encoding to use, once the file has proved to be text."""
    with source.open() as stream:
        head = stream.read(HEAD)
    if not head.strip():
        raise InvalidFileError(f"{source.name} is empty: expected a header line and one row a line.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in head:
        raise InvalidFileError(f"{source.name} is not a text file: expected comma- or tab-separated text.")
    encoding = "utf-8-sig" if encoding.lower().replace("_", "-") in {"utf-8", "utf8"} else encoding
    with source.open() as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                expected = encoding.removesuffix("-sig")
                raise InvalidFileError(
                    f"{source.name}, line {number}: byte {error.start + 1} is not {expected} text; "
                    "save the file as UTF-8, or name its ",
                    Parameter("encoding"),
                    " (cp1252 for most older Windows files).",
                ) from error
            except LookupError as error:
                raise InvalidFileError(f"`encoding` must be one Python knows, got {encoding!r}.") from error
    return encoding


def first_line(source: Source, encoding: str, least_columns: int) -> tuple[str, list[str]]:
    """The separator and the cells of the first line."""
    best, cells = "", [""]
    for separator in SEPARATORS:
        with closing(text_records(source, separator, encoding)) as records:
            _, found = next(records)
        if len(found) > len(cells) or not best:
            best, cells = separator, found
    if len(cells) < least_columns:
        known = ", ".join(SEPARATORS.values())
        raise InvalidFileError(
            f"{source.name}, line 1: expected at least {least_columns} columns separated by one of {known}, "
            f"got {len(cells)}: {shortened(' '.join(cells))!r}."
        )
    return best, [cell.strip() for cell in cells]


def text_records(source: Source, separator: str, encoding: str) -> Generator[tuple[int, list[str]]]:
    """The lines on which records begin, and their cells; blank lines are no records."""
    with source.open() as stream, TextIOWrapper(stream, encoding=encoding, newline="") as text:
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True)
        line = 1
        try:
            for cells in reader:
                if len(cells) > 1 or (cells and cells[0].strip()):
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            raise InvalidFileError(f"{source.name}, line {line} cannot be read: {error}.") from error


def refuse_long_records(source: Source, separator: str, encoding: str, n_columns: int) -> None:
    """Name the first line with more cells than the first one has."""
    with closing(text_records(source, separator, encoding)) as records:
        for line, cells in records:
            if len(cells) > n_columns:
                raise InvalidFileError(
                    f"{source.name}, line {line}: expected {n_columns} columns as in the first line, got {len(cells)}; "
                    f"names that contain a {SEPARATORS[separator]} need quotes."
                )


def shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
