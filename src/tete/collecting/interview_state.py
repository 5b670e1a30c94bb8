"""One person's questions and answers, as the database has them."""

import asyncio
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from tete.collecting.people import Answered, Person
from tete.collecting.refusals import Bucket, RefusedError, UnfamiliarError
from tete.collecting.study import Asked, QuestionKind

__all__ = ["Interview", "Reply"]

REQUESTS = (30.0, 100)  # of one person: a second, and at once


@dataclass(frozen=True)
class Reply:
    """What a person sent about a question: places that were chosen, None for "cannot say", or that it is undone."""

    question: int
    revision: int
    choice: tuple[int, ...] | None
    undo: bool
    ms: float | None


class Interview:
    """Where a person is.

    `asked` has the questions in order of their positions. The first `n_stored` are in the database; those after them
    were chosen and wait for it, numbered -1 - position, so that others can already refer to them.
    """

    def __init__(
        self, person: Person, roles: Sequence[str], questions: Iterable[tuple[Asked, Answered | None]] = ()
    ) -> None:
        self._n_practice = roles.count("practice")
        self._n_planned = len(roles) - self._n_practice
        self.lock = asyncio.Lock()
        self.seen = monotonic()
        self.requests = Bucket("requests of one person", *REQUESTS)
        self.restore(person, questions)

    def restore(self, person: Person, questions: Iterable[tuple[Asked, Answered | None]]) -> None:
        """Forget what is here, and take what the database has."""
        self.person = person
        self.plan_done = False
        self.asked: list[Asked] = []
        self.n_stored = 0
        self.answered = 0
        self._practice_answered = 0
        self._open: list[int] = []  # positions, in order
        self._positions: dict[int, int] = {}
        self._latest: dict[int, Answered] = {}
        for asked, answered in questions:
            self.store([asked])
            if answered is not None:
                self.record(answered)

    def store(self, stored: Sequence[Asked]) -> None:
        """Questions that wait, in order, are in the database now; `stored` has their numbers."""
        for asked in stored:
            self.asked[self.n_stored : self.n_stored + 1] = [asked]
            self._positions[asked.number] = self.n_stored
            self._open.append(self.n_stored)
            self.n_stored += 1

    def record(self, answered: Answered) -> None:
        """An answer, or that one was undone, is in the database now."""
        position = self._positions[answered.question]
        was_open, now_open = self._is_open(answered.question), answered.undone
        self._latest[answered.question] = answered
        if was_open == now_open:
            return
        if now_open:
            insort(self._open, position)
        else:
            self._open.remove(position)
        if self.asked[position].role == "practice":
            self._practice_answered += was_open - now_open
        else:
            self.answered += was_open - now_open

    def _is_open(self, number: int) -> bool:
        latest = self._latest.get(number)
        return latest is None or latest.undone

    def revision(self, number: int) -> int:
        """What the next answer to this question must carry."""
        latest = self._latest.get(number)
        return 0 if latest is None else latest.revision + 1

    @property
    def n_open(self) -> int:
        """How many stored questions wait for an answer."""
        return len(self._open)

    def first_open(self, count: int) -> list[Asked]:
        """The first so many questions that wait for an answer."""
        return [self.asked[position] for position in self._open[:count]]

    @property
    def previous(self) -> Asked | None:
        """The last question that has an answer: the one that can be undone."""
        waiting = set(self._open)
        for position in range(self.n_stored - 1, -1, -1):
            if position not in waiting:
                return self.asked[position]
        return None

    @property
    def finished(self) -> bool:
        """Whether every question of the plan has an answer."""
        return self.plan_done and not self._open and self.n_stored == len(self.asked)

    @property
    def total(self) -> int:
        """How many questions there are for this person, practice not counted; fewer when items ran out."""
        if not self.plan_done:
            return self._n_planned
        return sum(asked.role != "practice" for asked in self.asked)

    @property
    def practice_left(self) -> int:
        """How many practice questions wait."""
        return max(self._n_practice - self._practice_answered, 0) if not self.finished else 0

    def accepts(self, kind: QuestionKind, reply: Reply) -> bool:
        """Whether the reply is to be stored, and is not stored already. Where it does not fit, it is refused."""
        number, position = reply.question, self._positions.get(reply.question)
        if position is None:
            raise UnfamiliarError(409, f"Question {number} was not put to this person.")
        expected = self.revision(number)
        if reply.revision > expected:
            raise UnfamiliarError(409, f"Question {number} expects revision {expected}, got {reply.revision}.")
        if reply.revision < expected:
            return False
        if reply.undo:
            previous = self.previous
            if self._is_open(number) or previous is None or previous.number != number:
                raise RefusedError(
                    409, f"Only the last answer can be undone, and that is not the one to question {number}."
                )
        elif not self._is_open(number):
            raise RefusedError(409, f"Question {number} has an answer, which must be undone first.")
        else:
            _check_choice(kind, reply.choice)
        return True


def _check_choice(kind: QuestionKind, choice: tuple[int, ...] | None) -> None:
    if choice is None:
        return
    if len(choice) != kind.n_picks or len(set(choice)) != len(choice):
        raise RefusedError(409, f"`choice` must have {kind.n_picks} different place(s), got {list(choice)}.")
    if not all(0 <= place < kind.n_choices for place in choice):
        raise RefusedError(409, f"`choice` must have places from 0 to {kind.n_choices - 1}, got {list(choice)}.")
