"""The one seam for data frames: tables of polars, pyarrow, modin, DuckDB and others become pandas' own.

narwhals tells what a table is, and is loaded only for tables that are neither arrays nor pandas' data frames. Columns
go over one by one as NumPy arrays, so that no other library is needed than the one that the table is of.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from tete.exceptions import InvalidParameterError

__all__ = ["as_pandas", "named_columns"]


def as_pandas(table: Any) -> Any:
    """The table as pandas' data frame, of whatever library it is; what is no data frame comes back as it is.

    Lazy frames are collected. Numbers with gaps become floats with NaN, categories stay categories, and those of an
    Enum keep their order.
    """
    pandas = sys.modules.get("pandas")
    if not hasattr(type(table), "columns") or (pandas is not None and isinstance(table, pandas.DataFrame)):
        return table  # the class is asked, because a lazy frame would have to work out its columns
    import narwhals.stable.v1 as nw  # noqa: PLC0415  (loaded for other frames than pandas' only)

    try:
        frame = nw.from_native(table, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
    except nw.exceptions.DuplicateError as error:  # which pyarrow and DuckDB allow
        raise InvalidParameterError(f"The columns of a data frame must have different names: {error}.") from None
    if not isinstance(frame, nw.DataFrame):
        return table
    if frame.implementation.is_pandas_like():
        return frame.to_pandas()
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    columns = {position: _cells(column) for position, column in enumerate(frame.iter_columns())}
    found = pd.DataFrame(columns, index=pd.RangeIndex(len(frame)), copy=False)
    found.columns = pd.Index(frame.columns)
    return found


def named_columns(columns: Any) -> Mapping[str, Any]:
    """The columns by name, of a mapping, of a data frame of any library, or of None, which has none."""
    return {} if columns is None else dict(as_pandas(columns).items())


def _cells(column: Any) -> Any:
    """The cells of a column, as pandas keeps them without any help."""
    import narwhals.stable.v1 as nw  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    kind = column.dtype
    if isinstance(kind, (nw.Categorical, nw.Enum)):
        known = column.cat.get_categories().to_list()
        return pd.Categorical(column.to_list(), categories=known, ordered=isinstance(kind, nw.Enum))
    plain = kind.is_integer() or kind.is_float() or isinstance(kind, (nw.Date, nw.Datetime, nw.Duration))
    if plain or (isinstance(kind, nw.Boolean) and column.null_count() == 0):
        return column.to_numpy()
    return np.fromiter(column.to_list(), dtype=object, count=len(column))
