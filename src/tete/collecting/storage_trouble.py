"""What a database complains of, in one sentence: trouble of the storage, told apart from mistakes of a statement."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from tete.exceptions import InvalidFileError, StorageError, TeteError

__all__ = ["explained", "is_trouble", "sentence_of"]

# What SQLite says in the lowest byte of its codes. All others are mistakes of the statement.
SQLITE_SENTENCES = {
    sqlite3.SQLITE_BUSY: "is locked by another program",
    sqlite3.SQLITE_LOCKED: "is locked by another program",
    sqlite3.SQLITE_PROTOCOL: "is locked by another program",
    sqlite3.SQLITE_NOMEM: "cannot be used: there is not enough memory",
    sqlite3.SQLITE_READONLY: "may not be written to",
    sqlite3.SQLITE_INTERRUPT: "was interrupted",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error, or is full",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_NOTADB: "is no SQLite database",
}
# The same by the first letters of the codes that the SQL standard gives to PostgreSQL's errors.
POSTGRES_SENTENCES = {
    "55P03": "is locked by another program",
    "53100": "cannot grow: the disk is full",
    "25006": "may not be written to",
    "57014": "took too long",
    "40": "is busy with other changes of the same rows",
    "08": "cannot be reached",
    "53": "has no memory or connections left",
    "57": "is being shut down",
    "58": "reports an error of its disk",
    "XX": "is damaged",
}


def is_trouble(error: BaseException) -> bool:
    """Whether the storage is at fault, so that whatever was to be stored with it is not stored either."""
    return _known_trouble(error) is not None


def sentence_of(error: BaseException, name: str) -> str:
    """One sentence about the database of this name."""
    if isinstance(error, TeteError):
        return str(error)
    known, original = _known_trouble(error), _original(error)
    if known is not None and _code(original):
        return f"{name} {known}."
    return f"{name} {known or 'cannot be used'}: {' '.join(str(original).split()).rstrip('.')}."


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Errors of the database named so in one sentence: `InvalidFileError` if it is none, else `StorageError`.

    Others stay what they are.
    """
    try:
        yield
    except Exception as error:
        code = _code(_original(error))
        if code == sqlite3.SQLITE_NOTADB:
            raise InvalidFileError(sentence_of(error, name)) from error
        if isinstance(error, DBAPIError) or code is not None:
            raise StorageError(sentence_of(error, name)) from error
        raise


def _known_trouble(error: BaseException) -> str | None:
    original = _original(error)
    code = _code(original)
    if isinstance(code, int):
        return SQLITE_SENTENCES.get(code & 0xFF)
    if code:
        return next((words for start, words in POSTGRES_SENTENCES.items() if code.startswith(start)), None)
    broken = isinstance(error, DBAPIError) and error.connection_invalidated
    never_made = type(original).__name__ == "OperationalError"  # of psycopg, which may not be installed
    return "cannot be reached" if broken or never_made else None


def _original(error: BaseException) -> BaseException:
    """What the driver raised, also when SQLAlchemy wrapped it."""
    return error.orig if isinstance(error, DBAPIError) and error.orig is not None else error


def _code(original: BaseException) -> int | str | None:
    """SQLite's number, or PostgreSQL's letters, which are missing where a connection broke or was never made."""
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return getattr(original, "sqlstate", None) or ("" if hasattr(original, "sqlstate") else None)
