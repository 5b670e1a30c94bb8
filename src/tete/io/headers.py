"""Which column of a file of answers means what, by the spellings of the field.

Salmon writes head, winner, loser; NEXT puts the center last; odd-one-out tables have a column for the odd one.
"""

import re
from collections.abc import Sequence

from tete.exceptions import InvalidFileError, Parameter

__all__ = ["ROLES", "column_position", "layout_of", "roles_of"]

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

LAYOUTS = {
    "triplets": ("anchor", "near", "far"),
    "questions": ("anchor", "first", "second", "answer"),
    "shown odd": ("first", "second", "third", "odd"),
    "odd": ("first", "second", "odd"),
}


def roles_of(file: str, columns: Sequence[str]) -> dict[str, int]:
    """For each role its column's position; two columns of one role are an error."""
    found: dict[str, int] = {}
    for position, column in enumerate(columns):
        role = ROLES.get(re.sub(r"[\s_.\-]", "", column.casefold()))
        if role is None:
            continue
        if role in found:
            raise InvalidFileError(
                f"{file}: columns {columns[found[role]]!r} and {column!r} can both be the {role} column; "
                "name the three to use with ",
                Parameter("columns"),
                ".",
            )
        found[role] = position
    return found


def layout_of(file: str, columns: Sequence[str], roles: dict[str, int]) -> str:
    """The first layout whose columns are all there."""
    for layout, needed in LAYOUTS.items():
        if set(needed) <= set(roles):
            return layout
    raise InvalidFileError(
        f"{file}, line 1: expected columns anchor, near, far (or head, winner, loser; or center, left, right, answer; "
        f"or first, second, odd), got {', '.join(repr(column) for column in columns[:12])}; "
        "name the three with ",
        Parameter("columns"),
        ", or say ",
        Parameter("header", False),
        ".",
    )


def column_position(file: str, columns: Sequence[str], wanted: str) -> int:
    """The position of a column given by its name or by its number, counted from 1."""
    if wanted in columns:
        if columns.count(wanted) > 1:
            raise InvalidFileError(f"{file}, line 1: column {wanted!r} occurs {columns.count(wanted)} times.")
        return columns.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(columns):
        return int(wanted) - 1
    raise InvalidFileError(
        f"{file}: there is no column {wanted!r} among {', '.join(repr(column) for column in columns[:12])}."
    )
