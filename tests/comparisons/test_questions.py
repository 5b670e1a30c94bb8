"""Answers of other kinds, and names in data frames: `comparisons.frames`."""

import numpy as np
import pandas as pd
import pytest

from tete import Triplets
from tete.comparisons.frames import _numbers_of_names as numbers_of_names
from tete.comparisons.frames import _refuse_gaps as refuse_gaps
from tete.comparisons.questions import (
    check_answers,
    most_central,
    odd_one_out,
    selection,
)
from tete.exceptions import DroppedAnswersWarning, InvalidParameterError, InvalidTripletsError


def test_the_odd_one_is_far_from_each_of_the_others():
    rows, answers = odd_one_out([(5, 6, 7), (1, 2, 3)], [2, 0])
    assert rows.tolist() == [[5, 6, 7], [6, 5, 7], [2, 3, 1], [3, 2, 1]]
    assert answers.tolist() == [0, 0, 1, 1]


def test_the_central_one_is_near_each_of_the_others():
    rows, _ = most_central([(5, 6, 7)], -1)
    assert rows.tolist() == [[5, 7, 6], [6, 7, 5]]


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        (False, [[9, 3, 1], [9, 3, 2], [9, 4, 1], [9, 4, 2]]),
        (True, [[9, 3, 4], [9, 3, 1], [9, 3, 2], [9, 4, 1], [9, 4, 2]]),
    ],
)
def test_picks_are_nearer_than_what_was_left(ranked, expected):
    rows, answers = selection([(9, 1, 2, 3, 4)], [[3, 4]], ranked)
    assert rows.tolist() == expected
    assert set(answers) == {0}


@pytest.mark.parametrize(
    ("selected", "error", "message"),
    [
        (3, InvalidParameterError, r"must pick between 1 and 2 of the 3 choices in each of 1 rows, got shape \(1, 3\)"),
        ([[0]], InvalidTripletsError, r"Row 0 of `selected` is \[0\]: columns go from 1 to 3 \(1 such row\)"),
        ([[2, 2]], InvalidTripletsError, r"Row 0 of `selected` is \[2, 2\]: a choice was picked twice"),
    ],
)
def test_bad_picks(selected, error, message):
    with pytest.raises(error, match=message):
        selection([(9, 1, 2, 3)], selected, ranked=False)


def test_answers_of_each_kind():
    decided, second = check_answers([1, -1, 1], 3)
    assert (decided.tolist(), second.tolist()) == ([True] * 3, [False, True, False])
    assert check_answers([True, False], 2)[1].tolist() == [False, True]
    assert check_answers([1, 0], 2)[1].tolist() == [False, True]  # zeros and ones alone are booleans
    with pytest.warns(DroppedAnswersWarning, match=r"1 of 3 answers was left out: undecided \(0\)"):
        assert check_answers([1, -1, 0], 3)[0].tolist() == [True, True, False]
    with pytest.raises(
        InvalidTripletsError, match=r"Row 1 of `y` is .*2.*: answers are \+1, -1, 0 or booleans \(1 such"
    ):
        check_answers([1, 2], 2)
    with pytest.raises(InvalidTripletsError, match=r"one answer for each of the 2 rows, got shape \(1,\)"):
        check_answers([1], 2)


def test_names_are_numbered_in_their_own_order_or_a_given_one():
    cells = pd.DataFrame([["b", "a", "c"]])
    numbers, names = numbers_of_names(cells, None)
    assert (numbers.tolist(), names) == ([[1, 0, 2]], ("a", "b", "c"))
    numbers, names = numbers_of_names(cells, ["c", "b", "a"])
    assert (numbers.tolist(), names) == ([[1, 2, 0]], ("c", "b", "a"))
    with pytest.raises(InvalidTripletsError, match=r"Row 0 names 'b', which is not among the 2 known objects \(1 such"):
        numbers_of_names(cells, ["a", "c"])


def test_gaps_are_named():
    refuse_gaps(pd.DataFrame({"anchor": [1]}))
    with pytest.raises(InvalidTripletsError, match=r"Row 1 has no object in column 'near' \(1 such row\)"):
        refuse_gaps(pd.DataFrame({"anchor": [1, 2], "near": [1, np.nan]}))


class TestRaggedScreens:
    def test_picks_of_screens_of_any_size(self):
        shown = [[0, 1, 2], [3, 0, 1, 2], [0, 2, 3], [1, 0, 2, 3]]
        triplets = Triplets.from_selection(shown, [[1], [2, 3], [2], [1]], annotators=["a", "b", "c", "d"])
        assert triplets.to_array().tolist() == [
            [0, 1, 2], [3, 1, 0], [3, 2, 0], [0, 3, 2], [1, 0, 2], [1, 0, 3],
        ]  # fmt: skip
        assert triplets.answer_numbers().tolist() == [0, 1, 1, 2, 3, 3]
        assert triplets.annotators.tolist() == ["a", "b", "b", "c", "d", "d"]

    def test_the_first_ones_picked(self):
        triplets = Triplets.from_selection([[0, 1, 2], [3, 0, 1, 2]], 1)
        assert triplets.to_array().tolist() == [[0, 1, 2], [3, 0, 1], [3, 0, 2]]

    def test_odd_and_central(self):
        shown = [[0, 1, 2], [0, 1, 2, 3]]
        assert np.bincount(Triplets.from_odd_one_out(shown, -1).answer_numbers()).tolist() == [2, 6]
        assert set(Triplets.from_odd_one_out(shown, -1).far) == {2, 3}
        assert set(Triplets.from_most_central(shown, [0, 1]).near) == {0, 1}

    def test_bad_screens(self):
        with pytest.raises(InvalidTripletsError, match="Row 1 shows 2 objects of which 1 were chosen: at least 3"):
            Triplets.from_selection([[0, 1, 2], [0, 1]], [[1], [1]])
        with pytest.raises(InvalidParameterError, match="`selected` must have one entry for each of the 2 rows, got 1"):
            Triplets.from_selection([[0, 1, 2], [0, 1, 2, 3]], [[1]])
