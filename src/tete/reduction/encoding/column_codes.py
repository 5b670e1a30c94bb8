"""What a column of a table holds, and its cells as numbers: one frozen description for each column.

    number     as it is                       date        days since 1970
    truth      0 and 1                        duration    seconds
    ordered    the place in the order         category    an indicator for each value, one for all rare ones
    left out   empty, constant, all different (an id), or text of many values

A cell that is missing, or of a value that was not there when the table was fitted, is a gap in all of its numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import InvalidFeaturesError, InvalidParameterError, Parameter
from tete.reduction.encoding.cell_kinds import WRITTEN, cells_of, is_missing, value_texts, written

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "LEFT_OUT", "ColumnCode", "Rules", "describe", "encode"]

KINDS = ("number", "truth", "ordered", "category", "date", "duration", "left out")
LEFT_OUT = "left out"
REST = "other values"
SPOKEN = {"number": "a number", "truth": "true or false", "date": "a date", "duration": "a duration"}
FEWEST_NUMBERED = 20  # rows whose consecutive numbers are no coincidence


@dataclass(frozen=True)
class Rules:
    """The encoder's parameters that decide about single columns."""

    max_categories: int
    max_missing: float
    drop_ids: bool


@dataclass(frozen=True)
class ColumnCode:
    """What a column holds; `values` in order for the kinds that have some, `reason` for what is left out."""

    name: str
    kind: str
    values: tuple[str, ...] = ()
    rest: bool = False  # whether values that are not listed share an indicator
    reason: str = ""

    @property
    def outputs(self) -> list[str]:
        """Names of the numbers that a cell becomes."""
        if self.kind == LEFT_OUT:
            return []
        if self.kind != "category":
            return [self.name]
        return [f"{self.name}_{value}" for value in (*self.values, *([REST] if self.rest else []))]


def describe(name: str, column: "pd.Series[Any]", order: Sequence[Any] | None, rules: Rules) -> ColumnCode:
    """The description of a column; `order` are its values from the least on, where they have an order."""
    import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

    if order is not None:
        _refuse_unlisted(name, value_texts(name, column), [written(value) for value in order])
    cells, kind = cells_of(name, column)
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    if order is None and isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        order = list(column.dtype.categories)
    values, counts = np.unique(cells[~is_missing(cells)], return_counts=True)
    reason = _reason(kind, values, int(counts.sum()), len(cells), rules, declared or order is not None)
    if reason:
        return ColumnCode(name, LEFT_OUT, reason=reason)
    if order is not None:
        return ColumnCode(name, "ordered", tuple(written(value) for value in order))
    if kind != "category":
        return ColumnCode(name, kind)
    commonest = np.sort(np.argsort(-counts, kind="stable")[: rules.max_categories])
    return ColumnCode(name, kind, tuple(values[commonest].tolist()), rest=len(commonest) < len(values))


def _refuse_unlisted(name: str, texts: NDArray[Any], order: Sequence[str]) -> None:
    """Refuse values that an order leaves out, such as those it spells in another way."""
    known = {*order, None}
    row = next((row for row, text in enumerate(texts) if text not in known), None)
    if row is not None:
        raise InvalidParameterError(
            Parameter("ordered"),
            f" must list all values of column {name!r}, got {texts[row]!r} in row {row}, which is none of "
            f"{', '.join(map(repr, order))}.",
        )


def _reason(kind: str, values: NDArray[Any], n_present: int, n_rows: int, rules: Rules, declared: bool) -> str:
    """Why a column is left out, if it is; the values of `declared` categories are meant as such."""
    share_missing = 1.0 - n_present / n_rows
    if len(values) < 2:
        return "constant" if len(values) else "empty"
    if share_missing > rules.max_missing:
        return f"{share_missing:.0%} empty"
    if rules.drop_ids and kind == "number" and n_present == n_rows and _numbers_rows(values, n_rows):
        return "numbers the rows"
    if kind != "category" or declared:
        return ""
    if rules.drop_ids and len(values) == n_present:
        return "all different"
    many = len(values) > rules.max_categories and 2 * len(values) > n_present
    return f"text of {len(values):,} values" if many else ""


def _numbers_rows(values: NDArray[Any], n_rows: int) -> bool:
    """Whether the numbers are those of the rows, in any order: whole, all different and without a hole."""
    consecutive = n_rows >= FEWEST_NUMBERED and len(values) == n_rows and np.ptp(values) == n_rows - 1
    return bool(consecutive and np.all(values == np.round(values)))


def encode(code: ColumnCode, column: "pd.Series[Any]") -> NDArray[np.float64]:
    """The cells of a column as numbers, a column for each of the code's outputs; gaps are not-a-number."""
    if code.kind in {"ordered", "category"}:
        return _encoded_values(code, value_texts(code.name, column))
    cells, kind = cells_of(code.name, column)
    numbers = np.full(len(cells), np.nan)
    present = ~is_missing(cells)
    if code.kind == "truth" and kind == "number":
        odd = np.flatnonzero(present & ~np.isin(cells, (0.0, 1.0)))
        if len(odd):
            raise _of_another_kind(code, int(odd[0]), float(cells[odd[0]]))
    if kind == code.kind or {kind, code.kind} <= {"number", "truth"}:
        numbers[present] = cells[present]
    elif present.any():
        row = int(np.flatnonzero(present)[0]) if kind != "category" else _first_odd(code.kind, cells, present)
        raise _of_another_kind(code, row, cells[row])
    return numbers[:, None]


def _of_another_kind(code: ColumnCode, row: int, cell: Any) -> InvalidFeaturesError:
    return InvalidFeaturesError(
        f"Row {row}, column {code.name!r} of `X` is {written(cell)!r:.40}, expected {SPOKEN[code.kind]} as in the "
        "fitted table."
    )


def _first_odd(kind: str, cells: NDArray[Any], present: NDArray[np.bool_]) -> int:
    """The first cell that is not written like one of this kind."""
    pattern = WRITTEN[kind]
    odd = [row for row in np.flatnonzero(present) if not pattern.fullmatch(str(cells[row]))]
    return int(odd[0] if odd else np.flatnonzero(present)[0])


def _encoded_values(code: ColumnCode, texts: NDArray[Any]) -> NDArray[np.float64]:
    missing = is_missing(texts)
    place_of = {value: place for place, value in enumerate(code.values)}
    unlisted = len(code.values) if code.rest else -1
    places = np.array([-1 if gap else place_of.get(t, unlisted) for t, gap in zip(texts, missing, strict=True)], int)
    if code.kind == "ordered":
        return np.asarray(np.where(places < 0, np.nan, places)[:, None])
    indicators: NDArray[np.float64] = (places[:, None] == np.arange(len(code.outputs))).astype(np.float64)
    indicators[places < 0] = np.nan
    return indicators
