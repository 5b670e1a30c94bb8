"""From a data frame of named or numbered objects, of whatever library, to rows of object numbers."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.checks import check_rows
from tete.comparisons.detail_columns import DETAIL_SPELLINGS, plain_name
from tete.comparisons.object_ids import numbers_of_ids
from tete.core.any_frame import as_pandas
from tete.core.printing import counted
from tete.exceptions import InvalidTripletsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rows_of_frame"]

# Fields of triplets by the role of the column that holds them. Of times only those that are in milliseconds by name.
FIELDS = {"weight": "weights", "annotator": "annotators", "answer_id": "answers", "group": "groups", "tie": "ties"}
ROLES = {spelling: role for role in FIELDS for spelling in DETAIL_SPELLINGS[role].split()}


def rows_of_frame(
    table: Any, names: Sequence[Hashable] | None, *, are_numbers: bool = False
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Rows (anchor, near, far), and the other fields of triplets that the frame has columns for.

    Whole numbers are object numbers or, unless `are_numbers` says that they are, ids.
    """
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
            f"{[str(column) for column in frame.columns]}. Rename its columns, or write it to a file: "
            "`tete.read_answers` knows other layouts, too (head, winner, loser; odd; picked; ...)."
        )
    details = {field: frame[column].to_numpy() for field, column in _columns_of_fields(frame).items()}
    cells = frame[["anchor", "near", "far"]]
    _refuse_gaps(cells)
    if names is None and all(dtype.kind in "iuf" for dtype in cells.dtypes):
        rows = check_rows(cells.to_numpy())
        if not are_numbers:
            rows, details["names"] = numbers_of_ids(rows)
        return rows, details
    numbers, details["names"] = _numbers_of_names(cells, names)
    return numbers, details


def _columns_of_fields(frame: "pd.DataFrame") -> dict[str, Hashable]:
    """The columns that say more of the answers, called as in files, by the fields of triplets."""
    found: dict[str, Hashable] = {}
    for column in frame.columns:
        role = ROLES.get(plain_name(str(column)))
        if role is None:
            continue
        if FIELDS[role] in found:
            raise InvalidTripletsError(
                f"Columns {found[FIELDS[role]]!r} and {column!r} of the data frame can both say the {FIELDS[role]}: "
                "rename one of them."
            )
        found[FIELDS[role]] = column
    if "answers" not in found and "answer" in frame.columns:
        found["answers"] = "answer"
    return found | ({"times": "ms"} if "ms" in frame.columns else {})


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
