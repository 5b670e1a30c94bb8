import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samples import random_triplets
from tete import Triplets
from tete.comparisons.summary import components, triplet_keys


def test_everything_is_counted():
    rows = [(0, 1, 2), (0, 1, 2), (0, 2, 1), (1, 0, 2), (4, 5, 6)]
    triplets = Triplets.from_array(rows, n_objects=8, answers=[0, 0, 1, 2, 3], annotators=["x", "x", "y", "x", "x"])
    summary = triplets.summary(few=3)
    assert summary.n_objects == 8
    assert summary.n_triplets == 5
    assert summary.n_answers == 4
    assert summary.n_repeats == 1
    assert summary.n_contradictions == 1
    assert summary.unmentioned == (3, 7)
    assert summary.hardly_mentioned == (4, 5, 6)
    assert summary.component_sizes == (3, 3)
    assert summary.answers_per_annotator == {"x": 3, "y": 1}


def test_printed_as_a_table_with_names():
    names = ["apple", "pear", "plum", "never"]
    text = str(Triplets.from_array([(0, 1, 2)], names=names, annotators=["x"]).summary())
    assert "never mentioned   never" in text
    assert "in fewer than 5   apple, pear, plum" in text
    assert "annotators        1 with 1 / 1 / 1 answers" in text


def test_long_lists_are_cut():
    text = str(Triplets.from_array([(0, 1, 2)], n_objects=100).summary())
    assert "3, 4, 5, 6, 7, 8, 9, 10, ... (97 in all)" in text
    assert "annotators" not in text


@given(st.integers(3, 40), st.integers(1, 60), st.integers(1, 8), st.integers(0, 10))
def test_components_do_not_depend_on_the_chunks(n_objects, n_triplets, chunk, seed):
    triplets = random_triplets(np.random.default_rng(seed), n_objects, n_triplets)
    parts = list(range(n_objects))  # by hand: merge until nothing changes
    for _ in range(n_objects):
        for row in triplets.to_array().tolist():
            lowest = min(parts[i] for i in row)
            for i in row:
                parts[i] = lowest
    expected = np.unique(parts, return_inverse=True)[1]
    found = components(triplets, chunk=chunk)
    same = found[:, None] == found[None, :]
    np.testing.assert_array_equal(same, expected[:, None] == expected[None, :])


def test_keys_are_safe_for_huge_object_numbers():
    top = 2**31 - 2
    triplets = Triplets.from_array([(top, top - 1, top - 2), (top, top - 2, top - 1), (top, top - 1, top - 2)])
    keys = triplet_keys(triplets)
    assert keys[0] == keys[2] == keys[1] ^ 1


def test_undecided_answers_neither_contradict_nor_take_repeats_away():
    rows, said = [(0, 1, 2)] * 6, [-1, -1, 0, 0, 0, 1]
    found = [Triplets.from_answers(rows[:n], said[:n], ties="half").summary() for n in range(1, 7)]
    assert [each.n_contradictions for each in found] == [0, 0, 0, 0, 0, 1]
    assert [each.n_repeats for each in found] == [0, 1, 1, 2, 3, 3]
    assert [each.n_triplets for each in found] == [1, 2, 3, 4, 5, 6]
