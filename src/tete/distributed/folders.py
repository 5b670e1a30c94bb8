"""A folder appears whole or not at all: it is made under another name and moved to its place at the end."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tete.exceptions import InvalidFileError, OutputExistsError, Parameter

__all__ = ["check_folder", "new_folder", "unfinished_name"]


def unfinished_name(target: Path) -> Path:
    """Where the folder is while it is made."""
    return target.with_name(f".{target.name}.part")


def check_folder(target: Path, *, force: bool) -> None:
    """Refuse, before any work is done, a folder that could not be put in its place in the end."""
    if target.exists() and not force:
        raise OutputExistsError(f"{target} exists already: ", Parameter("force", True), " overwrites it.")
    if target.exists() and not (target / "manifest.json").is_file():
        raise InvalidFileError(f"{target} exists already and is no folder of packed answers: it is not replaced.")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(2, "The folder to write to does not exist", str(target.parent))
    if not os.access(target.absolute().parent, os.W_OK):
        raise PermissionError(13, "No permission to write to this folder", str(target.parent))


@contextmanager
def new_folder(target: Path, *, force: bool, keep: bool = False) -> Iterator[Path]:
    """The folder to fill, which takes the target's place when all went well; `keep` leaves it there after an error."""
    check_folder(target, force=force)
    unfinished = unfinished_name(target)
    if not keep:
        shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(exist_ok=True)
    try:
        yield unfinished
    except BaseException:
        if not keep:
            shutil.rmtree(unfinished, ignore_errors=True)
        raise
    if target.exists():
        old = target.with_name(f".{target.name}.old")
        target.rename(old)
        unfinished.rename(target)
        shutil.rmtree(old)
    else:
        unfinished.rename(target)
