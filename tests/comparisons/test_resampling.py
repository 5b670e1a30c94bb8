import numpy as np
import pytest

from samples import random_triplets
from tete import Triplets
from tete.comparisons.resampling import EqualAnswers


def total_weights(triplets):
    """For each different triplet the sum of its weights."""
    merged = triplets.merge_repeats()
    return dict(zip(map(tuple, merged.to_array().tolist()), merged.weights, strict=True))


def repeated(triplets, counts):
    return triplets.select(np.repeat(np.arange(len(triplets)), counts))


@pytest.fixture
def votes(rng):
    answers = random_triplets(rng, 8, 40)
    counts = rng.integers(1, 4, size=40)
    return answers.with_weights(counts), repeated(answers, counts).select(rng.permutation(counts.sum()))


def test_repeats_and_weights_are_drawn_alike(votes):
    one, other = (
        total_weights(each.with_weights(EqualAnswers(each).drawn(np.random.default_rng(1)))) for each in votes
    )
    assert one == pytest.approx(other)
    assert sum(one.values()) == pytest.approx(len(votes[1]))
    assert len(set(one.values())) > 2


def test_repeats_and_weights_are_answered_alike(votes):
    def answered(triplets):
        probability = 1.0 / (2.0 + triplets.anchor % 3)
        return total_weights(EqualAnswers(triplets).answered(probability, np.random.default_rng(2)))

    one, other = map(answered, votes)
    assert {key: value for key, value in one.items() if value} == pytest.approx(
        {key: value for key, value in other.items() if value}
    )


def test_answers_turn_as_often_as_they_should(rng):
    answers = Triplets.from_array([(0, 1, 2), (1, 2, 0), (2, 0, 1)], weights=[400, 1, 1])
    drawn = EqualAnswers(answers).answered(np.array([0.75, 1.0, 0.0]), rng)
    weights = total_weights(drawn)
    assert weights[0, 1, 2] == pytest.approx(300, abs=40)
    assert weights[0, 1, 2] + weights[0, 2, 1] == pytest.approx(400)
    assert (weights[1, 2, 0], weights[2, 1, 0]) == (1.0, 1.0)


def test_an_answer_of_several_triplets_stays_whole(rng):
    odd = Triplets.from_odd_one_out([(0, 1, 2), (3, 4, 5), (0, 4, 5)], odd=0, weights=[1, 2, 3])
    factors = EqualAnswers(odd).drawn(rng).reshape(3, 2)
    assert (factors[:, 0] == factors[:, 1]).all()
    turned = EqualAnswers(odd).answered(np.full(6, 0.5), rng)
    weights = total_weights(turned)
    assert weights.get((1, 2, 0), 0.0) == weights.get((2, 1, 0), 0.0)


def test_parts_of_ties_are_drawn_together(rng):
    rows = random_triplets(rng, 8, 60).to_array()
    answers = Triplets.from_answers(
        rows, np.where(np.arange(60) % 3, np.where(np.arange(60) % 2, 1, -1), 0), ties="half"
    )
    equal = EqualAnswers(answers)
    assert equal.counts.sum() == pytest.approx(60.0)
    factors = equal.drawn(rng)[answers.ties].reshape(-1, 2)
    assert (factors[:, 0] == factors[:, 1]).all()
    assert len(np.unique(factors)) > 1
