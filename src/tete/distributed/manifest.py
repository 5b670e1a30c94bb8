"""What a folder of packed answers says of itself: a JSON file, written last, with sizes and digests of all others."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.distributed.shard_files import COLUMNS, Shard
from tete.exceptions import InvalidFileError
from tete.io.writing import atomic_write

__all__ = ["MANIFEST", "Manifest", "digest_of", "is_packed", "read_array", "read_json", "write_json"]

MANIFEST = "manifest.json"
FORMAT, VERSION = "tete packed answers", 1


@dataclass(frozen=True)
class Manifest:
    """The numbers and digests of a folder; `total_weight` and `squared_weight` are sums over all triplets."""

    n_triplets: int
    n_objects: int
    n_answers: int
    total_weight: float
    squared_weight: float
    columns: tuple[str, ...]
    shards: tuple[tuple[str, int, str], ...]  # name, rows, digest
    files: dict[str, str]  # digests of what is no shard
    format: str = FORMAT
    version: int = VERSION

    @property
    def digest(self) -> str:
        """Names the content: equal for equal answers in equal shards."""
        return hashlib.blake2b(json.dumps(asdict(self), sort_keys=True).encode(), digest_size=16).hexdigest()

    def write(self, folder: Path) -> None:
        """Make the folder whole."""
        write_json(folder / MANIFEST, asdict(self) | {"digest": self.digest})

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of a folder, or one sentence that says why it is none."""
        if not folder.is_dir():
            folder.stat()  # says that nothing is there
            raise InvalidFileError(f"{folder} is a file, expected a folder of packed answers.")
        if not (folder / MANIFEST).is_file():
            raise InvalidFileError(
                f"{folder} is not a folder of packed answers, or was not finished: it has no {MANIFEST}."
            )
        content = read_json(folder / MANIFEST)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InvalidFileError(f"{folder} is not a folder of packed answers: {MANIFEST} is another kind of file.")
        if content.get("version") != VERSION:
            raise InvalidFileError(
                f"{folder} was packed in version {content.get('version')} of the format, expected {VERSION}."
            )
        digest = content.pop("digest", None)
        try:
            content["columns"] = tuple(content["columns"])
            content["shards"] = tuple((str(name), int(rows), str(its)) for name, rows, its in content["shards"])
            found = cls(**content)
            sound = found.digest == digest and set(found.columns) <= set(COLUMNS)
        except (KeyError, OverflowError, TypeError, ValueError):
            sound = False
        if not sound:
            raise InvalidFileError(f"{folder} is damaged: {MANIFEST} has changed since it was written.")
        return found

    def shards_in(self, folder: Path) -> tuple[Shard, ...]:
        """The files of the shards, all there and as large as they should be."""
        found = tuple(Shard(folder / name, n_rows, digest, self.columns) for name, n_rows, digest in self.shards)
        for shard in found:
            shard.check_size()
        return found


def is_packed(path: str | Path) -> bool:
    """Whether this is a folder of packed answers, or calls itself one."""
    return Path(path).suffix == ".tete" or (Path(path) / MANIFEST).is_file()


def digest_of(path: Path) -> str:
    """Of a small file."""
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def read_json(path: Path) -> Any:
    """The content of a small file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (RecursionError, ValueError) as error:  # also brackets in brackets in brackets
        raise InvalidFileError(f"{path.parent} is damaged: {path.name} is not JSON.") from error


def write_json(path: Path, content: Any) -> None:
    """Write a small file, whole or not at all."""
    with atomic_write(path, force=True) as stream:
        stream.write(json.dumps(content, ensure_ascii=False).encode())


def read_array(path: Path, n_entries: int) -> NDArray[np.int64]:
    """Whole numbers, one for each object."""
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidFileError(f"{path.parent} is damaged: {path.name} cannot be read.") from error
    if found.shape != (n_entries,) or found.dtype.kind not in "iu":
        raise InvalidFileError(f"{path.parent} is damaged: {path.name} has another shape than it should have.")
    return np.asarray(found, dtype=np.int64)
