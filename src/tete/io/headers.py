"""Which column of a file of answers means what, by the spellings of the field.

Salmon writes head, winner, loser; NEXT puts the center last; odd-one-out tables have a column for the odd one. Screens
have any number of columns for what was shown (object1, object2, ...), of which some may be empty. Salmon and
tripletTools number the objects in head, winner, loser and write their names beside; the names are taken.
"""

import re
from collections.abc import Container, Mapping, Sequence

from tete.comparisons.detail_columns import DETAIL_SPELLINGS, plain_name
from tete.exceptions import InvalidFileError, Parameter

__all__ = [
    "DETAILS",
    "LAYOUTS",
    "column_position",
    "column_positions",
    "layout_of",
    "may_hold_screens",
    "picked_roles",
    "refuse_contradiction",
    "refuse_unranked",
    "roles_of",
    "shown_roles",
]

SPELLINGS = {
    "anchor": "anchor head center centre reference query probe i",
    "near": "near nearer winner closer similar positive chosen j",
    "far": "far farther further loser dissimilar negative k",
    "odd": "odd oddone oddoneout",
    "central": "central centralone mostcentral",
    "first": "first left one a object1 item1 option1 choice1 stimulus1",
    "second": "second right two b object2 item2 option2 choice2 stimulus2",
    "third": "third three c object3 item3 option3 choice3 stimulus3",
    "picked1": "picked pick selected",
    "answer": "answer choice response",
} | DETAIL_SPELLINGS
ROLES = {spelling: role for role, spellings in SPELLINGS.items() for spelling in spellings.split()}
SHOWN = re.compile(r"(?:objects?|items?|options?|choices?|stimulus|stimuli|shown|screen)(\d{1,3})")
PICKED = re.compile(r"(?:picked|picks?|selected|selection)(\d{1,3})")
WORDS = ("first", "second", "third")  # roles of what was shown; further ones are called by numbers
DETAILS = ("weight", "annotator", "answer_id", "group", "time")  # roles that columns may have beside those of objects
PARAMETERS = {"answer_id": "answer"}  # that name a column whose role is called otherwise
ANSWERED, ASKED = {"head", "winner", "loser"}, {"center", "left", "right", "answer"}  # tripletTools: numbers and names
NAMED = {"headfilename": "head", "winnerfilename": "winner", "loserfilename": "loser"}  # Salmon's names of the same

# What must be there; screens have further columns, of any number, for what was shown and what was picked.
LAYOUTS = {
    "triplets": ("anchor", "near", "far"),
    "picks": ("anchor", "first", "second", "picked1"),
    "questions": ("anchor", "first", "second", "answer"),
    "shown odd": ("first", "second", "third", "odd"),
    "shown central": ("first", "second", "third", "central"),
    "odd": ("first", "second", "odd"),
    "central": ("first", "second", "central"),
}


def roles_of(head: str, columns: Sequence[str], left_out: Container[str] = ()) -> dict[str, int]:
    """For each role its column's position; two columns of one role are an error, but for roles that are `left_out`."""
    found: dict[str, int] = {}
    for position, (column, role) in enumerate(zip(columns, _roles(columns), strict=True)):
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
                hint = ("rename one of them, or name the one to use with ", Parameter(PARAMETERS.get(role, role)))
            raise InvalidFileError(f"{head}: {both} can both be the {PARAMETERS.get(role, role)} column; ", *hint, ".")
        found[role] = position
    return found


def _roles(columns: Sequence[str]) -> list[str | None]:
    """The role of each column, or None; numbers of objects have none where their names are there, too."""
    spelled = [plain_name(column) for column in columns]
    if set(spelled) >= ANSWERED | set(NAMED):
        spelled = ["" if spelling in ANSWERED else NAMED.get(spelling, spelling) for spelling in spelled]
    elif set(spelled) >= ANSWERED | ASKED:
        spelled = ["" if spelling in ANSWERED else spelling for spelling in spelled]
    return [_role_of(spelling) for spelling in spelled]


def _role_of(spelling: str) -> str | None:
    if spelling in ROLES:
        return ROLES[spelling]
    if (shown := SHOWN.fullmatch(spelling)) is not None:
        number = int(shown[1])
        return WORDS[number - 1] if 1 <= number <= len(WORDS) else f"shown{number}"
    picked = PICKED.fullmatch(spelling)
    return None if picked is None else f"picked{int(picked[1])}"


def may_hold_screens(column: str, named: Container[str] = ()) -> bool:
    """Whether lists in a column are objects that were shown or picked, by its name or because it is named."""
    return column in named or _role_of(f"{plain_name(column)}1") in {"first", "picked1"}


def shown_roles(roles: Mapping[str, int]) -> list[str]:
    """The roles of the objects to choose from, in their order."""
    further = sorted((role for role in roles if role.startswith("shown")), key=lambda role: int(role[5:]))
    return [role for role in WORDS if role in roles] + further


def picked_roles(roles: Mapping[str, int]) -> list[str]:
    """The roles of what was picked, in their order."""
    return sorted((role for role in roles if role.startswith("picked")), key=lambda role: int(role[6:]))


def layout_of(head: str, columns: Sequence[str], roles: dict[str, int]) -> str:
    """The first layout whose columns are all there."""
    for layout, needed in LAYOUTS.items():
        if set(needed) <= set(roles):
            return layout
    raise InvalidFileError(
        f"{head}: expected columns anchor, near, far (or head, winner, loser; or center, left, right, answer; "
        f"or first, second, odd or central; or anchor, choice1, choice2, ..., picked1, ...), "
        f"got {', '.join(repr(column) for column in columns[:12])}; "
        "name the three with ",
        Parameter("columns"),
        ", or say ",
        Parameter("header", False),
        ".",
    )


def refuse_contradiction(head: str, columns: Sequence[str], roles: Mapping[str, int], layout: str, chosen: str) -> None:
    """Refuse a header that says something else than what was `chosen`: "odd", "central", or "triplets" for nothing."""
    if chosen in {"triplets", layout.removeprefix("shown ")}:
        return
    said = ", ".join(repr(columns[roles[role]]) for role in LAYOUTS[layout])
    raise InvalidFileError(
        f"{head}: by its columns {said} this is no file for ",
        Parameter("odd_one_out" if chosen == "odd" else "most_central", True),
        "; leave it out, or name the columns that are meant with ",
        Parameter("columns"),
        ".",
    )


def refuse_unranked(head: str, roles: Mapping[str, int], layout: str) -> None:
    """Refuse to take an order from answers that have none."""
    if layout != "picks" or len(picked_roles(roles)) < 2:
        raise InvalidFileError(
            f"{head}: ",
            Parameter("ranked", True),
            " is for answers that picked several objects, and nothing is ranked here.",
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
