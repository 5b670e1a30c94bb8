"""One server for one file: a lock beside the database that ends with its process, however that ends."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from tete.exceptions import StorageError

__all__ = ["ServerLock"]


class ServerLock:
    """Held from its making to `release`; a second one for the same database is refused.

    SQLite locks the database file itself by a means that is lost when any other descriptor of that file is closed, so
    this is a file of its own. It holds the number of the process, for the message.
    """

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}-lock")
        self._descriptor = self._locked(database)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, str(os.getpid()).encode())

    def _locked(self, database: Path) -> int:
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 20).decode(errors="replace").strip()
                os.close(descriptor)
                process = f" (process {holder})" if holder else ""
                raise StorageError(f"{database} is in use by another tete collect{process}.") from None
            except OSError:
                os.close(descriptor)
                raise
            with suppress(FileNotFoundError):
                if self._path.stat().st_ino == os.fstat(descriptor).st_ino:
                    return descriptor
            os.close(descriptor)  # whoever held the lock removed the file while we waited for it

    def release(self) -> None:
        """Let others in; the file goes first, while it is still locked."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1
