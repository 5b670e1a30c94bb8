"""Ctrl-C ends a command at once: one line, exit code 130, nothing left half-written, no process left behind.

Python answers Ctrl-C with an exception in the main thread. That can come late, because compiled code runs first, and it
can be lost: in a destructor or a callback from compiled code, in a library that catches everything, or as another error
while a module is imported. So a command has no such exception. A thread of its own waits for the signal, undoes what is
half done and ends the process, whatever the others are doing. The library alone leaves the signal as it is.
"""

import atexit
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

__all__ = [
    "INTERRUPTED",
    "STOPPED",
    "end_at_ctrl_c",
    "end_now",
    "end_when_told",
    "leave",
    "never_cut_in_two",
    "spared_from_ctrl_c",
    "undone_by_ctrl_c",
]

INTERRUPTED = 130  # what shells say of a command that Ctrl-C has ended: 128 and the number of the signal
STOPPED = "Stopped. No file is left half-written."
PATIENCE = 1.0  # seconds that the end waits for a step that should not be cut in two

_undo: list[Callable[[], object]] = []
_step = threading.Lock()
_ending = threading.Event()


def end_at_ctrl_c() -> None:
    """Make this process, which is a command, end at Ctrl-C. Where the signal is ignored or handled, it stays so."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        return
    _end_at(signal.SIGINT, f"Error: {STOPPED}\n", INTERRUPTED)


def leave(exit_code: int) -> NoReturn:
    """End this process, which has done its work, without the interpreter's end.

    That would only give back memory, which the system takes anyway; it takes a while, and Ctrl-C would find nobody.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the disk is full, or nobody reads
            exit_code = exit_code or 1
    os._exit(exit_code)


def end_when_told() -> None:
    """Make this process, which works for another one, end at its word (SIGTERM), and not at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_at(signal.SIGTERM, "", 1)


def end_now(said: str, exit_code: int) -> NoReturn:
    """Undo what is half done, and end this process from whichever thread."""
    _step.acquire(timeout=PATIENCE)
    _ending.set()
    for undo in reversed(_undo.copy()):
        with suppress(Exception):
            undo()
    with suppress(OSError):  # nobody may be there to read it; a bar may be on the line
        os.write(2, ("\n" * (os.isatty(2) and said != "") + said).encode())
    os._exit(exit_code)


def _end_at(number: signal.Signals, said: str, exit_code: int) -> None:
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.detach(), warn_on_full_buffer=False)  # written to even while compiled code runs
    signal.signal(number, _Impatience(exit_code))

    def wait() -> None:
        while number not in reader.recv(1):
            continue
        end_now(said, exit_code)

    threading.Thread(target=wait, name="tete-ending", daemon=True).start()


class _Impatience:
    """What the main thread does at the signal: nothing the first time, since the process is ending already."""

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self.times = 0

    def __call__(self, *_: object) -> None:
        self.times += 1
        if self.times > 1:
            os._exit(self.exit_code)


@contextmanager
def undone_by_ctrl_c(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if Ctrl-C ends the command inside the block, whose own `finally` would not run then."""
    _undo.append(undo)
    try:
        yield
    finally:
        if _ending.is_set():  # then an error in the block comes from the undoing, and is nobody's to read
            threading.Event().wait()
        _undo.remove(undo)


@contextmanager
def never_cut_in_two() -> Iterator[None]:
    """Let Ctrl-C end the command before or after the block, which must be short."""
    with _step:
        yield


@contextmanager
def spared_from_ctrl_c() -> Iterator[None]:
    """Start processes inside the block that Ctrl-C, which a terminal sends to all of them, does not reach."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which new processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
