"""The numbers of the dashboard, kept up to date by reading only what is new in the database.

Rows are never changed, so each is read once. The exceptions are people who revise an answer and people who answer a
question again, whose few rows are read anew, and somebody who is forgotten, after which everything is.
"""

import json
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, select

from tete.collecting.database import Database
from tete.collecting.people import annotator_name
from tete.collecting.roles import roles_of
from tete.collecting.schema import answers, events, milliseconds_now, people, questions
from tete.collecting.storage_trouble import explained
from tete.collecting.study import Study

__all__ = ["LiveCounts"]

FAST = 400.0  # milliseconds: who chooses sooner has hardly looked
LEFT_AFTER = 600.0  # seconds without a sign of life
MARKS = ("withdrew", "excluded", "included", "finished")

_ANSWERS = select(
    answers.c.number,
    answers.c.revision,
    answers.c.choice,
    answers.c.undone,
    answers.c.ms,
    answers.c.received,
    questions.c.number.label("question"),
    questions.c.person,
    questions.c.role,
    questions.c.shown,
    questions.c.right,
    questions.c.repeats,
).join(questions, answers.c.question == questions.c.number)
_NEW_ANSWERS = _ANSWERS.where(answers.c.number > bindparam("last")).order_by(answers.c.number)
_OF_PERSON = _ANSWERS.where(questions.c.person == bindparam("who")).order_by(answers.c.number)
_BY_PERSON = _ANSWERS.order_by(questions.c.person, answers.c.number)
_LAST = select(func.max(answers.c.number))
_NEW_PEOPLE = select(people).where(people.c.number > bindparam("last")).order_by(people.c.number)
_NEW_EVENTS = (
    select(events.c.number, events.c.person, events.c.kind)
    .where(events.c.number > bindparam("last"), events.c.kind.in_(MARKS))
    .order_by(events.c.number)
)

AnswerRow: TypeAlias = Any  # SQLAlchemy types rows by their columns, differently in its versions


@dataclass
class Tally:
    """What is counted of one person."""

    number: int
    source: str
    seen: int  # when, by the clock on the wall
    answered: int = 0
    cannot_say: int = 0
    n_fast: int = 0
    catch_right: int = 0
    catch_asked: int = 0
    repeat_same: int = 0
    repeat_asked: int = 0
    withdrew: bool = False
    excluded: bool = False
    finished: bool = False
    by_role: Counter[str] = field(default_factory=Counter)
    ms: "array[float]" = field(default_factory=lambda: array("f"))

    def add(self, row: AnswerRow) -> None:
        """Count an answer that was not revised; practice is only a sign of life."""
        self.seen = max(self.seen, row.received)
        self.by_role[row.role] += 1
        if row.role == "practice":
            return
        self.answered += 1
        self.cannot_say += row.choice is None
        if row.ms is not None:
            self.ms.append(row.ms)
            self.n_fast += row.ms < FAST
        if row.role == "catch":
            self.catch_asked += 1
            self.catch_right += row.choice is not None and set(json.loads(row.right)) <= set(json.loads(row.choice))

    def mark(self, kind: str) -> None:
        """Take in an event."""
        if kind in {"excluded", "included"}:
            self.excluded = kind == "excluded"
        else:
            self.withdrew |= kind == "withdrew"
            self.finished |= kind == "finished"


