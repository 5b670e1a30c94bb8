"""The tables by hand, from margins that are given; `test_trust_report` has whole reports."""

import numpy as np
from scipy.special import expit

from tete import Triplets
from tete.embedding.answer_model import AnswerModel
from tete.reliability.evidence import holm, worse_than_expected
from tete.reliability.held_out import HeldOutAnswers
from tete.reliability.lapses import LapseEstimate
from tete.reliability.trust_tables import CERTAIN, LEVEL, JudgedAnswers, annotator_table, answer_table, object_table

TRIPLETS = Triplets.from_array(
    [(0, 1, 2), (0, 1, 3), (0, 1, 2), (0, 2, 1)],
    answers=["b", "b", "a", "c"],
    annotators=["x", "x", "x", "y"],
    names=["p", "q", "r", "s", "t"],
)
MARGINS = np.array([2.0, -1.0, 3.0, np.nan])
HELD_OUT = HeldOutAnswers(TRIPLETS, MARGINS)
JUDGED = JudgedAnswers(HELD_OUT, LapseEstimate(AnswerModel(lapse=0.1, steepness=1.0), low=0.05, high=0.2))


def test_answers():
    table = answer_table(JUDGED, annotator_table(JUDGED.held_out))
    assert table.index.tolist() == ["b", "a", "c"]
    assert table["row"].tolist() == [0, 2, 3]
    assert table["near"].tolist() == ["q", "q", "r"]
    assert table["annotator"].tolist() == ["x", "x", "y"]
    np.testing.assert_array_equal(table["agrees"], [0.5, 1.0, np.nan])
    odds = 0.1 / 0.9 * np.exp(-MARGINS[:3])
    wrong = odds / (1.0 + odds)
    np.testing.assert_allclose(table["wrong"], [wrong[:2].mean(), wrong[2], 0.1])


def test_annotators():
    table = annotator_table(HELD_OUT)
    assert table["answers"].tolist() == [2, 1]
    np.testing.assert_array_equal(table["agreement"], [0.75, np.nan])
    of_map = JudgedAnswers.of(HELD_OUT).lapses.probability_of_map(MARGINS[:3])
    np.testing.assert_allclose(table["expected"], [(of_map[2] + of_map[:2].mean()) / 2.0, np.nan])
    np.testing.assert_array_equal(table["with_others"], [0.0, 0.0])
    np.testing.assert_array_equal(table["with_self"], [1.0, np.nan])
    assert not table[["at_chance", "reversed"]].any(axis=None)
    assert annotator_table(HeldOutAnswers(Triplets.from_array([(0, 1, 2)]), MARGINS[:1])) is None


def test_objects():
    table = object_table(JUDGED, few=1)
    assert table.index.tolist() == ["p", "q", "r", "s", "t"]
    assert table["answers"].tolist() == [3, 3, 3, 1, 0]
    np.testing.assert_array_equal(table["agreement"], [0.75, 0.75, 0.75, 0.5, np.nan])
    assert table["hardly_mentioned"].tolist() == [False, False, False, False, True]
    assert not table["contradicted"].any()


def test_certain_answers_are_finite_evidence():
    far_apart = HeldOutAnswers(TRIPLETS, MARGINS * 1e9)
    never_wrong = JudgedAnswers(far_apart, LapseEstimate(AnswerModel(lapse=0.0, steepness=1.0), low=0.0, high=0.0))
    np.testing.assert_array_equal(never_wrong.evidence[[0, 1]], [CERTAIN, 0.0])  # of the second, one side each


def coin_tossers(n_bad, *, per_person=25, seed=0):
    """Margins of 30 annotators, the first of whom toss coins."""
    rng = np.random.default_rng(seed)
    annotators = np.repeat(np.arange(30), per_person)
    sizes = rng.exponential(2.0, size=len(annotators))
    right = rng.random(len(annotators)) < np.where(annotators < n_bad, 0.5, expit(sizes))
    questions = Triplets.from_array(np.tile([0, 1, 2], (len(annotators), 1)), annotators=annotators)
    return HeldOutAnswers(questions, np.where(right, sizes, -sizes))


def test_bad_annotators_do_not_hide_each_other():
    held_out = coin_tossers(9)
    table = annotator_table(held_out)
    judged = JudgedAnswers.of(held_out)
    at_first = holm(worse_than_expected(judged.evidence, held_out.triplets.annotators, 30)) < LEVEL
    assert at_first[:9].sum() <= 4
    assert table["at_chance"][:9].sum() >= 7
    assert not table["at_chance"][9:].any()
    assert table["expected"].mean() > judged.expected.mean()


def test_without_bad_annotators_nobody_is_flagged():
    for seed in range(5):
        assert not annotator_table(coin_tossers(0, seed=seed))["at_chance"].any()


def test_people_whose_answers_do_not_count_are_not_compared_with():
    everybody = coin_tossers(3)
    counted = everybody.triplets.annotators < 10
    weighted = everybody.triplets.with_weights(counted.astype(float))
    table = annotator_table(HeldOutAnswers(weighted, everybody.margins))
    alone = annotator_table(HeldOutAnswers(everybody.triplets.select(counted), everybody.margins[counted]))
    np.testing.assert_allclose(table["expected"][:10], alone["expected"], rtol=1e-5)
