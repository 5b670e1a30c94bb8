"""Answers by who gave them, each different answer once, and halves of them that one map is made of and another tested.

A unit is what belongs to a view: a person, or with `by="answers"` a single answer. Equal answers of a unit are merged
and put in an order that only their content decides, so that an answer of weight 2 is the same as the answer twice, to
the last bit, and so is any other order of the rows.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.same_question import question_numbers
from tete.comparisons.summary import triplet_keys
from tete.comparisons.triplets import Triplets
from tete.embedding.answer_model import Floats
from tete.exceptions import InvalidTripletsError, Parameter

__all__ = ["UnitAnswers"]

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UnitAnswers:
    """Triplets with the unit of each.

    Attributes
    ----------
    triplets : Triplets
        Without weights; `groups` numbers the answers.
    units : array, one number for each triplet
    labels : tuple
        The people in sorted order; with ``by="answers"`` numbers of the different answers.
    shares : array, one number for each triplet
        How much it counts within its unit; the triplets of an answer share its weight.
    repeats : array, one number for each unit
        How often the whole unit counts: for answers their weight, for people 1.
    dealt_within : array, one number for each triplet
        What is halved by itself: the person, or all answers together.
    questions : array, one number for each triplet
    rows : array, one number for each triplet
        Where it stands in what was given; of equal ones the first.
    unit_of_row : array, one number for each row of what was given
        Its unit, -1 for rows that do not count.
    """

    triplets: Triplets
    units: Numbers
    labels: tuple[Hashable, ...]
    shares: Floats
    repeats: Floats
    dealt_within: Numbers
    questions: Numbers
    rows: Numbers
    unit_of_row: Numbers

    @classmethod
    def of(cls, triplets: Triplets, by: Literal["annotators", "answers"] = "annotators") -> Self:
        """The answers that count, by person or one by one."""
        counted = triplets.weights_or_ones() > 0
        used = triplets if counted.all() else triplets.select(counted)
        if by == "annotators" and used.annotators is None:
            raise InvalidTripletsError(
                "The answers must have annotators to be told apart by them, got none. ",
                Parameter("by", "answers"),
                " tells single answers apart.",
            )
        people = np.zeros(len(used), dtype=np.int64)
        labels: tuple[Hashable, ...] = ()
        if by == "annotators":
            assert used.annotators is not None
            found, people = np.unique(used.annotators, return_inverse=True)
            labels = tuple(found.tolist())
        merged, answer_of_row, weights, content = _merged(used, people)
        unit_of_row = np.full(len(triplets), -1, dtype=np.int64)
        unit_of_row[counted] = people if by == "annotators" else content
        lengths = np.bincount(answer_of_row)
        shares = 1.0 / lengths[answer_of_row]
        plain = Triplets(
            anchor=used.anchor[merged],
            near=used.near[merged],
            far=used.far[merged],
            groups=answer_of_row,
            names=used.names,
            n_objects=used.n_objects,
        )
        people, questions, rows = people[merged], question_numbers(used)[merged], np.flatnonzero(counted)[merged]
        if by == "answers":
            labels = tuple(range(len(weights)))
            return cls(plain, answer_of_row, labels, shares, weights, people, questions, rows, unit_of_row)
        shares, once = shares * weights[answer_of_row], np.ones(len(labels))
        return cls(plain, people, labels, shares, once, people, questions, rows, unit_of_row)

    @property
    def n_units(self) -> int:
        """How many people or different answers there are."""
        return len(self.labels)

    @property
    def counts(self) -> Floats:
        """How much each triplet counts in all."""
        return self.shares * self.repeats[self.units]

    @property
    def n_answers(self) -> float:
        """How many answers there are, a weight counting as repeats."""
        return float(self.counts.sum())

    def halves(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """For each triplet whether it is in the second half: each person's questions are dealt by what they ask."""
        blocks = np.unique(self.dealt_within * (self.questions.max() + 1) + self.questions, return_inverse=True)[1]
        first = np.unique(blocks, return_index=True)[1]
        owner = self.dealt_within[first]
        order = np.lexsort((rng.random(len(first)), owner))
        sizes = np.bincount(owner, minlength=int(owner.max()) + 1)
        begins = np.cumsum(sizes) - sizes
        turn = np.empty(len(first), dtype=np.int64)
        turn[order] = np.arange(len(first)) - np.repeat(begins, sizes)
        offset = rng.integers(2, size=len(sizes))
        return np.asarray((turn + offset[owner])[blocks] % 2 == 1)

    def by_unit(self, values: Floats) -> Floats:
        """For each unit the sum over its triplets, each by its share."""
        return np.bincount(self.units, weights=self.shares * values, minlength=self.n_units).astype(np.float64)

    def select(self, rows: NDArray[np.bool_]) -> Self:
        """The answers in these rows, of the same units."""
        return type(self)(
            self.triplets.select(rows),
            self.units[rows],
            self.labels,
            self.shares[rows],
            self.repeats,
            self.dealt_within[rows],
            self.questions[rows],
            self.rows[rows],
            self.unit_of_row,
        )


def _merged(used: Triplets, people: Numbers) -> tuple[Numbers, Numbers, Floats, Numbers]:
    """Rows of one answer of each content and person, and their answers' new numbers; the weights; all rows' numbers."""
    answers, keys = used.answer_numbers(), triplet_keys(used)
    order = np.lexsort((keys, answers))
    sizes = np.bincount(answers)
    place = np.arange(len(used)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.full((len(sizes), int(sizes.max()) + 1), -1, dtype=np.int64)
    table[answers[order], place + 1] = keys[order]
    table[answers, 0] = people
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    content: Numbers = inverse.ravel().astype(np.int64)
    weight_of_answer = np.zeros(len(sizes))
    weight_of_answer[answers] = used.weights_or_ones()
    weights = np.bincount(content, weights=weight_of_answer).astype(np.float64)
    number = np.full(len(sizes), -1, dtype=np.int64)
    number[first] = np.arange(len(first))
    kept: Numbers = order.astype(np.int64)[number[answers[order]] >= 0]
    kept = kept[np.argsort(number[answers[kept]], kind="stable")]
    return kept, number[answers[kept]], weights, content[answers]
