"""Fetch a public data set and write its arrays to the file that the loaders read."""

import hashlib
import json
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.datasets.downloading import download, sha256_of
from tete.datasets.registry import DataSet
from tete.exceptions import DownloadError, InvalidFileError
from tete.io.writing import atomic_write, check_output

__all__ = ["fetch", "receipt_of"]


def fetch(data_set: DataSet, path: Path) -> None:
    """Get a data set from OpenML or from its address, and write it with a receipt of its sha256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    check_output(path, force=True)  # before anything is fetched
    arrays = _from_openml(data_set) if data_set.openml else _from_address(data_set, path.parent)
    if arrays["X"].shape != data_set.shape:
        raise InvalidFileError(f"{data_set.title} must have the shape {data_set.shape}, got {arrays['X'].shape}.")
    with atomic_write(path, force=True) as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # its stub takes `allow_pickle` for an array
    # Compression differs between machines, so no registry can know the sha256 of a file made here.
    with atomic_write(receipt_of(path), force=True) as stream:
        stream.write(f"{sha256_of(path)}  {path.name}\n".encode())


def receipt_of(path: Path) -> Path:
    """Where the sha256 of a file made here is, in the layout of the command sha256sum."""
    return path.with_name(f"{path.name}.sha256")


def _from_openml(data_set: DataSet) -> dict[str, NDArray[Any]]:
    """Whole numbers from 0 to 255 and classes numbered in the order of their names; scikit-learn checks the md5."""
    from sklearn.datasets import fetch_openml  # noqa: PLC0415  (brings in much that loaders do not need)

    assert data_set.openml is not None
    name, version = data_set.openml.name, data_set.openml.version
    try:
        found = fetch_openml(name, version=version, as_frame=False, cache=False)
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(f"{name} cannot be downloaded from OpenML: {reason}.") from error
    return {
        "X": np.asarray(found.data).astype(np.uint8),
        "y": np.unique(np.asarray(found.target, dtype=str), return_inverse=True)[1].astype(np.uint8),
    }


def _from_address(data_set: DataSet, folder: Path) -> dict[str, NDArray[Any]]:
    """Points from a JSON list of rows; the sha256 of the numbers, not of the text, says whether they are right."""
    assert data_set.url is not None
    source = folder / Path(data_set.url).name
    download(data_set.url, source, label=data_set.title)
    try:
        points = np.array(json.loads(source.read_bytes()), dtype="<f4")
    except ValueError as error:
        raise InvalidFileError(f"{data_set.url} must hold a list of rows of numbers: {error}.") from error
    finally:
        source.unlink()
    found = hashlib.sha256(points.tobytes()).hexdigest()
    if found != data_set.values_sha256:
        raise InvalidFileError(
            f"{data_set.url}: the sha256 of the values must be {data_set.values_sha256}, got {found}; nothing was kept."
        )
    return {"X": points}
