"""Arrays from a file, checked one by one before anything is computed with them: compiled code trusts what it gets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFileError

__all__ = ["CheckedArrays"]

KINDS = {"f": "numbers", "i": "whole numbers", "b": "true or false", "U": "text"}


class CheckedArrays:
    """Named arrays of which each is asked for once, by its name and its rule; `finish` refuses any that nobody knows.

    What breaks its rule raises an `InvalidFileError` with the array's name, the rule and the value.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._left = dict(arrays)

    def has(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self._left

    def numbers(
        self,
        name: str,
        dtype: str | None,
        shape: tuple[int | None, ...],
        *,
        least: float = -np.inf,
        most: float = np.inf,
        fewest: int = 1,
    ) -> NDArray[Any]:
        """A contiguous array of finite numbers of this type (None: any) and shape (None: any length from `fewest`)."""
        array = self._take(name)
        plain = array.dtype.kind in "biuf" and array.dtype.isnative
        if not plain or (dtype is not None and array.dtype != np.dtype(dtype)):
            raise InvalidFileError(f"`{name}` must have the type {dtype or 'of numbers'}, got {array.dtype}.")
        fits = array.ndim == len(shape) and all(
            size == given if given is not None else size >= fewest
            for size, given in zip(array.shape, shape, strict=False)
        )
        if not fits:
            listed = ", ".join("any" if size is None else str(size) for size in shape)
            raise InvalidFileError(f"`{name}` must have the shape ({listed}), got {array.shape}.")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidFileError(f"`{name}` must be finite, got {int((~np.isfinite(array)).sum())} other values.")
        if array.size and (array.min() < least or array.max() > most):
            raise InvalidFileError(
                f"`{name}` must be from {least:g} to {most:g}, got {float(array.min()):g} to {float(array.max()):g}."
            )
        return np.ascontiguousarray(array)

    def numbering(self, name: str, length: int | None, *, most: int) -> NDArray[Any]:
        """A contiguous array of whole numbers from 0 on; None: of any length from 1 on."""
        array = self.numbers(name, None, (length,), least=0, most=most)
        if array.dtype.kind not in "iu":
            raise InvalidFileError(f"`{name}` must hold whole numbers, got {array.dtype}.")
        return array

    def whole(self, name: str, *, least: int, most: int = 2**31 - 1) -> int:
        """A single whole number."""
        value = self._single(name, "iu")
        if not least <= int(value) <= most:
            raise InvalidFileError(f"`{name}` must be a whole number from {least} to {most}, got {value}.")
        return int(value)

    def real(self, name: str, *, least: float, most: float) -> float:
        """A single finite number."""
        value = float(self._single(name, "fiu"))
        if not (np.isfinite(value) and least <= value <= most):
            raise InvalidFileError(f"`{name}` must be a number from {least:g} to {most:g}, got {value:g}.")
        return value

    def flag(self, name: str) -> bool:
        """A single true or false."""
        return bool(self._single(name, "b"))

    def text(self, name: str, choices: tuple[str, ...]) -> str:
        """A single text, one of the choices."""
        value = str(self._single(name, "U"))
        if value not in choices:
            raise InvalidFileError(f"`{name}` must be one of {', '.join(choices)}, got {value!r}.")
        return value

    def one_text(self, name: str) -> str:
        """A single text of any content."""
        return str(self._single(name, "U"))

    def texts(self, name: str, length: int) -> NDArray[Any]:
        """Texts, as many as this."""
        array = self._take(name)
        if array.dtype.kind != "U" or array.shape != (length,):
            raise InvalidFileError(f"`{name}` must be {length} texts, got {array.dtype} of shape {array.shape}.")
        return array

    def finish(self) -> None:
        """Refuse what is left: a file must not hold what nobody reads."""
        if self._left:
            raise InvalidFileError(
                f"`{next(iter(self._left))}` is not known ({counted(len(self._left), 'such array')})."
            )

    def _take(self, name: str) -> NDArray[Any]:
        if name not in self._left:
            raise InvalidFileError(f"`{name}` is missing.")
        return self._left.pop(name)

    def _single(self, name: str, kinds: str) -> Any:
        array = self._take(name)
        if array.shape != () or array.dtype.kind not in kinds:
            raise InvalidFileError(
                f"`{name}` must be a single value ({KINDS[kinds[0]]}), got {array.dtype} of shape {array.shape}."
            )
        return array.item()
