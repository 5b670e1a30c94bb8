"""What is no number in a table, said with the column's name before anything is computed."""

import sys
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.any_frame import as_pandas
from tete.exceptions import InvalidFeaturesError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["numbers_only"]

INTO_NUMBERS = {
    "text": "or turn it into numbers, as TableEncoder does for classes",
    "categories": "or turn it into numbers, as TableEncoder does",
    "dates": "or turn it into numbers, such as the days since the first date",
    "durations": "or turn it into numbers, such as seconds",
    "complex numbers": "or take real and imaginary parts as two columns",
}
# What pandas says of columns of Python objects; see pandas.api.types.infer_dtype.
NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"}
OBJECTS = dict.fromkeys(("string", "bytes", "mixed", "mixed-integer"), "text") | {
    "date": "dates",
    "datetime": "dates",
    "datetime64": "dates",
    "period": "dates",
    "time": "durations",
    "timedelta": "durations",
    "timedelta64": "durations",
    "categorical": "categories",
    "complex": "complex numbers",
}
ARRAY_KINDS = {"U": "text", "S": "text", "T": "text", "M": "dates", "m": "durations", "c": "complex numbers"}


def numbers_only(X: Any) -> Any:
    """The same table; an error that names the first column, or cell, of something else than numbers."""
    if isinstance(X, (str, PathLike)):
        raise InvalidFeaturesError(
            f"`X` is {str(X)!r}: a file is read by `tete.read_features`, whose `X` can be given."
        )
    X = as_pandas(X)
    pandas = sys.modules.get("pandas")  # where nobody has loaded it, there is no data frame
    if pandas is not None and isinstance(X, pandas.DataFrame):
        _refuse_odd_columns(X)
        return _without_sparse_columns(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in ARRAY_KINDS:
        what = ARRAY_KINDS[X.dtype.kind]
        reason = " (Complex data not supported)" if X.dtype.kind == "c" else ""
        raise InvalidFeaturesError(f"`X` must hold real numbers, got {what}{reason}.")
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 2:
        _refuse_text_cells(X)
    return X


def _refuse_odd_columns(frame: "pd.DataFrame") -> None:
    odd = [(name, what) for name, column in frame.items() if (what := _other_than_numbers(column)) is not None]
    if odd:
        name, what = odd[0]
        others = f" ({len(odd)} such columns)" if len(odd) > 1 else ""
        advice = INTO_NUMBERS.get(what, "or turn it into numbers")
        raise InvalidFeaturesError(
            f"Column {name!r} of `X` holds {what}, expected numbers: leave it out, {advice}{others}."
        )


def _other_than_numbers(column: "pd.Series[Any]") -> str | None:
    """What a column holds if not numbers; numbers with gaps are refused at once."""
    import pandas as pd  # noqa: PLC0415

    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return "categories"
    if pd.api.types.is_datetime64_any_dtype(kind) or isinstance(kind, pd.PeriodDtype):
        return "dates"
    if pd.api.types.is_complex_dtype(kind):
        return "complex numbers"
    if pd.api.types.is_numeric_dtype(kind):
        return None
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred not in NUMBERS:
        return OBJECTS.get(inferred, f"values of the type {kind}")
    gaps = np.flatnonzero(column.isna())
    if len(gaps):  # NumPy makes no number of pandas' own sign for a gap
        raise InvalidFeaturesError(
            f"Row {gaps[0]}, column {column.name!r} of `X` is missing (NaN): all values must be finite numbers."
        )
    return None


def _without_sparse_columns(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Written out where only some columns are sparse: such frames become dense anyway."""
    import pandas as pd  # noqa: PLC0415

    sparse = [isinstance(kind, pd.SparseDtype) for kind in frame.dtypes]
    if not any(sparse) or all(sparse):
        return frame
    dense = frame.copy(deep=False)
    for position, kind in enumerate(frame.dtypes):
        if isinstance(kind, pd.SparseDtype):
            dense.isetitem(position, np.asarray(frame.iloc[:, position]))
    return dense


def _refuse_text_cells(table: NDArray[Any]) -> None:
    for row, cells in enumerate(table):
        for column, cell in enumerate(cells):
            if isinstance(cell, (str, bytes)):
                raise InvalidFeaturesError(
                    f"Row {row}, column {column} of `X` is text, {cell!r:.40}: all values must be finite numbers."
                )
