"""Parquet files: their columns, read in batches and only as far as they are asked for.

A file of a few kilobytes can hold millions of rows, so what is read is kept as numbers of different texts.
"""

from collections.abc import Callable, Collection, Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tete.core.printing import counted
from tete.exceptions import InvalidFileError
from tete.io.list_cells import Cell, Unfolds, cells_of, lists_of, longest_of, never, nth_of_lists
from tete.io.sources import DamageError, Source
from tete.io.tables import Coded, LocatedRows, Table, refuse_equal_names, text_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batches", "parquet_columns", "parquet_table", "parquet_table_pieces"]

PARQUET = "a whole Parquet file"
ROWS_IN_A_BATCH = 2**20
BYTES_OF_A_ROW = 120  # that answers take on their way to triplets


def parquet_columns(source: Source, *, in_pieces: bool = False) -> tuple[tuple[str, ...], int]:
    """The names of the columns of a Parquet file, all different, and the number of its rows."""
    try:
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'tete[parquet]'") from error
    with source.reading(PARQUET) as stream:
        file = parquet.ParquetFile(stream)
        names, n_rows = tuple(file.schema_arrow.names), int(file.metadata.num_rows)
    refuse_equal_names(LocatedRows(source, names, ()))
    if n_rows < 0 or not names:
        raise InvalidFileError(
            f"{source.name} has {counted(len(names), 'column')} and {counted(n_rows, 'row')}, expected some."
        )
    if not in_pieces:
        source.refuse_beyond_memory(f"its {counted(n_rows, 'row')}", n_rows * BYTES_OF_A_ROW)
    return names, n_rows


def batches(
    source: Source,
    columns: Sequence[str],
    size: int,
    *,
    lists: Collection[str] = (),
    row_groups: Sequence[int] | None = None,
) -> Generator["pa.RecordBatch"]:
    """The rows of these columns, at most `size` at a time, of some row groups or of all.

    No other columns than `lists` may have lists.
    """
    from pyarrow import parquet  # noqa: PLC0415

    with source.reading(PARQUET) as stream:
        file = parquet.ParquetFile(stream)
        _refuse_nested(source, file.schema_arrow, [column for column in columns if column not in lists])
        found, metadata = 0, file.metadata
        groups = range(metadata.num_row_groups) if row_groups is None else row_groups
        claimed = metadata.num_rows if row_groups is None else sum(metadata.row_group(g).num_rows for g in groups)
        for batch in file.iter_batches(batch_size=size, columns=list(columns), row_groups=list(groups)):
            batch.validate(full=True)
            found += len(batch)
            yield batch
        if found != claimed:
            raise DamageError(f"it has {counted(found, 'row')} and claims {claimed}")


def _refuse_nested(source: Source, schema: "pa.Schema", columns: Sequence[str]) -> None:
    import pyarrow as pa  # noqa: PLC0415

    for column in columns:
        kind = schema.field(column).type
        if pa.types.is_nested(kind) or (pa.types.is_dictionary(kind) and pa.types.is_nested(kind.value_type)):
            raise InvalidFileError(
                f"{source.name}, column {column!r}: expected texts or numbers, got values of the type {kind}."
            )


def parquet_table(source: Source, *, unfolds: Unfolds = never) -> Table:
    """All rows of a Parquet file; columns of lists that it `unfolds` become several."""
    names, n_rows = parquet_columns(source)
    if n_rows == 0:
        raise InvalidFileError(f"{source.name} has no rows: expected one answer or object a row.")
    cells = cells_of(source, names, _longest_lists(source, names, unfolds))
    return _table(source, cells, range(n_rows), partial(_coded, source, cells))


def _table(source: Source, cells: list[Cell], records: range, read_column: Callable[[int], Coded]) -> Table:
    names = tuple(cell.name for cell in cells)
    refuse_equal_names(LocatedRows(source, names, ()))
    return Table(source, names, records, read_column=read_column, lists=lists_of(cells))


def _longest_lists(source: Source, names: Sequence[str], unfolds: Unfolds) -> dict[str, int]:
    """How long the lists are in the columns that have lists of texts or numbers."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    def has_lists(kind: "pa.DataType") -> bool:
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
        return is_list and not pa.types.is_nested(kind.value_type)

    with source.reading(PARQUET) as stream:
        schema = parquet.ParquetFile(stream).schema_arrow
    longest = {name: 0 for name in names if unfolds(name) and has_lists(schema.field(name).type)}
    if longest:
        for batch in batches(source, list(longest), ROWS_IN_A_BATCH, lists=longest):
            longest = {name: max(so_far, longest_of(batch.column(name))) for name, so_far in longest.items()}
    return longest


def parquet_table_pieces(source: Source, size: int, *, unfolds: Unfolds = never) -> Generator[Table]:
    """The rows of a Parquet file, so many at a time; columns of lists that it `unfolds` become several."""
    names, _ = parquet_columns(source, in_pieces=True)
    longest = _longest_lists(source, names, unfolds)
    cells, start = cells_of(source, names, longest), 0
    for batch in batches(source, names, size, lists=longest):

        def read(position: int, batch: "pa.RecordBatch" = batch) -> Coded:
            with source.blamed(PARQUET):
                return Coded(*_different(_values(batch.column(cells[position].column), cells[position])))

        yield _table(source, cells, range(start, start + len(batch)), read)
        start += len(batch)


def _coded(source: Source, cells: Sequence[Cell], position: int) -> Coded:
    cell = cells[position]
    number_of: dict[str, int] = {}
    codes = []
    lists = () if cell.place is None else (cell.column,)
    for batch in batches(source, [cell.column], ROWS_IN_A_BATCH, lists=lists):
        with source.blamed(PARQUET):
            indices, texts = _different(_values(batch.column(0), cell))
            numbers = np.array([number_of.setdefault(text, len(number_of)) for text in texts], dtype=np.int32)
        codes.append(numbers[indices])
    return Coded(np.concatenate(codes), list(number_of))


def _values(values: "pa.Array[Any]", cell: Cell) -> "pa.Array[Any]":
    return values if cell.place is None else nth_of_lists(values, cell.place)


def _different(values: "pa.Array[Any]") -> tuple[Any, list[str]]:
    """For each row the number of its text, and the different texts."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    encoded = values.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False), [text_of(value) for value in encoded.dictionary.to_pylist()]
