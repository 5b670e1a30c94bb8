"""A data set of rows as parts, each of which is read, placed and written alone, on whichever machine.

A part is some row groups of a Parquet file, some rows of an npy file, or some rows of anything else that has a shape
and takes slices of rows: arrays, zarr, HDF5. Parts depend on the data set alone, never on who works on them.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tete.exceptions import InvalidFileError, InvalidParameterError
from tete.io.array_files import read_array
from tete.io.feature_columns import Wanted
from tete.io.parquet_parts import RowPiece, parquet_parts, parquet_row_groups
from tete.io.pieces import CELLS_IN_A_PIECE
from tete.io.sources import AnyPath, Source, kind_of

__all__ = ["RowPart", "RowSource", "row_parts"]

RowSource: TypeAlias = Any  # a path, several, or what has a shape and slices of rows
Run: TypeAlias = tuple[int, int, tuple[int, ...]]  # first row, number of rows, and which row groups they are

ROWS_IN_A_PART = 2**18  # seconds of work, and few files
CELLS_SENT = 2**24  # of a part in memory, which travels to a worker: 64 MB
SAMPLED_ROWS = 16  # of a part in memory, by which it is known again


@dataclass(frozen=True, kw_only=True)
class RowPart(ABC):
    """Some rows that follow each other.

    Attributes
    ----------
    name : str
        What the file of its places is called, without the extension.
    where : str
        What messages call the file or array.
    first, n_rows : int
        The number of its first row in the file or array, and how many there are.
    """

    name: str
    where: str
    first: int
    n_rows: int

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What tells whether the rows are still the same."""

    @abstractmethod
    def pieces(self, wanted: Wanted, *, mixed: bool) -> Iterator[RowPiece]:
        """The rows, some thousand at a time."""

    def loaded(self) -> "RowPart":
        """What can be sent to another machine."""
        return self


@dataclass(frozen=True, kw_only=True)
class FilePart(RowPart):
    """Rows of a file, which is at the same path on all machines."""

    path: str

    def state(self) -> dict[str, Any]:
        """What tells whether the rows are still the same."""
        found = Path(self.path).stat()
        rows = [self.first, self.n_rows]
        return {"file": Path(self.path).name, "size": found.st_size, "changed": found.st_mtime_ns, "rows": rows}


@dataclass(frozen=True, kw_only=True)
class ParquetPart(FilePart):
    """Row groups of a Parquet file."""

    groups: tuple[int, ...]

    def pieces(self, wanted: Wanted, *, mixed: bool) -> Iterator[RowPiece]:
        """The rows, some thousand at a time."""
        return parquet_parts(self.path, wanted, self.groups, self.first, mixed=mixed)


@dataclass(frozen=True, kw_only=True)
class NpyPart(FilePart):
    """Rows of an npy file, which stays on the disk."""

    def pieces(self, wanted: Wanted, *, mixed: bool) -> Iterator[RowPiece]:
        """The rows, some thousand at a time."""
        return _array_pieces(self.where, _rows_of(self.path), self.first, self.n_rows, gaps=mixed)


@dataclass(frozen=True, kw_only=True)
class ArrayPart(RowPart):
    """Rows of what has a shape and takes slices of rows, of which row 0 is number `offset` of the data set."""

    array: Any
    offset: int = 0

    def state(self) -> dict[str, Any]:
        """What tells whether the rows are still the same: some of them."""
        digest = hashlib.blake2b(digest_size=16)
        start = self.first - self.offset
        for row in np.unique(np.linspace(start, start + self.n_rows - 1, SAMPLED_ROWS).astype(int)).tolist():
            digest.update(np.ascontiguousarray(self.array[row : row + 1]).tobytes())
        return {"rows": [self.first, self.n_rows], "digest": digest.hexdigest()}

    def pieces(self, wanted: Wanted, *, mixed: bool) -> Iterator[RowPiece]:
        """The rows, some thousand at a time."""
        for piece in _array_pieces(self.where, self.array, self.first - self.offset, self.n_rows, gaps=mixed):
            yield replace(piece, first=piece.first + self.offset)

    def loaded(self) -> RowPart:
        """What can be sent to another machine: the rows themselves."""
        start = self.first - self.offset
        return replace(self, array=np.asarray(self.array[start : start + self.n_rows]), offset=self.first)


