from dataclasses import replace

import numpy as np
import pytest

from tete import TETE, Triplets
from tete.datasets import answer_by_distance, make_uniform_triplets
from tete.reliability.held_out import HeldOutAnswers, held_out_margins
from tete.reliability.people_errors import errors_of_people, held_out_people


def people(triplets, n_people):
    return replace(triplets, annotators=np.arange(len(triplets)) % n_people)


def test_people_are_held_out_whole(clean_triplets):
    seen = []

    class Spy(TETE):
        def map_of(self, triplets, **options):
            seen.append(set(triplets.annotators))
            return super().map_of(triplets, **options)

    answers = people(clean_triplets, 20)
    fitted = Spy(t=2, t_prime=1.5).fit(answers)
    held_out_people(fitted, answers, n_folds=5, random_state=0)
    assert [len(told) for told in seen] == [16] * 15  # in three deals
    assert seen[:5] != seen[5:10]
    assert set.union(*(set(range(20)) - told for told in seen)) == set(range(20))


def test_errors_are_those_of_shares_of_people():
    rows = [(0, 1, 2)] * 6
    answers = Triplets.from_array(rows, annotators=["a", "a", "a", "b", "b", "c"])
    found = errors_of_people(HeldOutAnswers(answers, np.array([1.0, 1.0, -1.0, 1.0, 1.0, -1.0])))
    a, n = np.array([2 / 3, 1.0, 0.0]), np.array([3, 2, 1])
    assert (found.n_people, found.accuracy) == (3, pytest.approx(4 / 6))
    assert found.accuracy_error == pytest.approx(np.sqrt(3 / 2 * np.sum((n * (a - 4 / 6)) ** 2)) / 6)
    assert found.accuracy_interval == (0.0, 1.0)  # three people say nothing


@pytest.fixture(scope="module")
def differing():
    """Twenty people of whom everybody has a lapse rate of their own, from none to 40 %."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(25, 2))
    questions = make_uniform_triplets(points, 4000, random_state=0)
    answers = people(answer_by_distance(points, questions, sharpness=6.0, random_state=0), 20)
    return answers.flip_where(rng.random(4000) < rng.uniform(0.0, 0.4, size=20)[answers.annotators])


def test_people_who_differ_widen_every_error(differing):
    fitted = TETE().fit(differing)
    by_answers = HeldOutAnswers(differing, held_out_margins(fitted, differing))
    by_people = errors_of_people(held_out_people(fitted, differing, n_folds=5, random_state=0))
    assert by_people.n_people == 20
    assert by_people.accuracy == pytest.approx(by_answers.accuracy, abs=0.03)
    assert by_people.accuracy_error > 2.0 * by_answers.accuracy_error
    low, high = by_people.wrong_interval
    assert low < by_people.wrong_share < high
    assert high - low > 0.06
    assert low < 0.2 < high


def test_a_weight_of_two_is_the_answer_given_twice(differing):
    margins = np.random.default_rng(1).normal(size=4000) + 1.0
    twice = np.arange(4000) % 3 == 0
    rows = np.concatenate([np.arange(4000), np.flatnonzero(twice)])
    weighted = errors_of_people(HeldOutAnswers(differing.with_weights(1.0 + twice), margins))
    repeated = errors_of_people(HeldOutAnswers(differing.select(rows), margins[rows]))
    assert weighted.accuracy == pytest.approx(repeated.accuracy)
    assert weighted.accuracy_error == pytest.approx(repeated.accuracy_error)
    np.testing.assert_allclose(weighted.wrong_interval, repeated.wrong_interval, atol=2e-3)


def test_answers_that_nothing_predicts_have_no_share_of_wrong_ones(differing):
    margins = np.random.default_rng(0).normal(size=4000)
    found = errors_of_people(HeldOutAnswers(differing, margins))
    assert found.wrong_share is None
    assert found.wrong_interval is None
