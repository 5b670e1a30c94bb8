import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from samples import random_triplets
from tete import GNMDS, TETE, Triplets
from tete.comparisons.same_question import question_numbers
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.reliability.held_out import (
    LOOSE_TOLERANCE,
    N_DEALS,
    HeldOutAnswers,
    held_out_answers,
    held_out_margins,
)
from tete.reliability.held_out import _means_of_known as means_of_known


def test_margins_are_those_of_a_map_without_the_answer(clean_triplets):
    answers = clean_triplets.select(np.arange(1000))
    whole = TETE().fit(answers)
    margins = held_out_margins(whole, answers, n_folds=3, random_state=3)
    questions = question_numbers(answers)
    fold = (np.random.default_rng(3).permutation(questions.max() + 1) % 3)[questions]
    for number in range(3):
        fitted = whole.settled().set_params(tol=LOOSE_TOLERANCE).fit(answers.select(fold != number))
        test = answers.select(fold == number)
        np.testing.assert_array_equal(margins[fold == number], fitted.margins(test))


def test_a_larger_tolerance_stays(clean_triplets):
    answers = clean_triplets.select(np.arange(300))
    rough, rougher = (TETE(t=2, t_prime=2, tol=tol).fit(answers) for tol in (LOOSE_TOLERANCE, 1e-2))
    margins = [held_out_margins(each, answers) for each in (rough, rougher)]
    assert not np.array_equal(*margins)
    assert rougher.tol == 1e-2
    exact = TETE(t=2, t_prime=2).fit(answers)
    np.testing.assert_array_equal(held_out_margins(exact, answers), margins[0])
    assert exact.tol == TETE().tol


def test_an_answer_does_not_vouch_for_itself(rng):
    answers = random_triplets(rng, 40, 300)  # noise, which a map fits all the same
    fitted = TETE().fit(answers)
    assert fitted.score(answers) > 0.75
    margins = held_out_margins(fitted, answers)
    assert 0.4 < np.mean(margins > 0) < 0.6


def test_answers_stay_whole(rng):
    shown = np.array([rng.choice(12, size=3, replace=False) for _ in range(100)])
    triplets = Triplets.from_odd_one_out(shown, odd=0)
    seen = []

    class Spy(TETE):
        def map_of(self, triplets, **options):
            seen.append(set(triplets.answers))
            return super().map_of(triplets, **options)

    held_out_margins(Spy().fit(triplets), triplets)
    assert all(70 < len(groups) < 90 for groups in seen)  # a screen shown twice is held out as a whole
    held_out = [set(range(100)) - groups for groups in seen]
    assert len(set.union(*held_out)) == 100


def test_a_quick_refit_is_as_honest_as_a_slow_one(clean_triplets, monkeypatch):
    answers = clean_triplets.flip(0.1, random_state=0)
    fitted = TETE().fit(answers)
    before = fitted.embedding_.copy()
    quick = held_out_margins(fitted, answers)
    np.testing.assert_array_equal(fitted.embedding_, before)
    assert fitted.init == "spectral"
    np.testing.assert_array_equal(held_out_margins(TETE(), answers), quick)
    monkeypatch.setattr("tete.reliability.held_out.DENSE", 10**9)
    slow = held_out_margins(fitted, answers)
    assert np.mean(quick > 0) == pytest.approx(np.mean(slow > 0), abs=0.01)


def test_objects_without_other_answers_are_unknown(clean_triplets):
    rows = np.vstack([clean_triplets.to_array(), [30, 0, 1]])
    margins = held_out_margins(TETE(), Triplets.from_array(rows))
    assert np.flatnonzero(np.isnan(margins)).tolist() == [2000]


def test_gnmds_has_margins_too(clean_triplets):
    fitted = GNMDS().fit(clean_triplets)
    np.testing.assert_array_equal(fitted.margins(clean_triplets) > 0, fitted.predict(clean_triplets))


def test_agreement_counts_answers():
    triplets = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0)], answers=["a", "a", "b"])
    held_out = HeldOutAnswers(triplets.with_weights([1.0, 3.0, 1.0]), np.array([1.0, -1.0, np.nan]))
    np.testing.assert_array_equal(held_out.agreement, [0.5, np.nan])
    assert held_out.known_answers.tolist() == [True, False]
    assert (held_out.n_known, held_out.accuracy, held_out.accuracy_error) == (2, 0.5, 0.0)  # weights are repeats
    assert held_out.shares_of_answers.tolist() == [0.5, 1.5]


def test_few_answers_are_dealt_several_times(clean_triplets, monkeypatch):
    few = Triplets.from_array(np.vstack([clean_triplets.select(np.arange(400)).to_array(), [30, 0, 1]]))
    fitted = TETE(t=2, t_prime=2).fit(few)
    rng = np.random.default_rng(1)
    deals = [held_out_margins(fitted, few, random_state=rng) for _ in range(N_DEALS)]
    assert not np.array_equal(deals[0], deals[1])
    found = held_out_answers(fitted, few, random_state=1)
    np.testing.assert_allclose(found.margins, np.mean(deals, axis=0))
    assert np.flatnonzero(np.isnan(found.margins)).tolist() == [400]
    monkeypatch.setattr("tete.reliability.held_out.MOST_ANSWERS", 400)
    np.testing.assert_array_equal(held_out_answers(fitted, few, random_state=1).margins, deals[0])
    monkeypatch.undo()
    many = TETE(t=2, t_prime=2).fit(clean_triplets)  # more than 50 an object
    once = held_out_margins(many, clean_triplets)
    np.testing.assert_array_equal(held_out_answers(many, clean_triplets).margins, once)


def test_an_answer_is_known_where_one_deal_tells():
    deals = np.array([[1.0, -2.0, np.nan, np.nan], [3.0, np.nan, 4.0, np.nan]])
    np.testing.assert_array_equal(means_of_known(deals), [2.0, -2.0, 4.0, np.nan])


def test_few_answers_tell_accuracy_and_wrong_answers_better_by_several_deals():
    off, areas = [], []
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(50, 2))
        questions = make_uniform_triplets(points, 1000, random_state=seed)
        unseen = make_uniform_triplets(points, 5000, random_state=seed + 100)
        answers = questions.flip(0.15, random_state=seed)
        fitted = TETE(t=2, t_prime=1.5).fit(answers)
        expected = fitted.score(unseen.flip(0.15, random_state=seed + 1))
        both = HeldOutAnswers(answers, held_out_margins(fitted, answers)), held_out_answers(fitted, answers)
        off.append([each.accuracy - expected for each in both])
        areas.append([roc_auc_score(answers.near != questions.near, -each.margins) for each in both])
    (one_deal, several), (area, larger_area) = np.mean(off, axis=0), np.mean(areas, axis=0)
    assert abs(several) < abs(one_deal) - 0.005
    assert larger_area > area + 0.01


def test_bad_input(clean_triplets):
    with pytest.raises(InvalidTripletsError, match="At least 20 answers are needed to hold some out, got 19"):
        held_out_margins(TETE(), clean_triplets.select(np.arange(19)))
    with pytest.raises(InvalidParameterError, match="`n_folds` must be a whole number of at least 2, got 1"):
        held_out_margins(TETE(), clean_triplets, n_folds=1)
