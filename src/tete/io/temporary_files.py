"""Files in the making: beside the one whose place they will take, locked while somebody writes to them.

A killed run leaves its file behind. The next run that writes to the same place knows it by its name, and that it is
abandoned because nobody holds its lock: a lock ends with its process and, unlike a process's number, is never reused.
"""

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, which locks open files against removal by itself
    fcntl = None  # type: ignore[assignment]

__all__ = ["CAN_LOCK", "like_the_old_one", "new_temporary", "remove_abandoned"]

CAN_LOCK = fcntl is not None
READABLE = 24  # letters of the name that a person sees: with four bytes each they leave room for the rest
ENDING = ".part"


def new_temporary(target: Path) -> tuple[int, Path]:
    """Make a file beside the target and lock it; private if it will replace one, else as open as files here are."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = target.with_name(f"{_beginning(target)}{secrets.token_hex(4)}{ENDING}")
        descriptor = os.open(temporary, flags, 0o600 if target.exists() else 0o666)
        if _lock(descriptor) is not False and os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)  # another run took it for abandoned before the lock was there


def like_the_old_one(descriptor: int, target: Path) -> None:
    """Give a new file the permissions of the one that it will replace, and its owner where that is allowed."""
    if not target.exists() or not CAN_LOCK:
        return
    old = target.stat()
    new = os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def remove_abandoned(target: Path) -> None:
    """Remove what killed runs have left of this target; what a living run writes stays."""
    beginning = _beginning(target)
    names: list[str] = []
    with suppress(PermissionError):  # a folder that may be written to but not looked into
        names = os.listdir(target.parent)
    for name in names:
        if name.startswith(beginning) and name.endswith(ENDING):
            with suppress(OSError):  # it is gone already, or not ours to remove
                _remove_if_abandoned(target.with_name(name))


def _remove_if_abandoned(temporary: Path) -> None:
    if not CAN_LOCK:
        temporary.unlink()  # which Windows refuses while it is open
        return
    descriptor = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock(descriptor):
            temporary.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Whether the lock is ours now; None where files cannot be locked."""
    if not CAN_LOCK:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network's file system
        return None
    return True


def _beginning(target: Path) -> str:
    """What the names of all files in the making for this target begin with, however long its own name is."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]
    return f".{target.name[:READABLE]}.{digest}."
