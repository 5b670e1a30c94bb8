"""Large tables piece by piece: some thousand rows at a time, each piece knowing where it is in the file."""

import warnings
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from tete.core.printing import counted
from tete.io.number_texts import has_decimal_commas
from tete.io.parquet_files import PARQUET, batches, parquet_columns
from tete.io.sources import Source
from tete.io.tables import LocatedRows
from tete.io.text_files import TextFile

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Piece", "Reader", "parquet_pieces", "text_pieces"]

CELLS_IN_A_PIECE = 2**21  # 16 MB of numbers: little beside the table, and few pieces
LINES_LOOKED_AT = 200  # for decimal commas; what a later line has instead is refused there


@dataclass(frozen=True)
class Piece(LocatedRows):
    """Some rows: cells by column position, numbers where all cells of a column are numbers."""

    cells: "pd.DataFrame" = field(kw_only=True)
    decimal: str = "."


# Takes the positions of the columns of numbers and of those of text, and gives the pieces.
Reader: TypeAlias = Callable[[list[int], list[int]], Generator[Piece]]


def text_pieces(source: Source, *, encoding: str, header: bool) -> tuple[LocatedRows, Reader]:
    """The names of the columns of a text table, and what reads its rows; numbers are read as numbers, exactly."""
    file = TextFile.of(source, encoding=encoding, header=header)
    return LocatedRows(source, file.columns, (), file), partial(_read_text, file)


def _read_text(file: TextFile, _: list[int], texts: list[int]) -> Generator[Piece]:
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    decimal = _decimal(file)
    options: dict[str, Any] = {
        "sep": file.separator,
        "decimal": decimal,
        "header": None,
        "names": list(range(len(file.columns))),
        "dtype": dict.fromkeys(texts, object),
        "na_filter": False,
        "index_col": False,
        "skipinitialspace": True,
        "skip_blank_lines": False,
        "low_memory": False,
        **_exactly(pd.__version__),
    }
    size = max(CELLS_IN_A_PIECE // len(file.columns), 64)
    with file.parsed() as text, pd.read_csv(text, chunksize=size, **options) as reader:
        while True:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # a first row that is too long only warns
                cells = next(reader, None)
            if cells is None:
                return
            yield Piece(file.source, file.columns, cells.index.to_numpy(), file, cells=cells, decimal=decimal)


def _exactly(pandas_version: str) -> dict[str, Any]:
    """What makes pandas read the very number that was written, which later versions do by themselves."""
    return {"float_precision": "round_trip"} if int(pandas_version.split(".", maxsplit=1)[0]) < 3 else {}


def _decimal(file: TextFile) -> str:
    """A comma if the first lines have numbers with decimal commas and none with a point, and commas do not separate."""
    if file.separator == ",":
        return "."
    with closing(file.records()) as records:
        cells = [cell for _, record in islice(records, LINES_LOOKED_AT) for cell in record]
    return "," if has_decimal_commas(cells) else "."


def parquet_pieces(source: Source) -> tuple[LocatedRows, Reader]:
    """The names of the columns of a Parquet file, and what reads its rows."""
    names, n_rows = parquet_columns(source)
    return LocatedRows(source, names, ()), partial(_read_parquet, source, names, n_rows)


def _read_parquet(
    source: Source, names: tuple[str, ...], n_rows: int, numbers: list[int], texts: list[int]
) -> Generator[Piece]:
    source.refuse_beyond_memory(f"{counted(n_rows, 'row')} of {len(numbers):,} features", n_rows * len(numbers) * 4)
    chosen = sorted({*numbers, *texts})
    start = 0
    for batch in batches(source, [names[position] for position in chosen], max(CELLS_IN_A_PIECE // len(names), 64)):
        with source.blamed(PARQUET):
            cells = batch.to_pandas(ignore_metadata=True)
        cells.columns = chosen
        yield Piece(source, names, range(start, start + len(cells)), cells=cells)
        start += len(cells)
