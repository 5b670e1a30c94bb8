"""The columns of a table of features: which are numbers to map, which one names the rows, which are kept besides."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFileError, Parameter
from tete.io.feature_cells import cells_or_numbers, joined_cells, numbers_only, texts_of
from tete.io.headers import column_position
from tete.io.number_texts import is_number
from tete.io.object_tables import NAME_COLUMNS, as_column
from tete.io.pieces import Piece
from tete.io.tables import LocatedRows, text_of

__all__ = ["Columns", "Wanted", "choose_columns", "collect"]

ID_COLUMNS = (*NAME_COLUMNS, "__index_level_0__")  # the last is pandas' index in Parquet
LABEL_COLUMNS = {"label", "labels", "class", "target"}


class Wanted(NamedTuple):
    """What the user says about columns, by names or numbers from 1."""

    id_column: str | None = None
    labels: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    features: tuple[str, ...] | None = None
    likely_labels: tuple[str, ...] = ()


class Columns(NamedTuple):
    """Positions of columns by their part."""

    features: list[int]
    kept: list[int]
    name: int | None

    @property
    def texts(self) -> list[int]:
        """Columns that are read as they are written."""
        return self.kept if self.name is None else [*self.kept, self.name]


def refuse_first_row(head: LocatedRows) -> None:
    """Refuse a first line of nothing but numbers of which some are not whole: it is a row, no header."""
    if all(map(is_number, head.columns)) and not all(name.isdecimal() for name in head.columns):
        raise InvalidFileError(
            f"{head.head}: expected names of columns, got numbers ({', '.join(head.columns[:3])}, ...); say ",
            Parameter("header", False),
            " if this is the first row.",
        )


def choose_columns(head: LocatedRows, wanted: Wanted) -> Columns:
    """The part of each column, by what the user says and by the usual names."""
    file, names = head.head, head.columns
    dropped = {column_position(file, names, column) for column in wanted.drop}
    kept = [column_position(file, names, column) for column in wanted.labels]
    features = None if wanted.features is None else _positions(file, names, wanted.features)
    taken = {*dropped, *kept, *(features or [])}
    if wanted.id_column is not None:
        name: int | None = column_position(file, names, wanted.id_column)
    else:
        name = next((position for position in _likely_ids(names) if position not in taken), None)
    rest = [position for position in range(len(names)) if position not in taken and position != name]
    if features is not None:
        return Columns(features, kept + rest, name)
    likely = {*LABEL_COLUMNS, *(name.casefold() for name in wanted.likely_labels)}
    kept += [position for position in rest if names[position].casefold() in likely]
    features = [position for position in rest if position not in kept]
    if not features:
        raise InvalidFileError(
            f"{file}: expected columns of numbers to map, got none beside the id, the labels and what is dropped."
        )
    return Columns(features, kept, name)


def _positions(file: str, names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    missing = [name for name in wanted if name not in names]
    if missing:
        listed = ", ".join(map(repr, missing[:5]))
        raise InvalidFileError(
            f"{file}: {len(missing)} of the {len(wanted)} columns of the model are missing: "
            f"{listed}{', ...' if len(missing) > 5 else ''}."
        )
    return [column_position(file, names, name) for name in wanted]


def _likely_ids(names: Sequence[str]) -> list[int]:
    lower = [name.casefold() for name in names]
    return ([0] if lower[0] in {"", "unnamed: 0"} else []) + [lower.index(name) for name in ID_COLUMNS if name in lower]


def collect(
    pieces: Iterable[Piece], columns: Columns, names: Sequence[str], *, mixed: bool = False
) -> tuple[Any, tuple[Hashable, ...] | None, dict[str, NDArray[Any]]]:
    """The features, the ids and, by their names, the kept columns of all pieces.

    The features are numbers; where some are not and `mixed` allows it, a data frame of what the cells hold.
    """
    parts: list[NDArray[Any] | Piece] = []
    ids: dict[str, None] = {}
    kept: dict[int, list[Any]] = {position: [] for position in columns.kept}
    lines = _BlankLines()
    for piece in pieces:
        table = lines.left_out(piece)
        parts.append(cells_or_numbers(table, columns.features) if mixed else numbers_only(table, columns.features))
        for position, values in kept.items():
            values.extend(texts_of(table, position))
        if columns.name is not None:
            _add_ids(ids, table, columns.name)
    others = {names[position]: as_column(values) for position, values in kept.items()}
    return joined_cells(parts, columns.features, names), None if columns.name is None else tuple(ids), others


class _BlankLines:
    """Leaves out the blank lines of a text file, and refuses rows of nothing but separators amid the table.

    The latter are objects, too, and the numbers of those behind them would change; below the table, spreadsheets write
    such rows. In a table of one column a blank line is a row without its only cell.
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.empty: tuple[str, int] | None = None  # where the first row without cells is, and its number

    def left_out(self, table: Piece) -> Piece:
        """The piece without its blank lines."""
        blank, records = _blank(table), np.asarray(table.records)
        if self.empty is None and table.file is not None and blank.any():
            n_cells = table.file.cell_counts(records[blank])
            empty = np.flatnonzero(blank)[n_cells >= 2 if len(table.columns) > 1 else n_cells >= 0]
            if len(empty):
                self.empty = table.location(int(empty[0])), self.n_rows + int(np.sum(~blank[: empty[0]]))
        self.n_rows += len(blank) - int(blank.sum())
        if self.empty is not None and self.empty[1] < self.n_rows:
            raise InvalidFileError(
                f"{self.empty[0]}: Row {self.empty[1]} of `X` has no cell to go by in the "
                f"{counted(len(table.columns), 'column')}: leave it out."
            )
        return replace(table, cells=table.cells[~blank], records=records[~blank]) if blank.any() else table


def _blank(table: Piece) -> NDArray[np.bool_]:
    """Which rows have no cell with anything in it; never where a column is all numbers."""
    if table.file is None or any(kind.kind in "biuf" for kind in table.cells.dtypes):
        return np.zeros(len(table.cells), dtype=bool)
    blank = np.ones(len(table.cells), dtype=bool)
    for position in table.cells.columns:
        blank[blank] = [not text_of(value).strip() for value in table.cells[position].to_numpy(object)[blank]]
    return blank


def _add_ids(ids: dict[str, None], table: Piece, position: int) -> None:
    for row, name in enumerate(texts_of(table, position, stripped=True)):
        if not name:
            raise InvalidFileError(f"{table.location(row, position)}: empty, expected the id of the row.")
        if name in ids:
            column = [table.columns[position]]
            raise InvalidFileError(
                f"{table.location(row, position)}: {name!r} is there already: ids must differ; ",
                Parameter("labels", column),
                " keeps the column and ",
                Parameter("drop", column),
                " leaves it out.",
            )
        ids[name] = None
