"""How far people agree with each other and with themselves, where a question was asked more than once.

What is compared are votes: a whole answer to "which is the odd one out?" or "which is the most central?", and each
comparison of an answer about one object, of which several may have been picked. Every question counts the same, however
often it was asked. An answer that counts c times is c answers that agree. Undecided answers that count in parts are
whole votes here: two of them agree, and one agrees with a decided vote by its part that says the same: half of two.
"""

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.same_question import answer_contents, question_numbers
from tete.comparisons.summary import LABEL_WIDTH, triplet_keys
from tete.comparisons.triplets import Triplets
from tete.core.printing import Printed, counted, rows_under, table_lines, whole_counts

__all__ = ["Agreement", "RepeatShares", "agreement", "repeat_shares"]


@dataclass(frozen=True)
class Agreement(Printed):
    """Agreement on questions asked more than once.

    Attributes
    ----------
    n_repeated : int
        Questions that were asked more than once.
    n_answers : int
        Answers to these, on which the agreement rests.
    share : float or None
        Share of pairs of answers to the same question that agree, averaged over these questions; None where no question
        was asked twice.
    by_annotator : dict or None
        For each annotator the share of other people's answers to the same questions that agree with theirs, averaged
        over their answers, and the number of those answers, least agreement first; None without annotators.
    """

    n_repeated: int
    n_answers: int
    share: float | None
    by_annotator: dict[Hashable, tuple[float, int]] | None

    def __str__(self) -> str:
        if self.share is None:
            text = "unknown: no question was asked twice"
        else:
            text = (
                f"{self.share:.1%} of pairs of answers to the same question, averaged over "
                f"{counted(self.n_repeated, 'question')} with {counted(self.n_answers, 'answer')}"
            )
        least = [
            f"{label}: {share:.0%} of {count:,} answers of others"
            for label, (share, count) in list((self.by_annotator or {}).items())[:5]
        ]
        rows = [("agreement", text), *rows_under("least with others", least)]
        return "\n".join(table_lines(rows, width=LABEL_WIDTH))


def agreement(triplets: Triplets) -> Agreement:
    """Compare all answers to the same question with each other."""
    votes = _Votes.of(triplets)
    shares, repeated = _agreeing_pairs(votes)
    asked = np.bincount(votes.question, weights=votes.count)
    return Agreement(
        n_repeated=int(repeated.sum()),
        n_answers=round(float(asked[repeated].sum())),
        share=float(shares[repeated].mean()) if repeated.any() else None,
        by_annotator=_by_annotator(triplets),
    )


@dataclass(frozen=True)
class RepeatShares:
    """For each annotator, in sorted order, agreement on repeated questions; NaN where there was none.

    Attributes
    ----------
    with_others, n_others : arrays
        Share of other people's answers to the same questions that agree, and the number of comparisons.
    with_self : array
        Share of pairs of the annotator's own answers to the same question that agree.
    """

    with_others: NDArray[np.float64]
    n_others: NDArray[np.int64]
    with_self: NDArray[np.float64]


def repeat_shares(triplets: Triplets) -> RepeatShares:
    """Compare each annotator's answers with those of others, and with their own, to the same questions."""
    assert triplets.annotators is not None
    votes = _Votes.of(triplets)
    labels, codes = np.unique(triplets.annotators, return_inverse=True)
    person = codes[votes.row]
    own_question, own_side = (
        np.unique(person * (int(each.max()) + 1) + each, return_inverse=True)[1]
        for each in (votes.question, votes.side)
    )
    # What the annotator said to the same question is no one else's opinion.
    same = _total(votes.side, votes.count) - _total(own_side, votes.count)
    same += votes.half_agreeing(votes.question) - votes.half_agreeing(own_question)
    asked = _total(votes.question, votes.count) - _total(own_question, votes.count)
    compared = asked > 0.0
    share = np.divide(same, asked, out=np.zeros(len(asked)), where=compared)
    shares, repeated = _agreeing_pairs(replace(votes, question=own_question, side=own_side))
    who = np.zeros(len(shares), dtype=np.int64)
    who[own_question] = person
    return RepeatShares(
        _mean_by(person[compared], share[compared], votes.count[compared], len(labels)),
        whole_counts(np.bincount(person, weights=asked * votes.count, minlength=len(labels))),
        _mean_by(who[repeated], shares[repeated], np.ones(int(repeated.sum())), len(labels)),
    )


