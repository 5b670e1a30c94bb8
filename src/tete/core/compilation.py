"""One way to compile a loop: kept on disk where that is possible, and never a reason to fail.

numba keeps compiled code beside the source or in the user's cache folder (`NUMBA_CACHE_DIR` names another). Where
nothing can be written, code is compiled anew in each process; a damaged file is compiled anew and replaced.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from llvmlite.binding import get_host_cpu_features
from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import overload

__all__ = ["chosen_by_type", "compiled", "has_wide_vectors"]

Function = TypeVar("Function", bound=Callable[..., Any])


class _MendingCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache, for which a damaged file is an absent one."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for these types, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling damaged bytes raises whatever they say
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a full disk only means that it is compiled again next time."""
        with suppress(OSError):
            super().save_overload(sig, data)


def compiled(*, cache: bool = True, **options: Any) -> Callable[[Function], Function]:
    """Compile with numba, without the interpreter's lock; what is inlined into other code needs no `cache`."""

    def decorate(function: Function) -> Function:
        dispatcher = njit(function, nogil=True, **options)
        if cache and not numba.config.DISABLE_JIT:
            with suppress(RuntimeError):  # no folder to write to
                dispatcher._cache = _MendingCache(function)  # numba has no public way to give it another cache
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def chosen_by_type(function: Callable[..., Any], options: dict[str, Any]) -> Callable[[Function], Function]:
    """Decorate what returns, for the types of the arguments, the formula that compiled code runs for `function`.

    Unlike functions passed as arguments, formulas that are chosen so can be kept on disk.
    """
    return overload(function, jit_options=options, strict=False)  # type: ignore[no-any-return]


def has_wide_vectors() -> bool:
    """Whether this processor works on sixteen numbers of single precision at once."""
    with suppress(RuntimeError):  # where nobody can tell
        return bool(get_host_cpu_features().get("avx512f"))
    return False
