"""Answers of the kind "anchor is more like near than like far", validated once and frozen.

A row is (anchor, near, far): 0-based object numbers in cblearn's order. `answers` says which answer a triplet came
from, because one odd-one-out answer gives two triplets and "pick 2 of 8" gives twelve: they count as one, and held-out
sets must keep them together. A weight is a number of answers: weight 3 is the same answer given three times.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons import frames, questions
from tete.comparisons.by_people import By
from tete.comparisons.checks import (
    check_labels,
    check_length,
    check_lines,
    check_marks,
    check_n_objects,
    check_names,
    check_rows,
    check_times,
    check_weights,
    frozen,
    object_numbers,
    refuse_self_comparisons,
    refuse_torn_answers,
)
from tete.comparisons.folds import blocks_of, kind_of_blocks
from tete.comparisons.joining import joined
from tete.comparisons.summary import TripletSummary, summarize, triplet_keys
from tete.core.printing import counted
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_choice, check_interval
from tete.exceptions import InvalidParameterError, InvalidTripletsError

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

__all__ = ["Triplets"]

PER_TRIPLET = ("weights", "annotators", "answers", "groups", "times", "ties", "lines")  # fields that may be absent

IntArray: TypeAlias = NDArray[np.integer[Any]]
Labels: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Triplets:
    """Comparisons of objects: row r says that ``anchor[r]`` is more like ``near[r]`` than like ``far[r]``.

    The arrays are copied and made read-only. There are constructors for other questions: `from_array`, `from_answers`,
    `from_frame`, `from_odd_one_out`, `from_most_central` and `from_selection`.

    Parameters
    ----------
    anchor : array of n whole numbers
        Object numbers from 0 to ``n_objects - 1``; the three of a row differ.
    near : array of n whole numbers
        The objects that are more like the anchors.
    far : array of n whole numbers
        The objects that are less like the anchors.
    weights : array of n non-negative numbers, optional
        How often the answer was given, as if its line were repeated; 1 when absent.
    annotators : array of n labels, optional
        Who gave the answer.
    answers : array of n labels, optional
        Which answer the triplet came from; each triplet is its own answer when absent.
    groups : array of n labels, optional
        What is held out together, such as all votes on one question; by default all answers to the same question are.
    times : array of n numbers, optional
        Response times in milliseconds; NaN where they are not known.
    ties : array of n booleans, optional
        Whether the row is only a part of an undecided answer, which counts in parts for all that was possible.
    lines : array of n whole numbers, optional
        Where in its file the answer is.
    names : sequence of n_objects hashables, optional
        Names of the objects, all different.
    n_objects : int, optional
        Number of objects; by default the number of `names`, or else the largest object number plus one.

    Raises
    ------
    InvalidTripletsError
        If a row compares an object with itself, or arrays do not fit together; the message names the first such row.

    Examples
    --------
    >>> from tete import Triplets
    >>> answers = Triplets(anchor=[0, 2], near=[1, 1], far=[2, 0], names=["espresso", "latte", "tea"])
    >>> answers
    Triplets(2 triplets of 3 objects, with names)
    >>> answers.mentions().tolist(), answers.name_of(2), answers.with_names(["a", "b", "c"]).name_of(2)
    ([2, 2, 2], 'tea', 'c')

    What changes answers returns new ones:

    >>> answers.flip_where([True, False]).to_array().tolist()
    [[0, 2, 1], [2, 1, 0]]
    >>> answers.select([1]).reverse().to_array().tolist()
    [[2, 0, 1]]
    >>> answers.renumbered([2, 1, 0], n_objects=3).to_array().tolist()
    [[2, 1, 0], [0, 1, 2]]

    A weight says how often an answer was given, as if its line were repeated:

    >>> Triplets.concatenate([answers, answers]).merge_repeats().weights_or_ones().tolist()
    [2.0, 2.0]
    >>> weighted = answers.with_weights([3, 1])
    >>> weighted.counts().tolist(), weighted.n_answers
    ([3.0, 1.0], 4)
    """

    anchor: IntArray
    near: IntArray
    far: IntArray
    weights: NDArray[np.float64] | None = None
    annotators: Labels | None = None
    answers: Labels | None = None
    groups: Labels | None = None
    times: NDArray[np.float64] | None = None
    ties: NDArray[np.bool_] | None = None
    lines: NDArray[np.int64] | None = None
    names: tuple[Hashable, ...] | None = None
    n_objects: int = None  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        columns = [object_numbers(name, getattr(self, name)) for name in ("anchor", "near", "far")]
        length = len(columns[0])
        if any(len(column) != length for column in columns):
            raise InvalidTripletsError(
                f"`anchor`, `near` and `far` must have equal lengths, got {[len(column) for column in columns]}."
            )
        if length == 0:
            raise InvalidTripletsError("At least one triplet is needed, got 0.")
        names = None if self.names is None else check_names(self.names)
        n_objects = check_n_objects(columns, self.n_objects, names)
        refuse_self_comparisons(*columns)
        checked: dict[str, Any] = dict(
            zip(("anchor", "near", "far"), (frozen(column, np.int32) for column in columns), strict=True)
        )
        checked["weights"] = None if self.weights is None else check_weights("weights", self.weights, length)
        for field in ("annotators", "answers", "groups"):
            checked[field] = check_labels(field, getattr(self, field), length)
        refuse_torn_answers(checked["answers"], checked["groups"])
        checked["times"] = None if self.times is None else check_times("times", self.times, length)
        checked["ties"] = None if self.ties is None else check_marks("ties", self.ties, length)
        checked["lines"] = None if self.lines is None else check_lines("lines", self.lines, length)
        checked["names"] = names
        checked["n_objects"] = n_objects
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():  # pickle makes arrays writable
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.anchor)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of triplets, and 3: with this and indexing, scikit-learn can split triplets for cross-validation."""
        return len(self), 3

    def __getitem__(self, rows: Any) -> Self:
        return self.select(rows[0] if isinstance(rows, tuple) else rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.to_array().astype(dtype or np.int32, copy=False)

    def __repr__(self) -> str:
        extras = [name for name in (*PER_TRIPLET, "names") if getattr(self, name) is not None]
        described = f", with {', '.join(extras)}" if extras else ""
        return f"Triplets({counted(len(self), 'triplet')} of {counted(self.n_objects, 'object')}{described})"

    # Constructors ------------------------------------------------------------------------------------------------

    @classmethod
    def from_array(cls, X: ArrayLike, **details: Any) -> Self:
        """Triplets from rows (anchor, near, far).

        Parameters
        ----------
        X : array of shape (n, 3)
            Object numbers.
        **details : arrays and sequences
            The other fields: weights, annotators, answers, groups, times, ties, lines, names, n_objects.

        Returns
        -------
        Triplets
            The answers.
        """
        rows = check_rows(X, n_columns=3)
        return cls(anchor=rows[:, 0], near=rows[:, 1], far=rows[:, 2], **details)

    @classmethod
    def from_answers(
        cls, X: ArrayLike, y: ArrayLike, *, ties: Literal["drop", "half"] = "drop", **details: Any
    ) -> Self:
        """Triplets from questions and answers, as in cblearn: `from_array` and then `with_answers`.

        Parameters
        ----------
        X : array of shape (n, 3)
            Object numbers; a row asks whether the first is more like the second or like the third.
        y : array of n answers
            +1 for the second, -1 for the third, 0 where undecided; or booleans, true for the second.
        ties : "drop" or "half", default="drop"
            Whether undecided answers are left out, or count half each way.
        **details : arrays and sequences
            The other fields: weights, annotators, answers, groups, times, ties, lines, names, n_objects.

        Returns
        -------
        Triplets
            The answers.

        Examples
        --------
        >>> from tete import Triplets
        >>> Triplets.from_answers([(0, 1, 2), (2, 1, 0)], [1, -1]).to_array().tolist()
        [[0, 1, 2], [2, 0, 1]]
        """
        return cls.from_array(X, **details).with_answers(y, ties=ties)

    @classmethod
    def from_odd_one_out(cls, X: questions.Screens, odd: int | ArrayLike, **details: Any) -> Self:
        """Triplets from "which of these is the odd one out?".

        Any two of the others are more like each other than like the odd one: (k-1)(k-2) triplets an answer.

        Parameters
        ----------
        X : array of shape (n, k), k >= 3, or list of n lists
            The objects shown; as lists, some screens may show more than others.
        odd : int or array of n ints
            The column of the odd one: one number for all rows (0 in cblearn's habit, -1 in SPoSE's), or one each.
        **details : arrays and sequences
            The other fields; all but names and n_objects have one entry for each answer.

        Returns
        -------
        Triplets
            With `answers` that keep the triplets of an answer together.

        Examples
        --------
        >>> from tete import Triplets
        >>> picked = Triplets.from_odd_one_out([(0, 1, 2), (1, 2, 3)], odd=2)
        >>> picked.to_array().tolist()
        [[0, 1, 2], [1, 0, 2], [1, 2, 3], [2, 1, 3]]
        >>> picked.answer_numbers().tolist(), picked.answer_counts().tolist()
        ([0, 0, 1, 1], [1.0, 1.0])
        """
        rows, source = questions.odd_one_out(X, odd)
        return cls._from_source(rows, source, len(X), details)

    @classmethod
    def from_most_central(cls, X: questions.Screens, central: int | ArrayLike, **details: Any) -> Self:
        """Triplets from "which of these is the most central?".

        Each of the others is more like the central one than like any other: (k-1)(k-2) triplets an answer.

        Parameters
        ----------
        X : array of shape (n, k), k >= 3, or list of n lists
            The objects shown; as lists, some screens may show more than others.
        central : int or array of n ints
            The column of the central one: one number for all rows, or one each.
        **details : arrays and sequences
            The other fields; all but names and n_objects have one entry for each answer.

        Returns
        -------
        Triplets
            With `answers` that keep the triplets of an answer together.

        Examples
        --------
        >>> from tete import Triplets
        >>> Triplets.from_most_central([(0, 1, 2)], central=1).to_array().tolist()
        [[0, 1, 2], [2, 1, 0]]
        """
        rows, source = questions.most_central(X, central)
        return cls._from_source(rows, source, len(X), details)

    @classmethod
    def from_selection(
        cls, X: questions.Screens, selected: int | questions.Screens, *, ranked: bool = False, **details: Any
    ) -> Self:
        """Triplets from "pick the m of these that are most like the first".

        Parameters
        ----------
        X : array of shape (n, 1 + k), or list of n lists
            The anchor, then the k objects to choose from; as lists, some screens may show more than others.
        selected : int, array of shape (n, m) or list of n lists
            How many of the first choices were picked, or the columns of `X` that were; as lists, more may have been
            picked on some screens than on others.
        ranked : bool, default=False
            Whether the picks are in order, the most similar first; then earlier picks beat later ones too.
        **details : arrays and sequences
            The other fields; all but names and n_objects have one entry for each answer.

        Returns
        -------
        Triplets
            With `answers` that keep the triplets of an answer together.

        Examples
        --------
        >>> from tete import Triplets
        >>> Triplets.from_selection([(0, 1, 2, 3)], [[1]]).to_array().tolist()  # of 1, 2 and 3, 1 is most like 0
        [[0, 1, 2], [0, 1, 3]]
        """
        rows, source = questions.selection(X, selected, ranked)
        return cls._from_source(rows, source, len(X), details)

    @classmethod
    def _from_source(cls, rows: NDArray[Any], source: NDArray[Any], n_answers: int, details: dict[str, Any]) -> Self:
        """Give every triplet the weight, annotator, ... of the answer it came from."""
        spread = {"answers": source}
        for name in PER_TRIPLET:
            if details.get(name) is not None:
                values = np.asarray(details[name])
                check_length(name, values, n_answers)
                spread[name] = values[source]
        return cls.from_array(rows, **(details | spread))

    @classmethod
    def from_frame(
        cls, frame: "IntoFrame", *, names: Sequence[Hashable] | None = None, n_objects: int | None = None
    ) -> Self:
        """Triplets from a data frame with columns anchor, near, far and optionally others.

        These are weight (or count, votes, frequency), annotator (or worker, participant, subject, ...), answer_id (or
        answer), group (or fold) and tie, by the names that files may have for them, and ms, the response time.
        Whole numbers are object numbers if 0 is among them and they are not as sparse as ids are, or if `n_objects` is
        given. Other whole numbers are ids, which become names, and so is anything else; objects are then numbered in
        the sorted order of their names, or by their place in `names`.

        Parameters
        ----------
        frame : DataFrame
            One row an answer; of pandas, polars, pyarrow, modin or another library that narwhals knows.
        names : sequence of hashables, optional
            All names, in the order of their numbers; other names are an error.
        n_objects : int, optional
            Number of objects, where it is more than the largest object number tells; numbers are then no ids.

        Returns
        -------
        Triplets
            The answers.

        Raises
        ------
        InvalidTripletsError
            If a column is missing, two can say the same, or a row has no object or an unknown one.

        Examples
        --------
        >>> import pandas as pd
        >>> from tete import Triplets
        >>> frame = pd.DataFrame({"anchor": ["tea", "tea"], "near": ["mate", "cocoa"], "far": ["cocoa", "wine"]})
        >>> Triplets.from_frame(frame)
        Triplets(2 triplets of 4 objects, with names)
        """
        rows, details = frames.rows_of_frame(frame, names, are_numbers=n_objects is not None)
        return cls.from_array(rows, n_objects=n_objects, **details)

    @classmethod
    def concatenate(cls, parts: Iterable["Triplets"]) -> Self:
        """All triplets of several sets over the same objects; answers of different sets stay different groups.

        Parameters
        ----------
        parts : iterable of Triplets
            At least one set; all have the same names, or none has any.

        Returns
        -------
        Triplets
            One set.

        Raises
        ------
        InvalidTripletsError
            If the names differ, or some parts have annotators and others do not.
        """
        rows, details = joined(list(parts))
        return cls.from_array(rows, **details)

    # Views -------------------------------------------------------------------------------------------------------

    def to_array(self) -> IntArray:
        """Rows (anchor, near, far).

        Returns
        -------
        array of shape (n, 3)
            Object numbers.
        """
        return np.column_stack([self.anchor, self.near, self.far])

    def weights_or_ones(self) -> NDArray[np.float64]:
        """The weights, or ones when there are none.

        Returns
        -------
        array of n numbers
            How much each triplet counts.
        """
        return np.ones(len(self)) if self.weights is None else self.weights

    def answer_numbers(self) -> NDArray[np.int64]:
        """For each triplet the number of its answer, 0, 1, ...: `answers` in sorted order, or the row itself.

        Returns
        -------
        array of n numbers
            Equal for triplets of one answer.
        """
        return np.arange(len(self)) if self.answers is None else np.unique(self.answers, return_inverse=True)[1]

    def counts(self) -> NDArray[np.float64]:
        """How many answers each triplet stands for: its weight, as if its line were repeated.

        Where all weights are below 1 they cannot be repeats; then the largest counts as one answer.

        Returns
        -------
        array of n numbers
            In answers.
        """
        weights = self.weights_or_ones()
        largest = float(weights.max())
        return weights / largest if 0.0 < largest < 1.0 else weights

    def answer_counts(self) -> NDArray[np.float64]:
        """How many answers each answer stands for: the mean of its triplets' counts.

        Returns
        -------
        array, one number for each answer
            In the order of `answer_numbers`.
        """
        if self.answers is None:
            return self.counts()
        numbers = self.answer_numbers()
        return np.bincount(numbers, weights=self.counts()) / np.bincount(numbers)

    @property
    def n_answers(self) -> int:
        """How many answers there are, repeats and weights counted, to the nearest whole number.

        Returns
        -------
        int
            The number.
        """
        return round(float(self.answer_counts().sum()))

    def mentions(self) -> NDArray[np.int64]:
        """How many triplets mention each object.

        Returns
        -------
        array of n_objects numbers
            Zero for objects about which nothing is known.
        """
        return sum(
            (np.bincount(column, minlength=self.n_objects) for column in (self.anchor, self.near, self.far)),
            start=np.zeros(self.n_objects, dtype=np.int64),
        )

    def summary(self, *, few: int = 5) -> TripletSummary:
        """Count objects, answers, repeats, contradictions, parts and annotators.

        Parameters
        ----------
        few : int, default=5
            Objects in fewer triplets are hardly mentioned.

        Returns
        -------
        TripletSummary
            Printing it gives a short table.
        """
        return summarize(self, few=few)

    def name_of(self, number: int) -> Hashable:
        """The object's name, or its number where there are no names.

        Parameters
        ----------
        number : int
            The object's number.

        Returns
        -------
        hashable
            The name.
        """
        return int(number) if self.names is None else self.names[number]

    # Operations: each returns new triplets -----------------------------------------------------------------------

    def select(self, rows: ArrayLike) -> Self:
        """The triplets at these rows, over the same objects.

        Parameters
        ----------
        rows : array of row numbers, or mask of n booleans
            Which triplets.

        Returns
        -------
        Triplets
            With the weights, annotators, ... of these rows.
        """
        index = np.asarray(rows)
        if index.dtype.kind == "b":
            check_length("rows", index, len(self))
        elif index.size and (index.dtype.kind not in "iu" or index.min() < -len(self) or index.max() >= len(self)):
            raise InvalidParameterError(f"`rows` must be a mask or numbers from 0 to {len(self) - 1}, got {rows!r}.")
        index = np.arange(len(self))[index] if index.size else np.zeros(0, dtype=int)
        picked = {
            name: values[index]
            for name in ("anchor", "near", "far", *PER_TRIPLET)
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **picked)

    def renumbered(self, numbers: ArrayLike, n_objects: int) -> Self:
        """Object r becomes object ``numbers[r]``; names are lost.

        Parameters
        ----------
        numbers : array of whole numbers
            The new number of each object.
        n_objects : int
            How many objects there are then.

        Returns
        -------
        Triplets
            The same answers about other numbers.
        """
        new = np.asarray(numbers)
        return replace(
            self, anchor=new[self.anchor], near=new[self.near], far=new[self.far], names=None, n_objects=n_objects
        )

    def with_names(self, names: Sequence[Hashable]) -> Self:
        """The same answers about objects that are called otherwise.

        Parameters
        ----------
        names : sequence of n_objects names
            The names.

        Returns
        -------
        Triplets
            The answers.
        """
        return replace(self, names=tuple(names))

    def with_answers(self, y: ArrayLike, *, ties: Literal["drop", "half"] = "drop") -> Self:
        """The rows read as questions, "is anchor more like near or like far?", with cblearn's answers.

        Undecided answers are left out with a warning that counts them, or become two answers of half the weight.

        Parameters
        ----------
        y : array of n answers
            +1 the first, -1 the second, 0 undecided; or booleans, true for the first. Zeros and ones alone count as
            booleans.
        ties : "drop" or "half", default="drop"
            Whether undecided answers are left out, or count half each way.

        Returns
        -------
        Triplets
            The answers.

        Examples
        --------
        >>> from tete import Triplets
        >>> Triplets.from_array([(0, 1, 2), (2, 1, 0)]).with_answers([False, True]).to_array().tolist()
        [[0, 2, 1], [2, 1, 0]]
        """
        check_choice("ties", ties, ("drop", "half"))
        decided, second_nearer = questions.check_answers(y, len(self), drop_ties=ties == "drop")
        answered = self.flip_where(second_nearer) if second_nearer.any() else self
        if decided.all() or ties == "drop":
            return answered if decided.all() else answered.select(decided)
        order = np.repeat(np.arange(len(self)), np.where(decided, 1, 2))  # a tie is there both ways
        again = np.append(False, order[1:] == order[:-1])
        both = answered.select(order).flip_where(again)
        tied = ~decided[order] if both.ties is None else ~decided[order] | both.ties
        return replace(both.with_weights(np.where(decided, 1.0, 0.5)[order]), answers=None, ties=tied)

    def with_weights(self, weights: ArrayLike) -> Self:
        """Each triplet's weight multiplied by another one.

        Parameters
        ----------
        weights : array of n non-negative numbers
            The factors.

        Returns
        -------
        Triplets
            The same answers, weighted.
        """
        factors = check_weights("sample_weight", weights, len(self))
        return replace(self, weights=factors if self.weights is None else factors * self.weights)

    def reverse(self) -> Self:
        """Near and far exchanged everywhere.

        Returns
        -------
        Triplets
            All answers the other way round.
        """
        return replace(self, near=self.far, far=self.near)

    def flip(self, share: float, *, random_state: RandomState = 0) -> Self:
        """Near and far exchanged in a random share of the triplets: the paper's noise (section "Robustness to Noise").

        Exactly ``round(share * len(self))`` different triplets are reversed, always the same ones by default.

        Parameters
        ----------
        share : float in [0, 1]
            Which share to reverse.
        random_state : int, generator or None, default=0
            Seed of the draws; None takes another one each time.

        Returns
        -------
        Triplets
            The answers, some of them reversed.
        """
        check_interval("share", share, 0.0, 1.0)
        rng = make_generator(random_state)
        rows = rng.choice(len(self), size=round(share * len(self)), replace=False)
        flipped = np.zeros(len(self), dtype=bool)
        flipped[rows] = True
        return self.flip_where(flipped)

    def flip_where(self, flipped: ArrayLike) -> Self:
        """Near and far exchanged where the mask is true.

        Parameters
        ----------
        flipped : mask of n booleans
            Which triplets to reverse.

        Returns
        -------
        Triplets
            The answers, these reversed.
        """
        mask = np.asarray(flipped, dtype=bool)
        check_length("flipped", mask, len(self))
        return replace(self, near=np.where(mask, self.far, self.near), far=np.where(mask, self.near, self.far))

    def merge_repeats(self) -> Self:
        """Each different triplet once, weighted by the sum of its weights; names are all else that is kept.

        Returns
        -------
        Triplets
            Without repeats.
        """
        _, first, inverse = np.unique(triplet_keys(self), return_index=True, return_inverse=True)
        weights = np.bincount(inverse, weights=self.weights, minlength=len(first)).astype(np.float64)
        return replace(
            self,
            anchor=self.anchor[first],
            near=self.near[first],
            far=self.far[first],
            weights=weights,
            annotators=None,
            answers=None,
            groups=None,
            times=None,
            ties=None,
            lines=None,
        )

    def split(
        self,
        share: float = 0.1,
        *,
        by: By = "answers",
        random_state: RandomState = 0,
    ) -> tuple[Self, Self]:
        """Split into two parts, such that no question (or annotator) is torn apart.

        All answers to a question are in the same part, whatever their number and order.

        Parameters
        ----------
        share : float in (0, 1), default=0.1
            About this share of the different questions (or annotators) is in the second part.
        by : "answers" or "annotators", default="answers"
            What stays whole.
        random_state : int, generator or None, default=0
            Seed of the draws; None takes another one each time.

        Returns
        -------
        first : Triplets
            Most of the answers.
        second : Triplets
            The others.

        Raises
        ------
        InvalidTripletsError
            If there are fewer than two questions (or groups, or annotators).
        """
        check_interval("share", share, 0.0, 1.0, closed=False)
        check_choice("by", by, ("answers", "annotators"))
        blocks = blocks_of(self, by)
        n_blocks = int(blocks.max()) + 1
        if n_blocks < 2:
            kind = kind_of_blocks(self, by)
            raise InvalidTripletsError(f"At least 2 different {kind} are needed to split them, got {n_blocks}.")
        n_second = min(max(round(share * n_blocks), 1), n_blocks - 1)
        chosen = np.zeros(n_blocks, dtype=bool)
        chosen[make_generator(random_state).choice(n_blocks, size=n_second, replace=False)] = True
        second = chosen[blocks]
        return self.select(~second), self.select(second)
