"""The cells of features, piece by piece: finite numbers, or whatever else a table has where that is allowed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError, Parameter
from tete.io.encodings import NO_CHARACTER
from tete.io.number_texts import DECIMAL_COMMA, NO_VALUE, numbers_of
from tete.io.pieces import Piece
from tete.io.spreadsheets import without_apostrophe
from tete.io.tables import text_of
from tete.io.text_files import shortened

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cells_or_numbers", "joined_cells", "numbers_only", "texts_of"]

Cells: TypeAlias = "NDArray[Any] | Piece"

# A column of so many different texts, so large a share of them numbers, is one of numbers with a mistake in it.
MANY_VALUES, MOSTLY_NUMBERS = 30, 0.9


def numbers_only(table: Piece, positions: list[int]) -> NDArray[Any]:
    """The features of a piece as finite numbers, in four bytes each where that loses nothing."""
    values = _values(table, positions)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        unread = [positions[place] for place in np.flatnonzero(~np.asarray(finite.all(axis=0)))]
        _refuse(table, int(row), positions[int(column)], unread)
    return _small(values)


def cells_or_numbers(table: Piece, positions: list[int]) -> Cells:
    """The features of a piece as finite numbers, or the piece itself if not all of them are."""
    if any(table.cells[position].dtype.kind not in "biufOUT" for position in positions):  # dates and the like
        return table
    values = _values(table, positions)
    return _small(values) if np.isfinite(values).all() else table


def _values(table: Piece, positions: list[int]) -> NDArray[np.float64]:
    cells = table.cells[positions]
    texts = [position for position in positions if cells[position].dtype.kind not in "biuf"]
    if texts:
        cells = cells.copy()
        for position in texts:
            cells[position] = numbers_of(texts_of(table, position), decimal=table.decimal)
    return np.asarray(cells.to_numpy(dtype=np.float64))


def _small(values: NDArray[np.float64]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        small = values.astype(np.float32)
    return small if np.array_equal(small, values) else values


def joined_cells(parts: Sequence[Cells], positions: list[int], names: Sequence[str]) -> Any:
    """All parts below each other: numbers if all are, else a data frame of numbers with gaps, texts and others."""
    numbers = [part for part in parts if isinstance(part, np.ndarray)]
    if len(numbers) == len(parts):
        return _joined(numbers)
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    columns = {names[position]: _mixed_column(parts, place, position) for place, position in enumerate(positions)}
    return pd.DataFrame(columns)


def _mixed_column(parts: Sequence[Cells], place: int, position: int) -> "pd.Series[Any]":
    import pandas as pd  # noqa: PLC0415

    found = [
        pd.Series(part[:, place]) if isinstance(part, np.ndarray) else part.cells[position].reset_index(drop=True)
        for part in parts
    ]
    if not any(values.dtype == object or pd.api.types.is_string_dtype(values.dtype) for values in found):
        return pd.concat(found, ignore_index=True)
    texts: list[str | None] = []
    for part, values in zip(parts, found, strict=True):
        own = map(text_of, values) if isinstance(part, np.ndarray) else texts_of(part, position, stripped=True)
        texts += [None if text.casefold() in NO_VALUE else text for text in own]
    decimal = next(part.decimal for part in parts if isinstance(part, Piece))
    known = np.array([text is not None for text in texts], dtype=bool)
    numbers = numbers_of([text or "nan" for text in texts], decimal=decimal)
    read = ~np.isnan(numbers)
    if np.array_equal(read, known):
        return pd.Series(numbers)
    if read.sum() >= MOSTLY_NUMBERS * known.sum() and len(set(texts)) > MANY_VALUES:
        _refuse_mistake(parts, position, int(np.flatnonzero(known & ~read)[0]))
    return pd.Series(texts, dtype=object)


def _refuse_mistake(parts: Sequence[Cells], position: int, row: int) -> None:
    """Name the cell of a column of numbers that is none; the first parts have their share of the rows."""
    for part in parts:
        length = len(part) if isinstance(part, np.ndarray) else len(part.cells)
        if row < length:
            assert isinstance(part, Piece)
            _refuse(part, row, position, [position])
        row -= length


def texts_of(table: Piece, position: int, *, stripped: bool = False) -> list[str]:
    """A column as texts, empty where a value is missing."""
    values = table.cells[position]
    with table.source.blamed("a table of texts and numbers"):
        texts = [text_of(value) for value in values.tolist()]
    if table.file is None and NO_CHARACTER.search("".join(texts)):  # text files are checked before
        row = next(row for row, text in enumerate(texts) if NO_CHARACTER.search(text))
        raise InvalidFileError(f"{table.location(row, position)}: {texts[row]!r} holds what is no character of a text.")
    texts = [text.strip() for text in texts] if stripped else texts
    return texts if table.file is None else [without_apostrophe(text) for text in texts]


def _refuse(table: Piece, row: int, position: int, unread: list[int]) -> None:
    cell = table.cells[position].iloc[row]
    text, place = ("" if cell is None else str(cell).strip()), table.location(row, position)
    if text.casefold() in {*NO_VALUE, "inf", "-inf"}:
        raise InvalidFileError(
            f"{place}: {text or 'empty'}, expected a finite number; fill in the gaps, or leave out the column with ",
            Parameter("drop", [table.columns[position]]),
            ".",
        )
    if DECIMAL_COMMA.fullmatch(text):
        raise InvalidFileError(
            f"{place}: {text!r} has a decimal comma, expected a decimal point; decimal commas are read where "
            "semicolons or tabs separate the columns and no number has a point."
        )
    listed = ", ".join(repr(table.columns[other]) for other in unread[:5]) + (", ..." if len(unread) > 5 else "")
    raise InvalidFileError(
        f"{place}: {shortened(text)!r} is not a number, expected a feature; columns that are none are named by ",
        Parameter("id_column"),
        ", ",
        Parameter("labels"),
        " or ",
        Parameter("drop"),
        f" (here {listed}).",
    )


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """All parts below each other; each is let go at once, so that hardly more than the result is ever held."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty((0, 1))
    result = np.empty((sum(map(len, parts)), parts[0].shape[1]), dtype=np.result_type(*parts))
    stop = len(result)
    while parts:
        part = parts.pop()
        result[stop - len(part) : stop] = part
        stop -= len(part)
    return result
