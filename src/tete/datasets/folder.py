"""Where the files of data sets are, and whether they are what they should be."""

import hashlib
import os
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.datasets.fetching import fetch, receipt_of, values_sha256
from tete.datasets.registry import DataSet, data_set
from tete.exceptions import InvalidFileError, MissingDataError

__all__ = ["Folder", "data_folder", "find_file", "load_arrays"]

BROKEN = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
Folder: TypeAlias = str | os.PathLike[str] | None


def data_folder(folder: Folder = None) -> Path:
    """Where the files of data sets are looked for.

    Parameters
    ----------
    folder : str or path, optional
        The folder that is wanted; by default that of the environment variable TETE_DATA, or else the user's cache
        folder.

    Returns
    -------
    Path
        The folder, which need not exist.

    Examples
    --------
    >>> from tete.datasets import data_folder
    >>> data_folder("my data").name
    'my data'
    """
    chosen = folder or os.environ.get("TETE_DATA")
    return Path(chosen).expanduser() if chosen else _cache_folder() / "tete"


def _cache_folder() -> Path:
    """Where programs keep what they can get again: each platform has its own place."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def find_file(entry: DataSet, folder: Folder = None, *, download: bool = False) -> Path:
    """The file of a data set, fetched if it is absent and that is wanted, with its sha256 checked."""
    assert entry.file is not None
    path = data_folder(folder) / entry.file
    if not path.is_file():
        if not (download and entry.can_be_fetched):
            raise MissingDataError(_what_to_do(entry, path, download))
        fetch(entry, path)
    _check_sha256(entry, path)
    return path


def load_arrays(name: str, folder: Folder = None, *, download: bool = False) -> dict[str, NDArray[Any]]:
    """The arrays of a data set's npz file by name.

    Parameters
    ----------
    name : str
        The data set's name in the registry.
    folder : str or path, optional
        Where the files are, if not in the folder named by TETE_DATA or the user's cache folder.
    download : bool, default=False
        Whether to fetch a missing file, if a public place of it is known.

    Returns
    -------
    dict of arrays
        By name.
    """
    with np.load(find_file(data_set(name), folder, download=download)) as archive:
        return dict(archive)


def _what_to_do(entry: DataSet, path: Path, download: bool) -> str:
    if entry.can_be_fetched:
        way = f"pass download=True to fetch it ({entry.source}), put the file there"
    else:
        refused = "no public place of it is known, so " if download else ""
        way = f"{refused}put the file there (source: {entry.source})"
    return (
        f"{entry.loader} needs {path}: {way}, or name another folder with `folder` or TETE_DATA; "
        f"who uses {entry.title} cites {entry.citation}"
    )


def _check_sha256(entry: DataSet, path: Path) -> None:
    """Compare the file with the registry, or else what is in it: a file that was made here is compressed otherwise.

    Only where the registry knows nothing does the receipt count that fetching left beside the file.
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found == entry.sha256 or (entry.values_sha256 is not None and _values_of(path) == entry.values_sha256):
        return
    expected = entry.sha256
    if entry.sha256 is None and entry.values_sha256 is None:
        receipt = receipt_of(path)
        expected = next(iter(receipt.read_text().split()), "") if receipt.is_file() else "in a receipt beside it"
    if found != expected:
        raise InvalidFileError(
            f"{path}: the sha256 must be {expected}, got {found}: the file is damaged or another version of "
            f"{entry.title}; delete it and get it again."
        )


def _values_of(path: Path) -> str | None:
    """The digest of the values in a file, or None if it has none."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            return values_sha256(dict(archive))
    except BROKEN:
        return None
