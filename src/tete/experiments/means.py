"""Means of a tidy table as plain numbers, for rules and pictures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Means", "different", "means", "means_and_spreads", "rows_of"]

Means: TypeAlias = dict[tuple[Any, ...], float]


def means(table: "pd.DataFrame", by: Sequence[str], measure: str) -> Means:
    """The mean of a measure for each combination of the columns `by`; rows without the measure do not count."""
    groups = table.dropna(subset=[measure]).groupby(list(by), sort=False)[measure]
    return {key if isinstance(key, tuple) else (key,): float(group.mean()) for key, group in groups}


def different(table: "pd.DataFrame", column: str) -> list[Any]:
    """The values of a column in the order in which they first occur."""
    return list(dict.fromkeys(table[column].tolist()))


def rows_of(table: "pd.DataFrame", **wanted: Any) -> "pd.DataFrame":
    """The rows that have these values."""
    for column, value in wanted.items():
        table = table[table[column] == value]
    return table


def means_and_spreads(table: "pd.DataFrame", by: Sequence[str], measures: Sequence[str]) -> "pd.DataFrame":
    """Number of fits, means and standard deviations of the measures for each combination of the columns `by`."""
    import pandas as pd  # noqa: PLC0415

    rows = []
    for _, group in table.groupby(list(by), sort=False, dropna=False):
        row: dict[str, Any] = {column: group[column].iloc[0] for column in by} | {"fits": len(group)}
        for measure in measures:
            row[measure] = group[measure].mean()
            if len(group) > 1 and "seconds" not in measure:
                row[f"{measure}_sd"] = group[measure].std(ddof=1)
        rows.append(row)
    return pd.DataFrame(rows).dropna(axis="columns", how="all")
