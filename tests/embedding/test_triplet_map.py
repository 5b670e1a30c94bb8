"""How reliable answers are on a map, and maps that were made elsewhere; `test_embedding` has the estimators."""

import numpy as np
import pytest

from tete import TETE, Triplets
from tete.datasets import answer_by_distance, make_uniform_triplets
from tete.exceptions import InvalidParameterError


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def answers(points):
    return answer_by_distance(points, make_uniform_triplets(points, 900, random_state=0), sharpness=2.0, random_state=0)


def test_coordinates_are_shared_by_triplets(answers):
    assert TETE().fit(answers)._answer_sample.coordinates_per_triplet == pytest.approx(2 * 40 / 900)
    in_pairs = Triplets.from_array(answers.to_array(), answers=np.arange(900) // 2)
    assert TETE().fit(in_pairs)._answer_sample.coordinates_per_triplet == pytest.approx(2 * 40 / 900)


def test_a_repeat_is_a_weight_of_two(answers):
    twice = Triplets.from_array(np.repeat(answers.to_array(), 2, axis=0), n_objects=40)
    weighted = answers.with_weights(np.full(900, 2.0))
    np.testing.assert_allclose(TETE().fit(weighted).answer_model(), TETE().fit(twice).answer_model(), rtol=1e-3)


def test_the_scale_of_little_trust_does_not_matter(answers):
    trust = np.random.default_rng(1).uniform(0.2, 1.0, size=900)
    prices = [
        TETE().fit(answers.with_weights(trust * scale))._answer_sample.coordinates_per_triplet for scale in (1.0, 1e-6)
    ]
    assert prices[0] == pytest.approx(prices[1])


def test_answers_without_weight_do_not_count(answers):
    more = np.concatenate([answers.to_array(), np.tile([0, 1, 2], (20_000, 1))])
    weighted = Triplets.from_array(more, n_objects=40).with_weights(np.repeat([1.0, 0.0], [900, 20_000]))
    np.testing.assert_allclose(TETE().fit(weighted).answer_model(), TETE().fit(answers).answer_model(), rtol=1e-6)


def test_fixed_objects_are_no_coordinates_of_the_fit(answers, points):
    fixed = np.where(np.arange(40)[:, None] < 35, points, np.nan)
    assert TETE().fit(answers, fixed=fixed)._answer_sample.coordinates_per_triplet == pytest.approx(2 * 5 / 900)


def test_a_refused_map_is_not_kept(answers):
    model = TETE().fit(answers)
    before = model.embedding_
    with pytest.raises(InvalidParameterError, match="must have 2 columns like `n_components`, got 3"):
        model.on_map(np.eye(3))
    assert model.embedding_ is before
