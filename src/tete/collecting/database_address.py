"""Where a study is kept: in a file of SQLite, or in PostgreSQL at an address. Needs only Python itself."""

import re
from os import PathLike
from pathlib import Path
from typing import TypeAlias

__all__ = ["Address", "is_postgres", "is_study", "spoken"]

Address: TypeAlias = str | PathLike[str]

POSTGRES = re.compile(r"postgres(ql)?(\+psycopg)?://")
PASSWORD = re.compile(r"(://[^:@/?]*:)[^?]*(?=@)|(password=)[^&]*")  # to the last @: one may be part of it
EXTENSIONS = {".db", ".sqlite", ".sqlite3"}
FIRST_BYTES = b"SQLite format 3\0"


def is_postgres(address: Address) -> bool:
    """Whether this is an address of PostgreSQL and no file."""
    return POSTGRES.match(str(address)) is not None


def is_study(path: Address) -> bool:
    """Whether this is meant to be a study, and no file of answers: by its address, its extension or its first bytes."""
    if is_postgres(path) or Path(path).suffix.lower() in EXTENSIONS:
        return True
    try:
        if not Path(path).is_file():  # a pipe would wait for whoever writes to it
            return False
        with Path(path).open("rb") as stream:
            return stream.read(len(FIRST_BYTES)) == FIRST_BYTES
    except (OSError, ValueError):
        return False


def spoken(address: Address) -> str:
    """What messages call the database: the file, or the address without its password."""
    return PASSWORD.sub(r"\1\2***", str(address)) if is_postgres(address) else str(address)
