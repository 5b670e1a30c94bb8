"""The loop for maps in the plane says what the paper's equations say, and what the loop for all maps says."""

import numpy as np
import pytest

from reference import numerical_gradient
from reference_reduction import weighted_tete
from samples import anchored_problem
from tete.core.array_places import in_words
from tete.core.threads import SERIAL
from tete.embedding.losses import UnitTETELoss
from tete.reduction.weighted.four_at_once import alike_weights, sum_in_the_plane
from tete.reduction.weighted.kernel import DenseWeights, SeparableWeights, sum_anchored
from tete.reduction.weighted.problem import AnchoredObjective


def dense(weights):
    table = weights.near[:, :, None] * weights.far[:, None, :] + weights.bias[:, None, None]
    return table.astype(np.float64)


def total(weights, embedding, near, far, alike=None):
    gradient = np.zeros_like(embedding)
    flags = alike_weights(weights) if alike is None else np.full(len(near), alike)
    return sum_in_the_plane(weights, flags, in_words(embedding), embedding, near, far, 0, len(near), gradient), gradient


def half_alike(weights):
    """Every other point has weights that only double precision tells from its bias."""
    far = weights.far.copy()
    far[::2] *= np.float32(1e-9)
    return SeparableWeights(weights.near, far, weights.bias + np.float32(0.1))


@pytest.mark.parametrize(("m", "m_far"), [(1, 1), (3, 8), (4, 5), (6, 9), (8, 16), (5, 17)])
def test_value_equals_the_reference_and_gradient_the_other_loop(m, m_far):
    embedding, near, far, weights = anchored_problem(m=m, m_far=m_far)
    for some in (weights, half_alike(weights)):
        value, gradient = total(some, embedding, near, far)
        assert value == pytest.approx(weighted_tete(embedding, near, far, dense(some), 2.0, 2.0), rel=1e-6)
        expected = np.zeros_like(embedding)
        sum_anchored(UnitTETELoss(), some, embedding, near, far, 0, len(near), expected)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("alike", [True, False])
def test_gradient_equals_finite_differences(alike):
    embedding, near, far, weights = anchored_problem(n=15, m=6)
    if alike:
        weights = SeparableWeights(weights.near * 0, weights.far, weights.bias)
    expected = numerical_gradient(lambda moved: total(weights, moved, near, far, alike)[0], embedding)
    np.testing.assert_allclose(total(weights, embedding, near, far, alike)[1], expected, rtol=1e-5, atol=1e-6)


def test_weights_are_alike_where_single_precision_cannot_tell_them_from_the_bias():
    _, _, _, weights = anchored_problem(n=10)
    alike = alike_weights(half_alike(weights))
    np.testing.assert_array_equal(alike, np.arange(10) % 2 == 0)
    table = dense(half_alike(weights))
    assert (table[alike] == table[alike][:, :1, :1]).all()


def test_points_without_weight_are_alike():
    _, _, _, weights = anchored_problem(n=10)
    nothing = SeparableWeights(weights.near * 0, weights.far, weights.bias * 0)
    assert alike_weights(nothing).all()


@pytest.mark.parametrize("spread", [0.0, 1e-12, 1e6])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_nothing_overflows(spread, kind):
    embedding, near, far, weights = anchored_problem(spread=spread)
    for some in (weights, half_alike(weights)):
        value, gradient = total(some, embedding.astype(kind), near, far)
        expected = weighted_tete(embedding, near, far, dense(some), 2.0, 2.0)
        assert value == pytest.approx(expected, rel=1e-4)
        assert gradient.dtype == kind
        assert np.isfinite(gradient).all()


def test_the_objective_takes_this_loop_only_where_it_holds(monkeypatch):
    embedding, near, far, weights = anchored_problem()
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return sum_in_the_plane(*arguments)

    monkeypatch.setattr("tete.reduction.weighted.problem.sum_in_the_plane", counted)
    separable = AnchoredObjective(UnitTETELoss(), weights, near, far, SERIAL)(embedding)
    assert len(calls) == 1
    other = AnchoredObjective(UnitTETELoss(), DenseWeights(dense(weights).astype(np.float32)), near, far, SERIAL)(
        embedding
    )
    AnchoredObjective(UnitTETELoss(), weights, near, far, SERIAL)(np.hstack([embedding, embedding[:, :1]]))
    assert len(calls) == 1
    assert separable[0] == pytest.approx(other[0], rel=1e-6)
    np.testing.assert_allclose(separable[1], other[1], rtol=1e-5, atol=1e-9)
