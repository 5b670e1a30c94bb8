"""The answers of a study as rows of plain values, for files and for frames: streamed, and without NumPy.

The effective answer to a question is its latest revision. Practice and questions whose answer everybody knows say
nothing about the items, and people who withdrew or were excluded are left out.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, select

from tete.collecting.database import Database
from tete.collecting.people import annotator_name
from tete.collecting.schema import answers, events, from_text, people, questions
from tete.collecting.storage_trouble import explained
from tete.collecting.study import MAP_ROLES, QuestionKind

__all__ = [
    "ANSWER_COLUMNS",
    "EVERYTHING_COLUMNS",
    "answer_rows",
    "comparisons_of",
    "effective_answers",
    "everything_rows",
    "excluded_people",
    "withdrawn_people",
]

ANSWER_COLUMNS = ("anchor", "near", "far", "annotator", "answer", "role", "position", "ms", "source")
EVERYTHING_COLUMNS = (
    "question",
    "revision",
    "annotator",
    "source",
    "position",
    "role",
    "repeats",
    "shown",
    "choice",
    "right",
    "cannot_say",
    "undone",
    "ms",
    "issued",
    "received",
    "excluded",
)
ROWS_AT_ONCE = 2000


def withdrawn_people(connection: Connection) -> set[int]:
    """Numbers of those who took all they said back."""
    return set(connection.execute(select(events.c.person).where(events.c.kind == "withdrew")).scalars())


def excluded_people(connection: Connection) -> set[int]:
    """Numbers of those whom the researcher leaves out at present."""
    kinds = ("excluded", "included")
    decisions = select(events.c.person, events.c.kind).where(events.c.kind.in_(kinds)).order_by(events.c.number)
    latest = {row.person: row.kind for row in connection.execute(decisions)}
    return {person for person, kind in latest.items() if kind == "excluded"}


def effective_answers(roles: Collection[str]) -> Select[Any]:
    """Questions of these roles whose latest answer stands, in the order in which they were put; cannot say included."""
    later = answers.alias("later")
    latest = select(func.max(later.c.revision)).where(later.c.question == questions.c.number).scalar_subquery()
    return (
        select(
            questions.c.number,
            questions.c.person,
            questions.c.role,
            questions.c.position,
            questions.c.shown,
            answers.c.choice,
            answers.c.ms,
            people.c.source,
        )
        .select_from(questions)
        .join(answers, and_(answers.c.question == questions.c.number, answers.c.revision == latest))
        .join(people, people.c.number == questions.c.person)
        .where(questions.c.role.in_(roles), answers.c.undone.is_(False))
        .order_by(questions.c.number)
    )


def comparisons_of(kind: QuestionKind, shown: Sequence[int], choice: Sequence[int]) -> list[tuple[int, int, int]]:
    """What an answer says, as (anchor, near, far)."""
    choices = shown[1:] if kind.has_anchor else shown
    picked = [choices[place] for place in choice]
    others = [item for place, item in enumerate(choices) if place not in choice]
    if not kind.has_anchor:
        (odd,), (one, other) = picked, others
        return [(one, other, odd), (other, one, odd)]
    pairs = [(near, far) for near in picked for far in others]
    if kind.ranked:
        pairs += combinations(picked, 2)
    return [(shown[0], near, far) for near, far in pairs]


def answer_rows(database: Database) -> Iterator[tuple[Any, ...]]:
    """`ANSWER_COLUMNS` of every comparison; those of one answer have the same number."""
    names = [item.name for item in database.items]
    with explained(database.name), database.engine.connect() as connection:
        left_out = withdrawn_people(connection) | excluded_people(connection)
        for row in _streamed(connection, effective_answers(MAP_ROLES)):
            if row.choice is None or row.person in left_out:
                continue
            details = (annotator_name(row.person), row.number, row.role, row.position, row.ms, row.source)
            compared = comparisons_of(database.study.question, from_text(row.shown) or (), from_text(row.choice) or ())
            for anchor, near, far in compared:
                yield names[anchor], names[near], names[far], *details


def everything_rows(database: Database) -> Iterator[tuple[Any, ...]]:
    """`EVERYTHING_COLUMNS` of every revision of every answer, of all but those who withdrew; lists of names as JSON."""
    names = [item.name for item in database.items]
    with_details = (
        select(
            questions,
            answers.c.revision,
            answers.c.choice,
            answers.c.undone,
            answers.c.ms,
            answers.c.received,
            people.c.source,
        )
        .select_from(questions)
        .join(answers, answers.c.question == questions.c.number)
        .join(people, people.c.number == questions.c.person)
        .order_by(answers.c.number)
    )
    with explained(database.name), database.engine.connect() as connection:
        withdrawn, excluded = withdrawn_people(connection), excluded_people(connection)
        for row in _streamed(connection, with_details):
            if row.person not in withdrawn:
                yield _everything_of(row, names, database.study.question, row.person in excluded)


def _everything_of(row: Row[Any], names: Sequence[str], kind: QuestionKind, excluded: bool) -> tuple[Any, ...]:
    shown = [names[item] for item in from_text(row.shown) or ()]
    choices = shown[1:] if kind.has_anchor else shown
    chosen, right = (
        None if (places := from_text(text)) is None else _json([choices[place] for place in places])
        for text in (row.choice, row.right)
    )
    return (
        row.number,
        row.revision,
        annotator_name(row.person),
        row.source,
        row.position,
        row.role,
        row.repeats,
        _json(shown),
        chosen,
        right,
        row.choice is None and not row.undone,
        row.undone,
        row.ms,
        row.issued,
        row.received,
        excluded,
    )


def _streamed(connection: Connection, statement: Select[Any]) -> Iterator[Row[Any]]:
    """Rows as they come, a few at a time: a study may have more than fits into memory."""
    yield from connection.execution_options(yield_per=ROWS_AT_ONCE).execute(statement)


def _json(names: Sequence[str]) -> str:
    return json.dumps(names, ensure_ascii=False)
