"""Which columns of a table are the coordinates of a map."""

import re
from collections.abc import Sequence

from tete.exceptions import InvalidFileError, Parameter
from tete.io.headers import column_positions
from tete.io.tables import Table

__all__ = ["coordinate_names", "coordinate_positions", "reserved_name"]

AXES = ("x", "y", "z")
FAMILIES = re.compile(r"(x|dim|component|d|pc|umap|tsne|embedding)[_\s]?(\d{1,9})", flags=re.IGNORECASE)


def coordinate_names(n_components: int) -> list[str]:
    """x, y and z, or x1, x2, ... beyond three."""
    return list(AXES[:n_components]) if n_components <= 3 else [f"x{number}" for number in range(1, n_components + 1)]


def reserved_name(column: str, n_components: int) -> bool:
    """Whether a reader would take a column of this name for a name or a coordinate of such a map."""
    if column.casefold() in {"object", *AXES}:
        return True
    return n_components > len(AXES) and FAMILIES.fullmatch(column) is not None


def coordinate_positions(table: Table, wanted: Sequence[str] | None) -> list[int]:
    """The columns that are named; or else x, y, z; or else those of the only family, x1, x2 or PC1, PC2 or the like."""
    if wanted is not None:
        found = column_positions(table.head, table.columns, wanted)
        if not found or len(set(found)) < len(found):
            listed = ", ".join(wanted) or "none"
            raise InvalidFileError(Parameter("coordinates"), f" must be different columns, got {listed}.")
        return found
    axes: dict[str, list[int]] = {axis: [] for axis in AXES}
    for position, column in enumerate(table.columns):
        if column.casefold() in axes:
            axes[column.casefold()].append(position)
    if any(axes.values()):
        return [_single(table, positions) for positions in axes.values() if positions]
    families = _families(table.columns)
    if len(families) > 1:
        listed = " or ".join(
            _listed(table, [p for found in family.values() for p in found]) for family in families.values()
        )
        raise InvalidFileError(
            f"{table.head}: the coordinates may be {listed}; name those to use with ", Parameter("coordinates"), "."
        )
    for family in families.values():
        return [_single(table, family[number]) for number in sorted(family)]
    raise InvalidFileError(
        f"{table.head}: expected a map with columns x and y (or x1, x2, ...), "
        f"got {', '.join(repr(column) for column in table.columns[:12])}; name others with ",
        Parameter("coordinates"),
        ".",
    )


def _families(columns: Sequence[str]) -> dict[str, dict[int, list[int]]]:
    """For each family of names that are counted, the positions of each number."""
    families: dict[str, dict[int, list[int]]] = {}
    for position, column in enumerate(columns):
        match = FAMILIES.fullmatch(column)
        if match:
            families.setdefault(match[1].casefold(), {}).setdefault(int(match[2]), []).append(position)
    return families


def _single(table: Table, positions: list[int]) -> int:
    if len(positions) > 1:
        raise InvalidFileError(
            f"{table.head}: columns {_listed(table, positions)} may be the same coordinate; name those to use with ",
            Parameter("coordinates"),
            ".",
        )
    return positions[0]


def _listed(table: Table, positions: list[int]) -> str:
    return ", ".join(repr(table.columns[position]) for position in positions[:6]) + (", ..." if positions[6:] else "")
