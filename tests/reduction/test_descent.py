import numpy as np
import pytest

from reference import numerical_gradient
from samples import TEMPERATURES, anchored_problem
from tete.embedding.losses import tete_loss
from tete.reduction.descent import SCHEDULE, descend
from tete.reduction.listwise.kernel import Loss, listwise_descent
from tete.reduction.weighted.kernel import anchored_places

STAY = SCHEDULE._replace(n_steps=0)


def listwise_evaluated(loss, kappa, start, embedding, near, far, weights, schedule):
    places, values, gradients = np.empty_like(start), np.empty(len(start)), np.empty_like(start)
    others = (embedding, near, weights.near, embedding, far, weights.far.astype(np.float64))
    listwise_descent(loss, kappa, start[None], *others, schedule, places, values, gradients)
    return places, values, gradients


@pytest.mark.parametrize(("t", "t_prime"), TEMPERATURES)
def test_gradient_of_new_places_under_weighted_tete(t, t_prime):
    embedding, near, far, weights = anchored_problem()
    places = np.random.default_rng(1).normal(size=embedding.shape)

    def evaluate(moved):
        values, gradients = np.empty(len(moved)), np.empty_like(moved)
        anchored_places(tete_loss(t, t_prime), weights, moved, embedding, near, far, values, gradients)
        return values, gradients

    expected = numerical_gradient(lambda moved: evaluate(moved)[0].sum(), places)
    np.testing.assert_allclose(evaluate(places)[1], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("t", "power"), [(1.0, 1.0), (1.1, 0.5), (2.0, 1.0)])
@pytest.mark.parametrize("n_components", [2, 3])
def test_gradient_of_new_places_under_the_listwise_loss(t, power, n_components):
    embedding, near, far, weights = anchored_problem(n_components=n_components)
    places = np.random.default_rng(1).normal(size=embedding.shape)
    kappa = np.full(len(places), 7.0, dtype=np.float32)

    def evaluate(moved):
        return listwise_evaluated(Loss(t, power, 0.3, 0.0), kappa, moved, embedding, near, far, weights, STAY)[1:]

    expected = numerical_gradient(lambda moved: evaluate(moved)[0].sum(), places)
    np.testing.assert_allclose(evaluate(places)[1], expected, rtol=1e-5, atol=1e-6)


def test_rows_descend_to_their_own_minima():
    goals = np.random.default_rng(0).normal(size=(20, 2))
    scales = np.logspace(-2, 3, 20)

    def evaluate(places):
        return scales * np.sum((places - goals) ** 2, axis=1), 2 * scales[:, None] * (places - goals)

    np.testing.assert_allclose(descend(evaluate, [goals + 3, goals - 1]), goals, atol=1e-3)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_compiled_and_plain_descent_take_the_same_steps(n_components):
    embedding, near, far, weights = anchored_problem(n_components=n_components)
    start = np.random.default_rng(1).normal(size=embedding.shape)
    problem = (embedding, near, far, weights)
    kappa, loss = np.full(len(start), 7.0, dtype=np.float32), Loss(1.0, 1.0, 0.3, 0.0)

    def evaluate(places):
        return listwise_evaluated(loss, kappa, places, *problem, STAY)[1:]

    few = SCHEDULE._replace(n_steps=5)
    places, values, _ = listwise_evaluated(loss, kappa, start, *problem, few)
    np.testing.assert_allclose(places, descend(evaluate, [start], few), rtol=1e-9, atol=1e-9)
    assert np.all(values < evaluate(start)[0])
    ended, values, gradients = listwise_evaluated(loss, kappa, start, *problem, SCHEDULE)
    assert np.abs(gradients).max() < 1e-3
    np.testing.assert_array_equal(evaluate(ended)[0], values)
