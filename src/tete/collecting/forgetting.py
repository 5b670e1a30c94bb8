"""Forget a person: delete every row about them, and what the storage keeps of deleted rows."""

import re
from typing import Any

from sqlalchemy import Connection, delete, select

from tete.collecting.database import Database
from tete.collecting.database_address import Address
from tete.collecting.people import add_event, annotator_name
from tete.collecting.schema import TABLES, answers, events, identities, people, questions
from tete.collecting.storage_trouble import explained
from tete.exceptions import InvalidParameterError, StorageError

__all__ = ["erase_traces", "forget", "forget_person"]


def forget(database: Database | Address, who: str) -> int:
    """Delete everything about somebody who is called p0007 or 7, or whose external id this is.

    A study in a file must not be served by anybody else at present.

    Returns
    -------
    int
        The number of rows that were deleted; an event says that somebody was forgotten, and not who.
    """
    if not isinstance(database, Database):
        opened = Database.open_to_change(database)
        try:
            return forget(opened, who)
        finally:
            opened.close()
    with explained(database.name), database.writing.begin() as connection:
        numbers = _numbers_of(connection, who, database.name)
        n_rows = sum(forget_person(connection, number) for number in numbers)
    erase_traces(database, whole=True)
    return n_rows


def forget_person(connection: Connection, number: int) -> int:
    """A job for the writer: delete all rows of a person. `erase_traces` is to follow after its commit."""
    theirs = select(questions.c.number).where(questions.c.person == number)
    n_rows = sum(
        connection.execute(statement).rowcount
        for statement in (
            delete(answers).where(answers.c.question.in_(theirs)),
            delete(questions).where(questions.c.person == number),
            delete(identities).where(identities.c.person == number),
            delete(events).where(events.c.person == number),
            delete(people).where(people.c.number == number),
        )
    )
    if n_rows:
        add_event(connection, "forgotten")
    return n_rows


def erase_traces(database: Database, *, whole: bool = False) -> None:
    """Remove what was deleted from the log and, on the whole, from the rest of the storage.

    SQLite overwrites deleted rows (`connections` asks for that), but copies of them stay in the log until it is put
    away. Rewriting the whole file as well locks out everybody for as long as it takes. PostgreSQL does it beside its
    other work.
    """
    with explained(database.name), database.engine.connect() as connection:
        connection.rollback()  # none of this works inside of a transaction
        driver: Any = connection.connection.driver_connection
        if connection.dialect.name == "postgresql":
            driver.autocommit = True
            try:
                driver.execute(f"VACUUM {', '.join(TABLES.tables)}")
            finally:
                driver.autocommit = False
            return
        if whole:
            driver.execute("VACUUM")
        busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StorageError(
                f"{database.name} is being read by another program: the rows are deleted, but copies of them stay in "
                "its log until the study is next opened and closed."
            )


def _numbers_of(connection: Connection, who: str, name: str) -> set[int]:
    """The people who are meant: one by name or number, or all with this id, which may have taken part twice."""
    by_id = set(connection.execute(select(identities.c.person).where(identities.c.value == who)).scalars())
    found = re.fullmatch(r"p?(\d{1,18})", who)
    number = int(found[1]) if found else 0
    by_number = set(connection.execute(select(people.c.number).where(people.c.number == number)).scalars())
    if by_id and by_number - by_id:
        other = str(number) if who.startswith("p") else annotator_name(number)
        raise InvalidParameterError(
            f"`who` must be one person: {who!r} names one in {name} and is the id of another; {other} is the first."
        )
    if not (by_id or by_number):
        raise InvalidParameterError(f"`who` must be a person's name, number or id, got {who!r}, unknown in {name}.")
    return by_id or by_number