@dataclass(frozen=True)
class _Votes:
    """One entry for each vote: its question, what it says, how often it was given, and a triplet of its answer.

    `ways` says of undecided votes between how many answers they are, and is 0 for all others.
    """

    question: NDArray[np.int64]
    side: NDArray[np.int64]
    count: NDArray[np.float64]
    row: NDArray[np.int64]
    ways: NDArray[np.int64]

    @classmethod
    def of(cls, triplets: Triplets) -> "_Votes":
        counts = triplets.counts()
        keys = triplet_keys(triplets)
        single = _about_one_object(triplets)
        rows = np.flatnonzero(single & (counts > 0.0))
        question, side, count = keys[rows] // 2, keys[rows], counts[rows]
        if not single.all():  # whole answers, beyond the questions and sides there are
            answers, first = np.unique(triplets.answer_numbers(), return_index=True)
            whole = answers[~single[first] & (triplets.answer_counts() > 0.0)]
            question = np.concatenate([question, question_numbers(triplets)[first[whole]] + keys.max() // 2 + 1])
            side = np.concatenate([side, answer_contents(triplets)[whole] + keys.max() + 1])
            count = np.concatenate([count, triplets.answer_counts()[whole]])
            rows = np.concatenate([rows, first[whole]])
        question, side = (np.unique(each, return_inverse=True)[1] for each in (question, side))
        decided = cls(question, side, count, rows, np.zeros(len(rows), dtype=np.int64))
        return decided if triplets.ties is None else decided.with_whole_ties(triplets.ties[rows])

    def with_whole_ties(self, tied: NDArray[np.bool_]) -> "_Votes":
        """The parts of each undecided vote as one: that of the first of its ways, as often as there are ways."""
        if not tied.any():
            return self
        sides, first = np.unique(self.side[tied], return_index=True)
        n_questions = int(self.question.max()) + 1
        questions = self.question[tied][first]
        n_ways = np.bincount(questions, minlength=n_questions)
        first_way = np.zeros(n_questions, dtype=np.int64)
        first_way[questions[::-1]] = sides[::-1]
        ways = np.where(tied, n_ways[self.question], 0)
        kept = ~tied | (self.side == first_way[self.question])
        whole = _Votes(
            self.question,
            np.where(tied, self.side.max() + 1 + self.question, self.side),
            self.count * np.maximum(ways, 1),
            self.row,
            ways,
        )
        return _Votes(*(getattr(whole, field.name)[kept] for field in fields(whole)))

    def half_agreeing(self, questions: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each vote how many, in parts, agree with it of those to which it or they are undecided."""
        ways = np.zeros(int(questions.max()) + 1, dtype=np.int64)
        np.maximum.at(ways, questions, self.ways)
        undecided = self.ways > 0
        others = np.where(
            undecided, _total(questions, self.count * ~undecided), _total(questions, self.count * undecided)
        )
        return np.asarray(others / np.maximum(ways[questions], 1))


def _about_one_object(triplets: Triplets) -> NDArray[np.bool_]:
    """For each triplet whether all triplets of its answer have one anchor."""
    if triplets.answers is None:
        return np.ones(len(triplets), dtype=bool)
    answers, first, numbers = np.unique(triplets.answers, return_index=True, return_inverse=True)
    differs = triplets.anchor != triplets.anchor[first[numbers]]
    several: NDArray[np.bool_] = np.bincount(numbers, weights=differs, minlength=len(answers)) > 0.0
    return ~several[numbers]


def _agreeing_pairs(votes: _Votes) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """For each question the share of pairs of votes that agree, and whether it was asked more than once.

    A vote of weight c counts as c votes, whose pairs with themselves are no pairs; part of a vote is no vote.
    """
    question, count = votes.question, votes.count
    with_itself = count * np.minimum(count, 1.0)
    _, first, sides = np.unique(votes.side, return_index=True, return_inverse=True)
    of_side = (_sums(sides, count) ** 2 - _sums(sides, with_itself)) / 2.0
    in_parts = _sums(question, count * votes.half_agreeing(question)) / 2.0
    agreeing = in_parts + np.bincount(question[first], weights=of_side, minlength=len(in_parts))
    asked = _sums(question, count)
    pairs = (asked**2 - _sums(question, with_itself)) / 2.0
    repeated = asked > 1.0
    return np.divide(agreeing, pairs, out=np.full(len(pairs), np.nan), where=repeated), repeated


def _sums(numbers: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(numbers, weights=values).astype(np.float64)


def _total(numbers: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each entry the sum over all with the same number."""
    return np.asarray(_sums(numbers, values)[numbers])


def _mean_by(
    who: NDArray[np.int64], values: NDArray[np.float64], weights: NDArray[np.float64], n_people: int
) -> NDArray[np.float64]:
    """For each person the weighted mean; NaN without any value."""
    total = np.bincount(who, weights=weights, minlength=n_people)
    sums = np.bincount(who, weights=weights * values, minlength=n_people)
    return np.asarray(np.divide(sums, total, out=np.full(n_people, np.nan), where=total > 0.0))


def _by_annotator(triplets: Triplets) -> dict[Hashable, tuple[float, int]] | None:
    if triplets.annotators is None:
        return None
    found = repeat_shares(triplets)
    labels = np.unique(triplets.annotators).tolist()
    shares = {
        label: (float(share), int(count))
        for label, share, count in zip(labels, found.with_others, found.n_others, strict=True)
        if count > 0
    }
    return dict(sorted(shares.items(), key=lambda item: item[1][0]))
