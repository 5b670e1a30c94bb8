"""Everybody who is asked: what was put to them, what they answered, what comes next.

Memory is only a cache of the database. What it does not know is read again, once, before anything is refused. Where
other servers share the database, a person is read before each step.
"""

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from tete.collecting.asking import Asker
from tete.collecting.database import Database
from tete.collecting.interview_state import Interview, Reply
from tete.collecting.people import (
    Answered,
    Person,
    add_answer,
    add_event,
    add_question,
    find_person,
    known_or_new_person,
    load_person,
    load_questions,
)
from tete.collecting.refusals import RefusedError, UnfamiliarError
from tete.collecting.study import Asked
from tete.collecting.writer import Writer

__all__ = ["Interviews"]

KEPT = 1_000  # people in memory, 40 KB each; the others are read when they come back
SEED_BITS = 31
NOBODY = "Nobody has this key."

Loaded = tuple[Person | None, list[tuple[Asked, Answered | None]]]
T = TypeVar("T")


class Interviews:
    """Starts and continues interviews. What its methods return is in the database.

    Parameters
    ----------
    database : Database
        Of the study.
    writer : Writer
        Everything is stored, and people are read, through it, in one order.
    asker : Asker
        Chooses questions.
    """

    def __init__(self, database: Database, writer: Writer, asker: Asker) -> None:
        self._kind = database.study.question
        self._writer, self._asker = writer, asker
        self._shared = database.engine.dialect.name == "postgresql"
        self._people: OrderedDict[int, Interview] = OrderedDict()
        self.study = asker.study
        self.state = database.state()
        self.answers = RecentCount()

    async def start(self, identity: Mapping[str, str], source: str) -> Interview:
        """The interview of a new person, or of the one who has this identity."""
        job = partial(_find_or_add, identity=identity, source=source, welcome=self.state != "closed")
        person, questions = await self._writer.do(job)
        if person is None:
            raise RefusedError(403, "This study is closed.")
        found = self._keep(person, questions)
        found.seen = monotonic()
        return found

    async def find(self, number: int) -> Interview:
        """The interview of a person who has started."""
        found = self._people.get(number)
        if found is None:
            person, questions = await self._writer.do(partial(_load, number=number))
            if person is None:
                raise RefusedError(401, NOBODY)
            found = self._keep(person, questions)
        found.seen = monotonic()
        self._people.move_to_end(number)
        return found

    async def upcoming(self, interview: Interview, ahead: int) -> list[Asked]:
        """The first `ahead` questions that wait for an answer; new ones are chosen and stored where there are fewer."""

        async def step() -> list[Asked]:
            self._draw(interview, ahead - interview.n_open)
            await self._store(interview, None)
            return interview.first_open(ahead) if self.state_of(interview) == "asking" else []

        return await self._in_turn(interview, step)

    async def answer(self, interview: Interview, reply: Reply, ahead: int) -> tuple[bool, list[Asked]]:
        """Store a reply with the questions that come next: whether it was stored before, and the questions."""

        async def step() -> tuple[bool, list[Asked]]:
            if interview.person.withdrawn:
                raise RefusedError(403, "Who has withdrawn can give no more answers.")
            new, answered = interview.accepts(self._kind, reply), interview.answered
            self._draw(interview, ahead - interview.n_open + (0 if not new else -1 if reply.undo else 1))
            await self._store(interview, reply if new else None)
            if interview.answered > answered:
                self.answers.add()
            return not new, interview.first_open(ahead) if self.state_of(interview) == "asking" else []

        return await self._in_turn(interview, step)

    async def event(self, interview: Interview, kind: str, detail: Mapping[str, Any]) -> None:
        """Store what happened to a person."""
        await self._writer.do(partial(add_event, kind=kind, person=interview.person.number, detail=dict(detail)))
        if kind == "withdrew":
            interview.person = replace(interview.person, withdrawn=True)

    def state_of(self, interview: Interview) -> str:
        """What the person's page shows: asking, finished, paused, closed or withdrew."""
        if interview.person.withdrawn:
            return "withdrew"
        if interview.finished:
            return "finished"
        return "asking" if self.state == "open" else self.state

    def forget(self, number: int) -> None:
        """Drop a person from memory."""
        self._people.pop(number, None)

    def seconds_since_seen(self, number: int) -> float | None:
        """Seconds since the person's last request; None where only the database knows."""
        found = None if self._shared else self._people.get(number)
        return None if found is None else monotonic() - found.seen

    def _keep(self, person: Person, questions: list[tuple[Asked, Answered | None]]) -> Interview:
        """The person's interview in memory: the one that another request put there meanwhile, else a new one."""
        if person.number not in self._people:
            self._people[person.number] = Interview(person, self._asker.roles(person.seed, person.source), questions)
            if len(self._people) > KEPT:
                self._people.popitem(last=False)
        return self._people[person.number]

    async def _in_turn(self, interview: Interview, step: Callable[[], Awaitable[T]]) -> T:
        """One request of a person after the other; where memory and database disagree, once more with what was read."""
        async with interview.lock:
            if self._shared:
                await self._read_again(interview)
            try:
                return await step()
            except (IntegrityError, UnfamiliarError):
                await self._read_again(interview)
                return await step()

    async def _read_again(self, interview: Interview) -> None:
        person, questions = await self._writer.do(partial(_load, number=interview.person.number))
        if person is None:
            self.forget(interview.person.number)
            raise RefusedError(401, NOBODY) from None
        interview.restore(person, questions)

    def _draw(self, interview: Interview, count: int) -> None:
        """Choose questions until so many wait to be stored. Also where none may be put now: the plan may be done."""
        person = interview.person
        while not interview.plan_done and len(interview.asked) - interview.n_stored < count:
            position = len(interview.asked)
            drawn = self._asker.draw(person.seed, person.source, interview.asked, position, person.number)
            if drawn is None:
                interview.plan_done = True
            else:
                interview.asked.append(replace(drawn, number=-1 - position))

    async def _store(self, interview: Interview, reply: Reply | None) -> None:
        """Store a reply and the questions that wait, together."""
        may_ask = self.state == "open" and not interview.person.withdrawn
        drawn = interview.asked[interview.n_stored :] if may_ask else []
        if reply is None and not drawn:
            return
        is_last = reply is not None and not reply.undo and interview.n_open == 1 and interview.plan_done
        finishes = is_last and len(interview.asked) == interview.n_stored
        person = interview.person.number
        stored = await self._writer.do(partial(_add, person=person, reply=reply, drawn=drawn, finishes=finishes))
        if reply is not None:
            interview.record(Answered(reply.question, reply.revision, reply.choice, reply.undo, reply.ms))
        interview.store(stored)


