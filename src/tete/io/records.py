"""The records of a table of answers: what their columns hold, and which of them are still in use.

Every step can name the line of what is wrong.
"""

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import counted, were
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, Parameter
from tete.io.number_texts import NO_VALUE
from tete.io.object_numbers import numbers_of_texts
from tete.io.tables import Table
from tete.io.text_files import shortened
from tete.io.time_columns import Floats, are_moments, milliseconds, moment_of, since_the_one_before

__all__ = ["AnswerRecords", "plain_words", "warn_dropped"]

LABELS = {"annotator": "annotators", "answer_id": "answers", "group": "groups"}
WORDS = {"answer_id": "answer"}  # for roles that messages call otherwise
TIED = ("1", "true")  # what the column of a part of an undecided answer says
EMPTY: Mapping[str, Collection[str]] = MappingProxyType({})


class AnswerRecords:
    """A table, the roles of its columns, and which of its records are still in use."""

    def __init__(
        self,
        table: Table,
        roles: dict[str, int],
        names: Sequence[Hashable] | None,
        skip_invalid: bool,
        named: Collection[str] = (),
    ) -> None:
        self.table, self.roles = table, roles
        self.named = frozenset(named)  # roles of columns that were named, not found by their header
        self.known = None if names is None else tuple(names)
        self.skip_invalid = skip_invalid
        self.kept: NDArray[np.bool_] = np.ones(len(table), dtype=bool)

    def numbers(
        self,
        roles: Sequence[str],
        *,
        may_be_empty: Collection[str] = (),
        answers: Mapping[str, Collection[str]] = EMPTY,
    ) -> tuple[NDArray[np.int64], tuple[Hashable, ...] | None]:
        """Object numbers of these columns, one row a record, -1 in empty cells; and the names if there are any.

        `answers` are columns in which some words are as good as an empty cell, where they name no object.
        """
        columns = {role: self.table.column(self.roles[role]) for role in roles}
        given = {}
        for role, column in columns.items():
            words = answers.get(role, ())
            given[role] = [bool(name) and plain_words(name) not in words for name in column.names]
            if role not in may_be_empty and role not in answers:
                empty = column.each([not name for name in column.names], bool)
                self.refuse(empty, [role], "empty, expected the name or number of an object")
        objects = {
            name
            for role, column in columns.items()
            for name, is_given in zip(column.names, given[role], strict=True)
            if is_given
        }
        number_of, names = numbers_of_texts(objects, self.known)
        found = [column.each([number_of.get(name, -1) for name in column.names]) for column in columns.values()]
        known = 0 if self.known is None else len(self.known)
        for role, numbers in zip(roles, found, strict=True):
            unknown = (numbers < 0) & columns[role].each(given[role], bool)
            self.refuse(unknown, [role], f"not among the {known} objects of the map", drop=False)
        return np.stack(found, axis=1), names

    def details(self) -> dict[str, Any]:
        """Weights, annotators, answers, groups, times and lines of all records."""
        details: dict[str, Any] = {}
        for role, field in LABELS.items():
            if role in self.roles:
                column = self.table.column(self.roles[role])
                empty = column.each([not name for name in column.names], bool)
                self.refuse(empty, [role], f"empty, expected the {WORDS.get(role, role)}")
                longest = max(map(len, column.names))
                self.table.source.refuse_beyond_memory(f"{len(self.table):,} {field}", 8 * longest * len(self.table))
                details[field] = column.each(column.names, str)
        if "weight" in self.roles:
            details["weights"] = weights = self.table.numbers(self.roles["weight"])
            bad = ~(np.isfinite(weights) & (weights >= 0))
            self.refuse(bad, ["weight"], "not a weight, expected a number from 0 on")
        if "time" in self.roles:
            details["times"] = self._times(self.roles["time"])
        if "tie" in self.roles:
            column = self.table.column(self.roles["tie"])
            details["ties"] = column.each([plain_words(name) in TIED for name in column.names], bool)
        if not self.kept.any():
            self.refuse_none_left()
        details["lines"] = self.table.lines()
        return details

    def _times(self, position: int) -> Floats:
        """Response times in milliseconds; what is no time is refused where the column was named, else not known."""
        column, times = self.table.column(position), self.table.numbers(position)
        if not np.isfinite(times).any():
            times = column.each([moment_of(text) for text in column.names], np.float64)
        if "time" in self.named:
            unknown = column.each([text.casefold() in NO_VALUE for text in column.names], bool)
            self.refuse(np.isnan(times) & ~unknown, ["time"], "not a response time, expected a number or a date")
        if not are_moments(times):
            return milliseconds(times, self.table.columns[position])
        if "annotator" in self.roles:
            return since_the_one_before(times, self.table.column(self.roles["annotator"]).codes)
        if "time" in self.named:
            raise InvalidFileError(
                f"{self.table.location(0, position)}: {self.table.values(position)[0]!r} is a moment, and how long an "
                "answer took is known from it only where it is known who gave it: name the column with ",
                Parameter("annotator"),
                ".",
            )
        return np.full(len(times), np.nan)

    def refuse(self, bad: NDArray[np.bool_], roles: Sequence[str], text: str, *, drop: bool = True) -> None:
        """Leave these records out if that is wanted, or else name the first of them."""
        bad = bad & self.kept
        if not bad.any():
            return
        if self.skip_invalid and drop:
            self.drop(bad, text)
            return
        row = int(np.argmax(bad))
        used = [self.roles[role] for role in roles]
        shown = ", ".join(repr(shortened(str(self.table.values(column)[row]))) for column in used)
        kind = "such row" if self.table.file is None else "such line"
        hint = ("; ", Parameter("skip_invalid", True), " leaves them out") if drop else ()
        where = self.table.location(row, used[0] if len(used) == 1 else None)
        raise InvalidFileError(f"{where}: {shown}: {text} ({counted(int(bad.sum()), kind)}", *hint, ").")

    def refuse_none_left(self) -> NoReturn:
        """Say that all records were left out."""
        n_records = len(self.kept)
        raise InvalidFileError(f"{self.table.source.name}: no answer is left, {n_records} {were(n_records)} left out.")

    def drop(self, bad: NDArray[np.bool_], text: str) -> None:
        """Leave these records out, and say so."""
        self.kept &= ~bad
        warn_dropped(~bad, text)


def plain_words(text: str) -> str:
    """A text without case, spaces and apostrophes, to be compared with words."""
    return "".join(text.casefold().split()).replace("'", "")


def warn_dropped(kept: NDArray[np.bool_], reason: str) -> None:
    """Warn of answers that were left out, and count them."""
    n_dropped = int((~kept).sum())
    said = f"{n_dropped} of {counted(len(kept), 'answer')} {were(n_dropped)} left out: {reason}."
    warnings.warn(said, DroppedAnswersWarning, stacklevel=2)
