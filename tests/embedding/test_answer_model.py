import numpy as np
import pytest
from scipy.special import expit

from tete import TETE, Triplets
from tete.datasets import answer_by_distance, make_uniform_triplets
from tete.embedding.answer_model import (
    FEWEST_UNSEEN,
    LIMITS,
    AnswerModel,
    AnswerSample,
    UnseenAnswers,
    fit_answer_model,
    typical_model,
)
from tete.reliability.held_out import held_out_margins


def test_probability(rng):
    model, margins = AnswerModel(0.1, 2.0), rng.normal(scale=3.0, size=50)
    np.testing.assert_allclose(model.probability(margins), 0.1 + 0.8 / (1.0 + np.exp(-2.0 * margins)))
    np.testing.assert_allclose(model.probability(np.array([1e6, -1e6])), [0.9, 0.1])


def test_margins_count_by_a_power_of_their_size(rng):
    model, margins = AnswerModel(0.1, 2.0, 1.5), rng.normal(scale=3.0, size=50)
    odds = 2.0 * np.sign(margins) * np.abs(margins) ** 1.5
    np.testing.assert_allclose(model.probability(margins), 0.1 + 0.8 * expit(odds))
    wrong, right = 0.1 * expit(-odds), 0.9 * expit(odds)
    np.testing.assert_allclose(model.probability_wrong(margins), wrong / (wrong + right))


def test_unknown_margins_have_the_overall_share():
    model = AnswerModel(lapse=0.1, steepness=1.0)
    np.testing.assert_allclose(model.probability_wrong(np.array([np.nan, 0.0])), 0.1)
    assert AnswerModel(0.0, 1.0).probability_wrong(np.array([-50.0])).tolist() == [0.0]


def test_the_probability_of_a_lapse_is_bayes_rule(rng):
    model, margins = AnswerModel(0.2, 1.5), rng.normal(scale=3.0, size=50)
    wrong, right = 0.2 * expit(-1.5 * margins), 0.8 * expit(1.5 * margins)
    np.testing.assert_allclose(model.probability_wrong(margins), wrong / (wrong + right))


@pytest.mark.parametrize("model", [AnswerModel(0.05, 0.5), AnswerModel(0.2, 3.0)])
def test_the_model_that_answered_is_found(rng, model):
    margins = rng.normal(scale=2.0, size=20_000)
    given = np.where(rng.random(20_000) < model.probability(margins), margins, -margins)
    found = fit_answer_model(given, np.ones(20_000))
    assert found.lapse == pytest.approx(model.lapse, abs=0.02)
    assert found.steepness == pytest.approx(model.steepness, rel=0.15)


def test_a_weight_of_two_is_twice_the_answer(rng):
    margins = np.where(rng.random(400) < expit(1.0), 1.0, -1.0) * rng.exponential(size=400)
    twice = np.arange(400) < 100
    np.testing.assert_allclose(
        fit_answer_model(margins, 1.0 + twice),
        fit_answer_model(np.concatenate([margins, margins[twice]]), np.ones(500)),
        rtol=0.02,
    )


@pytest.mark.parametrize("margins", [np.full(50, -3.0), np.zeros(50), np.full(50, 3.0)])
def test_answers_stay_possible(margins):
    lapse, steepness, _ = fit_answer_model(margins, np.ones(50))
    size = np.abs(margins).mean() or 1.0
    for value, (low, high) in zip((lapse, steepness * size), LIMITS, strict=True):
        assert low <= value <= high


def test_the_scale_of_a_map_does_not_matter(rng):
    margins = np.where(rng.random(400) < 0.8, 1.0, -1.0) * rng.exponential(size=400)
    one, large = (fit_answer_model(scale * margins, np.ones(400), 0.01) for scale in (1.0, 1e6))
    np.testing.assert_allclose([large.lapse, 1e6 * large.steepness], one[:2], rtol=1e-6)


