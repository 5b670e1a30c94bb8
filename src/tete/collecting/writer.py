"""The one who writes: a thread that commits whatever waits in one transaction, and only then says so."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from tete.collecting.database import Database
from tete.collecting.storage_trouble import is_trouble, sentence_of
from tete.exceptions import StorageError

__all__ = ["Writer"]

T = TypeVar("T")
LARGEST_GROUP = 500  # jobs in one transaction: the first of them waits for the last


@dataclass(eq=False)
class _Waiting:
    """A job, who waits for it, and what became of it."""

    job: Callable[[Connection], Any]
    future: "asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop
    result: Any = None
    error: BaseException | None = None

    def tell(self) -> None:
        """In the loop's own thread."""
        if self.future.done():  # whoever asked has gone
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Writer:
    """Commits jobs in groups: while one group is on its way to the disk, the next one gathers.

    A job is a function of a connection that adds rows and returns something. It runs once, in the writer's thread and
    in a savepoint of its own: its mistakes reach nobody else, and leave nothing behind.

    Parameters
    ----------
    database : Database
        Opened to serve.

    Attributes
    ----------
    trouble : str or None
        A sentence about the last failure of the storage, until a commit succeeds again.
    commits : int
        How many groups were committed.
    """

    def __init__(self, database: Database) -> None:
        self.trouble: str | None = None
        self.commits = 0
        self._database = database
        self._connection: Connection | None = None
        self._jobs: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="tete writer", daemon=True)
        self._thread.start()

    async def do(self, job: Callable[[Connection], T]) -> T:
        """What the job returns, after the commit that contains it.

        Raises
        ------
        StorageError
            If the disk is full, the database locked for too long, or anything else is wrong with it. Nothing of the job
            is stored then, or, if the connection broke during the commit, nobody knows: try again.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(job, loop.create_future(), loop)
        with self._closing:
            if self._closed:
                raise StorageError(f"{self._database.name} is being closed.")
            self._jobs.put(waiting)
        result: T = await waiting.future
        return result

    def close(self) -> None:
        """Finish what waits, and take nothing more."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            group, ending = self._next_group()
            if group:
                self._commit(group)
                _tell_all(group)
        self._disconnect()

    def _next_group(self) -> tuple[list[_Waiting], bool]:
        """Wait for one job, and take what came in the meantime; and whether the end was among it."""
        first = self._jobs.get()
        if first is None:
            return [], True
        group = [first]
        while len(group) < LARGEST_GROUP:
            try:
                waiting = self._jobs.get_nowait()
            except queue.Empty:
                break
            if waiting is None:
                return group, True
            group.append(waiting)
        return group, False

    def _commit(self, group: list[_Waiting]) -> None:
        try:
            self._database.refuse_if_moved()
            if self._connection is None:
                self._connection = self._database.writing.connect()
            with self._connection.begin():
                for waiting in group:
                    self._attempt(self._connection, waiting)
        except BaseException as error:  # whatever it is, those who wait hear of it and the thread lives on
            self._disconnect()
            self.trouble = sentence_of(error, self._database.name)
            for waiting in group:
                waiting.result, waiting.error = None, StorageError(self.trouble)
        else:
            self.trouble = None
            self.commits += 1

    def _attempt(self, connection: Connection, waiting: _Waiting) -> None:
        """Do a job; what is wrong with it alone is undone and kept for its caller."""
        driver: Any = connection.connection.driver_connection  # SQLAlchemy's own way takes longer than the job
        driver.execute("SAVEPOINT job")
        try:
            waiting.result = waiting.job(connection)
        except Exception as error:
            if is_trouble(error):
                raise
            driver.execute("ROLLBACK TO SAVEPOINT job")
            waiting.error = error
        driver.execute("RELEASE SAVEPOINT job")

    def _disconnect(self) -> None:
        """Leave the connection, and with it whatever was not committed."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it was broken, and nothing is left to be saved; the thread must live on
                connection.invalidate()
                connection.close()


def _tell_all(group: list[_Waiting]) -> None:
    """Wake each loop once for all of its jobs."""
    for loop in {waiting.loop for waiting in group}:
        theirs = [waiting for waiting in group if waiting.loop is loop]
        try:
            loop.call_soon_threadsafe(_tell, theirs)
        except RuntimeError:  # the loop has ended, and nobody waits in it
            continue


def _tell(group: list[_Waiting]) -> None:
    for waiting in group:
        waiting.tell()
