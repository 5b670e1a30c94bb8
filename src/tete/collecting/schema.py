"""The tables of a study. Rows are added and never changed, but for settings; only forgetting a person deletes any.

::

    study       settings, by key: what the study is, its state, and the secrets of its server
    items       what is shown, by number
    people      who answers, by number; identities keeps what the address of their visit said of them
    questions   as they were put to a person, at a position, in a role
    answers     to a question; a later revision replaces an earlier one, and one that is undone asks the question again
    events      what else happened, to a person or to the study

Numbers grow and are never used again, not even those of a person who was forgotten: they tell the order. Times are
milliseconds since 1970 in UTC and tell nothing but themselves, because clocks are set back. Places and items are JSON.
"""

import json
import time
from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "SCHEMA_VERSION",
    "TABLES",
    "answers",
    "events",
    "from_text",
    "identities",
    "items",
    "milliseconds_now",
    "people",
    "questions",
    "study",
    "to_text",
]

SCHEMA_VERSION = 1

TABLES = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only what is called INTEGER

study = Table(
    "study",
    TABLES,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

items = Table(
    "items",
    TABLES,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("label", Text, nullable=False),
)

people = Table(
    "people",
    TABLES,
    Column("number", NUMBER, primary_key=True),
    Column("seed", BigInteger, nullable=False),
    Column("source", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

identities = Table(
    "identities",
    TABLES,
    Column("person", NUMBER, ForeignKey("people.number"), nullable=False),
    Column("field", Text, nullable=False),
    Column("value", Text, nullable=False),
    UniqueConstraint("person", "field"),
    Index("identities_by_value", "value", "field"),
)

questions = Table(
    "questions",
    TABLES,
    Column("number", NUMBER, primary_key=True),
    Column("person", NUMBER, ForeignKey("people.number"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("right", Text),
    Column("repeats", NUMBER, ForeignKey("questions.number")),
    Column("issued", BigInteger, nullable=False),
    UniqueConstraint("person", "position"),
    sqlite_autoincrement=True,
)
# Without these, each question or person that is deleted would be looked for in whole tables.
_repeated = questions.c.repeats.is_not(None)
Index("questions_by_repeats", questions.c.repeats, sqlite_where=_repeated, postgresql_where=_repeated)

answers = Table(
    "answers",
    TABLES,
    Column("number", NUMBER, primary_key=True),
    Column("question", NUMBER, ForeignKey("questions.number"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("choice", Text),
    Column("undone", Boolean, nullable=False),
    Column("ms", Float),
    Column("received", BigInteger, nullable=False),
    UniqueConstraint("question", "revision"),
    sqlite_autoincrement=True,
)

events = Table(
    "events",
    TABLES,
    Column("number", NUMBER, primary_key=True),
    Column("person", NUMBER, ForeignKey("people.number")),
    Column("kind", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("events_by_person", "person"),
    sqlite_autoincrement=True,
)


def milliseconds_now() -> int:
    """Since 1970, by a clock that may be set back at any time."""
    return time.time_ns() // 1_000_000


def to_text(numbers: Sequence[int] | None) -> str | None:
    """Items or places as they are kept: JSON without spaces."""
    return None if numbers is None else f"[{','.join(map(str, numbers))}]"


def from_text(text: str | None) -> tuple[int, ...] | None:
    """The inverse of `to_text`."""
    return None if text is None else tuple(json.loads(text))
