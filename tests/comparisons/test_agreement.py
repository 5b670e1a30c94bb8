import numpy as np
import pytest

from samples import random_triplets
from tete import Triplets, read_answers
from tete.comparisons.agreement import agreement


def test_pairs_of_answers_to_the_same_question():
    rows = [(0, 1, 2), (0, 1, 2), (0, 2, 1), (3, 4, 5)]
    found = agreement(Triplets.from_array(rows, annotators=["a", "b", "c", "a"]))
    assert found.n_repeated == 1
    assert found.share == pytest.approx(1 / 3)
    assert found.by_annotator == {"c": (0.0, 2), "a": (0.5, 2), "b": (0.5, 2)}
    assert "33.3% of pairs" in str(found)
    assert "c: 0% of 2 answers of others" in str(found)


def test_nothing_repeated():
    found = agreement(Triplets.from_array([(0, 1, 2), (1, 0, 2)]))
    assert found.share is None
    assert found.by_annotator is None
    assert "no question was asked twice" in str(found)


def test_own_answers_are_no_one_elses_opinion(rng):
    triplets = random_triplets(rng, 4, 100, annotators=rng.integers(3, size=100))
    found = agreement(triplets).by_annotator
    rows, who = triplets.to_array().tolist(), triplets.annotators
    for person, (share, count) in found.items():
        votes = [
            [
                rows[mine] == rows[other]
                for other in range(100)
                if who[other] != person and rows[mine] in (rows[other], [rows[other][k] for k in (0, 2, 1)])
            ]
            for mine in np.flatnonzero(who == person)
        ]
        assert count == sum(map(len, votes))
        assert share == pytest.approx(np.mean([np.mean(each) for each in votes if each]))


def test_every_question_counts_the_same():
    catch, other = [(0, 1, 2)] * 20, [(1, 0, 2), (1, 2, 0)]
    found = agreement(Triplets.from_array(catch + other))
    assert (found.n_repeated, found.n_answers, found.share) == (2, 22, 0.5)
    assert "50.0% of pairs of answers to the same question, averaged over 2 questions with 22 answers" in str(found)


def test_weights_are_votes():
    found = agreement(Triplets.from_array([(0, 1, 2), (0, 2, 1), (3, 4, 5)], weights=[3, 1, 1]))
    assert (found.n_repeated, found.n_answers, found.share) == (1, 4, 0.5)


def test_whole_answers_agree_or_do_not():
    shown = [(0, 1, 2), (2, 1, 0), (1, 0, 2)]
    odd = Triplets.from_odd_one_out(shown, odd=[0, 2, 0], annotators=["x", "y", "z"])  # 0, 0 and 1
    found = agreement(odd)
    assert (found.n_repeated, found.n_answers, found.share) == (1, 3, pytest.approx(1 / 3))
    assert found.by_annotator == {"z": (0.0, 2), "x": (0.5, 2), "y": (0.5, 2)}
    central = agreement(Triplets.from_most_central(shown, central=[0, 2, 0]))
    assert (central.n_repeated, central.n_answers, central.share) == (1, 3, pytest.approx(1 / 3))
    picks = agreement(Triplets.from_selection([(0, 1, 2, 3), (0, 1, 2, 3)], selected=[[1], [2]]))
    assert picks.share == 0.0  # of the three comparisons only 1 and 2 was made by both
    assert picks.n_repeated == 1


def test_undecided_votes_are_whole_and_agree_by_half():
    asked = Triplets.from_array([(0, 1, 2)] * 3 + [(3, 4, 5)], annotators=["u", "v", "w", "u"])
    found = agreement(asked.with_answers([1, 0, 0, -1], ties="half"))  # zeros and ones alone would be booleans
    assert (found.n_repeated, found.n_answers, found.share) == (1, 3, pytest.approx((0.5 + 0.5 + 1.0) / 3))
    assert found.by_annotator == {"u": (0.5, 2), "v": (0.75, 2), "w": (0.75, 2)}
    weighted = Triplets.from_array([(0, 1, 2)] * 2, weights=[1, 2]).with_answers([-1, 0], ties="half")
    assert agreement(weighted).share == pytest.approx(found.share)
    undecided = Triplets.from_answers([(0, 1, 2), (0, 2, 1), (3, 4, 5)], [0, 0, -1], ties="half")
    assert agreement(undecided).share == 1.0


def test_undecided_odd_one_outs_agree_by_a_third(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("first,second,third,odd\na,b,c,a\nb,a,c,\nc,a,b,\nd,e,f,d\n")
    found = agreement(read_answers(path, ties="half"))
    assert (found.n_repeated, found.n_answers, found.share) == (1, 3, pytest.approx((1 / 3 + 1 / 3 + 1.0) / 3))


def test_undecided_picks_agree_in_each_comparison(tmp_path):
    path = tmp_path / "picks.csv"
    path.write_text("anchor,choice1,choice2,choice3,picked1\na,b,c,d,b\na,b,c,d,\n")
    found = agreement(read_answers(path, ties="half"))
    assert (found.n_repeated, found.share) == (2, pytest.approx(0.5))
