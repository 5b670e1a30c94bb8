"""Fetch a public data set and write its arrays to the file that the loaders read."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import numpy as np
from sklearn import datasets as sklearn_datasets
from tqdm.auto import tqdm

from tete.core.types import NamedArrays
from tete.datasets.downloading import download
from tete.datasets.registry import DataSet
from tete.exceptions import DownloadError, InvalidFileError
from tete.io.writing import atomic_write, check_output

__all__ = ["fetch", "receipt_of", "values_sha256"]


GLANCE = 0.5  # seconds between two looks at how much has arrived


def fetch(entry: DataSet, path: Path) -> None:
    """Get a data set from OpenML or from its address, and write it if it is what the registry says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    check_output(path, force=True)  # before anything is fetched
    arrays = _from_openml(entry) if entry.openml else _from_address(entry, path.parent)
    if arrays["X"].shape != entry.shape:
        raise InvalidFileError(f"{entry.title} must have the shape {entry.shape}, got {arrays['X'].shape}.")
    if entry.values_sha256 is not None and (found := values_sha256(arrays)) != entry.values_sha256:
        raise InvalidFileError(
            f"{entry.url or entry.source}: the sha256 of the values must be {entry.values_sha256}, got {found}; "
            "nothing was kept."
        )
    content = BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]  # the stub takes arrays for `allow_pickle`
    if entry.values_sha256 is None:
        # The receipt comes first: an interruption then leaves a receipt without a file, which does no harm.
        with atomic_write(receipt_of(path), force=True) as stream:
            stream.write(f"{hashlib.sha256(content.getvalue()).hexdigest()}  {path.name}\n".encode())
    with atomic_write(path, force=True) as stream:
        stream.write(content.getvalue())


def values_sha256(arrays: NamedArrays) -> str:
    """The digest of a data set's rows and classes, whatever their order and however the file is compressed.

    Compression differs between machines, so that no registry can know the sha256 of a file made there; and sources of
    one data set order its rows differently.
    """
    classes = arrays.get("y", np.zeros(len(arrays["X"])))
    rows = (np.append(row, own).astype("<f4") for row, own in zip(arrays["X"], classes, strict=True))
    return hashlib.sha256(b"".join(sorted(hashlib.sha256(row.tobytes()).digest() for row in rows))).hexdigest()


def receipt_of(path: Path) -> Path:
    """Where the sha256 of a file is that was made here and of which the registry knows no digest.

    It has the layout of the command sha256sum.
    """
    return path.with_name(f"{path.name}.sha256")


def _from_openml(entry: DataSet) -> NamedArrays:
    """Whole numbers from 0 to 255, and classes numbered in the order of their names; scikit-learn checks the md5."""
    assert entry.openml is not None
    name, version = entry.openml.name, entry.openml.version
    try:
        with TemporaryDirectory() as folder, _growth_shown(Path(folder), entry.title):
            found = sklearn_datasets.fetch_openml(name, version=version, as_frame=False, data_home=folder)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(f"{name} cannot be downloaded from OpenML: {reason}.") from error
    classes = np.asarray(found.target, dtype=str)
    return {
        "X": np.asarray(found.data).astype(np.uint8),
        "y": np.unique(classes, return_inverse=True)[1].astype(np.uint8),
    }


@contextmanager
def _growth_shown(folder: Path, label: str) -> Iterator[None]:
    """A bar of the bytes that have arrived in a folder: scikit-learn shows none of its own."""
    done = Event()
    with tqdm(unit="B", unit_scale=True, desc=label, disable=None) as bar:

        def watch() -> None:
            while not done.wait(GLANCE):
                bar.update(_size_of(folder) - bar.n)

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()


def _size_of(folder: Path) -> int:
    """Bytes in a folder whose files may vanish while they are counted."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total


def _from_address(entry: DataSet, folder: Path) -> NamedArrays:
    """Points from a JSON list of rows."""
    assert entry.url is not None
    source = folder / Path(entry.url).name
    download(entry.url, source, label=entry.title)
    try:
        points = np.array(json.loads(source.read_bytes()), dtype="<f4")
    except ValueError as error:
        raise InvalidFileError(f"{entry.url} must hold a list of rows of numbers: {error}.") from error
    finally:
        source.unlink()
    return {"X": points}