class RecentCount:
    """How often something happened in the last minute, whatever the clock on the wall says."""

    def __init__(self) -> None:
        self._seconds: OrderedDict[int, int] = OrderedDict()

    def add(self) -> None:
        """It happened now."""
        second = int(monotonic())
        self._seconds[second] = self._seconds.get(second, 0) + 1
        while len(self._seconds) > 60:
            self._seconds.popitem(last=False)

    def last_minute(self) -> int:
        """How often it happened in the last 60 seconds."""
        now = int(monotonic())
        return sum(count for second, count in self._seconds.items() if now - second < 60)


def _load(connection: Connection, number: int) -> Loaded:
    person = load_person(connection, number)
    return person, [] if person is None else load_questions(connection, number)


def _find_or_add(connection: Connection, identity: Mapping[str, str], source: str, welcome: bool) -> Loaded:
    person = find_person(connection, identity)
    if person is None and welcome:
        person = known_or_new_person(connection, source, identity, secrets.randbits(SEED_BITS))
    return person, [] if person is None else load_questions(connection, person.number)


def _add(
    connection: Connection, person: int, reply: Reply | None, drawn: Sequence[Asked], finishes: bool
) -> list[Asked]:
    if reply is not None:
        new = add_answer(connection, reply.question, reply.revision, reply.choice, reply.undo, reply.ms)
        if not new:
            raise UnfamiliarError(409, f"Revision {reply.revision} of question {reply.question} is stored already.")
    numbers: dict[int | None, int] = {}  # of questions that were chosen before they had one
    stored = []
    for asked in drawn:
        repeats = numbers.get(asked.repeats, asked.repeats)
        stored.append(add_question(connection, replace(asked, number=0, repeats=repeats)))
        numbers[asked.number] = stored[-1].number
    if finishes:
        add_event(connection, "finished", person)
    return stored
