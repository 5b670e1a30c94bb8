"""Whether a metric and a table go together: coordinates for great circles, and the user's own functions."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFeaturesError, InvalidParameterError, SlowMetricWarning, warn
from tete.reduction.metric_names import Metric, metric_said

__all__ = ["check_metric_of_table"]

LARGEST_LATITUDE = 1.5708  # a quarter of a turn, a little rounded
SLOW_SECONDS = 60.0  # of all calls of a function, about which a word is said
TIMED_CALLS = 20


def check_metric_of_table(metric: Metric, table: NDArray[Any], *, fitted: bool) -> None:
    """Refuse a table that a metric cannot compare, and a function that is none; `fitted` where all rows are compared.

    About a function that will take long a word is said.
    """
    if metric == "haversine":
        _check_coordinates(table)
    elif not isinstance(metric, str):
        seconds = _seconds_of_a_call(metric, table)
        n_calls = table.shape[0] ** 2 if fitted else 0
        if n_calls * seconds > SLOW_SECONDS:
            warn(
                f"All pairs of {table.shape[0]:,} rows are {n_calls:.1g} calls of `metric`, about "
                f"{n_calls * seconds:,.0f} seconds: compile it with numba.njit, or take a metric that has a name.",
                SlowMetricWarning,
            )


def _check_coordinates(table: NDArray[Any]) -> None:
    if table.shape[1] != 2:
        raise InvalidFeaturesError(
            f"The metric 'haversine' needs two columns, latitude and longitude in radians, got {table.shape[1]}."
        )
    far = np.flatnonzero(np.abs(table[:, 0]) > LARGEST_LATITUDE)
    if len(far):
        raise InvalidFeaturesError(
            f"Row {far[0]} of `X` has the latitude {table[far[0], 0]:g}, beyond a quarter of a turn: the metric "
            f"'haversine' takes radians, which numpy.radians makes of degrees ({counted(len(far), 'such row')})."
        )


def _seconds_of_a_call(metric: Callable[..., float], table: NDArray[Any]) -> float:
    """Time of a call; what is no distance is refused."""
    first, last = np.asarray(table[0]), np.asarray(table[-1])
    try:
        found = float(metric(first, last))  # compiles, if it has to
    except Exception as error:  # whatever the user's function raises
        raise InvalidParameterError(
            f"`metric` must take two rows and return a number: {metric_said(metric)} raised "
            f"{type(error).__name__}: {error}."
        ) from error
    if not (np.isfinite(found) and found >= 0.0):
        raise InvalidParameterError(f"`metric` must return distances that are finite and not negative, got {found:g}.")
    started = time.perf_counter()
    for _ in range(TIMED_CALLS):
        metric(first, last)
    return (time.perf_counter() - started) / TIMED_CALLS
