"""One BLAS thread: several only wait for each other on vectors as small as ours, and change the last bits of sums."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit the linear algebra of this block to one thread; afterwards it has as many as before."""
    return _libraries().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _libraries() -> ThreadpoolController:
    """Found once, because looking for them takes milliseconds; SciPy's must be loaded by then, like NumPy's."""
    import scipy.linalg  # noqa: F401, PLC0415

    return ThreadpoolController()
