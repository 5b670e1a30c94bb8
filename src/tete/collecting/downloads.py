"""Answers as CSV, written by a process of its own: the server needs no pandas for it, and goes on meanwhile.

Run as ``python -m tete.collecting.downloads ADDRESS answers|everything FILE``.
"""

import asyncio
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import BinaryIO

from tete.exceptions import StorageError

__all__ = ["make_csv"]


async def make_csv(address: str, which: str) -> BinaryIO:
    """A file with the effective answers, or with every revision of everything, as they are now.

    It is open and has no name any more: nothing stays behind, however the download ends.
    """
    with tempfile.TemporaryDirectory(prefix="tete-") as folder:
        path = Path(folder, f"{which}.csv")
        command = [sys.executable, "-m", "tete.collecting.downloads", address, which, str(path)]
        process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
        try:
            _, complaint = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            lines = complaint.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
            raise StorageError(f"The answers could not be written: {lines[-1].strip().rstrip('.')}.")
        return path.open("rb")


def write_csv(address: str, which: str, path: str) -> None:
    """Write the file."""
    from tete.collecting.database import Database  # noqa: PLC0415  (only the child process needs pandas)
    from tete.collecting.study_answers import answer_frame  # noqa: PLC0415

    database = Database.open_to_read(address)
    try:
        answer_frame(database, everything=which == "everything").to_csv(path, index=False)
    finally:
        database.close()


if __name__ == "__main__":
    write_csv(*sys.argv[1:4])
