"""Numbers that mean "missing", such as -9999 or -3.4e38 in files of maps and climate data.

One such cell is so far from all others that it decides the whole map. It is not repaired, but said: a code lies
beyond a column's other numbers by a million times their range, or by a few times if it is one of the usual codes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import MissingCodesWarning, warn

__all__ = ["warn_missing_codes"]

USUAL = (-999.0, 999.0, -9999.0, 9999.0, -99999.0, 99999.0, -999999.0, 999999.0, -(2.0**15), -(2.0**31))
RANGES_BEYOND_USUAL, RANGES_BEYOND = 5.0, 1e6
LEAST_CODE = 1e6  # in size, of one that is not usual
SURE_CODE = 1e30  # in size, whatever the others are
SAMPLE_ROWS = 4096  # looked at first, so that large numbers alone cost little
MOST_CODES = 4  # of one column


class Code(NamedTuple):
    """A number that probably means "missing", how often it occurs, and between which numbers the others are."""

    value: float
    n_rows: int
    low: float
    high: float


def warn_missing_codes(
    table: NDArray[Any], limits: tuple[NDArray[Any], NDArray[Any]], names: Sequence[Any] | None
) -> None:
    """Say which column has a probable code for "missing"; `limits` are the columns' smallest and largest numbers."""
    low, high = (limit.astype(np.float64) for limit in limits)
    size = np.maximum(np.abs(low), np.abs(high))
    suspects = np.flatnonzero((size >= LEAST_CODE) | np.isin(low, USUAL) | np.isin(high, USUAL))
    if not len(suspects):
        return
    some = np.asarray(table[:: max(1, len(table) // SAMPLE_ROWS), :][:, suspects], dtype=np.float64)
    sample = np.concatenate([some, low[None, suspects], high[None, suspects]])
    likely = [column for column, values in zip(suspects, sample.T, strict=True) if _codes(values)]
    found = [(column, code) for column in likely for code in _codes(np.asarray(table[:, column], dtype=np.float64))]
    if not found:
        return
    column, code = int(found[0][0]), found[0][1]
    name = "" if names is None else f" ({names[column]!r})"
    n_columns = len({column for column, _ in found})
    others = f" ({n_columns} such columns)" if n_columns > 1 else ""
    rows = "row" if code.n_rows == 1 else "rows"
    warn(
        f"Column {column}{name} of `X` has {code.value:g} in {code.n_rows} {rows}, far beyond its other numbers from "
        f"{code.low:g} to {code.high:g}: probably a code for a missing value, which would decide the whole map; fill "
        f"these gaps in, or leave out the rows or the column{others}.",
        MissingCodesWarning,
    )


def _codes(values: NDArray[np.float64]) -> list[Code]:
    """Probable codes among the numbers of one column, the farthest first."""
    distinct, counts = np.unique(values, return_counts=True)
    found: list[Code] = []
    with np.errstate(over="ignore"):  # differences of the largest numbers are infinite, which is far enough
        while len(distinct) > 1 and len(found) < MOST_CODES:
            inner = distinct[1:-1]
            ends = [(0, inner if len(inner) else distinct[1:]), (-1, inner if len(inner) else distinct[:-1])]
            codes = [end for end, others in ends if _is_code(distinct[end], others)]
            if not codes:
                break
            end = max(codes, key=lambda end: abs(distinct[end]))
            found.append(Code(float(distinct[end]), int(counts[end]), 0.0, 0.0))
            kept = slice(1, None) if end == 0 else slice(None, -1)
            distinct, counts = distinct[kept], counts[kept]
    return [code._replace(low=distinct[0], high=distinct[-1]) for code in found]


def _is_code(value: float, others: NDArray[np.float64]) -> bool:
    """Whether the smallest or largest number is far beyond the others but the one at the other end."""
    gap, extent = min(abs(value - others[0]), abs(value - others[-1])), others[-1] - others[0]
    if value in USUAL:
        return bool(0.0 < RANGES_BEYOND_USUAL * extent < gap)
    if abs(value) >= SURE_CODE and np.abs(others).max() < abs(value) / RANGES_BEYOND:
        return True
    return bool(abs(value) >= LEAST_CODE and 0.0 < RANGES_BEYOND * extent < gap)
