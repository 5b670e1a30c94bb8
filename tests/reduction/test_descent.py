import numpy as np
import pytest

from reference import numerical_gradient
from samples import TEMPERATURES, anchored_problem
from tete.embedding.losses import tete_loss
from tete.reduction.descent import descend
from tete.reduction.listwise.kernel import Loss, listwise_places
from tete.reduction.weighted.kernel import anchored_places


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
        values, gradients = np.empty(len(moved)), np.empty_like(moved)
        draws = weights.far.astype(np.float64)
        loss = Loss(t, power, 0.3, 0.0)
        listwise_places(loss, kappa, moved, embedding, near, weights.near, embedding, far, draws, values, gradients)
        return values, gradients

    expected = numerical_gradient(lambda moved: evaluate(moved)[0].sum(), places)
    np.testing.assert_allclose(evaluate(places)[1], expected, rtol=1e-5, atol=1e-6)


def test_rows_descend_to_their_own_minima():
    goals = np.random.default_rng(0).normal(size=(20, 2))
    scales = np.logspace(-2, 3, 20)

    def evaluate(places):
        return scales * np.sum((places - goals) ** 2, axis=1), 2 * scales[:, None] * (places - goals)

    np.testing.assert_allclose(descend(evaluate, [goals + 3, goals - 1]), goals, atol=1e-3)
