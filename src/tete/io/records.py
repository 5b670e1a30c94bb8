"""The records of a table of answers: what their columns hold, and which of them are still in use.

Every step can name the line of what is wrong.
"""

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.exceptions import DroppedAnswersWarning, InvalidFileError, Parameter
from tete.io.object_numbers import numbers_of_texts
from tete.io.tables import Table
from tete.io.text_files import shortened

__all__ = ["AnswerRecords", "plain_words", "warn_dropped"]

LABELS = {"annotator": "annotators", "answer_id": "answers", "group": "groups"}
WORDS = {"answer_id": "answer"}  # for roles that messages call otherwise
EMPTY: Mapping[str, Collection[str]] = MappingProxyType({})
SECONDS = 100.0  # a median below this many milliseconds is no person's: then the times are in seconds


class AnswerRecords:
    """A table, the roles of its columns, and which of its records are still in use."""

    def __init__(
        self, table: Table, roles: dict[str, int], names: Sequence[Hashable] | None, skip_invalid: bool
    ) -> None:
        self.table, self.roles = table, roles
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
        if not self.kept.any():
            raise InvalidFileError(f"{self.table.source.name}: no answer is left, {len(self.kept)} were left out.")
        details["lines"] = self.table.lines()
        return details

    def _times(self, position: int) -> NDArray[np.float64]:
        """Response times in milliseconds; what is no time is not known."""
        times = self.table.numbers(position)
        times = np.where(np.isfinite(times) & (times >= 0.0), times, np.nan)
        if np.isnan(times).all():
            return times
        in_milliseconds = self.table.columns[position].casefold().rstrip(")").endswith("ms")
        return times if in_milliseconds or np.nanmedian(times) >= SECONDS else 1000.0 * times

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
        kind = "rows" if self.table.file is None else "lines"
        hint = ("; ", Parameter("skip_invalid", True), " leaves them out") if drop else ()
        where = self.table.location(row, used[0] if len(used) == 1 else None)
        raise InvalidFileError(f"{where}: {shown}: {text} ({int(bad.sum())} such {kind}", *hint, ").")

    def drop(self, bad: NDArray[np.bool_], text: str) -> None:
        """Leave these records out, and say so."""
        self.kept &= ~bad
        warn_dropped(~bad, text)


def plain_words(text: str) -> str:
    """A text without case, spaces and apostrophes, to be compared with words."""
    return "".join(text.casefold().split()).replace("'", "")


def warn_dropped(kept: NDArray[np.bool_], reason: str) -> None:
    """Warn of answers that were left out, and count them."""
    warnings.warn(
        f"{int((~kept).sum())} of {len(kept)} answers were left out: {reason}.", DroppedAnswersWarning, stacklevel=2
    )
