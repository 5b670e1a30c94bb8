"""The answers of a study that goes on, read as they come in and kept small: some fifty bytes for each.

The latest revision of an answer counts. What is left out: answers that were taken back, *cannot say*, practice and
catch questions, people who withdrew or were excluded. The map that chooses questions is not told the answers to test
questions, nor what the same person said when one of them was asked again.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, func, select

from tete.collecting.answer_rows import excluded_people, withdrawn_people
from tete.collecting.database import Database
from tete.collecting.schema import answers, events, questions
from tete.collecting.study import MAP_ROLES
from tete.comparisons.triplets import Triplets

__all__ = ["AnswerLog"]

AT_ONCE = 20_000  # rows from the database
# PostgreSQL gives numbers before it commits, so a lower one may appear after a higher one: the last are read again.
READ_AGAIN = 500
COLUMNS = ("question", "revision", "person", "role", "repeats")

Numbers = NDArray[np.int64]


class AnswerLog:
    """All answers so far.

    Attributes
    ----------
    version : int
        Another number whenever something is new.
    """

    def __init__(self, database: Database) -> None:
        self._database, self._kind = database, database.study.question
        self._n_items = len(database.items)
        self._last_event, self.version = 0, 0
        self._forget()

    def _forget(self) -> None:
        self._last_answer = 0
        self._left_out: set[int] = set()
        self._about: Numbers = np.zeros((0, len(COLUMNS)), dtype=np.int64)
        self._shown: NDArray[np.int32] = np.zeros((0, self._kind.n_shown), dtype=np.int32)
        self._choice: NDArray[np.int16] = np.zeros((0, self._kind.n_picks), dtype=np.int16)

    def update(self) -> None:
        """Read what is new."""
        with self._database.engine.connect() as connection:
            changes = [self._read_events(connection), self._read_answers(connection)]
        self.version += any(changes)

    def triplets(self, which: Literal["told", "tested", "random", "all"]) -> Triplets | None:
        """Answers as triplets, with person numbers as annotators and question numbers as answers; None without any.

        Parameters
        ----------
        which : str
            told: all that the map that chooses questions may know; tested: those to test it by; random: all to
            questions that nobody chose; all: told and tested, and repeats of tested ones.
        """
        question, _, person, role, repeats = self._about.T
        kept = (self._choice[:, 0] >= 0) & ~np.isin(person, list(self._left_out))
        is_test = role == MAP_ROLES.index("test")
        if which == "tested":
            kept &= is_test
        elif which == "told":
            kept &= ~is_test & ~np.isin(repeats, question[is_test])
        elif which == "random":
            kept &= is_test | (role == MAP_ROLES.index("balanced"))
        if not kept.any():
            return None
        details: dict[str, Any] = {"annotators": person[kept], "answers": question[kept], "n_objects": self._n_items}
        if not self._kind.has_anchor:
            return Triplets.from_odd_one_out(self._shown[kept], self._choice[kept, 0], **details)
        ranked = self._kind.ranked
        return Triplets.from_selection(self._shown[kept], self._choice[kept] + 1, ranked=ranked, **details)

    def people(self) -> Numbers:
        """Numbers of all people who answered, those who are left out too."""
        return np.unique(self._about[:, COLUMNS.index("person")])

    def _read_events(self, connection: Connection) -> bool:
        """Who is left out, and whether that is new. Where somebody was forgotten, everything is read anew."""
        last = connection.execute(select(func.max(events.c.number))).scalar() or 0
        if last == self._last_event:
            return False
        new = select(events.c.kind).where(events.c.number > self._last_event)
        if "forgotten" in connection.execute(new).scalars().all():
            self._forget()
        before, self._last_event = self._left_out, last
        self._left_out = withdrawn_people(connection) | excluded_people(connection)
        return self._left_out != before

    def _read_answers(self, connection: Connection) -> bool:
        """Whether there are new ones that are kept."""
        last = connection.execute(select(func.max(answers.c.number))).scalar() or 0
        if last == self._last_answer:
            return False
        rows = connection.execution_options(yield_per=AT_ONCE).execute(
            select(questions, answers.c.revision, answers.c.choice, answers.c.undone)
            .join(answers, answers.c.question == questions.c.number)
            .where(answers.c.number > self._last_answer - READ_AGAIN, questions.c.role.in_(MAP_ROLES))
        )
        before = self._n_revisions()
        for part in rows.partitions():
            self._add(part)
        self._last_answer = last
        self._keep_latest()
        return self._n_revisions() != before

    def _add(self, rows: Sequence[Row[Any]]) -> None:
        about = [(row.number, row.revision, row.person, MAP_ROLES.index(row.role), row.repeats or 0) for row in rows]
        nothing = json.dumps([-1] * self._kind.n_picks)
        choices = [nothing if row.undone or row.choice is None else row.choice for row in rows]
        self._about = np.concatenate([self._about, np.array(about, dtype=np.int64)])
        self._shown = np.concatenate([self._shown, _numbers([row.shown for row in rows]).astype(np.int32)])
        self._choice = np.concatenate([self._choice, _numbers(choices).astype(np.int16)])

    def _keep_latest(self) -> None:
        """Of each question the answer of the highest revision."""
        order = np.lexsort((self._about[:, 1], self._about[:, 0]))
        question = self._about[order, 0]
        latest = order[np.append(question[1:] != question[:-1], True)] if len(order) else order
        self._about, self._shown, self._choice = self._about[latest], self._shown[latest], self._choice[latest]

    def _n_revisions(self) -> int:
        return len(self._about) + int(self._about[:, COLUMNS.index("revision")].sum())


def _numbers(texts: list[str]) -> Numbers:
    """A row of numbers for each text of JSON, all read at once."""
    return np.array(json.loads(f"[{','.join(texts)}]"), dtype=np.int64)
