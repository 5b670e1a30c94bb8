"""The tempered logarithm and exponential, and the robust transformation (paper, section "Robust Loss Transformations").

`log_t` and `exp_t` generalise `log` and `exp` (t = 1) by a temperature t. For t > 1 the logarithm is bounded,
which caps a loss, and the exponential has a heavy tail, which lets dissimilar objects lie far apart.
"""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.exceptions import InvalidParameterError

__all__ = ["exp_t", "log_t", "robust"]


def log_t(x: ArrayLike, t: float) -> NDArray[np.float64]:
    """Tempered logarithm, the paper's equation logt: ``(x**(1 - t) - 1) / (1 - t)``, and ``log(x)`` at t = 1.

    Parameters
    ----------
    x : array-like of non-negative numbers
        Where to take the logarithm.
    t : float in (0, 2]
        Temperature.

    Returns
    -------
    array of the shape of `x`
        Concave and non-decreasing in `x`. For t > 1 it stays below ``1 / (t - 1)``.

    Raises
    ------
    InvalidParameterError
        If `t` is not in (0, 2], or `x` is negative or not a number.

    Examples
    --------
    >>> from tete.tempered import log_t
    >>> log_t([1.0, 10.0, 1e6], t=2)
    array([0.      , 0.9     , 0.999999])
    """
    values = _as_floats("x", x)
    if np.any(values < 0):
        raise InvalidParameterError(f"`x` must be non-negative, got {values[values < 0].flat[0]}.")
    power = 1.0 - _check_temperature(t)
    with np.errstate(divide="ignore", over="ignore"):
        logarithm = np.log(values)
        # expm1 keeps the digits that x**(1-t) - 1 loses as t approaches 1.
        return logarithm if power == 0.0 else np.expm1(power * logarithm) / power


def exp_t(x: ArrayLike, t: float) -> NDArray[np.float64]:
    """Tempered exponential, the paper's equation expt: ``[1 + (1 - t) x]_+ ** (1 / (1 - t))``, and ``exp(x)`` at t = 1.

    It is the inverse of `log_t`: below the range of `log_t` (t < 1) it is 0, above the range (t > 1) it is inf.

    Parameters
    ----------
    x : array-like of numbers
        Where to take the exponential.
    t : float in (0, 2]
        Temperature.

    Returns
    -------
    array of the shape of `x`
        Non-negative and non-decreasing in `x`.

    Raises
    ------
    InvalidParameterError
        If `t` is not in (0, 2], or `x` is not a number.

    Examples
    --------
    >>> from tete.tempered import exp_t
    >>> exp_t([0.0, -1.0, -9.0], t=2)  # falls more slowly than exp
    array([1. , 0.5, 0.1])
    """
    values = _as_floats("x", x)
    power = 1.0 - _check_temperature(t)
    with np.errstate(divide="ignore", over="ignore"):
        if power == 0.0:
            return np.asarray(np.exp(values))
        # [.]_+ = 0 becomes log1p(-1) = -inf, hence 0 for t < 1 and inf for t > 1, as the formula says.
        return np.asarray(np.exp(np.log1p(np.maximum(power * values, -1.0)) / power))


def robust(loss: ArrayLike, t: float) -> NDArray[np.float64]:
    """Robust transformation of a non-negative loss: ``rho_t(l) = log_t(1 + l)``, the paper's equation type-II-ex.

    Zero stays zero, and for t > 1 no loss counts more than ``1 / (t - 1)``. At t = 1 it is the logarithmic
    transformation of eq. (type-I-ex), which grows without a cap.

    Parameters
    ----------
    loss : array-like of non-negative numbers
        The losses.
    t : float in (0, 2]
        Temperature.

    Returns
    -------
    array of the shape of `loss`
        The transformed losses.

    Raises
    ------
    InvalidParameterError
        If `t` is not in (0, 2], or `loss` is negative or not a number.

    Examples
    --------
    >>> from tete.tempered import robust
    >>> robust([0.0, 1.0, 9.0, 1e9], t=2).round(3)
    array([0. , 0.5, 0.9, 1. ])
    """
    values = _as_floats("loss", loss)
    if np.any(values < 0):
        raise InvalidParameterError(f"`loss` must be non-negative, got {values[values < 0].flat[0]}.")
    power = 1.0 - _check_temperature(t)
    logarithm = np.log1p(values)
    with np.errstate(over="ignore"):
        return logarithm if power == 0.0 else np.expm1(power * logarithm) / power


def _as_floats(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if np.isnan(array).any():
        raise InvalidParameterError(f"`{name}` must not contain NaN, got {int(np.isnan(array).sum())} of them.")
    return array


def _check_temperature(t: Any) -> float:
    if not (isinstance(t, Real) and 0.0 < float(t) <= 2.0):
        raise InvalidParameterError(f"`t` must be in (0, 2], got {t!r}.")
    return float(t)
