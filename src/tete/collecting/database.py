"""One open study: to serve it, with the lock that only one server has, or to read it while that one runs."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine, select, text

from tete.collecting import schema
from tete.collecting.connections import reading_engine, refuse_other_files, serving_engine, settle, writing
from tete.collecting.database_address import Address, is_postgres, spoken
from tete.collecting.items import Item
from tete.collecting.people import add_event
from tete.collecting.server_lock import ServerLock
from tete.collecting.storage_trouble import explained
from tete.collecting.study import Study
from tete.collecting.study_rows import create_study, has_study, read_items, read_settings, store_setting, update_study
from tete.exceptions import InvalidFileError, InvalidParameterError, StorageError

__all__ = ["STATES", "Database"]

STATES = {"open": "opened", "paused": "paused", "closed": "closed"}  # and the event that leads to each
CREATION_KEY = 0x74657465  # any number: servers that open one PostgreSQL database at once take turns by it


class Database:
    """A study in SQLite or PostgreSQL, made by `create_or_open`, `open_to_read` or `open_to_change`.

    Attributes
    ----------
    name : str
        What messages call it.
    engine : sqlalchemy.Engine
        Connections for reading; `writing` is for changes.
    study : Study
        What is asked, as it was when this was opened.
    items : tuple of Item
        What is shown; the files are there as far as they were found.
    study_id : str
        Another one for each study.
    secret : bytes
        Signs the keys of people.
    """

    def __init__(self, address: Address, engine: Engine, lock: ServerLock | None) -> None:
        self.name = spoken(address)
        self.engine = engine
        self._lock = lock
        self._file = None if is_postgres(address) else Path(address).absolute()
        self._inode = None if self._file is None else self._file.stat().st_ino
        try:
            with engine.connect() as connection:
                settings = read_settings(connection)
                self.items: tuple[Item, ...] = read_items(connection, _folder_of(address))
            self.study: Study = Study.from_json(json.loads(settings["settings"]))
            self.study_id: str = settings["study_id"]
            self.secret: bytes = bytes.fromhex(settings["secret"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidFileError(f"{self.name} is a study whose settings are damaged.") from error

    @classmethod
    def create_or_open(cls, address: Address, study: Study, items: Sequence[Item]) -> Self:
        """To serve a study, new or going on. No other server may have its file open.

        Settings may differ from those of the last run, and the difference is stored as an event; more items may follow
        at the end. The kind of question and the items so far stay.
        """
        with _opened(address) as (engine, lock):
            folder = _folder_of(address)
            with writing(engine).begin() as connection:
                if is_postgres(address):
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": CREATION_KEY})
                if has_study(connection, spoken(address)):
                    update_study(connection, study, items, folder, spoken(address))
                else:
                    create_study(connection, study, items, folder)
            settle(engine, address)
            return cls(address, engine, lock)

    @classmethod
    def open_to_change(cls, address: Address) -> Self:
        """To change a study that is there and that no server has open."""
        if not is_postgres(address):
            refuse_other_files(Path(address))
            with Path(address).open("rb"):  # a missing file is named by the system, and not made
                pass
        with _opened(address) as (engine, lock):
            _refuse_all_but_studies(engine, address)
            return cls(address, engine, lock)

    @classmethod
    def open_to_read(cls, address: Address) -> Self:
        """To read a study, also while its server runs."""
        with explained(spoken(address)):
            engine = reading_engine(address)
            try:
                _refuse_all_but_studies(engine, address)
                return cls(address, engine, None)
            except BaseException:
                engine.dispose()
                raise

    @property
    def writing(self) -> Engine:
        """Connections whose transactions may change the database from their beginning."""
        return writing(self.engine)

    def state(self) -> str:
        """Open, paused or closed."""
        with explained(self.name), self.engine.connect() as connection:
            value = connection.execute(select(schema.study.c.value).where(schema.study.c.key == "state")).scalar_one()
            return str(value)

    def set_state(self, connection: Connection, state: str) -> None:
        """A job for the writer: the study is open, paused or closed from now on."""
        if state not in STATES:
            raise InvalidParameterError(f"`state` must be {', '.join(STATES)}, got {state!r}.")
        store_setting(connection, "state", state)
        add_event(connection, STATES[state])

    def renew_token(self) -> str:
        """A new token of the researcher, of 256 bits; only its digest is kept, and the last one is void."""
        token = secrets.token_urlsafe(32)
        with explained(self.name), self.writing.begin() as connection:
            store_setting(connection, "token_hash", _digest(token))
        return token

    def token_matches(self, token: str) -> bool:
        """Whether this is the researcher's token, found out in the same time for all that are not."""
        with explained(self.name), self.engine.connect() as connection:
            stored = read_settings(connection).get("token_hash", "")
        return hmac.compare_digest(_digest(token), stored)

    def refuse_if_moved(self) -> None:
        """An error if the file is not where it was: what SQLite still wrote to it would be found nowhere."""
        if self._file is not None:
            try:
                moved = self._file.stat().st_ino != self._inode
            except OSError:
                moved = True
            if moved:
                raise StorageError(f"{self.name} was moved or deleted while it was in use.")

    def close(self) -> None:
        """End all connections and let another server in."""
        self.engine.dispose()
        if self._lock is not None:
            self._lock.release()


@contextmanager
def _opened(address: Address) -> Iterator[tuple[Engine, ServerLock | None]]:
    """An engine for changes, behind the lock of its file; both are given up if anything goes wrong with them."""
    lock, engine = None, None
    folder = _folder_of(address)
    if folder is not None and not folder.is_dir():
        raise FileNotFoundError(2, "The folder to write to does not exist", str(folder))
    if folder is not None and Path(address).is_dir():
        raise IsADirectoryError(21, "Is a folder, expected a file", str(address))
    try:
        with explained(spoken(address)):
            lock = None if is_postgres(address) else ServerLock(Path(address))
            engine = serving_engine(address)
            yield engine, lock
    except BaseException:
        if engine is not None:
            engine.dispose()
        if lock is not None:
            lock.release()
        raise


def _refuse_all_but_studies(engine: Engine, address: Address) -> None:
    with engine.connect() as connection:
        if not has_study(connection, spoken(address)):
            raise InvalidFileError(f"{spoken(address)} is an empty database and no study.")


def _folder_of(address: Address) -> Path | None:
    return None if is_postgres(address) else Path(address).absolute().parent


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
