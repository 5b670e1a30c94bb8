"""Who answers, what they were asked and what they said: the rows of a study, read and added one person at a time.

Every function takes a connection and keeps nothing. Reading shows what is committed, and what this transaction added.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite

from tete.collecting.schema import (
    answers,
    events,
    from_text,
    identities,
    milliseconds_now,
    people,
    questions,
    to_text,
)
from tete.collecting.study import Asked

__all__ = [
    "NAMING_FIELDS",
    "Answered",
    "Person",
    "add_answer",
    "add_event",
    "add_person",
    "add_question",
    "all_identities",
    "annotator_name",
    "find_person",
    "known_or_new_person",
    "load_person",
    "load_questions",
    "mention_counts",
]

NAMING_FIELDS = ("PROLIFIC_PID", "workerId", "id")  # that say who somebody is; a session is another one each visit
MENTIONING_ROLES = ("test", "balanced", "suggested", "repeat")  # the same with places reversed is no mention more


@dataclass(frozen=True)
class Person:
    """Somebody who answers.

    Attributes
    ----------
    number : int
        In the database.
    seed : int
        Of this person's plan.
    source : str
        "page", or "model:NAME" for a program.
    created : int
        When, in milliseconds since 1970.
    withdrawn, excluded : bool
        Whether the person, or the researcher, wants the answers left out.
    """

    number: int
    seed: int
    source: str
    created: int
    withdrawn: bool = False
    excluded: bool = False


@dataclass(frozen=True)
class Answered:
    """The latest revision of an answer.

    Attributes
    ----------
    question, revision : int
        The question's number, and how often it was answered or undone before.
    choice : tuple of int or None
        Places among the choices; None where the person cannot say.
    undone : bool
        Whether the person took the answer back, so that the question is open again.
    ms : float or None
        From the first painted frame to the key or touch.
    """

    question: int
    revision: int
    choice: tuple[int, ...] | None
    undone: bool
    ms: float | None


# Statements are made once: what SQLAlchemy compiles of them is kept with them.
_ADD_QUESTION = insert(questions)
_ADD_EVENT = insert(events)
_ADD_ANSWER = {
    dialect.dialect.name: dialect.insert(answers)
    .on_conflict_do_nothing(index_elements=["question", "revision"])
    .returning(answers.c.number)
    for dialect in (postgresql, sqlite)
}
_PERSON = select(people).where(people.c.number == bindparam("person"))
_MARKS = (
    select(events.c.kind)
    .where(events.c.person == bindparam("person"), events.c.kind.in_(("withdrew", "excluded", "included")))
    .order_by(events.c.number)
)
_QUESTIONS = (
    select(questions, answers.c.revision, answers.c.choice, answers.c.undone, answers.c.ms)
    .join(answers, answers.c.question == questions.c.number, isouter=True)
    .where(questions.c.person == bindparam("person_number"))
    .order_by(questions.c.position, answers.c.revision)
)


def annotator_name(person: int) -> str:
    """What exports call a person."""
    return f"p{person:04d}"


def add_person(connection: Connection, source: str, identity: Mapping[str, str], seed: int) -> Person:
    """Somebody new, with what the address of the visit said."""
    created = milliseconds_now()
    (number,) = connection.execute(
        insert(people), {"seed": seed, "source": source, "created": created}
    ).inserted_primary_key or (0,)
    rows = [{"person": number, "field": field, "value": value} for field, value in identity.items() if value]
    if rows:
        connection.execute(insert(identities), rows)
    return Person(number, seed, source, created)


def find_person(connection: Connection, identity: Mapping[str, str]) -> Person | None:
    """The person with the same PROLIFIC_PID, workerId, id and STUDY_ID, as far as given; none if nothing names one."""
    if not any(identity.get(field) for field in NAMING_FIELDS):
        return None
    found = select(people.c.number)
    for field in (*NAMING_FIELDS, "STUDY_ID"):
        if identity.get(field):
            same = select(identities.c.person).where(identities.c.field == field, identities.c.value == identity[field])
            found = found.where(people.c.number.in_(same))
    number = connection.execute(found.order_by(people.c.number).limit(1)).scalar()
    return None if number is None else load_person(connection, number)


def all_identities(connection: Connection) -> list[tuple[int, str, str]]:
    """Person, field and value of all that addresses of visits said."""
    rows = connection.execute(select(identities).order_by(identities.c.person, identities.c.field))
    return [(row.person, row.field, row.value) for row in rows]


def known_or_new_person(connection: Connection, source: str, identity: Mapping[str, str], seed: int) -> Person:
    """The person of this identity, added only if there is none, also when several servers share the database."""
    if connection.dialect.name == "postgresql" and identity:
        key = json.dumps([identity.get(field) for field in NAMING_FIELDS])
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:key))"), {"key": key})
    return find_person(connection, identity) or add_person(connection, source, identity, seed)


def load_person(connection: Connection, number: int) -> Person | None:
    """The person of this number, if there is one."""
    row = connection.execute(_PERSON, {"person": number}).first()
    if row is None:
        return None
    kinds = connection.execute(_MARKS, {"person": number}).scalars().all()
    decisions = [kind for kind in kinds if kind != "withdrew"]
    return Person(
        row.number,
        row.seed,
        row.source,
        row.created,
        withdrawn="withdrew" in kinds,
        excluded=bool(decisions) and decisions[-1] == "excluded",
    )


def load_questions(connection: Connection, person: int) -> list[tuple[Asked, Answered | None]]:
    """All questions put to a person, in order, each with the latest revision of its answer."""
    latest: dict[int, tuple[Asked, Answered | None]] = {}
    for row in connection.execute(_QUESTIONS, {"person_number": person}):
        shown = from_text(row.shown) or ()
        asked = Asked(row.number, row.person, row.position, row.role, shown, from_text(row.right), row.repeats)
        answered = (
            None
            if row.revision is None
            else Answered(row.number, row.revision, from_text(row.choice), row.undone, row.ms)
        )
        latest[row.number] = (asked, answered)  # revisions come in order, so the last one stays
    return list(latest.values())


def add_question(connection: Connection, asked: Asked) -> Asked:
    """The question with its number; SQLAlchemy's IntegrityError if the person has another one at this position."""
    row = {
        "person": asked.person,
        "position": asked.position,
        "role": asked.role,
        "shown": to_text(asked.shown),
        "right": to_text(asked.right),
        "repeats": asked.repeats,
        "issued": milliseconds_now(),
    }
    (number,) = connection.execute(_ADD_QUESTION, row).inserted_primary_key or (0,)
    return replace(asked, number=number)