def test_maps_from_elsewhere_have_a_model_of_their_own_scale(rng):
    places = rng.normal(size=(20, 2))
    one, large = typical_model(places), typical_model(1e6 * places + 5.0)
    assert one.lapse == large.lapse
    assert large.steepness == pytest.approx(1e-6 * one.steepness)
    assert np.isfinite(typical_model(np.zeros((3, 2)))).all()


def test_each_coordinate_costs_one_unit_of_log_likelihood(rng):
    margins = np.where(rng.random(5000) < 0.9, 1.0, -1.0) * rng.exponential(scale=3.0, size=5000)
    plain, lowered = (fit_answer_model(margins, np.ones(5000), cost) for cost in (0.0, 0.01))
    p = lowered.probability(margins)
    expects = np.mean(p * np.log(p) + (1.0 - p) * np.log(1.0 - p))
    assert expects == pytest.approx(np.mean(np.log(plain.probability(margins))) - 0.01, abs=2e-4)
    assert lowered.steepness < plain.steepness
    assert lowered.lapse == pytest.approx(plain.lapse * np.sqrt(plain.steepness / lowered.steepness))
    least = LIMITS[1][0] / np.abs(margins).mean()
    assert fit_answer_model(margins, np.ones(5000), 10.0).steepness == pytest.approx(least)


@pytest.mark.parametrize("settings", [{}, {"t": 2.0, "t_prime": 1.75}], ids=["chosen", "given"])
@pytest.mark.parametrize("size", [1, 12])  # triplets an answer
@pytest.mark.parametrize("n_triplets", [1200, 4800])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_answers_of_the_map_teach_what_held_out_ones_do(n_triplets, size, seed, settings):
    points = np.random.default_rng(seed).normal(size=(60, 2))
    questions = make_uniform_triplets(points, n_triplets, random_state=seed)
    triplets = answer_by_distance(points, questions, sharpness=2.0, random_state=seed)
    answers = Triplets.from_array(triplets.to_array(), answers=np.arange(n_triplets) // size)
    fitted = TETE(**settings).fit(answers)
    margins = held_out_margins(fitted, answers)
    held_out = fit_answer_model(margins, np.ones(n_triplets))
    too_sure = fit_answer_model(*fitted._answer_sample[:2])
    excess, left = (np.log(model.steepness / held_out.steepness) for model in (too_sure, fitted.answer_model()))
    assert excess > 0.0
    assert abs(left) < 0.6 * excess


class TestUnseenAnswers:
    def sample(self, rng, lapse, n_unseen):
        """A map that has learned nothing from its answers: those unseen are as unlike the others as where seen."""
        margins = rng.normal(scale=2.0, size=4000)
        given = np.where(rng.random(4000) < AnswerModel(lapse, 1.0).probability(margins), margins, -margins)
        return AnswerSample(given, np.ones(4000), 0.0), UnseenAnswers(*[given[:n_unseen]] * 2, np.ones(n_unseen))

    @pytest.mark.parametrize("n_unseen", [200, 1600])
    def test_where_nothing_was_learned_all_answers_count(self, rng, n_unseen):
        sample, unseen = self.sample(rng, 0.1, n_unseen)
        np.testing.assert_allclose(sample._replace(unseen=unseen).model(), sample.model(), rtol=1e-9)

    def test_where_all_was_learned_only_unseen_ones_count(self, rng):
        sample, unseen = self.sample(rng, 0.1, 1600)
        learned = unseen._replace(seen_margins=np.abs(unseen.margins))
        found = sample._replace(margins=np.abs(sample.margins), unseen=learned).model()
        np.testing.assert_allclose(found, fit_answer_model(unseen.margins, unseen.weights), rtol=0.02)

    def test_of_few_unseen_answers_nothing_is_learned(self, rng):
        sample, unseen = self.sample(rng, 0.1, FEWEST_UNSEEN - 1)
        assert sample._replace(unseen=unseen._replace(margins=-unseen.margins)).model() == sample.model()


def test_very_large_weights_change_nothing(rng):
    margins = rng.normal(1.0, 2.0, size=300)
    plain = fit_answer_model(margins, np.ones(300))
    np.testing.assert_allclose(fit_answer_model(margins, np.full(300, 1e90)), plain, rtol=1e-4)
