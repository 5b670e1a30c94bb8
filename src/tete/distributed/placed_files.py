"""Files of placed rows: Parquet, each with a note of the model and of the rows that it was made from.

The note is written with the rows, so a file that is there is whole and says whether it is still true: a run that was
stopped needs nothing else to go on.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError
from tete.io.coordinates import coordinate_names, reserved_name
from tete.io.parquet_parts import RowPiece
from tete.io.writing import atomic_write

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["note_of", "require_parquet", "write_placed"]

NOTE = b"tete"


def require_parquet() -> None:
    """Refuse, before any work is done, to write what cannot be written."""
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415
    except ImportError as error:
        raise ImportError("placing data sets needs pyarrow: pip install 'tete[parquet]'") from error


def note_of(path: Path) -> dict[str, Any] | None:
    """What a file says it was made from; None if there is none. Other people's files are refused."""
    from pyarrow import ArrowException, parquet  # noqa: PLC0415

    if not path.exists():
        return None
    try:
        note = (parquet.read_schema(path).metadata or {})[NOTE]
        found: dict[str, Any] = json.loads(note)
    except (ArrowException, OSError, KeyError, ValueError):
        raise InvalidFileError(f"{path} exists already and has no placed rows: it is not replaced.") from None
    return found


def write_placed(
    path: Path, pieces: Sequence[RowPiece], places: NDArray[Any], novelty: NDArray[Any], note: dict[str, Any]
) -> None:
    """Write the rows of all pieces with their places; ids, or else row numbers, come first, and what is known last."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    columns: dict[str, Any] = {"object": _names(pieces)}
    columns |= dict(zip(coordinate_names(places.shape[1]), np.ascontiguousarray(places.T), strict=True))
    if pieces[0].beside is not None:
        beside = pa.concat_tables(piece.beside for piece in pieces)
        for name in beside.column_names:
            if name != pieces[0].id_column:
                columns[_free_name(name, columns, places.shape[1])] = beside.column(name)
    columns[_free_name("novelty", columns, places.shape[1])] = novelty
    table = pa.table(columns).replace_schema_metadata({NOTE: json.dumps(note).encode()})
    with atomic_write(path, force=True) as stream:
        parquet.write_table(table, stream)


def _names(pieces: Sequence[RowPiece]) -> "pa.ChunkedArray | NDArray[np.int64]":
    import pyarrow as pa  # noqa: PLC0415

    column = pieces[0].id_column
    if column is None:
        first = pieces[0].first
        return np.arange(first, first + sum(len(piece) for piece in pieces))
    chunks = [piece.beside.column(column) for piece in pieces if piece.beside is not None]
    return pa.chunked_array([chunk for column in chunks for chunk in column.chunks])


def _free_name(name: str, taken: dict[str, Any], n_components: int) -> str:
    """A name that no other column has, and that readers do not take for a coordinate."""
    if name == "novelty":
        return "map_novelty" if name in taken else name
    return f"label_{name}" if reserved_name(name, n_components) or name in taken else name
