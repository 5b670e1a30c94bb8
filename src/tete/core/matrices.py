"""Tables of numbers, dense or sparse: the few questions that every room asks of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["as_dense", "is_sparse"]


def is_sparse(table: Any) -> bool:
    """Whether a table is one of scipy's sparse ones."""
    return bool(sparse.issparse(table))


def as_dense(table: Any) -> NDArray[Any]:
    """The same table as a plain array."""
    return np.asarray(table.toarray()) if is_sparse(table) else np.asarray(table)
