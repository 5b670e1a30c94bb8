"""Keeps the planner running in a process of its own, and hears what it says. When it dies, nobody waits for it."""

import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from tete.collecting.asking import Asker
from tete.collecting.people import add_event
from tete.collecting.writer import Writer
from tete.exceptions import StorageError

__all__ = ["PlannerWatch"]

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before it is started again: twice as long each time,
STEADY = 120.0  # until it has lived so long
LONGEST_LINE = 2**24
FAREWELL = 2.0  # seconds in which it may end by itself


class PlannerWatch:
    """Starts a planner again and again.

    Parameters
    ----------
    address : str
        The database that it reads.
    asker : Asker
        Gets the questions that it proposes.
    writer : Writer
        Stores that it died.
    command : sequence of str or None
        Another program to start.

    Attributes
    ----------
    state : str
        starting, running or died.
    sentence : str
        What the dashboard says of it.
    findings, people : dict
        Its latest findings about the answers, and about people by their numbers.
    page : Path or None
        The latest map.
    """

    def __init__(self, address: str, asker: Asker, writer: Writer, command: Sequence[str] | None = None) -> None:
        self._command = command or [sys.executable, "-m", "tete.collecting.planner", address]
        self._asker, self._writer = asker, writer
        self._heard: float | None = None
        self.state, self.sentence = "starting", "The planner starts."
        self.findings: dict[str, Any] | None = None
        self.people: dict[str, Any] = {}
        self.page: Path | None = None

    async def run(self) -> None:
        """Keep a planner running until this is cancelled."""
        pause = FIRST_PAUSE
        while True:
            started = monotonic()
            reason = await self._live_once()
            pause = FIRST_PAUSE if monotonic() - started > STEADY else pause
            self.state = "died"
            self.sentence = (
                f"The planner died ({reason}) and starts again within {pause:.0f} s. Meanwhile questions are balanced "
                "random ones, and people notice nothing."
            )
            with contextlib.suppress(StorageError):  # which the dashboard says by itself
                await self._writer.do(partial(add_event, kind="planner died", detail={"reason": reason}))
            await asyncio.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def about(self) -> dict[str, Any]:
        """What the dashboard shows."""
        heard = None if self._heard is None else round(monotonic() - self._heard, 1)
        return {
            "state": self.state,
            "sentence": self.sentence,
            "proposals": self._asker.n_proposals,
            "seconds_since_heard": heard,
        }

    async def _live_once(self) -> str:
        """From the start of a planner to its end, and why it ended."""
        try:
            # In a session of its own it does not hear Ctrl-C: it ends when its standard input does.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=LONGEST_LINE, start_new_session=True
            )
        except OSError as error:
            return f"it cannot be started: {error.strerror}"
        assert process.stdout is not None
        assert process.stderr is not None
        complaints = asyncio.create_task(_last_line(process.stderr))
        try:
            with contextlib.suppress(ValueError):  # a line without an end
                async for line in process.stdout:
                    self._hear(line)
            await _end(process)
            return _reason(process.returncode, await complaints)
        finally:
            complaints.cancel()
            await _end(process)

    def _hear(self, line: bytes) -> None:
        """Take in one line; what is none of the planner's, such as a warning of some library, is passed over."""
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            said = json.loads(line)
            if "proposals" in said:
                self._asker.propose(said["proposals"])
            if "page" in said:
                self.page = Path(said["page"])
            self.findings = said.get("findings", self.findings)
            self.people = said.get("people", self.people)
            if self.state != "running":
                self.state, self.sentence = "running", "The planner is running."
            self.sentence = str(said.get("status", self.sentence))
            self._heard = monotonic()


async def _last_line(stream: asyncio.StreamReader) -> str:
    """Read to the end, so that whoever writes there never waits; what was said last is usually why."""
    last = b""
    while chunk := await stream.read(2**16):
        last = (last + chunk)[-2_000:]
    lines = last.decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:300] if lines else ""


async def _end(process: Process) -> None:
    """Let it end by itself, or end it."""
    if process.returncode is not None:
        return
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), FAREWELL)
    except TimeoutError:
        process.kill()
        await process.wait()


def _reason(code: int | None, complaint: str) -> str:
    if complaint:
        return complaint.rstrip(".")
    if code is not None and code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
