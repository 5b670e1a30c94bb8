import numpy as np
import pytest
from scipy.special import expit

from tete.answer_model import LIMITS, AnswerModel, fit_answer_model


def test_probability(rng):
    model, ratios = AnswerModel(0.1, 2.0), rng.normal(scale=3.0, size=50)
    np.testing.assert_allclose(model.probability(ratios), 0.1 + 0.8 / (1.0 + np.exp(2.0 * ratios)))
    assert model.probability(np.array([-1e6, 1e6])).tolist() == [0.9, 0.1]


@pytest.mark.parametrize("model", [AnswerModel(0.05, 0.5), AnswerModel(0.2, 3.0)])
def test_the_model_that_answered_is_found(rng, model):
    ratios = rng.normal(scale=2.0, size=20_000)
    given = np.where(rng.random(20_000) < model.probability(ratios), ratios, -ratios)
    found = fit_answer_model(given, np.ones(20_000))
    assert found.lapse == pytest.approx(model.lapse, abs=0.02)
    assert found.steepness == pytest.approx(model.steepness, rel=0.15)


def test_a_weight_of_two_is_twice_the_answer(rng):
    ratios = np.where(rng.random(400) < expit(1.0), -1.0, 1.0) * rng.exponential(size=400)
    twice = np.arange(400) < 100
    np.testing.assert_allclose(
        fit_answer_model(ratios, 1.0 + twice),
        fit_answer_model(np.concatenate([ratios, ratios[twice]]), np.ones(500)),
        rtol=0.02,
    )


@pytest.mark.parametrize("ratios", [np.full(50, -3.0), np.zeros(50), np.full(50, 3.0)])
def test_answers_stay_possible(ratios):
    for value, (low, high) in zip(fit_answer_model(ratios, np.ones(50)), LIMITS, strict=True):
        assert low <= value <= high
