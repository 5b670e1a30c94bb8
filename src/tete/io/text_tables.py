"""Tables in text files, all cells as they are written."""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tete.exceptions import InvalidFileError
from tete.io.sources import Source
from tete.io.tables import Coded, Table
from tete.io.text_files import TextFile

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_text_table", "text_table", "text_table_pieces"]


def text_table(source: Source, *, encoding: str = "utf-8") -> Table:
    """All rows of a text file with a header."""
    return read_text_table(TextFile.of(source, encoding=encoding, header=True))


def read_text_table(file: TextFile) -> Table:
    """All rows of a text file but the blank ones."""
    tables = list(text_table_pieces(file, None))
    if not tables or not len(tables[0]):
        raise InvalidFileError(f"{file.source.name} has a header but no rows: expected one answer or object a line.")
    return tables[0]


def text_table_pieces(file: TextFile, size: int | None) -> "Iterator[Table]":
    """The rows of a text file but the blank ones, so many at a time or all at once."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    options: dict[str, Any] = {
        "sep": file.separator,
        "dtype": object,
        "na_filter": False,
        "header": None,
        "names": list(range(len(file.columns))),
        "index_col": False,
        "skipinitialspace": True,
        "skip_blank_lines": False,
    }
    with file.parsed() as text:
        pieces: Iterator[Any] | None = None
        while True:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # a first row that is too long only warns
                if pieces is None:
                    read: Any = pd.read_csv(text, chunksize=size, **options)
                    pieces = iter([read]) if size is None else iter(read)
                cells = next(pieces, None)
            if cells is None:
                return
            yield _table_of(file, cells)


def _table_of(file: TextFile, cells: "pd.DataFrame") -> Table:
    import pandas as pd  # noqa: PLC0415

    def read(position: int) -> Coded:
        codes, written = pd.factorize(cells.iloc[:, position].to_numpy(object))
        return Coded(codes, [str(text) for text in written], for_spreadsheets=True)

    blank = np.ones(len(cells), dtype=bool)
    for position in range(cells.shape[1]):
        if blank.any():
            column = read(position)
            blank &= column.each([not name for name in column.names], bool) if len(blank) else blank
    cells = cells[~blank]
    return Table(file.source, file.columns, cells.index.to_numpy(), file, read_column=read)
