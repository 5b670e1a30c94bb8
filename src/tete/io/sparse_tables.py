"""Sparse tables in the arrays that scipy saves, checked before compiled code walks along their indices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.io.sources import DamageError, Source

__all__ = ["is_sparse_file", "sparse_table"]

BYTES_OF_A_ROW = 8  # where its entries begin, however few they are


def is_sparse_file(arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether these are the arrays of a sparse table."""
    return "format" in arrays and "shape" in arrays


def sparse_table(source: Source, arrays: dict[str, NDArray[Any]]) -> Any:
    """The table in rows, whatever its format."""
    with source.blamed("a whole npz file of a sparse table"):
        sizes = _whole(arrays, "shape").ravel().tolist()
        if len(sizes) != 2 or min(sizes) < 1:
            raise DamageError(f"its shape is {tuple(sizes)}")
        shape = (int(sizes[0]), int(sizes[1]))
        source.refuse_beyond_memory(f"a sparse table of {shape[0]:,} rows", BYTES_OF_A_ROW * shape[0])
        data = arrays["data"]
        if data.dtype.kind not in "biuf":
            raise DamageError(f"it has entries of the type {data.dtype}")
        if data.dtype.kind == "f" and data.dtype.itemsize not in {4, 8}:
            data = data.astype(np.float64)  # scipy has no others
        table = _table(str(arrays["format"].item()), arrays, data.astype(data.dtype.newbyteorder("=")), shape)
        rows = table.tocsr()
        rows.check_format(full_check=True)
        return rows


def _table(kind: str, arrays: dict[str, NDArray[Any]], data: NDArray[Any], shape: tuple[int, int]) -> Any:
    from scipy import sparse  # noqa: PLC0415

    if kind in {"csr", "csc", "bsr"}:
        make = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[kind]
        table: Any = make((data, _whole(arrays, "indices"), _whole(arrays, "indptr")), shape=shape)
        table.check_format(full_check=True)
        return table
    if kind == "coo":
        places = _whole(arrays, "coords") if "coords" in arrays else [_whole(arrays, name) for name in ("row", "col")]
        if any(np.min(numbers, initial=0) < 0 for numbers in places):
            raise DamageError("it has entries before its first row or column")
        return sparse.coo_array((data, tuple(places)), shape=shape)
    if kind == "dia":
        return sparse.dia_array((data, _whole(arrays, "offsets")), shape=shape)
    raise DamageError(f"its format is {kind!r}, expected csr, csc, bsr, coo or dia")


def _whole(arrays: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    numbers = arrays[name]
    if numbers.dtype.kind not in "iu":
        raise DamageError(f"{name!r} holds values of the type {numbers.dtype}, expected whole numbers")
    if np.max(numbers, initial=0) >= 2**62:
        raise DamageError(f"{name!r} holds {np.max(numbers)}")
    return numbers.astype(np.int64)
