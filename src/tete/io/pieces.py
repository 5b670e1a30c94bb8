"""Large tables piece by piece: some thousand rows at a time, each piece knowing where it is in the file."""

import re
import warnings
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from tete.exceptions import InvalidFileError
from tete.io.sources import Source
from tete.io.text_tables import Table, check_text, first_line, refuse_long_records, text_records

__all__ = ["DECIMAL_COMMA", "Reader", "parquet_pieces", "text_pieces"]

# Takes the positions of the columns of numbers and of those of text, and gives the pieces.
Reader: TypeAlias = Callable[[list[int], list[int]], Generator[Table]]

CELLS_IN_A_PIECE = 2**21  # 16 MB of numbers: little beside the table, and few pieces
DECIMAL_COMMA, DECIMAL_POINT = re.compile(r"\s*[-+]?\d+,\d+\s*"), re.compile(r"\s*[-+]?\d+\.\d+\s*")
LINES_LOOKED_AT = 200  # for decimal commas; what a later line has instead is refused there


def text_pieces(source: Source, *, encoding: str, header: bool) -> tuple[tuple[str, ...], Reader]:
    """The names of the columns of a text table, and what reads its rows; numbers are read as numbers, exactly."""
    encoding = check_text(source, encoding)
    separator, names = first_line(source, encoding, 1)
    if not header:
        names = [str(position + 1) for position in range(len(names))]
    return tuple(names), partial(_read_text, source, encoding, separator, tuple(names), header)


def _read_text(
    source: Source, encoding: str, separator: str, names: tuple[str, ...], header: bool, _: list[int], texts: list[int]
) -> Generator[Table]:
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    decimal = _decimal(source, separator, encoding)
    options: dict[str, Any] = {
        "sep": separator,
        "encoding": encoding,
        "decimal": decimal,
        "header": 0 if header else None,
        "names": list(range(len(names))),
        "dtype": dict.fromkeys(texts, object),
        "na_filter": False,
        "index_col": False,
        "skipinitialspace": True,
        "low_memory": False,
        **_exactly(pd.__version__),
    }
    size = max(CELLS_IN_A_PIECE // len(names), 64)
    try:
        with source.open() as stream, pd.read_csv(stream, chunksize=size, **options) as reader:
            while True:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", pd.errors.ParserWarning)  # a first row that is too long only warns
                    piece = next(reader, None)
                if piece is None:
                    return
                yield Table(source, names, piece, header, separator, encoding, decimal)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        refuse_long_records(source, separator, encoding, len(names))
        raise InvalidFileError(f"{source.name} cannot be read as a table: {error}.") from error


def _exactly(pandas_version: str) -> dict[str, Any]:
    """What makes pandas read the very number that was written, which later versions do by themselves."""
    return {"float_precision": "round_trip"} if int(pandas_version.split(".", maxsplit=1)[0]) < 3 else {}


def _decimal(source: Source, separator: str, encoding: str) -> str:
    """A comma if the first lines have numbers with decimal commas and none with a point, and commas do not separate."""
    if separator == ",":
        return "."
    with closing(text_records(source, separator, encoding)) as records:
        cells = [cell for _, record in islice(records, LINES_LOOKED_AT) for cell in record]
    points = any(DECIMAL_POINT.fullmatch(cell) for cell in cells)
    return "," if not points and any(DECIMAL_COMMA.fullmatch(cell) for cell in cells) else "."


def parquet_pieces(source: Source) -> tuple[tuple[str, ...], Reader]:
    """The names of the columns of a Parquet file, and what reads its rows."""
    try:
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'tete[parquet]'") from error
    try:
        with source.open() as stream:
            names = tuple(parquet.ParquetFile(stream).schema_arrow.names)
    except ValueError as error:  # pyarrow's errors are ValueErrors
        raise InvalidFileError(f"{source.name} is not a Parquet file: {str(error).splitlines()[0]}") from error
    return names, partial(_read_parquet, source, names)


def _read_parquet(source: Source, names: tuple[str, ...], numbers: list[int], texts: list[int]) -> Generator[Table]:
    from pyarrow import parquet  # noqa: PLC0415

    start = 0
    with source.open() as stream:
        size = max(CELLS_IN_A_PIECE // len(names), 64)
        chosen = sorted({*numbers, *texts})
        file = parquet.ParquetFile(stream)
        for batch in file.iter_batches(batch_size=size, columns=[names[position] for position in chosen]):
            piece = batch.to_pandas(ignore_metadata=True)
            piece.columns = chosen
            piece.index = range(start, start + len(piece))
            start += len(piece)
            yield Table(source, names, piece)
