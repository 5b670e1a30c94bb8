import numpy as np
import pytest

from people_of_views import study
from tete.embedding.answer_model import fit_answer_model
from tete.views.cross_fitting import CrossFit, MapMaker
from tete.views.mixture import PERSON_KINDS
from tete.views.shared_deviations import deviation_gram, is_deviation_shared
from tete.views.unit_answers import UnitAnswers


def judged(**details):
    triplets, view, _ = study(n_random=0, n_reversed=0, **details)
    fit = CrossFit(UnitAnswers.of(triplets), MapMaker(2, 2.0, 1.5, 1), PERSON_KINDS, np.random.default_rng(0))
    margins = fit.run(np.ones((fit.answers.n_units, 1)), n_rounds=1).margins[0]
    return fit.answers, margins, fit_answer_model(margins, fit.answers.counts), view


def test_people_of_a_view_deviate_alike():
    answers, margins, model, view = judged()
    gram = deviation_gram(answers, margins, model, np.arange(answers.n_units))
    np.testing.assert_array_equal(np.diag(gram), 0.0)
    np.testing.assert_allclose(gram, gram.T, atol=1e-12)
    other = view == 1
    within, between = gram[np.ix_(other, other)].sum() / (6 * 5), gram[np.ix_(other, ~other)].mean()
    assert within > 0.05 > between


def test_the_gram_matrix_is_that_of_the_scores(rng):
    answers, margins, model, _ = judged(n_people=4, each=40)
    matrices = np.zeros((4, 20, 20))
    step = 1e-6
    for row, (i, j, k) in enumerate(answers.triplets.to_array()):
        slope = (np.log(model.probability(margins[row] + step)) - np.log(model.probability(margins[row] - step))) / (
            2 * step * model.steepness
        )
        for other, sign in ((j, 1.0), (k, -1.0)):
            matrices[answers.units[row], min(i, other), max(i, other)] += sign * slope * answers.shares[row]
    flat = matrices.reshape(4, -1)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    expected = flat @ flat.T
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(deviation_gram(answers, margins, model, np.arange(4)), expected, atol=1e-6)


@pytest.mark.parametrize(("second", "shared"), [(8, True), (0, False)])
def test_groups_are_seen(second, shared):
    answers, margins, model, _ = judged(second=second)
    nobody = np.zeros(answers.n_units, dtype=bool)
    assert is_deviation_shared(answers, margins, model, nobody, np.random.default_rng(0)) == shared


def test_the_suspected_are_compared_with_each_other():
    answers, margins, model, view = judged(second=4, each=120)
    assert is_deviation_shared(answers, margins, model, view == 1, np.random.default_rng(0))


def test_two_people_are_no_groups():
    answers, margins, model, _ = judged(n_people=2, second=1)
    assert not is_deviation_shared(answers, margins, model, np.ones(2, dtype=bool), np.random.default_rng(0))
