"""Writing that loses nothing: a file appears whole or not at all, and none is overwritten by accident."""

import errno
import json
import os
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tete.core.interrupts import never_cut_in_two, undone_by_ctrl_c
from tete.exceptions import InvalidFileError, InvalidParameterError, OutputExistsError, Parameter
from tete.io.sources import AnyPath, kind_of
from tete.io.spreadsheets import spreadsheet_text
from tete.io.temporary_files import CAN_LOCK, like_the_old_one, new_temporary, remove_abandoned

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["atomic_write", "check_distinct", "check_output", "write_frame"]


def check_output(path: AnyPath, *, force: bool, allowed: tuple[str, ...] | None = None) -> None:
    """Refuse, before any work is done, a path that could not be written in the end."""
    target = _behind_links(path)
    if target.is_dir():
        raise IsADirectoryError(21, "Is a folder, expected a file", str(path))
    extension = Path(path).suffix
    if allowed is not None and extension.lower() not in allowed:
        raise InvalidFileError(f"{path}: the extension must be one of {', '.join(allowed)}, got {extension!r}.")
    if target.exists() and not target.is_file():
        raise InvalidFileError(f"{path} is a device or a pipe, expected a file: it cannot be replaced by one.")
    if target.exists() and not force:
        raise OutputExistsError(f"{path} exists already: ", Parameter("force", True), " overwrites it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(2, "The folder to write to does not exist", str(target.parent))
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(13, "No permission to write to this folder", str(target.parent))


def check_distinct(paths: Iterable[AnyPath]) -> None:
    """Refuse two names of one file: the second output would replace the first."""
    known: dict[str, AnyPath] = {}
    for path in paths:
        # Names that differ in case or in the way accents are stored are one name on many systems.
        place = unicodedata.normalize("NFC", str(_behind_links(path))).casefold()
        if place in known:
            raise InvalidParameterError(f"Outputs must be different files, got {known[place]} and {path}.")
        known[place] = path


def _behind_links(path: AnyPath) -> Path:
    """The file itself, where the path is a link to it: links stay, and what they lead to is replaced."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "Is a link that leads nowhere but to itself", str(path))
    return target


@contextmanager
def atomic_write(path: AnyPath, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to a temporary file in the same folder, which takes the path's place when all went well.

    The new file has the permissions of the old one, if there is one, and else the usual ones.
    """
    check_output(path, force=force)
    target = _behind_links(path)
    remove_abandoned(target)
    with _unfinished(path, target) as (descriptor, temporary):
        with os.fdopen(descriptor, "wb") as stream:
            yield cast("BinaryIO", stream)
            stream.flush()
            like_the_old_one(descriptor, target)
            os.fsync(descriptor)
            if CAN_LOCK:  # it is ours until it is in its place
                with never_cut_in_two():
                    temporary.replace(target)
        if not CAN_LOCK:  # an open file cannot be moved there
            temporary.replace(target)


@contextmanager
def _unfinished(path: AnyPath, target: Path) -> Iterator[tuple[int, Path]]:
    """A temporary file for the target; after an error, or Ctrl-C, nothing is left of it."""
    with ExitStack() as stack:
        with never_cut_in_two():
            descriptor, temporary = new_temporary(target)
            stack.enter_context(undone_by_ctrl_c(partial(temporary.unlink, missing_ok=True)))
        try:
            yield descriptor, temporary
        except BaseException as error:
            temporary.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(path)  # a full disk does not say where
            raise


def write_frame(path: AnyPath, frame: "pd.DataFrame", *, force: bool) -> None:
    """Write a table as CSV, TSV, Parquet or JSON records, by the extension; floats keep every bit.

    What spreadsheets would compute is made inert in CSV and TSV files: see `spreadsheets`.
    """
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
            stream.write(spreadsheet_text(frame, separator).encode())
