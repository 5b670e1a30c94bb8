"""One shard of packed answers: a file of plain columns, one after the other, mapped into memory to be read."""

import hashlib
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFileError

__all__ = ["COLUMNS", "Columns", "Shard", "bytes_of", "write_shard"]

# In the order of the file: wide numbers first, so that every column begins at a multiple of its own width.
COLUMNS: dict[str, np.dtype[Any]] = {
    "weights": np.dtype("<f8"),
    "answers": np.dtype("<i8"),
    "groups": np.dtype("<i8"),
    "anchor": np.dtype("<i4"),
    "near": np.dtype("<i4"),
    "far": np.dtype("<i4"),
    "annotators": np.dtype("<i4"),
}
Columns: TypeAlias = Mapping[str, NDArray[Any]]
ROWS_AT_ONCE = 2**20


class Shard(NamedTuple):
    """A file of a folder of packed answers, as the manifest describes it."""

    path: Path
    n_rows: int
    digest: str
    columns: tuple[str, ...]

    def check_size(self) -> None:
        """Refuse a file that is missing or has another size than it should have."""
        expected = self.n_rows * bytes_of(self.columns)
        try:
            found = self.path.stat().st_size
        except FileNotFoundError:
            raise InvalidFileError(f"{self.path.parent} is damaged: {self.path.name} is missing.") from None
        if found != expected:
            raise InvalidFileError(
                f"{self.path.parent} is damaged: {self.path.name} has {found:,} bytes, expected {expected:,}."
            )

    def read(self) -> Columns:
        """The columns, mapped into memory: they take room only while they are looked at."""
        self.check_size()
        with self.path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        columns, start = {}, 0
        for name in self.columns:
            columns[name] = np.frombuffer(mapped, COLUMNS[name], self.n_rows, start)
            start += columns[name].nbytes
        return columns

    def verify(self, n_objects: int) -> None:
        """Read it all once: refuse bytes that are not those that were written, and numbers of no object."""
        digest = hashlib.blake2b(digest_size=16)
        with self.path.open("rb") as file:
            while piece := file.read(2**20):
                digest.update(piece)
        if digest.hexdigest() != self.digest:
            raise InvalidFileError(f"{self.path.parent} is damaged: the content of {self.path.name} has changed.")
        for start in range(0, self.n_rows, ROWS_AT_ONCE):
            columns = self.read()  # again, because what was looked at counts as memory of this process
            objects = (columns[name][start : start + ROWS_AT_ONCE] for name in ("anchor", "near", "far"))
            if any(numbers.min() < 0 or numbers.max() >= n_objects for numbers in objects):
                raise InvalidFileError(f"{self.path.parent} is damaged: {self.path.name} speaks of unknown objects.")


def bytes_of(columns: tuple[str, ...]) -> int:
    """Bytes that a triplet takes."""
    return sum(COLUMNS[name].itemsize for name in columns)


def write_shard(path: Path, columns: Columns) -> Shard:
    """Write a shard under a temporary name and move it to its place."""
    names = tuple(name for name in COLUMNS if name in columns)
    digest = hashlib.blake2b(digest_size=16)
    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        for name in names:
            content = np.ascontiguousarray(columns[name], dtype=COLUMNS[name]).tobytes()
            digest.update(content)
            file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return Shard(path, len(columns["anchor"]), digest.hexdigest(), names)
