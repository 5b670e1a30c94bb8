import sqlite3

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from tete.collecting.storage_trouble import explained, is_trouble, sentence_of
from tete.exceptions import InvalidParameterError, StorageError


def sqlite_error(code, kind=sqlite3.OperationalError):
    error = kind("as SQLite says it")
    error.sqlite_errorcode = code
    return error


class PostgresError(Exception):
    def __init__(self, sqlstate):
        super().__init__("as PostgreSQL says it,\n  on two lines.")
        self.sqlstate = sqlstate


def wrapped(original, *, broken=False):
    return DBAPIError("SELECT", {}, original, connection_invalidated=broken)


@pytest.mark.parametrize("wrap", [lambda error: error, wrapped], ids=["by the driver", "by SQLAlchemy"])
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), "s.db cannot grow: the disk is full."),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), "s.db is locked by another program."),
        (
            sqlite_error(sqlite3.SQLITE_IOERR_FSYNC),
            "s.db cannot be read or written: the disk reports an error, or is full.",
        ),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_INDEX, sqlite3.DatabaseError), "s.db is damaged."),
        (sqlite_error(sqlite3.SQLITE_READONLY), "s.db may not be written to."),
        (PostgresError("53100"), "s.db cannot grow: the disk is full."),
        (PostgresError("53300"), "s.db has no memory or connections left."),
        (PostgresError("55P03"), "s.db is locked by another program."),
        (PostgresError("57014"), "s.db took too long."),
        (PostgresError("57P01"), "s.db is being shut down."),
        (PostgresError("08006"), "s.db cannot be reached."),
    ],
)
def test_trouble_of_the_storage_has_a_sentence(error, sentence, wrap):
    assert is_trouble(wrap(error))
    assert sentence_of(wrap(error), "s.db") == sentence


@pytest.mark.parametrize(
    "error",
    [
        sqlite_error(sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.IntegrityError),
        sqlite_error(sqlite3.SQLITE_ERROR),
        PostgresError("23505"),
        PostgresError("42P01"),
        wrapped(PostgresError("23505")),
        ZeroDivisionError("division by zero"),
        InvalidParameterError("`state` must be open, got 'shut'."),
    ],
)
def test_mistakes_of_a_statement_are_no_trouble(error):
    assert not is_trouble(error)


def test_broken_connections_are_trouble():
    assert is_trouble(wrapped(PostgresError(None), broken=True))
    assert sentence_of(wrapped(PostgresError(None), broken=True), "s.db") == (
        "s.db cannot be reached: as PostgreSQL says it, on two lines."
    )


def test_the_rest_is_said_in_the_words_of_the_database_on_one_line():
    assert sentence_of(wrapped(PostgresError("42P01")), "s.db") == (
        "s.db cannot be used: as PostgreSQL says it, on two lines."
    )
    assert sentence_of(StorageError("It is closed."), "s.db") == "It is closed."


def test_errors_are_explained_and_others_stay():
    with (
        pytest.raises(StorageError, match=r"^s\.db cannot be used: no such table: nowhere\.$"),
        explained("s.db"),
        create_engine("sqlite://").connect() as connection,
    ):
        connection.execute(text("SELECT 1 FROM nowhere"))
    with pytest.raises(StorageError, match="disk is full"), explained("s.db"):
        raise sqlite_error(sqlite3.SQLITE_FULL)
    with pytest.raises(ZeroDivisionError), explained("s.db"):
        _ = 1 / 0
