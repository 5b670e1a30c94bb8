"""Connections to a database of either kind, set up so that what was committed stays, also when the power fails."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from tete.collecting.database_address import Address, is_postgres, spoken
from tete.exceptions import InvalidFileError, InvalidParameterError

__all__ = ["PATIENCE", "reading_engine", "refuse_other_files", "serving_engine", "settle", "writing"]

PATIENCE = 5.0  # seconds to wait for a lock or an answer of the database before that is trouble


def serving_engine(address: Address) -> Engine:
    """For the one process that writes. A new file of SQLite is private from its beginning."""
    if is_postgres(address):
        return _postgres_engine(address)
    path = Path(address).absolute()
    refuse_other_files(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return _sqlite_engine(path, "mode=rw", query_only=False)


def settle(engine: Engine, address: Address) -> None:
    """What is done to a file once it is known to be a study: it is private, and keeps a write-ahead log."""
    if is_postgres(address):
        return
    for path in (Path(f"{address}{ending}") for ending in ("", "-wal", "-shm")):
        if path.exists() and path.stat().st_uid == os.geteuid():
            path.chmod(0o600)  # SQLite makes the files beside it with the same rights
    with engine.connect() as connection:
        connection.rollback()  # none of this works inside of a transaction
        driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA journal_mode = WAL")


def reading_engine(address: Address) -> Engine:
    """For everybody else, also while the server runs."""
    if is_postgres(address):
        return _postgres_engine(address).execution_options(postgresql_readonly=True)
    path = Path(address).absolute()
    refuse_other_files(path)
    with path.open("rb"):  # a missing file is named by the system
        pass
    # The last to close a write-ahead log puts it away. Who may not write reads without one, if there is none.
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        mode = "mode=rw"
    elif path.with_name(f"{path.name}-wal").exists():
        mode = "mode=ro"
    else:
        mode = "mode=ro&immutable=1"
    return _sqlite_engine(path, mode, query_only=True)


def refuse_other_files(path: Path) -> None:
    """A pipe would wait for whoever writes to it."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InvalidFileError(f"{path} is not a plain file but a pipe or a device, expected a database.")


def writing(engine: Engine) -> Engine:
    """The same engine whose transactions take the lock at their beginning and not in the middle, when it may fail."""
    return engine.execution_options(immediate=True)


def _sqlite_engine(path: Path, mode: str, *, query_only: bool) -> Engine:
    url = URL.create("sqlite", database=f"file:{quote(os.fsencode(path))}?{mode}", query={"uri": "true"})
    given = {"timeout": PATIENCE, "check_same_thread": False}
    engine = create_engine(url, connect_args=given, hide_parameters=True)  # errors do not say who somebody is

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says, not where the module guesses
        settings = ["synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"]
        try:
            for setting in [*settings, "query_only = ON"] if query_only else settings:
                connection.execute(f"PRAGMA {setting}")
        except BaseException:  # SQLAlchemy 2.0 forgets it as it is, and its files stay
            connection.close()
            raise

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _postgres_engine(address: Address) -> Engine:
    try:
        url = make_url(str(address)).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise InvalidParameterError(
            f"`database` must be an address such as postgresql://user@host/name, got {spoken(address)}."
        ) from None
    try:
        given = {"connect_timeout": round(PATIENCE)}
        engine = create_engine(url, connect_args=given, pool_pre_ping=True, hide_parameters=True)
    except ImportError as error:
        raise ImportError("a study in PostgreSQL needs psycopg: pip install 'tete[postgres]'") from error

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.execute(f"SET lock_timeout = {round(1000 * PATIENCE)}")
        connection.execute(  # what was acknowledged is on the disk, whatever the server's habit
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.commit()

    return engine