class LiveCounts:
    """Counts of everybody. `refresh` reads what is new; it and `about` may run in any thread."""

    def __init__(self, database: Database, study: Study) -> None:
        self._engine, self._name = database.engine, database.name
        self._first_choice = int(study.question.has_anchor)
        self._ranked = study.question.ranked
        self._totals = {program: _n_planned(study, source) for program, source in ((False, "page"), (True, "model:"))}
        self._turn = threading.Lock()
        self.forget_all()

    def forget_all(self) -> None:
        """Count again from the beginning, because rows were deleted."""
        with self._turn:
            self._people: dict[int, Tally] = {}
            self._last_person = self._last_answer = self._last_event = 0

    def refresh(self) -> None:
        """Read what is new."""
        with self._turn, explained(self._name), self._engine.connect() as connection:
            for row in connection.execute(_NEW_PEOPLE, {"last": self._last_person}):
                self._people[row.number] = Tally(row.number, row.source, row.created)
                self._last_person = row.number
            self._count_answers(connection)
            for row in connection.execute(_NEW_EVENTS, {"last": self._last_event}):
                self._last_event = row.number
                if row.person in self._people:
                    self._people[row.person].mark(row.kind)

    def _count_answers(self, connection: Connection) -> None:
        if not self._last_answer:  # as after a restart: person by person, since many are to be read as a whole
            self._last_answer = connection.execute(_LAST).scalar() or 0
            rows = connection.execution_options(yield_per=2_000).execute(_BY_PERSON)
            for number, theirs in groupby(rows, attrgetter("person")):
                if number in self._people:
                    self._people[number] = self._counted(self._people[number], theirs)
            return
        again: set[int] = set()
        for row in connection.execute(_NEW_ANSWERS, {"last": self._last_answer}):
            self._last_answer = row.number
            if row.revision or row.role == "repeat":
                again.add(row.person)
            elif row.person in self._people:
                self._people[row.person].add(row)
        for number in again & self._people.keys():
            rows = connection.execute(_OF_PERSON, {"who": number})
            self._people[number] = self._counted(self._people[number], rows)

    def _counted(self, before: Tally, rows: Iterable[AnswerRow]) -> Tally:
        """A person's tally from all rows."""
        tally = Tally(before.number, before.source, before.seen)
        tally.withdrew, tally.excluded, tally.finished = before.withdrew, before.excluded, before.finished
        latest = {row.question: row for row in rows if row.number <= self._last_answer}
        effective = {number: row for number, row in latest.items() if not row.undone}
        for row in effective.values():
            tally.add(row)
            if row.role == "repeat" and row.repeats in effective:
                tally.repeat_asked += 1
                tally.repeat_same += self._chosen(row) == self._chosen(effective[row.repeats])
        return tally

    def _chosen(self, row: AnswerRow) -> object:
        """The items that were chosen, whatever their places were; in order where that counts."""
        if row.choice is None:
            return None
        choices = json.loads(row.shown)[self._first_choice :]
        items = [choices[place] for place in json.loads(row.choice)]
        return items if self._ranked else sorted(items)

    def about(self, seconds_since_seen: Callable[[int], float | None], verdicts: dict[str, Any]) -> dict[str, Any]:
        """The dashboard's numbers of people and answers, with the planner's verdicts beside them."""
        now = milliseconds_now()
        with self._turn:
            tallies = list(self._people.values())
            each = [self._about_one(tally, seconds_since_seen(tally.number), now, verdicts) for tally in tallies]
            times = array("f")
            for tally in tallies:
                times.extend(tally.ms)
            statuses = Counter(one["status"] for one in each)
            by_role = sum((tally.by_role for tally in tallies), Counter[str]())
        return {
            "people": {
                "started": len(each),
                **{status: statuses[status] for status in ("active", "finished", "left", "withdrew")},
                "excluded": sum(one["excluded"] for one in each),
            },
            "answers": {
                "total": sum(one["answered"] for one in each),
                "cannot_say": sum(tally.cannot_say for tally in tallies),
                "by_role": dict(by_role),
            },
            "median_ms": _median(times),
            "each": each,
        }

    def _about_one(self, tally: Tally, unseen: float | None, now: int, verdicts: dict[str, Any]) -> dict[str, Any]:
        since = unseen if unseen is not None else max(0.0, (now - tally.seen) / 1000.0)  # clocks are set back
        verdict = verdicts.get(str(tally.number), {})
        going = "active" if since < LEFT_AFTER else "left"
        return {
            "person": tally.number,
            "name": annotator_name(tally.number),
            "source": tally.source,
            "answered": tally.answered,
            "total": self._totals[tally.source.startswith("model:")],
            "status": "withdrew" if tally.withdrew else "finished" if tally.finished else going,
            "excluded": tally.excluded,
            "median_ms": _median(tally.ms),
            "fast_share": round(tally.n_fast / len(tally.ms), 4) if tally.ms else None,
            "catch": {"right": tally.catch_right, "asked": tally.catch_asked},
            "repeat": {"same": tally.repeat_same, "asked": tally.repeat_asked},
            **{name: verdict.get(name) for name in ("verdict", "agreement", "expected")},
            "seconds_since_seen": round(since, 1),
        }


def _median(times: "array[float]") -> float | None:
    return round(median(times), 1) if times else None


def _n_planned(study: Study, source: str) -> int:
    return sum(role != "practice" for role in roles_of(study, 0, source))
