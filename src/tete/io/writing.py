"""Writing that loses nothing: a file appears whole or not at all, and none is overwritten by accident."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tete.exceptions import InvalidFileError, OutputExistsError, Parameter
from tete.io.sources import AnyPath, kind_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["atomic_write", "check_output", "write_frame"]


def check_output(path: AnyPath, *, force: bool, allowed: tuple[str, ...] | None = None) -> None:
    """Refuse, before any work is done, a path that could not be written in the end."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
    if allowed is not None and target.suffix.lower() not in allowed:
        raise InvalidFileError(f"{path}: the extension must be one of {', '.join(allowed)}, got {target.suffix!r}.")
    if target.exists() and not force:
        raise OutputExistsError(f"{path} exists already: ", Parameter("force", True), " overwrites it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(2, "The folder to write to does not exist", str(target.parent))
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(13, "No permission to write to this folder", str(target.parent))


@contextmanager
def atomic_write(path: AnyPath, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to a temporary file in the same folder, which takes the path's place when all went well."""
    check_output(path, force=force)
    target = Path(path)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield cast("BinaryIO", stream)
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # temporary files are private, others are not
        Path(temporary).replace(target)
    except BaseException as error:  # Ctrl-C too leaves nothing behind
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a full disk does not say where
        raise


def write_frame(path: AnyPath, frame: "pd.DataFrame", *, force: bool) -> None:
    """Write a table as CSV, TSV, Parquet or JSON records, by the extension; floats keep every bit."""
    kind = kind_of(path, ("text", "parquet", "json"))
    with atomic_write(path, force=force) as stream:
        if kind == "parquet":
            try:
                frame.to_parquet(stream, index=False)
            except ImportError as error:
                raise ImportError("writing Parquet needs pyarrow: pip install 'tete[parquet]'") from error
        elif kind == "json":
            records = frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
            stream.write(json.dumps(records, ensure_ascii=False, indent=0).encode())
        else:
            separator = "," if Path(path).suffix.lower() == ".csv" else "\t"
            stream.write(frame.to_csv(index=False, sep=separator, lineterminator="\n").encode())
