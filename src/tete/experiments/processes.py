"""Processes that work beside this one, and end with it however it ends.

concurrent.futures has such processes too, but its idle ones outlive a parent that was killed, and an interrupted
parent leaves semaphores behind, of which a helper complains. Here each process has a pipe of its own and nothing else:
the pipe breaks when the parent is gone.
"""

import multiprocessing
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, resource_tracker
from multiprocessing.context import SpawnProcess
from multiprocessing.process import parent_process
from typing import Any, TypeAlias

from tete.core.interrupts import end_now, end_when_told, never_cut_in_two, spared_from_ctrl_c, undone_by_ctrl_c

__all__ = ["Processes", "processes"]

Pipe: TypeAlias = Any  # a connection, whose class differs between systems
Task: TypeAlias = tuple[Any, ...]


class Processes:
    """Processes that call a function with one task's arguments after the other's. Made by `processes`."""

    def __init__(self, pipes: Sequence[Pipe]) -> None:
        self._pipes = pipes

    def completed(self, work: Callable[..., None], tasks: Sequence[Task]) -> Iterator[None]:
        """Do all tasks, and say after each that it is done; an error in a process is raised here."""
        free, waiting = list(self._pipes), list(reversed(tasks))
        busy: set[Pipe] = set()
        while waiting or busy:
            while free and waiting:
                busy.add(free[-1])
                free.pop().send((work, waiting.pop()))
            for pipe in connection.wait(busy):
                busy.remove(pipe)
                free.append(pipe)
                _raise_error_from(pipe)
                yield


def _raise_error_from(pipe: Pipe) -> None:
    try:
        error = pipe.recv()
    except (EOFError, ConnectionError):
        raise ChildProcessError(10, "A process ended before its work, perhaps for want of memory") from None
    if error is not None:
        raise error


@contextmanager
def processes(count: int) -> Iterator[Processes]:
    """Make processes; after an error or Ctrl-C they end at once, and what they are doing is lost."""
    # Spawned, because compiled and BLAS threads do not survive a fork.
    context, pipes = multiprocessing.get_context("spawn"), []
    started: list[SpawnProcess] = []
    resource_tracker.ensure_running()  # which would let Ctrl-C through again, were it started with the first process

    def end() -> None:
        for process in started:
            process.terminate()

    with undone_by_ctrl_c(end):
        try:
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs,), daemon=True)
                with never_cut_in_two(), spared_from_ctrl_c():
                    process.start()
                    started.append(process)
                pipes.append(ours)
                theirs.close()  # so that the pipe breaks when the process ends
            yield Processes(pipes)
        finally:
            for pipe in pipes:
                pipe.close()
            end()
            for process in started:
                process.join()


def _serve(pipe: Pipe) -> None:
    """What a process does: its work, until the pipe is closed. Ctrl-C is the parent's to handle."""
    end_when_told()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            work, task = pipe.recv()
            try:
                work(*task)
            except Exception as error:  # whatever it is, it is the parent's to handle
                pipe.send(_that_travels(error))
            else:
                pipe.send(None)


def _that_travels(error: Exception) -> Exception:
    """The error itself, or what it says, if it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  (its own bytes)
    except Exception:  # an error's own way to be copied may fail in any way
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    end_now("", 1)
