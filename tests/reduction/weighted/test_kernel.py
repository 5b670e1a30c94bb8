import numpy as np
import pytest

from reference import numerical_gradient
from reference_reduction import weighted_tete
from samples import TEMPERATURES, anchored_problem
from tete.core.threads import threads
from tete.embedding.losses import UnitTETELoss, tete_loss
from tete.reduction.weighted.kernel import DenseWeights, sum_anchored
from tete.reduction.weighted.problem import AnchoredObjective


def dense(weights):
    return weights.near[:, :, None] * weights.far[:, None, :] + weights.bias[:, None, None]


def total(loss, weights, embedding, near, far):
    gradient = np.zeros_like(embedding)
    return sum_anchored(loss, weights, embedding, near, far, 0, len(near), gradient), gradient


@pytest.mark.parametrize(("t", "t_prime"), TEMPERATURES)
@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_value_equals_the_reference(t, t_prime, n_components):
    embedding, near, far, weights = anchored_problem(n_components=n_components)
    expected = weighted_tete(embedding, near, far, dense(weights), t, t_prime)
    for kind in (weights, DenseWeights(dense(weights))):
        assert total(tete_loss(t, t_prime), kind, embedding, near, far)[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("t", "t_prime"), TEMPERATURES)
@pytest.mark.parametrize("n_components", [2, 3])
def test_gradient_equals_finite_differences(t, t_prime, n_components):
    embedding, near, far, weights = anchored_problem(n=12, n_components=n_components)
    loss = tete_loss(t, t_prime)
    expected = numerical_gradient(lambda moved: total(loss, weights, moved, near, far)[0], embedding)
    np.testing.assert_allclose(total(loss, weights, embedding, near, far)[1], expected, rtol=1e-5, atol=1e-6)


def test_unit_loss_is_the_formula_of_trimap():
    embedding, near, far, weights = anchored_problem()
    expected = 0.0
    for i in range(len(near)):
        a = 1 + np.sum((embedding[i] - embedding[near[i]]) ** 2, axis=1)
        b = 1 + np.sum((embedding[i] - embedding[far[i]]) ** 2, axis=1)
        expected += np.sum(dense(weights)[i] / (1 + b[None, :] / a[:, None]))
    assert total(UnitTETELoss(), weights, embedding, near, far)[0] == pytest.approx(expected)


@pytest.mark.parametrize(("t", "t_prime"), TEMPERATURES)
@pytest.mark.parametrize("spread", [0.0, 1e-12, 1e6])
def test_nothing_overflows(t, t_prime, spread):
    embedding, near, far, weights = anchored_problem(spread=spread)
    value, gradient = total(tete_loss(t, t_prime), weights, embedding, near, far)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_single_precision_is_close_to_double():
    embedding, near, far, weights = anchored_problem(n=200)
    value, gradient = total(UnitTETELoss(), weights, embedding, near, far)
    single, single_gradient = total(UnitTETELoss(), weights, embedding.astype(np.float32), near, far)
    assert single == pytest.approx(value, rel=1e-5)
    assert single_gradient.dtype == np.float32
    np.testing.assert_allclose(single_gradient, gradient, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("t", "t_prime"), [(2.0, 2.0), (2.0, 1.5)])
def test_the_number_of_threads_changes_no_bit(t, t_prime):
    embedding, near, far, weights = anchored_problem(n=3000)
    results = []
    for n_jobs in (1, 2, 4):
        with threads(n_jobs) as workers:
            objective = AnchoredObjective(tete_loss(t, t_prime), weights, near, far, workers)
            results.append(objective(embedding.astype(np.float32)))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


def test_objective_is_the_weighted_mean():
    embedding, near, far, weights = anchored_problem(n=1100)
    with threads(2) as workers:
        value, gradient = AnchoredObjective(UnitTETELoss(), weights, near, far, workers)(embedding)
    expected, slopes = total(UnitTETELoss(), weights, embedding, near, far)
    assert value == pytest.approx(expected / dense(weights).sum(), rel=1e-6)
    np.testing.assert_allclose(gradient, slopes / dense(weights).sum(), rtol=1e-5, atol=1e-12)
    assert weights.total() == pytest.approx(DenseWeights(dense(weights)).total(), rel=1e-5)
