"""Where data comes from: a file, also zipped, or standard input under the name "-"; and what kind of data it is.

This is the one place that opens files to be read. Pipes and devices are refused, and whatever a library raises about
damaged bytes becomes one sentence with the file's name (`Source.blamed`).
"""

import gzip
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EINVAL  # a place before the beginning of a file
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO, TypeAlias
from zipfile import BadZipFile, ZipFile, ZipInfo

from tete.core.memory import free_memory
from tete.exceptions import InvalidFileError, TeteError

__all__ = ["AnyPath", "DamageError", "Source", "kind_of"]

AnyPath: TypeAlias = str | PathLike[str]

KIND_OF_EXTENSION = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
    ".npy": "npy",
    ".json": "json",
}


PIECE = 2**24  # bytes that are unpacked at once


class DamageError(Exception):
    """Why bytes are not what they should be; `Source.blamed` makes a sentence of it."""


def kind_of(path: AnyPath, allowed: tuple[str, ...], *, packed: bool = False) -> str:
    """The kind of a file by its extension; text for standard input, and for packed tables where these will do."""
    if str(path) == "-":
        return "text"
    kind = KIND_OF_EXTENSION.get(Path(path).suffix.lower(), "")
    if packed and "text" in allowed and _is_packed(path):
        return "text"
    if kind not in allowed:
        if Path(path).is_dir():
            raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
        known = ", ".join(extension for extension, its_kind in KIND_OF_EXTENSION.items() if its_kind in allowed)
        raise InvalidFileError(f"{path}: the extension must be one of {known}, got {Path(path).suffix!r}.")
    return kind


def _is_packed(path: AnyPath) -> bool:
    """Whether this is a zip archive of a table, or a table of text as gzip packs it."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes[-2:]]
    return suffixes[-1:] == [".zip"] or (
        len(suffixes) == 2 and suffixes[1] == ".gz" and KIND_OF_EXTENSION.get(suffixes[0]) == "text"
    )


@dataclass(frozen=True)
class Source:
    """Something that can be read more than once, and its name in messages."""

    name: str
    content: bytes | None = None

    @classmethod
    def of(cls, path: AnyPath) -> "Source":
        """The file at this path, or all of standard input for "-"."""
        if str(path) == "-":
            return cls("standard input", sys.stdin.buffer.read())
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
        if not stat.S_ISREG(mode):  # it has no size, cannot be read twice, and may wait for ever
            raise InvalidFileError(f"{path} is not a plain file but a pipe or a device, expected a file.")
        return cls(str(path)).unpacked() if _is_packed(path) else cls(str(path))

    def unpacked(self) -> "Source":
        """The one table in a zip archive, or what a gz file holds."""
        with self.reading("a packed table of text") as stream:
            if self.name.lower().endswith(".gz"):
                return Source(self.name, self._inflated(gzip.GzipFile(fileobj=stream)))
            with ZipFile(stream) as archive:
                member = self._only_table(archive)
                self.refuse_beyond_memory(f"{member.filename!r}", 4 * member.file_size)
                return Source(self.name, archive.read(member))

    def _inflated(self, stream: gzip.GzipFile) -> bytes:
        """All of it, piece by piece: one read of up to a limit would take the memory of the limit."""
        content = bytearray()
        while piece := stream.read(PIECE):
            content += piece
            self.refuse_beyond_memory("what is packed in it", 4 * len(content))
        return bytes(content)

    def _only_table(self, archive: ZipFile) -> ZipInfo:
        tables = [
            member
            for member in archive.infolist()
            if KIND_OF_EXTENSION.get(Path(member.filename).suffix.lower()) == "text"
            and not member.filename.startswith("__MACOSX/")  # what macOS adds to every archive
        ]
        if len(tables) != 1:
            raise InvalidFileError(
                f"{self.name}: expected one table of text (.csv, .tsv, .tab or .txt) in the archive, got {len(tables)}."
            )
        return tables[0]

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return Path(self.name).stat().st_size if self.content is None else len(self.content)

    def open(self) -> BinaryIO:
        """From the beginning."""
        return Path(self.name).open("rb") if self.content is None else BytesIO(self.content)

    @contextmanager
    def reading(self, expected: str) -> Iterator[BinaryIO]:
        """The bytes from the beginning, with what goes wrong `blamed` on the file."""
        with self.open() as stream, self.blamed(expected):
            yield stream

    @contextmanager
    def blamed(self, expected: str) -> Iterator[None]:
        """Turn whatever a library raises about the bytes into one sentence: the file is not `expected`."""
        try:
            yield
        except (TeteError, ImportError):
            raise
        except MemoryError as error:
            raise InvalidFileError(f"{self.name} is damaged, or needs more memory than there is.") from error
        except Exception as error:  # there is no end to what damaged bytes make libraries raise
            if isinstance(error, OSError) and error.errno not in {None, EINVAL}:  # the disk, not the bytes
                raise
            reason = str(error).rstrip(".") if isinstance(error, (DamageError, BadZipFile)) else "it is damaged"
            raise InvalidFileError(f"{self.name} is not {expected}: {reason}.") from error

    def refuse_beyond_memory(self, what: str, n_bytes: int) -> None:
        """Refuse, before any memory is taken, what would need more than there is."""
        if n_bytes > free_memory():
            raise InvalidFileError(
                f"{self.name}: {what} would take {n_bytes / 2**30:,.1f} GiB of memory, more than there is."
            )