def row_parts(source: RowSource) -> list[RowPart]:
    """The parts of a data set, in order."""
    if isinstance(source, (str, PathLike)):
        source = [source]
    if hasattr(source, "shape"):
        return _parts_of_array(source)
    paths = list(source)
    if not paths:
        raise InvalidParameterError("`source` must have at least one file, got none.")
    stems = [Path(path).stem for path in paths]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise InvalidParameterError(f"Files must have different names, got {twice!r} {stems.count(twice)} times.")
    parts = [part for path in paths for part in _parts_of_file(path)]
    if not parts:
        raise InvalidFileError(f"{paths[0]} has no rows: expected one object a row.")
    return parts


def _parts_of_file(path: AnyPath) -> list[RowPart]:
    kind = kind_of(path, ("parquet", "npy"))
    common = {"where": str(path), "path": str(Path(path).absolute())}
    if kind == "npy":
        n_rows = len(_rows_of(path))
        runs = _equal_runs(n_rows, ROWS_IN_A_PART)
        return [
            NpyPart(name=name, first=first, n_rows=count, **common)
            for name, first, count, _ in _named(Path(path).stem, runs)
        ]
    runs = _runs(parquet_row_groups(path), ROWS_IN_A_PART)
    return [
        ParquetPart(name=name, first=first, n_rows=count, groups=groups, **common)
        for name, first, count, groups in _named(Path(path).stem, runs)
    ]


def _parts_of_array(array: Any) -> list[RowPart]:
    shape = tuple(array.shape)
    if len(shape) < 2 or 0 in shape:
        raise InvalidParameterError(f"`source` must be a table of numbers, one row an object, got shape {shape}.")
    runs = _equal_runs(shape[0], min(ROWS_IN_A_PART, max(CELLS_SENT // int(np.prod(shape[1:])), 1024)))
    return [
        ArrayPart(name=name, where="`source`", first=first, n_rows=count, array=array)
        for name, first, count, _ in _named("rows", runs)
    ]


def _runs(sizes: Sequence[int], most: int) -> list[Run]:
    """Neighbouring row groups that together have at most so many rows, or one of more."""
    runs: list[Run] = []
    start = 0
    for number, size in enumerate(sizes):
        if size and runs and runs[-1][1] + size <= most:
            runs[-1] = (runs[-1][0], runs[-1][1] + size, (*runs[-1][2], number))
        elif size:
            runs.append((start, size, (number,)))
        start += size
    return runs


def _equal_runs(n_rows: int, size: int) -> list[Run]:
    return [(first, min(size, n_rows - first), (number,)) for number, first in enumerate(range(0, n_rows, size))]


def _named(stem: str, runs: Sequence[Run]) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """Each run with a name: that of the file, and a number where there are several."""
    return [(stem if len(runs) == 1 else f"{stem}-{number:05d}", *run) for number, run in enumerate(runs)]


def _rows_of(path: AnyPath) -> Any:
    """The rows of an npy file; images and the like become rows without a copy."""
    values = read_array(Source.of(path))
    if values.dtype.kind not in "biuf" or values.ndim < 2 or values.size == 0:
        raise InvalidFileError(
            f"{path}: expected a table of numbers, one row an object, got shape {values.shape}, {values.dtype}."
        )
    return values.reshape(len(values), -1)


def _array_pieces(where: str, array: Any, start: int, n_rows: int, *, gaps: bool) -> Iterator[RowPiece]:
    size = max(CELLS_IN_A_PIECE // int(np.prod(array.shape[1:])), 64)
    for first in range(start, start + n_rows, size):
        rows = np.asarray(array[first : min(first + size, start + n_rows)])
        rows = rows.reshape(len(rows), -1)
        finite = np.isfinite(rows) if rows.dtype.kind in "biuf" else np.zeros(rows.shape, dtype=bool)
        if gaps and rows.dtype.kind == "f":
            finite |= np.isnan(rows)
        if not finite.all():
            row, column = (int(place) for place in np.argwhere(~finite)[0])
            value = "NaN" if rows[row, column] != rows[row, column] else str(rows[row, column])
            raise InvalidFileError(f"{where}, row {first + row}, column {column}: {value}, expected a finite number.")
        yield RowPiece(first, rows)
