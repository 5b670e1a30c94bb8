"""Rows of large Parquet files by row groups: features piece by piece, and the other columns just as they are."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.io.feature_cells import cells_or_numbers, joined_cells, numbers_only
from tete.io.feature_columns import Columns, Wanted, choose_columns
from tete.io.parquet_files import PARQUET, batches, parquet_columns
from tete.io.pieces import CELLS_IN_A_PIECE, Piece
from tete.io.sources import AnyPath, Source
from tete.io.tables import LocatedRows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RowPiece", "joined_rows", "parquet_parts", "parquet_row_groups"]

Cells: TypeAlias = "NDArray[Any] | Piece"


@dataclass(frozen=True, eq=False)
class RowPiece:
    """Some rows of a file or an array.

    Attributes
    ----------
    first : int
        The number of the first row.
    cells : array, or piece of a file
        The features: numbers, or whatever else there is where that is allowed.
    names : tuple of str, or None
        What the features are called.
    id_column : str or None
        Which of the other columns names the rows.
    beside : pyarrow table, or None
        The other columns.
    """

    first: int
    cells: Cells
    names: tuple[str, ...] | None = None
    id_column: str | None = None
    beside: "pa.Table | None" = None

    def __len__(self) -> int:
        return len(self.cells) if isinstance(self.cells, np.ndarray) else len(self.cells.cells)

    def taken(self, rows: NDArray[np.int64]) -> "RowPiece":
        """Only these rows, by their numbers in the piece."""
        if isinstance(self.cells, np.ndarray):
            cells: Cells = self.cells[rows]
        else:
            records = np.asarray(self.cells.records)[rows]
            cells = replace(self.cells, cells=self.cells.cells.iloc[rows].reset_index(drop=True), records=records)
        return replace(self, cells=cells, beside=None if self.beside is None else self.beside.take(rows))


def parquet_row_groups(path: AnyPath) -> list[int]:
    """The number of rows of each row group."""
    from pyarrow import parquet  # noqa: PLC0415

    source = Source.of(path)
    parquet_columns(source, in_pieces=True)
    with source.reading(PARQUET) as stream:
        metadata = parquet.ParquetFile(stream).metadata
        return [int(metadata.row_group(group).num_rows) for group in range(metadata.num_row_groups)]


def parquet_parts(
    path: AnyPath, wanted: Wanted, groups: Sequence[int], first: int, *, mixed: bool
) -> Generator[RowPiece]:
    """The rows of some row groups, of which the first is row `first` of the file."""
    source = Source.of(path)
    names, _ = parquet_columns(source, in_pieces=True)
    columns = choose_columns(LocatedRows(source, names, ()), wanted)
    others = columns.texts
    chosen = sorted({*columns.features, *others})
    size = max(CELLS_IN_A_PIECE // len(names), 64)
    for batch in batches(source, [names[position] for position in chosen], size, row_groups=groups):
        with source.blamed(PARQUET):
            cells = batch.select([names[position] for position in columns.features]).to_pandas(ignore_metadata=True)
            beside = _table_of(batch, [names[position] for position in others])
        cells.columns = columns.features
        piece = Piece(source, names, range(first, first + len(cells)), cells=cells)
        read = cells_or_numbers if mixed else numbers_only
        features = tuple(names[position] for position in columns.features)
        yield RowPiece(first, read(piece, columns.features), features, _id_name(columns, names), beside)
        first += len(cells)


def _table_of(batch: "pa.RecordBatch", names: Sequence[str]) -> "pa.Table":
    import pyarrow as pa  # noqa: PLC0415

    return pa.Table.from_batches([batch.select(list(names))])


def _id_name(columns: Columns, names: Sequence[str]) -> str | None:
    return None if columns.name is None else names[columns.name]


def joined_rows(pieces: Sequence[RowPiece]) -> Any:
    """The features of all pieces below each other: numbers, or a data frame if they are not all numbers."""
    mixed = next((piece.cells for piece in pieces if isinstance(piece.cells, Piece)), None)
    positions = [] if mixed is None else [int(position) for position in mixed.cells.columns]
    columns: Sequence[str] = () if mixed is None else mixed.columns
    return joined_cells([piece.cells for piece in pieces], positions, columns)
