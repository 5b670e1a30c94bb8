import numpy as np
import pytest
from scipy.special import expit

from people_of_views import study
from tete.embedding.answer_model import AnswerModel, fit_answer_model
from tete.views.mixture import ANSWER_KINDS, PERSON_KINDS, fit_model, likelihoods, memberships
from tete.views.unit_answers import UnitAnswers


@pytest.fixture
def answers():
    return UnitAnswers.of(study(each=15)[0])


def test_memberships_are_bayes_rule(answers, rng):
    margins = [rng.normal(size=len(answers.units)) for _ in range(2)]
    models = [AnswerModel(0.1, 2.0), AnswerModel(0.05, 1.0)]
    view_shares, kind_shares = np.array([0.7, 0.3]), PERSON_KINDS.first_shares
    likelihood = likelihoods(answers, margins, models, PERSON_KINDS)
    found = memberships(answers, likelihood, view_shares, kind_shares, PERSON_KINDS)
    unit = 3
    mine = answers.units == unit
    joint = np.empty((2, 6))
    for view, (model, x) in enumerate(zip(models, margins, strict=True)):
        ordinary = model.lapse + (1 - 2 * model.lapse) * expit(model.steepness * x[mine])
        for kind, c in enumerate(PERSON_KINDS.reliability):
            chance = np.prod((0.5 + c * (ordinary - 0.5)) ** answers.shares[mine])
            joint[view, kind] = view_shares[view] * kind_shares[kind] * chance
    np.testing.assert_allclose(found.probabilities[unit], joint / joint.sum())
    assert found.views.sum(axis=1) == pytest.approx(1.0)
    np.testing.assert_allclose(found.at_chance + found.reversed + found.consistent.sum(axis=1), 1.0)
    assert found.view_shares.sum() == pytest.approx(1.0)
    assert found.weights.max() <= 1.0


def test_the_total_is_the_likelihood_of_all(answers, rng):
    margins = [rng.normal(size=len(answers.units))]
    likelihood = likelihoods(answers, margins, [AnswerModel(0.1, 2.0)], ANSWER_KINDS)
    found = memberships(answers, likelihood, np.ones(1), np.ones(1), ANSWER_KINDS)
    assert found.total == pytest.approx(np.sum(np.log(0.1 + 0.8 * expit(2.0 * margins[0]))))


def test_few_points_are_enough_for_the_model(rng):
    margins = rng.normal(size=20_000)
    margins = np.where(rng.random(20_000) < 0.1 + 0.8 * expit(2.0 * np.abs(margins)), 1, -1) * np.abs(margins)
    weights = rng.uniform(0.5, 2.0, size=20_000)
    few, many = fit_model(margins, weights), fit_answer_model(margins, weights)
    np.testing.assert_allclose(few, many, rtol=0.02)


def test_hardly_any_answers_say_nothing():
    assert fit_model(np.array([1.0, -1.0]), np.array([1.0, 1.0])).lapse == 0.45
