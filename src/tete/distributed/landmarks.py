"""Landmarks: the rows of a data set that a map is fitted to, so that all others can be placed on it.

Whether a row is one depends on its number and the seed alone: those with the smallest hashes are taken. So the rows
need not be shuffled, nor all be in memory, and the same ones are drawn again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.hashed_draws import stream
from tete.core.validation import check_whole
from tete.distributed.row_parts import RowPart, RowSource, row_parts
from tete.exceptions import InvalidParameterError
from tete.io.feature_columns import Wanted
from tete.io.feature_files import FeatureTable
from tete.io.object_tables import as_column
from tete.io.parquet_parts import RowPiece, joined_rows
from tete.io.tables import text_of

__all__ = ["draw_landmarks", "given_rows", "landmark_rows", "read_rows"]

STREAM = 17  # of the draws: other draws of the same seed shall have nothing to do with them
ROWS_AT_ONCE = 2**20
HASHES = 2.0**32
SPARE = 8.0  # standard deviations, so that hardly ever too few hashes are kept


def draw_landmarks(
    source: RowSource, count: int, *, seed: int = 0, mixed: bool = False, **columns: Any
) -> FeatureTable:
    """Draw rows of a data set for a map to be fitted to.

    Parameters
    ----------
    source : path, sequence of paths, or array
        Parquet and npy files, which are read in pieces, or anything that has a shape and takes slices of rows. Files
        are numbered through in the order in which they are given.
    count : int
        How many rows to draw; all, if there are not so many.
    seed : int, default=0
        Seed of the draws, which depend on nothing else but the number of each row.
    mixed : bool, default=False
        Whether features may also be texts, dates or missing, for a `TableEncoder`.
    **columns : options
        What the columns of Parquet files mean, as in `read_features`: id_column, labels, drop.

    Returns
    -------
    FeatureTable
        The rows, in their order.

    Examples
    --------
    >>> import numpy as np
    >>> from tete.distributed import draw_landmarks
    >>> draw_landmarks(np.arange(20.0).reshape(10, 2), 3).matrix.shape
    (3, 2)
    """
    check_whole("count", count, least=1)
    parts = row_parts(source)
    rows = landmark_rows(sum(part.n_rows for part in parts), count, seed)
    return read_rows(parts, rows, Wanted(**{**columns, **_tuples(columns)}), mixed=mixed)


def _tuples(columns: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(columns[name]) for name in ("labels", "drop") if name in columns}


def landmark_rows(n_rows: int, count: int, seed: int) -> NDArray[np.int64]:
    """The numbers of the rows with the `count` smallest hashes, of equal ones the first; in order."""
    if count >= n_rows:
        return np.arange(n_rows)
    expected = count + SPARE * np.sqrt(count) + SPARE
    limit = int(min(HASHES * expected / n_rows, HASHES))
    rows, hashes = [], []
    for first in range(0, n_rows, ROWS_AT_ONCE):
        some = np.empty(min(ROWS_AT_ONCE, n_rows - first), dtype=np.int64)
        _hash_rows(seed, first, some)
        kept = np.flatnonzero(some < limit)
        rows.append(first + kept)
        hashes.append(some[kept])
    found = np.concatenate(rows)
    order = np.argsort(np.concatenate(hashes), kind="stable")[:count]
    return np.sort(found[order])


@compiled()
def _hash_rows(seed: int, first: int, hashes: NDArray[np.int64]) -> None:
    for place in range(hashes.shape[0]):
        row = first + place
        hashes[place] = stream(stream(seed, STREAM, row >> 31), STREAM, row & 0x7FFFFFFF)


def given_rows(rows: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    """Row numbers from a list of them or a mask, checked."""
    if rows.ndim == 1 and rows.dtype == np.bool_ and len(rows) == n_rows:
        return np.flatnonzero(rows)
    whole = rows.ndim == 1 and rows.dtype.kind in "iu" and rows.size > 0
    if not whole or rows.min() < 0 or rows.max() >= n_rows or len(np.unique(rows)) < len(rows):
        raise InvalidParameterError(
            f"`landmarks` must be different row numbers from 0 to {n_rows - 1:,} or a truth value for each row, got an "
            f"array of shape {rows.shape}, {rows.dtype}."
        )
    return np.sort(rows).astype(np.int64)


def read_rows(parts: Sequence[RowPart], rows: NDArray[np.int64], wanted: Wanted, *, mixed: bool) -> FeatureTable:
    """The rows of these numbers, which count through all parts in their order."""
    taken: list[RowPiece] = []
    start = 0
    for part in parts:
        own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + part.n_rows)] - start + part.first
        if len(own):
            for piece in part.pieces(wanted, mixed=mixed):
                some = own[np.searchsorted(own, piece.first) : np.searchsorted(own, piece.first + len(piece))]
                if len(some):
                    taken.append(piece.taken(some - piece.first))
        start += part.n_rows
    return FeatureTable(joined_rows(taken), taken[0].names, None, _labels(taken))


def _labels(pieces: Sequence[RowPiece]) -> dict[str, NDArray[Any]]:
    """What else is known about the rows, but for their ids."""
    if pieces[0].beside is None:
        return {}
    names = [name for name in pieces[0].beside.column_names if name != pieces[0].id_column]
    values: dict[str, list[str]] = {name: [] for name in names}
    for piece in pieces:
        assert piece.beside is not None
        for name in names:
            values[name] += [text_of(value) for value in piece.beside.column(name).to_pylist()]
    return {name: as_column(texts) for name, texts in values.items()}
