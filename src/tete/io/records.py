"""The records of a table of answers to triplets; every step can name the line of what is wrong."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, InvalidTripletsError, Parameter
from tete.io.headers import LAYOUTS
from tete.io.text_tables import Table, as_numbers

__all__ = ["AnswerReader", "numbers_of_texts", "warn_dropped"]

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
SPARSE = 10  # numbers up to more than this many times the different ones are ids, not object numbers


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
        self.kept: NDArray[np.bool_] = np.ones(len(table.cells), dtype=bool)

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
        import pandas as pd  # noqa: PLC0415

        texts = np.concatenate([self.table.values(self.roles[role]) for role in roles])
        codes, different = pd.factorize(texts)
        different = np.array([text.strip() for text in different], dtype=object)
        empty = (different == "")[codes].reshape(len(roles), -1)
        for role, missing in zip(roles, empty, strict=True):
            self._refuse(missing, self.roles[role], "empty, expected the name or number of an object")
        number_of, names = numbers_of_texts({text for text in different if text}, self.known)
        order = np.array([number_of.get(text, -1) for text in different], dtype=np.int64)
        numbers = order[codes].reshape(len(roles), -1)
        for role, column in zip(roles, numbers, strict=True):
            known = 0 if self.known is None else len(self.known)
            self._refuse(column < 0, self.roles[role], f"not among the {known} objects of the map", drop=False)
        return numbers.T, names

    def _second_chosen(
        self, first: NDArray[np.int64], second: NDArray[np.int64], names: tuple[Hashable, ...] | None
    ) -> NDArray[np.bool_]:
        """Whether the answer is the second choice, said by its name, by a word or by +1 and -1; undecided ones go."""
        position = self.roles["answer"]
        texts = np.array([text.strip() for text in self.table.values(position)], dtype=object)
        labels = np.array([str(name) for name in names], dtype=object) if names else None
        says_first, says_second = (
            texts == (chosen.astype(str) if labels is None else labels[chosen]) for chosen in (first, second)
        )
        words = np.array(["".join(text.casefold().split()).replace("'", "") for text in texts], dtype=object)
        undecided = np.isin(words, UNDECIDED) & ~says_first & ~says_second
        if not (says_first | says_second | undecided).all():  # then these are words or numbers, not names
            says_first, says_second = np.isin(words, FIRST), np.isin(words, SECOND)
            if set(words) <= {"0", "1"}:  # booleans, as in cblearn
                says_second = words == "0"
            undecided = np.isin(words, UNDECIDED) & ~says_second
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
                labels = np.array([str(text).strip() for text in self.table.values(self.roles[role])], dtype=object)
                self._refuse(labels == "", self.roles[role], f"empty, expected the {role}")
                details[field] = labels.astype(str)
        if "weight" in self.roles:
            position = self.roles["weight"]
            details["weights"] = weights = as_numbers(self.table.values(position))
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
        cells = self.table.cells.iloc[row]
        used = [self.roles[role] for role in LAYOUTS[self.layout]] if position is None else [position]
        shown = ", ".join(repr(str(cells.iloc[column])) for column in used)
        kind = "lines" if self.table.separator else "rows"
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


def numbers_of_texts(
    texts: set[str], known: tuple[Hashable, ...] | None
) -> tuple[dict[str, int], tuple[Hashable, ...] | None]:
    """For each text the number of its object, and the names in the order of the numbers if the objects have any."""
    if known is not None:
        return {str(name): number for number, name in enumerate(known)}, known
    if all(text.isdecimal() and text.isascii() and len(text) < 10 for text in texts):
        numbers = {text: int(text) for text in texts}
        if max(numbers.values(), default=0) < SPARSE * max(len(texts), 10):
            return numbers, None
        ids = sorted(set(numbers.values()))
        ranks = {number: rank for rank, number in enumerate(ids)}
        return {text: ranks[number] for text, number in numbers.items()}, tuple(ids)
    names = sorted(texts)
    return {name: number for number, name in enumerate(names)}, tuple(names)
