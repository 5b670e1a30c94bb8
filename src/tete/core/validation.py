"""Checks of parameters: each says in one sentence what is wrong, with name, rule and value."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from tete.exceptions import InvalidParameterError, Parameter

__all__ = [
    "check_callback",
    "check_choice",
    "check_interval",
    "check_learning_rate",
    "check_map",
    "check_n_jobs",
    "check_whole",
]


def check_whole(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Refuse anything but a whole number from `least` on, up to `most` if there is one."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or int(value) < least or (most is not None and int(value) > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidParameterError(Parameter(name), f" must be a whole number {limits}, got {value!r}.")


def check_n_jobs(value: Any) -> None:
    """Refuse anything but joblib's numbers of threads."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or int(value) == 0):
        raise InvalidParameterError(f"`n_jobs` must be a whole number other than 0, or None, got {value!r}.")


def check_interval(name: str, value: Any, low: float, high: float, *, closed: bool = True) -> None:
    """Refuse anything but a number in [low, high], or in (low, high) if not `closed`; infinity is never inside."""
    try:
        number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = np.inf
    if not (np.isfinite(number) and (low <= number <= high if closed else low < number < high)):
        left, right = "[]" if closed else "()"
        right = ")" if np.isinf(high) else right
        raise InvalidParameterError(Parameter(name), f" must be in {left}{low:g}, {high:g}{right}, got {value!r}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse anything but one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices[:-1])
        raise InvalidParameterError(Parameter(name), f" must be {listed} or {choices[-1]!r}, got {value!r}.")


def check_callback(value: Any) -> None:
    """Refuse anything but a callable or None."""
    if value is not None and not callable(value):
        raise InvalidParameterError(f"`callback` must be callable or None, got {value!r}.")


def check_learning_rate(value: Any) -> None:
    """Refuse anything but "auto" or a positive number."""
    if not (isinstance(value, str) and value == "auto"):
        check_interval("learning_rate", value, 0.0, np.inf, closed=False)


def check_map(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """The values as a map: a two-dimensional array of finite numbers."""
    return np.asarray(check_array(values, dtype=np.float64, input_name=name))
