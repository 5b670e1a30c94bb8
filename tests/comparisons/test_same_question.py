from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tete import Triplets
from tete.comparisons.same_question import question_numbers

QUESTIONS = st.lists(st.permutations(range(6)).map(lambda order: tuple(order[:3])), min_size=1, max_size=20)


def naive_question(row):
    anchor, *pair = row
    return anchor, frozenset(pair)


@given(QUESTIONS)
def test_triplets_ask_the_same_where_anchor_and_pair_are_the_same(rows):
    numbers = question_numbers(Triplets.from_array(rows, n_objects=6))
    for row, number in zip(rows, numbers, strict=True):
        same = [naive_question(other) == naive_question(row) for other in rows]
        assert (numbers == number).tolist() == same


@given(QUESTIONS, st.randoms(use_true_random=False))
def test_order_and_repeats_change_no_number(rows, random):
    numbers = dict(zip(rows, question_numbers(Triplets.from_array(rows, n_objects=6)).tolist(), strict=True))
    again = rows * 3
    random.shuffle(again)
    found = question_numbers(Triplets.from_array(again, n_objects=6)).tolist()
    assert found == [numbers[row] for row in again]


def test_whole_answers_ask_the_same_whatever_was_answered():
    shown = np.array([(0, 1, 2), (2, 0, 1), (0, 1, 3), (1, 0, 2)])
    odd = Triplets.from_odd_one_out(shown, odd=[0, 1, 2, 2])
    central = Triplets.from_most_central(shown, central=0)
    for triplets in (odd, central):
        numbers = question_numbers(triplets).reshape(4, 2)
        assert (numbers[:, 0] == numbers[:, 1]).all()
        first, again, other, once_more = numbers[:, 0]
        assert first == again == once_more != other


def test_picks_ask_the_same_about_the_same_anchor_only():
    shown = np.array([(0, 1, 2, 3, 4), (0, 4, 3, 2, 1), (1, 0, 2, 3, 4)])
    picked = Triplets.from_selection(shown, selected=[[1, 2], [1, 3], [1, 2]])
    first, again, other = question_numbers(picked)[::4]
    assert first == again != other


NAMES = ("tea", "café", "1", "2", "x y", "z")


@given(QUESTIONS, st.permutations(range(6)), st.booleans())
def test_names_and_not_numbers_decide(rows, numbers, is_whole):
    named = Triplets.from_array(rows, names=NAMES, n_objects=6)
    if is_whole:
        named = replace(named, answers=np.arange(len(rows)))
    again = named.renumbered(numbers, 6).with_names([NAMES[old] for old in np.argsort(numbers)])
    assert question_numbers(again).tolist() == question_numbers(named).tolist()


@given(QUESTIONS)
def test_named_triplets_ask_the_same_where_anchor_and_pair_are_the_same(rows):
    for names in (NAMES, (1, "1", 2, "2", 3.0, "3.0"), range(6)):
        numbers = question_numbers(Triplets.from_array(rows, names=names, n_objects=6))
        for row, number in zip(rows, numbers, strict=True):
            assert (numbers == number).tolist() == [naive_question(other) == naive_question(row) for other in rows]
