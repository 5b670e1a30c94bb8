"""From the columns of a table of answers, in one of the layouts of `headers`, to triplets.

Whoever cannot say makes a tie: it is left out, or becomes a part of each answer that was possible.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.exceptions import InvalidFileError, InvalidTripletsError
from tete.io.headers import picked_roles, shown_roles
from tete.io.records import AnswerRecords, plain_words

__all__ = ["Ties", "triplets_of"]

Ties: TypeAlias = Literal["drop", "half"]
Numbers: TypeAlias = NDArray[np.int64]

# What people write for an answer, without spaces and apostrophes.
UNDECIDED = (
    "",
    "0",
    "?",
    "undecided",
    "unsure",
    "notsure",
    "cannotsay",
    "dontknow",
    "tie",
    "equal",
    "same",
    "both",
    "neither",
    "na",
    "nan",
    "none",
)
FIRST = ("1", "+1", "first", "left", "true", "a")
SECOND = ("-1", "2", "second", "right", "false", "b")

SELF_COMPARISON = "an object cannot be compared with itself"


@dataclass(frozen=True)
class _Screens:
    """What was shown and what was chosen of it, -1 where a cell is empty; `choose` makes triplets of them."""

    shown: Numbers
    chosen: Numbers
    choose: Callable[..., Triplets]
    n_anchors: int  # columns of `shown` that cannot be chosen


def triplets_of(records: AnswerRecords, layout: str, ranked: bool, ties: Ties) -> Triplets:
    """All answers, or an error that names the first bad line."""
    if layout == "triplets":
        rows, names = records.numbers(["anchor", "near", "far"])
        _refuse_repeats(records, rows, ["anchor", "near", "far"])
        screens = None
    elif layout == "questions":
        screens, names = _questions(records)
    elif layout == "picks":
        screens, names = _picks(records, ranked)
    else:
        screens, names = _one_of(records, layout)
    details = {"names": names, **records.details()}
    try:
        if screens is None:
            return Triplets.from_array(rows[records.kept], **_of(details, np.flatnonzero(records.kept)))
        return _answered(records, screens, details, ties)
    except InvalidTripletsError as error:
        raise InvalidFileError(f"{records.table.source.name}: {error}") from error


def _questions(records: AnswerRecords) -> tuple[_Screens, tuple[Hashable, ...] | None]:
    """Is the anchor more like the first or like the second? The answer is a name, a word, or +1 and -1."""
    shown, names = records.numbers(["anchor", "first", "second"])
    _refuse_repeats(records, shown, ["anchor", "first", "second"])
    first, second = shown[:, 1], shown[:, 2]
    column = records.table.column(records.roles["answer"])
    number_of = {str(name): number for number, name in enumerate(names or range(int(shown[:, 1:].max()) + 1))}
    named = column.each([number_of.get(text, -1) for text in column.names])
    says_first, says_second = (named >= 0) & (named == first), (named >= 0) & (named == second)
    words = [plain_words(text) for text in column.names]
    undecided = column.each([word in UNDECIDED for word in words], bool) & ~says_first & ~says_second
    if not (says_first | says_second | undecided).all():  # then these are words or numbers, not names
        booleans = set(words) <= {"0", "1"}  # as in cblearn
        says_first = column.each([word in FIRST for word in words], bool)
        says_second = column.each([word == "0" if booleans else word in SECOND for word in words], bool)
        undecided = column.each([word in UNDECIDED for word in words], bool) & ~says_second
    records.refuse(
        ~(says_first | says_second | undecided),
        ["answer"],
        "not an answer, expected one of the two objects, +1, -1 or 0, or left or right",
    )
    chosen = np.select([says_first, says_second], [first, second], default=-1)[:, None]
    return _Screens(shown, chosen, _from_selection, n_anchors=1), names


def _picks(records: AnswerRecords, ranked: bool) -> tuple[_Screens, tuple[Hashable, ...] | None]:
    """Which of these are most like the anchor: some of the choices are picked."""
    choices, picks = shown_roles(records.roles), picked_roles(records.roles)
    numbers, names = records.numbers(
        ["anchor", *choices, *picks], may_be_empty=choices, answers=dict.fromkeys(picks, UNDECIDED)
    )
    shown, chosen = numbers[:, : 1 + len(choices)], numbers[:, 1 + len(choices) :]
    _refuse_repeats(records, shown, ["anchor", *choices])
    among = (chosen[:, :, None] == shown[:, None, 1:]).any(axis=2) | (chosen < 0)
    records.refuse(~among.all(axis=1), picks, "what was picked is not among the choices")
    _refuse_repeats(records, chosen, picks, "the same object is picked twice")
    n_picked, n_choices = (chosen >= 0).sum(axis=1), (shown[:, 1:] >= 0).sum(axis=1)
    records.refuse(n_choices < 2, choices, "at least two choices are needed")
    records.refuse(n_picked >= n_choices, picks, "everything was picked, which says nothing")

    def choose(rows: Any, columns: Any, **details: Any) -> Triplets:
        return Triplets.from_selection(rows, columns, ranked=ranked, **details)

    return _Screens(shown, chosen, choose, n_anchors=1), names


def _one_of(records: AnswerRecords, layout: str) -> tuple[_Screens, tuple[Hashable, ...] | None]:
    """Which of these is the odd one out, or the most central? It is one of those shown, or comes beside them."""
    role = layout.rsplit(maxsplit=1)[-1]
    choices, beside = shown_roles(records.roles), not layout.startswith("shown")
    # Columns that were given say nothing of the layout: where all the answers are among the others, those were shown.
    if beside and len(choices) > 2:
        numbers, _ = records.numbers([*choices, role], may_be_empty=choices[2:], answers={role: UNDECIDED})
        beside = not ((numbers[:, :-1] == numbers[:, -1:]).any(axis=1) | (numbers[:, -1] < 0)).all()
    numbers, names = records.numbers(
        [*choices, role],
        may_be_empty=choices[2 if beside else 3 :],
        answers={} if beside else {role: UNDECIDED},
    )
    shown, chosen = numbers if beside else numbers[:, :-1], numbers[:, -1:]
    reason = SELF_COMPARISON
    if beside and len(choices) == 2:
        reason += f"; where the {role} one is among those shown, the columns of all that were shown are needed"
    _refuse_repeats(records, shown, [*choices, role] if beside else choices, reason)
    among = ((shown == chosen) & (chosen >= 0)).any(axis=1)
    word = {"odd": "the odd one", "central": "the central one"}[role]
    n_shown = "three" if len(choices) == 3 else "objects"
    records.refuse(~among & (chosen[:, 0] >= 0), [role], f"{word} is not one of the {n_shown} shown")
    choose = Triplets.from_odd_one_out if role == "odd" else Triplets.from_most_central

    def one_column(rows: Any, columns: Any, **details: Any) -> Triplets:
        return choose(rows, np.ravel(columns), **details)

    return _Screens(shown, chosen, one_column, n_anchors=0), names


def _from_selection(rows: Any, columns: Any, **details: Any) -> Triplets:
    """One of two picked: an answer is a triplet, which need not say so."""
    picked = Triplets.from_selection(rows, columns, **details)
    return picked if details.get("answers") is not None else replace(picked, answers=None)


def _answered(records: AnswerRecords, screens: _Screens, details: dict[str, Any], ties: Ties) -> Triplets:
    """Triplets of the records that are kept; each tie is left out, or a part of each choice there was."""
    tied = (screens.chosen < 0).all(axis=1) & records.kept
    if tied.any() and ties == "drop":
        records.drop(tied, "undecided")
    if not records.kept.any():
        records.refuse_none_left()
    rows = np.flatnonzero(records.kept)
    choices = screens.shown[rows, screens.n_anchors :] >= 0
    ways = np.where(tied[rows], choices.sum(axis=1), 1)
    which = np.arange(ways.sum()) - np.repeat(np.cumsum(ways) - ways, ways)  # of the ways of its record
    source = np.repeat(rows, ways)
    details = _of(details, source)
    if tied.any() and ties == "half":
        whole = details.get("weights", np.ones(len(source)))
        details["weights"] = whole / np.repeat(ways, ways)
        details["ties"] = tied[source]
        details.pop("answers", None)  # each way is an answer of its own
    return screens.choose(*_shown_and_chosen(screens, source, np.where(tied[source], which, -1)), **details)


def _shown_and_chosen(screens: _Screens, source: Numbers, tied: Numbers) -> tuple[Any, Any]:
    """Arrays of the objects shown and of the columns chosen, or lists where screens or picks differ in number.

    `tied` is the place of the choice to take in place of the answer, -1 where the answer stands.
    """
    shown, chosen = screens.shown[source], screens.chosen[source]
    places = np.cumsum(shown >= 0, axis=1) - 1  # among the cells that are not empty
    columns = np.take_along_axis(places, (shown[:, None, :] == chosen[:, :, None]).argmax(axis=2), axis=1)
    columns[chosen < 0] = -1
    columns[tied >= 0] = -1
    columns[tied >= 0, 0] = screens.n_anchors + tied[tied >= 0]
    n_chosen = (columns >= 0).sum(axis=1)
    if (shown >= 0).all() and (n_chosen == n_chosen[0]).all():
        return shown, columns[columns >= 0].reshape(len(columns), -1)
    return (
        [row[row >= 0].tolist() for row in shown],
        [row[row >= 0].tolist() for row in columns],
    )


def _of(details: dict[str, Any], rows: Numbers) -> dict[str, Any]:
    """What is known of these records, and the names of the objects."""
    return {field: values if field == "names" or values is None else values[rows] for field, values in details.items()}


def _refuse_repeats(records: AnswerRecords, rows: Numbers, roles: Sequence[str], reason: str = SELF_COMPARISON) -> None:
    """Refuse records that have one object twice; empty cells do not count."""
    ordered = np.sort(rows, axis=1)
    repeated = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    records.refuse(repeated, list(roles), reason)
