"""The records of a table of answers to triplets; every step can name the line of what is wrong."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, InvalidTripletsError, Parameter
from tete.io.headers import LAYOUTS
from tete.io.object_numbers import numbers_of_texts
from tete.io.tables import Table
from tete.io.text_files import shortened

__all__ = ["AnswerReader", "warn_dropped"]

# What people write for an answer, without spaces and apostrophes.
UNDECIDED = (
    "",
    "0",
    "?",
    "undecided",
    "unsure",
    "notsure",
    "dontknow",
    "tie",
    "equal",
    "both",
    "neither",
    "na",
    "none",
)
FIRST = ("1", "+1", "first", "left", "true", "a")
SECOND = ("-1", "2", "second", "right", "false", "b")


class AnswerReader:
    """A table, the roles of its columns, and which of its records are still in use."""

    def __init__(
        self,
        table: Table,
        roles: dict[str, int],
        layout: str,
        names: Sequence[Hashable] | None,
        skip_invalid: bool,
    ) -> None:
        self.table, self.roles, self.layout = table, roles, layout
        self.known = None if names is None else tuple(names)
        self.skip_invalid = skip_invalid
        self.kept: NDArray[np.bool_] = np.ones(len(table), dtype=bool)

    def triplets(self) -> Triplets:
        """All answers, or an error that names the first bad line."""
        shown = LAYOUTS[self.layout][:3]
        objects = [role for role in LAYOUTS[self.layout] if role != "answer"]
        numbers, names = self._numbers(objects)
        columns = dict(zip(objects, numbers.T, strict=True))
        if self.layout == "questions":
            second = self._second_chosen(columns["first"], columns["second"], names)
            near = np.where(second, columns["second"], columns["first"])
            far = np.where(second, columns["first"], columns["second"])
            rows = np.column_stack([columns["anchor"], near, far])
        elif self.layout == "shown odd":
            rows = self._odd_last(numbers[:, :3], columns["odd"])
        else:
            rows = np.column_stack([columns[role] for role in shown])
        self._refuse_repeats(rows)
        details = self._details()
        try:
            if self.layout in {"odd", "shown odd"}:
                return Triplets.from_odd_one_out(rows[self.kept], -1, names=names, **details)
            return Triplets.from_array(rows[self.kept], names=names, **details)
        except InvalidTripletsError as error:
            raise InvalidFileError(f"{self.table.source.name}: {error}") from error

    def _numbers(self, roles: Sequence[str]) -> tuple[NDArray[np.int64], tuple[Hashable, ...] | None]:
        """Object numbers of these columns, one row a record, and the names if the objects have any."""
        columns = {role: self.table.column(self.roles[role]) for role in roles}
        for role, column in columns.items():
            empty = column.each([not name for name in column.names], bool)
            self._refuse(empty, self.roles[role], "empty, expected the name or number of an object")
        different = {name for column in columns.values() for name in column.names if name}
        number_of, names = numbers_of_texts(different, self.known)
        numbers = [column.each([number_of.get(name, -1) for name in column.names]) for column in columns.values()]
        for role, found in zip(roles, numbers, strict=True):
            known = 0 if self.known is None else len(self.known)
            self._refuse(found < 0, self.roles[role], f"not among the {known} objects of the map", drop=False)
        return np.stack(numbers, axis=1), names

    def _second_chosen(
        self, first: NDArray[np.int64], second: NDArray[np.int64], names: tuple[Hashable, ...] | None
    ) -> NDArray[np.bool_]:
        """Whether the answer is the second choice, said by its name, by a word or by +1 and -1; undecided ones go."""
        position = self.roles["answer"]
        column = self.table.column(position)
        number_of = {
            str(name): number for number, name in enumerate(names or range(int(max(first.max(), second.max())) + 1))
        }
        named = column.each([number_of.get(text, -1) for text in column.names])
        says_first, says_second = (named >= 0) & (named == first), (named >= 0) & (named == second)
        words = ["".join(text.casefold().split()).replace("'", "") for text in column.names]
        undecided = column.each([word in UNDECIDED for word in words], bool) & ~says_first & ~says_second
        if not (says_first | says_second | undecided).all():  # then these are words or numbers, not names
            booleans = set(words) <= {"0", "1"}  # as in cblearn
            says_first = column.each([word in FIRST for word in words], bool)
            says_second = column.each([word == "0" if booleans else word in SECOND for word in words], bool)
            undecided = column.each([word in UNDECIDED for word in words], bool) & ~says_second
        self._refuse(
            ~(says_first | says_second | undecided),
            position,
            "not an answer, expected one of the two objects, +1, -1 or 0, or left or right",
        )
        if undecided.any():
            self._drop(undecided, "undecided")
        return np.asarray(says_second)

    def _odd_last(self, shown: NDArray[np.int64], odd: NDArray[np.int64]) -> NDArray[np.int64]:
        """The objects shown with the odd one moved to the end."""
        is_odd = shown == odd[:, None]
        self._refuse(is_odd.sum(axis=1) != 1, self.roles["odd"], "the odd one is not one of the three shown")
        is_odd[~self.kept] = [False, False, True]
        return np.column_stack([shown[~is_odd].reshape(-1, 2), odd])

    def _refuse_repeats(self, rows: NDArray[np.int64]) -> None:
        repeated = (rows[:, 0] == rows[:, 1]) | (rows[:, 0] == rows[:, 2]) | (rows[:, 1] == rows[:, 2])
        self._refuse(repeated, None, "an object cannot be compared with itself")

    def _details(self) -> dict[str, Any]:
        """Weights, annotators and groups of the records that are kept."""
        details: dict[str, Any] = {}
        for role, field in (("annotator", "annotators"), ("group", "groups")):
            if role in self.roles:
                column = self.table.column(self.roles[role])
                empty = column.each([not name for name in column.names], bool)
                self._refuse(empty, self.roles[role], f"empty, expected the {role}")
                longest = max(map(len, column.names))
                self.table.source.refuse_beyond_memory(f"{len(self.table):,} {field}", 8 * longest * len(self.table))
                details[field] = column.each(column.names, str)
        if "weight" in self.roles:
            position = self.roles["weight"]
            details["weights"] = weights = self.table.numbers(position)
            self._refuse(
                ~(np.isfinite(weights) & (weights >= 0)), position, "not a weight, expected a number from 0 on"
            )
        if not self.kept.any():
            raise InvalidFileError(f"{self.table.source.name}: no answer is left, {len(self.kept)} were left out.")
        return {field: values[self.kept] for field, values in details.items()}

    def _refuse(self, bad: NDArray[np.bool_], position: int | None, text: str, *, drop: bool = True) -> None:
        """Leave these records out if that is wanted, or else name the first of them."""
        bad = bad & self.kept
        if not bad.any():
            return
        if self.skip_invalid and drop:
            self._drop(bad, text)
            return
        row = int(np.argmax(bad))
        used = [self.roles[role] for role in LAYOUTS[self.layout]] if position is None else [position]
        shown = ", ".join(repr(shortened(str(self.table.values(column)[row]))) for column in used)
        kind = "rows" if self.table.file is None else "lines"
        hint = ("; ", Parameter("skip_invalid", True), " leaves them out") if drop else ()
        message = f"{self.table.location(row, position)}: {shown}: {text} ({int(bad.sum())} such {kind}"
        raise InvalidFileError(message, *hint, ").")

    def _drop(self, bad: NDArray[np.bool_], text: str) -> None:
        self.kept &= ~bad
        warn_dropped(~bad, text)


def warn_dropped(kept: NDArray[np.bool_], reason: str) -> None:
    """Warn of answers that were left out, and count them."""
    warnings.warn(
        f"{int((~kept).sum())} of {len(kept)} answers were left out: {reason}.", DroppedAnswersWarning, stacklevel=2
    )
