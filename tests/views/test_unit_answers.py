import dataclasses

import numpy as np
import pytest

from people_of_views import study
from samples import random_triplets
from tete import Triplets
from tete.exceptions import InvalidTripletsError
from tete.views.unit_answers import UnitAnswers


def odd_ones(rng, n_answers=300):
    shown = np.array([rng.choice(9, size=3, replace=False) for _ in range(n_answers)])
    return Triplets.from_odd_one_out(
        shown, rng.integers(3, size=n_answers), annotators=rng.integers(4, size=n_answers), n_objects=9
    )


def repeated(triplets, times):
    """The file with each answer as often as `times` says, in another order."""
    answers = triplets.answer_numbers()
    parts = [
        dataclasses.replace(triplets.select(times[answers] > turn), weights=None) for turn in range(int(times.max()))
    ]
    return Triplets.concatenate(parts[::-1])


def same(first, second):
    for field in ("units", "shares", "repeats", "dealt_within", "questions"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))
    np.testing.assert_array_equal(first.triplets.to_array(), second.triplets.to_array())
    np.testing.assert_array_equal(first.triplets.groups, second.triplets.groups)
    assert first.labels == second.labels


@pytest.mark.parametrize("by", ["annotators", "answers"])
@pytest.mark.parametrize("kind", ["odd one out", "triplets"])
def test_weights_are_repeats_to_the_last_bit(rng, by, kind):
    triplets = odd_ones(rng) if kind == "odd one out" else study(each=30)[0]
    times = rng.integers(1, 4, size=triplets.answer_numbers().max() + 1)
    weighted = triplets.with_weights(times[triplets.answer_numbers()])
    same(UnitAnswers.of(weighted, by), UnitAnswers.of(repeated(triplets, times), by))


def test_order_of_rows_does_not_matter(rng):
    triplets = odd_ones(rng)
    same(UnitAnswers.of(triplets), UnitAnswers.of(triplets.select(rng.permutation(len(triplets)))))


def test_everything_counts_once(rng):
    triplets = odd_ones(rng)
    for by in ("annotators", "answers"):
        answers = UnitAnswers.of(triplets, by)
        assert answers.n_answers == pytest.approx(300)
        np.testing.assert_array_equal(triplets.to_array()[answers.rows], answers.triplets.to_array())
        np.testing.assert_array_equal(answers.unit_of_row[answers.rows], answers.units)
    by_person = np.bincount(UnitAnswers.of(triplets).units, weights=UnitAnswers.of(triplets).shares)
    np.testing.assert_allclose(by_person, np.bincount(triplets.annotators) / 2)


def test_rows_without_weight_do_not_count(rng):
    triplets = study(each=20)[0]
    weights = (rng.random(len(triplets)) < 0.5).astype(float)
    answers = UnitAnswers.of(triplets.with_weights(weights))
    assert answers.n_answers == weights.sum()
    np.testing.assert_array_equal(answers.unit_of_row >= 0, weights > 0)


def test_halves_are_even_for_everybody_and_keep_questions_whole(rng):
    triplets = study(each=61)[0]
    both_ways = Triplets.concatenate([triplets, triplets.reverse()])
    answers = UnitAnswers.of(both_ways)
    second = answers.halves(rng)
    for unit in range(answers.n_units):
        mine = answers.units == unit
        halves = {question: set() for question in answers.questions[mine].tolist()}
        for question, half in zip(answers.questions[mine].tolist(), second[mine].tolist(), strict=True):
            halves[question].add(half)
        assert all(len(each) == 1 for each in halves.values())
        in_second = sum(each == {True} for each in halves.values())
        assert abs(in_second - len(halves) / 2) <= 0.5


def test_people_must_be_known(rng):
    with pytest.raises(InvalidTripletsError, match="must have annotators to be told apart by them, got none"):
        UnitAnswers.of(random_triplets(rng))
