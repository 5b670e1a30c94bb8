"""A column of response times: how long answers took, or when they were given.

Numbers are milliseconds, or seconds where a person could not have been so fast. Moments (dates with the time of day, or
seconds or milliseconds since 1970) say that an answer took as long as it came after the same person's one before.
"""

from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "are_moments", "milliseconds", "moment_of", "since_the_one_before"]

Floats: TypeAlias = NDArray[np.float64]

SECONDS = 100.0  # a median below this many milliseconds is no person's: then the times are in seconds
FIRST_MOMENT = 1e9  # milliseconds that nobody takes, twelve days; as seconds since 1970 a moment of the year 2001
MOMENTS_IN_MILLISECONDS = 1e11  # as milliseconds since 1970 a moment of the year 1973, as seconds far in the future


def moment_of(text: str) -> float:
    """A date with the time of day in milliseconds since 1970; NaN if the text is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return np.nan
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)  # only differences count
    return 1000.0 * aware.timestamp()


def are_moments(times: Floats) -> bool:
    """Whether these are too large to be durations."""
    known = times[np.isfinite(times)]
    return len(known) > 0 and float(np.median(known)) >= FIRST_MOMENT


def milliseconds(durations: Floats, column: str) -> Floats:
    """Durations in milliseconds, by the name of their column or by their size; NaN where there is none."""
    times = np.where(np.isfinite(durations) & (durations >= 0.0), durations, np.nan)
    known = times[~np.isnan(times)]
    in_milliseconds = column.casefold().rstrip(")").endswith("ms")
    return times if in_milliseconds or not len(known) or np.median(known) >= SECONDS else 1000.0 * times


def since_the_one_before(moments: Floats, people: NDArray[np.int64]) -> Floats:
    """For each moment the milliseconds since the same person's last earlier one; NaN for the first of each person."""
    times = np.full(len(moments), np.nan)
    rows = np.flatnonzero(np.isfinite(moments))
    different, which = np.unique(np.column_stack([people[rows], moments[rows]]), axis=0, return_inverse=True)
    steps = np.diff(different[:, 1], prepend=np.nan)
    steps[1:][different[1:, 0] != different[:-1, 0]] = np.nan
    times[rows] = steps[np.ravel(which)]
    return times if np.median(moments[rows]) >= MOMENTS_IN_MILLISECONDS else 1000.0 * times