def add_answer(
    connection: Connection,
    question: int,
    revision: int,
    choice: tuple[int, ...] | None,
    undone: bool,
    ms: float | None,
) -> bool:
    """Whether this revision is new. One that is stored already stays as it is."""
    row = {
        "question": question,
        "revision": revision,
        "choice": to_text(choice),
        "undone": undone,
        "ms": ms,
        "received": milliseconds_now(),
    }
    return connection.execute(_ADD_ANSWER[connection.dialect.name], row).first() is not None


def add_event(
    connection: Connection, kind: str, person: int | None = None, detail: Mapping[str, Any] | None = None
) -> None:
    """Something that happened to a person, or to the study."""
    row = {
        "person": person,
        "kind": kind,
        "detail": json.dumps(dict(detail or {})),
        "at": milliseconds_now(),
    }
    connection.execute(_ADD_EVENT, row)


def mention_counts(connection: Connection, n_items: int) -> list[int]:
    """How often each item was shown, in questions that can enter a map."""
    counts = [0] * n_items
    shown = select(questions.c.shown).where(questions.c.role.in_(MENTIONING_ROLES))
    for part in connection.execute(shown).scalars().partitions(10_000):
        for item in chain.from_iterable(json.loads(f"[{','.join(part)}]")):
            counts[item] += 1
    return counts
