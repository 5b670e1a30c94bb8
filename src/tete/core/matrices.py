"""Tables of numbers, dense or sparse: the few questions that every room asks of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["as_dense", "computable", "is_sparse", "native"]


def is_sparse(table: Any) -> bool:
    """Whether a table is one of scipy's sparse ones."""
    return bool(sparse.issparse(table))


def as_dense(table: Any) -> NDArray[Any]:
    """The same table as a plain array."""
    return np.asarray(table.toarray()) if is_sparse(table) else np.asarray(table)


def computable(values: Any) -> NDArray[Any]:
    """The same numbers in a type that compiled code computes with; a copy only where theirs is none."""
    array = native(values)
    return array.astype(np.float32) if array.dtype in (np.bool_, np.float16) else array


def native(values: Any) -> NDArray[Any]:
    """The same numbers in the byte order of this machine and in at most 8 bytes; a copy only where they are not."""
    array = np.asarray(values)
    if array.dtype.itemsize > 8:
        return array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
