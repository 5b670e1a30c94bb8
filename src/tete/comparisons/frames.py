"""From a data frame of named or numbered objects, of whatever library, to rows of object numbers."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.any_frame import as_pandas
from tete.core.printing import counted
from tete.exceptions import InvalidTripletsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rows_of_frame"]

# Fields of triplets by the columns that hold them.
FIELDS = {
    "weight": "weights",
    "annotator": "annotators",
    "answer": "answers",
    "fold": "groups",
    "group": "groups",
    "ms": "times",
    "tie": "ties",
}


def rows_of_frame(table: Any, names: Sequence[Hashable] | None) -> tuple[NDArray[Any], dict[str, Any]]:
    """Rows (anchor, near, far), and the other fields of triplets that the frame has columns for."""
    frame = as_pandas(table)
    if not hasattr(frame, "columns"):
        raise InvalidTripletsError(
            "`frame` must be a data frame of pandas, polars, pyarrow or another library that narwhals knows, got "
            f"{type(table).__name__}."
        )
    missing = [column for column in ("anchor", "near", "far") if column not in frame.columns]
    if missing:
        raise InvalidTripletsError(
            f"The data frame must have columns anchor, near and far; {', '.join(missing)} not found among "
            f"{[str(column) for column in frame.columns]}."
        )
    details: dict[str, Any] = {
        field: frame[column].to_numpy() for column, field in FIELDS.items() if column in frame.columns
    }
    cells = frame[["anchor", "near", "far"]]
    _refuse_gaps(cells)
    if names is None and all(dtype.kind in "iuf" for dtype in cells.dtypes):
        return cells.to_numpy(), details
    numbers, details["names"] = _numbers_of_names(cells, names)
    return numbers, details


def _refuse_gaps(cells: "pd.DataFrame") -> None:
    """Name the first row in which an object is missing."""
    missing = cells.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise InvalidTripletsError(
            f"Row {row} has no object in column {cells.columns[column]!r} "
            f"({counted(int(missing.any(axis=1).sum()), 'such row')})."
        )


def _numbers_of_names(
    cells: "pd.DataFrame", names: Sequence[Hashable] | None
) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    """Object numbers of named cells, and all names in the order of the numbers."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    flat = cells.to_numpy(dtype=object).ravel()
    known = pd.Index(pd.unique(flat) if names is None else list(names), dtype=object)
    if names is None:
        known = pd.Index(sorted(known, key=lambda name: (str(type(name)), name)), dtype=object)
    numbers = known.get_indexer(pd.Index(flat, dtype=object)).reshape(-1, 3)
    if (numbers < 0).any():
        row, column = np.argwhere(numbers < 0)[0]
        raise InvalidTripletsError(
            f"Row {row} names {cells.iloc[row, column]!r}, which is not among the {len(known)} known objects "
            f"({counted(int((numbers < 0).any(axis=1).sum()), 'such row')})."
        )
    return numbers, tuple(known)
