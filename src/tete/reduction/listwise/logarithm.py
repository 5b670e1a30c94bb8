"""Logarithm and exponential in compiled loops.

In single precision by series, which the processor works out for several numbers at once, unlike the library's.
"""

import math
from typing import Any

import numpy as np
from numba import float32

from tete.core.compilation import chosen_by_type

__all__ = ["FAST", "exp", "log"]

FAST: Any = {"error_model": "numpy", "fastmath": {"contract", "arcp", "nsz", "reassoc"}}

HALF_ROOT_BITS = 0x3F3504F3  # the bits of sqrt(1/2) in single precision
MANTISSA_BITS, EXPONENT_OF_ONE = 23, 127
LOG_2 = math.log(2.0)
LOG_2_HEAD = 0.693359375  # few bits, so that its multiples are exact
SMALLEST_EXPONENT = -87.0


def log(x: Any) -> Any:
    """Natural logarithm of a positive normal number."""
    return math.log(x)


def exp(x: Any) -> Any:
    """Exponential of a number that is not positive."""
    return math.exp(x)


def _log_single(x: Any) -> Any:
    """From x = 2^e m with m in [sqrt(1/2), sqrt(2)), and log m = 2 artanh((m - 1) / (m + 1))."""
    bits = np.float32(x).view(np.int32)
    exponent = (bits - np.int32(HALF_ROOT_BITS)) >> np.int32(MANTISSA_BITS)
    mantissa = np.int32(bits - (exponent << np.int32(MANTISSA_BITS))).view(np.float32)
    ratio = (mantissa - np.float32(1.0)) / (mantissa + np.float32(1.0))
    square = ratio * ratio
    series = np.float32(2 / 7) + square * np.float32(2 / 9)
    series = np.float32(2 / 3) + square * (np.float32(2 / 5) + square * series)
    return np.float32(exponent) * np.float32(LOG_2) + ratio * (np.float32(2.0) + square * series)


def _exp_single(x: Any) -> Any:
    """From x = k log 2 + r with r in [-log(2)/2, log(2)/2], and exp r by its series."""
    x = max(x, np.float32(SMALLEST_EXPONENT))
    whole = np.int32(x * np.float32(1.0 / LOG_2) - np.float32(0.5))
    rest = x - np.float32(whole) * np.float32(LOG_2_HEAD) - np.float32(whole) * np.float32(LOG_2 - LOG_2_HEAD)
    series = np.float32(1 / 120) + rest * (np.float32(1 / 720) + rest * np.float32(1 / 5040))
    series = np.float32(1 / 2) + rest * (np.float32(1 / 6) + rest * (np.float32(1 / 24) + rest * series))
    power = np.int32((whole + np.int32(EXPONENT_OF_ONE)) << np.int32(MANTISSA_BITS)).view(np.float32)
    return power * (np.float32(1.0) + rest * (np.float32(1.0) + rest * series))


@chosen_by_type(log, FAST)
def _compile_log(x: Any) -> Any:
    return _log_single if x is float32 else log


@chosen_by_type(exp, FAST)
def _compile_exp(x: Any) -> Any:
    return _exp_single if x is float32 else exp
