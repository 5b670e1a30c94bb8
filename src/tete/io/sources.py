"""Where data comes from: a file, or standard input under the name "-"; and what kind of data it is."""

import sys
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO, TypeAlias

from tete.exceptions import InvalidFileError

__all__ = ["AnyPath", "Source", "kind_of"]

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


def kind_of(path: AnyPath, allowed: tuple[str, ...]) -> str:
    """The kind of a file by its extension; text for standard input."""
    if str(path) == "-":
        return "text"
    kind = KIND_OF_EXTENSION.get(Path(path).suffix.lower(), "")
    if kind not in allowed:
        if Path(path).is_dir():
            raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
        known = ", ".join(extension for extension, its_kind in KIND_OF_EXTENSION.items() if its_kind in allowed)
        raise InvalidFileError(f"{path}: the extension must be one of {known}, got {Path(path).suffix!r}.")
    return kind


@dataclass(frozen=True)
class Source:
    """Something that can be read more than once, and its name in messages."""

    name: str
    content: bytes | None = None

    @classmethod
    def of(cls, path: AnyPath) -> "Source":
        """The file at this path, or all of standard input for "-"."""
        return cls("standard input", sys.stdin.buffer.read()) if str(path) == "-" else cls(str(path))

    def open(self) -> BinaryIO:
        """From the beginning."""
        return Path(self.name).open("rb") if self.content is None else BytesIO(self.content)
