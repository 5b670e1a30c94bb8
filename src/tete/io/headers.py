"""Which column of a file of answers means what, by the spellings of the field.

Salmon writes head, winner, loser; NEXT puts the center last; odd-one-out tables have a column for the odd one.
"""

import re
from collections.abc import Container, Sequence

from tete.exceptions import InvalidFileError, Parameter

__all__ = ["LAYOUTS", "ROLES", "column_position", "column_positions", "layout_of", "roles_of"]

SPELLINGS = {
    "anchor": "anchor head center centre reference query probe i",
    "near": "near nearer winner closer similar positive chosen j",
    "far": "far farther further loser dissimilar negative k",
    "odd": "odd oddone oddoneout",
    "first": "first left one a object1 item1 option1 choice1 stimulus1",
    "second": "second right two b object2 item2 option2 choice2 stimulus2",
    "third": "third three c object3 item3 option3 choice3 stimulus3",
    "answer": "answer choice response",
    "weight": "weight weights",
    "annotator": "annotator annotatorid worker workerid participant participantid puid user userid subject rater",
    "group": "group groupid answerid",
}
ROLES = {spelling: role for role, spellings in SPELLINGS.items() for spelling in spellings.split()}
DETAILS = ("weight", "annotator", "group")  # roles that columns may have beside those of the objects

LAYOUTS = {
    "triplets": ("anchor", "near", "far"),
    "questions": ("anchor", "first", "second", "answer"),
    "shown odd": ("first", "second", "third", "odd"),
    "odd": ("first", "second", "odd"),
}


def roles_of(head: str, columns: Sequence[str], left_out: Container[str] = ()) -> dict[str, int]:
    """For each role its column's position; two columns of one role are an error, but for roles that are `left_out`."""
    found: dict[str, int] = {}
    for position, column in enumerate(columns):
        role = ROLES.get(re.sub(r"[\s_.\-]", "", column.casefold()))
        if role is None or role in left_out:
            continue
        if role in found:
            both = f"columns {columns[found[role]]!r} and {column!r}"
            if columns[found[role]] == column:
                both = f"columns {found[role] + 1} and {position + 1}, both called {column!r},"
            hint: tuple[str | Parameter, ...] = (
                "name the three to use, by name or number, with ",
                Parameter("columns"),
            )
            if role in DETAILS:
                named = () if role == "group" else (", or name the one to use with ", Parameter(role))
                hint = ("rename one of them", *named)
            raise InvalidFileError(f"{head}: {both} can both be the {role} column; ", *hint, ".")
        found[role] = position
    return found


def layout_of(head: str, columns: Sequence[str], roles: dict[str, int]) -> str:
    """The first layout whose columns are all there."""
    for layout, needed in LAYOUTS.items():
        if set(needed) <= set(roles):
            return layout
    raise InvalidFileError(
        f"{head}: expected columns anchor, near, far (or head, winner, loser; or center, left, right, answer; "
        f"or first, second, odd), got {', '.join(repr(column) for column in columns[:12])}; "
        "name the three with ",
        Parameter("columns"),
        ", or say ",
        Parameter("header", False),
        ".",
    )


def column_positions(head: str, columns: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The positions of several columns: all are names, or all numbers, if they can be."""
    numbers = {str(position + 1): position for position in range(len(columns))}
    if all(name in numbers for name in wanted) and not all(name in columns for name in wanted):
        return [numbers[name] for name in wanted]
    return [column_position(head, columns, name) for name in wanted]


def column_position(head: str, columns: Sequence[str], wanted: str) -> int:
    """The position of a column given by its name or by its number, counted from 1."""
    if wanted in columns:
        if columns.count(wanted) > 1:
            raise InvalidFileError(f"{head}: column {wanted!r} occurs {columns.count(wanted)} times.")
        return columns.index(wanted)
    if wanted.isdecimal() and len(wanted) < 10 and 1 <= int(wanted) <= len(columns):
        return int(wanted) - 1
    raise InvalidFileError(
        f"{head}: there is no column {wanted!r} among {', '.join(repr(column) for column in columns[:12])}."
    )
