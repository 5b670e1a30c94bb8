"""The cells of a column as plain numbers, with not-a-number for gaps, or as texts, with None."""

import re
import sys
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted
from tete.exceptions import InvalidFeaturesError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["WRITTEN", "cells_of", "is_missing", "value_texts", "written"]

ZONE = r"(?:Z|[-+][0-9]{2}:?[0-9]{2})?"
DAY_TEXT = re.compile(
    rf"\s*[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[ T][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?{ZONE}|Z)?\s*"
)
DURATION_TEXT = re.compile(
    r"\s*-?[0-9]{1,5} days?(?: [-+]?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)?\s*"
)  # as pandas writes
TRUTH_TEXT = re.compile(r"\s*(?:true|false)\s*", re.IGNORECASE)
NUMBER_TEXT = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*")
WRITTEN = {"number": NUMBER_TEXT, "truth": TRUTH_TEXT, "date": DAY_TEXT, "duration": DURATION_TEXT}
SECONDS_OF_A_DAY = 86_400.0
# What pandas says of columns of Python objects; see pandas.api.types.infer_dtype.
OBJECTS = (
    dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "number")
    | dict.fromkeys(("date", "datetime", "datetime64"), "date")
    | dict.fromkeys(("timedelta", "timedelta64"), "duration")
    | {"boolean": "truth"}
)


def cells_of(name: str, column: "pd.Series[Any]") -> tuple[NDArray[Any], str]:
    """The cells and their kind: "number", "truth", "date" and "duration" are numbers, "category" is text."""
    kind = _kind_of_type(name, column.dtype)
    if kind == "object":
        import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

        kind = OBJECTS.get(pd.api.types.infer_dtype(column, skipna=True), "text")
    if kind == "text":
        return _read_texts(name, value_texts(name, column))
    if kind == "category":
        return value_texts(name, column), kind
    if kind == "date":
        return _days(column), kind
    numbers = _seconds(column) if kind == "duration" else _floats(name, column)
    return _finite(name, numbers), kind


def _kind_of_type(name: str, kind: Any) -> str:
    import pandas as pd  # noqa: PLC0415

    types = pd.api.types
    if types.is_complex_dtype(kind):
        raise InvalidFeaturesError(f"Column {name!r} of `X` holds complex numbers: take real and imaginary parts.")
    for found, holds in (
        ("category", isinstance(kind, pd.CategoricalDtype)),
        ("date", isinstance(kind, pd.PeriodDtype) or types.is_datetime64_any_dtype(kind)),
        ("duration", types.is_timedelta64_dtype(kind)),
        ("truth", types.is_bool_dtype(kind)),
        ("number", types.is_numeric_dtype(kind)),
    ):
        if holds:
            return found
    return "object"


def _read_texts(name: str, texts: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """Texts that are all numbers, all true or false, all days or all durations as these."""
    present = [text for text in texts if text is not None]
    kind = next((kind for kind, pattern in WRITTEN.items() if present and all(map(pattern.fullmatch, present))), "")
    if kind == "number":
        return _finite(name, np.array([np.nan if text is None else float(text) for text in texts])), kind
    if kind == "truth":
        return np.array([np.nan if text is None else float(text.casefold() == "true") for text in texts]), kind
    if kind in {"date", "duration"}:
        moments = _moments(texts, kind)
        if int(moments.notna().sum()) == len(present):
            return _days(moments) if kind == "date" else _seconds(moments), kind
    return texts, "category"


def _moments(texts: NDArray[Any], kind: str) -> "pd.Series[Any]":
    import pandas as pd  # noqa: PLC0415

    column = pd.Series(texts)
    if kind == "date":
        return pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce")
    return pd.to_timedelta(column, errors="coerce")


def _floats(name: str, column: "pd.Series[Any]") -> NDArray[np.float64]:
    try:
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    except OverflowError:  # whole numbers of Python have no end
        row = next(row for row, cell in enumerate(column) if isinstance(cell, int) and abs(cell) > sys.float_info.max)
        raise InvalidFeaturesError(
            f"Row {row}, column {name!r} of `X` is beyond the largest number that can be computed with, 1.8e308."
        ) from None


def _seconds(column: "pd.Series[Any]") -> NDArray[np.float64]:
    import pandas as pd  # noqa: PLC0415

    return np.asarray(pd.to_timedelta(column).dt.total_seconds(), dtype=np.float64)


def _days(column: "pd.Series[Any]") -> NDArray[np.float64]:
    """Days since 1970, with the time of the day as a part of them."""
    import pandas as pd  # noqa: PLC0415

    moments = column.dt.to_timestamp() if isinstance(column.dtype, pd.PeriodDtype) else column
    beginning = pd.Timestamp(0, tz="UTC").as_unit("s")  # in nanoseconds, only three centuries could be subtracted
    since = pd.to_datetime(moments, utc=True) - beginning
    return np.asarray(since.dt.total_seconds(), dtype=np.float64) / SECONDS_OF_A_DAY


def _finite(name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise InvalidFeaturesError(
            f"Row {infinite[0]}, column {name!r} of `X` is infinity (inf): numbers must be finite, or missing "
            f"({counted(len(infinite), 'such cell')})."
        )
    return numbers


def value_texts(name: str, column: "pd.Series[Any]") -> NDArray[Any]:
    """Each cell as text without the space around it, None where it is missing or blank."""
    import pandas as pd  # noqa: PLC0415

    cells = column.astype(object).to_numpy()
    try:
        codes, different = pd.factorize(cells)
    except TypeError:  # what cannot be hashed holds other values
        row = next(row for row, cell in enumerate(cells) if not isinstance(cell, Hashable))
        raise InvalidFeaturesError(
            f"Row {row}, column {name!r} of `X` is a {type(cells[row]).__name__}: cells must hold single values."
        ) from None
    texts = np.array([*(written(value) or None for value in different), None], dtype=object)
    return np.asarray(texts[codes])  # the code of a gap is -1


def written(value: Any) -> str:
    """A value as text; whole numbers have no decimals."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def is_missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Which cells are gaps."""
    if cells.dtype == object:
        return np.array([cell is None for cell in cells], dtype=bool)
    return np.asarray(np.isnan(cells))
