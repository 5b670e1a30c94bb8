"""Tables in text files, all cells as they are written."""

import warnings

import numpy as np

from tete.exceptions import InvalidFileError
from tete.io.sources import Source
from tete.io.tables import Coded, Table
from tete.io.text_files import TextFile

__all__ = ["read_text_table", "text_table"]


def text_table(source: Source, *, encoding: str = "utf-8") -> Table:
    """All rows of a text file with a header."""
    return read_text_table(TextFile.of(source, encoding=encoding, header=True))


def read_text_table(file: TextFile) -> Table:
    """All rows of a text file but the blank ones."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    with file.parsed() as text, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # a first row that is too long only warns
        cells = pd.read_csv(
            text,
            sep=file.separator,
            dtype=object,
            na_filter=False,
            header=None,
            names=list(range(len(file.columns))),
            index_col=False,
            skipinitialspace=True,
            skip_blank_lines=False,
        )

    def read(position: int) -> Coded:
        codes, written = pd.factorize(cells.iloc[:, position].to_numpy(object))
        return Coded(codes, [str(text) for text in written], for_spreadsheets=True)

    blank = np.ones(len(cells), dtype=bool)
    for position in range(cells.shape[1]):
        if blank.any():
            column = read(position)
            blank &= column.each([not name for name in column.names], bool) if len(blank) else blank
    cells = cells[~blank]
    if cells.empty:
        raise InvalidFileError(f"{file.source.name} has a header but no rows: expected one answer or object a line.")
    return Table(file.source, file.columns, cells.index.to_numpy(), file, read_column=read)
