import numpy as np
import pytest

from tete.core.optimization import DescentSteps, StopReason, descent_steps, gradient_descent, lbfgs

TARGET = np.array([[1.0, -2.0], [3.0, 0.5]])
SCALES = np.array([[1.0, 10.0], [0.1, 3.0]])


def bowl(embedding):
    difference = embedding - TARGET
    return float(np.sum(SCALES * difference**2)), 2 * SCALES * difference


def test_lbfgs_finds_the_minimum():
    start = np.zeros((2, 2))
    minimum = lbfgs(bowl, start, max_iter=100, tol=1e-12)
    np.testing.assert_allclose(minimum.embedding, TARGET, atol=1e-5)
    assert minimum.stop_reason is StopReason.CONVERGED
    assert minimum.n_iter == len(minimum.history)
    assert minimum.history[-1] == minimum.value
    assert np.all(np.diff(minimum.history) <= 0)
    assert (start == 0).all()


def test_lbfgs_stops_at_max_iter():
    minimum = lbfgs(bowl, np.zeros((2, 2)), max_iter=2, tol=0.0)
    assert minimum.stop_reason is StopReason.MAX_ITER
    assert minimum.n_iter == 2


def test_lbfgs_reports_a_line_search_that_fails():
    def inconsistent(embedding):
        value, gradient = bowl(embedding)
        return value, -gradient

    minimum = lbfgs(inconsistent, np.zeros((2, 2)), max_iter=50, tol=0.0)
    assert minimum.stop_reason is StopReason.STALLED
    assert np.isfinite(minimum.embedding).all()


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda callback: lbfgs(bowl, np.zeros((2, 2)), max_iter=50, tol=0.0, callback=callback),
        lambda callback: gradient_descent(bowl, np.zeros((2, 2)), step=0.01, max_iter=50, callback=callback),
    ],
)
def test_a_callback_sees_every_iteration_and_can_stop(optimizer):
    seen = []

    def callback(iteration, value, embedding):
        seen.append((iteration, value))
        assert embedding.shape == (2, 2)
        embedding[:] = np.nan  # a copy: spoiling it changes nothing
        return iteration == 3

    minimum = optimizer(callback)
    assert [iteration for iteration, _ in seen] == [1, 2, 3]
    assert [value for _, value in seen] == minimum.history
    assert minimum.stop_reason is StopReason.CALLBACK
    assert np.isfinite(minimum.embedding).all()


def test_gradient_descent_with_a_constant_step_is_the_papers():
    embedding = np.zeros((2, 2))
    for _ in range(7):
        embedding = embedding - 0.01 * bowl(embedding)[1]
    minimum = gradient_descent(bowl, np.zeros((2, 2)), step=0.01, max_iter=7)
    np.testing.assert_allclose(minimum.embedding, embedding, rtol=1e-12)  # steps may be added in another order
    assert minimum.stop_reason is StopReason.MAX_ITER


def test_gradient_descent_adapts_its_step_and_keeps_the_best():
    minimum = gradient_descent(bowl, np.zeros((2, 2)), step=1.0, max_iter=400, growth=1.01, shrinkage=0.5)
    assert minimum.value == min(minimum.history)
    np.testing.assert_allclose(minimum.embedding, TARGET, atol=1e-3)


def test_gradient_descent_that_diverges_keeps_the_best():
    minimum = gradient_descent(bowl, np.zeros((2, 2)), step=1e200, max_iter=50)
    assert minimum.stop_reason is StopReason.DIVERGED
    assert np.isfinite(minimum.value)
    assert np.isfinite(minimum.embedding).all()


def test_every_reason_has_its_text():
    assert all(reason.text for reason in StopReason)
    assert StopReason.CONVERGED == "converged"


def test_steps_of_the_paper_and_of_its_authors():
    assert descent_steps("auto", 30, 500.0) == DescentSteps(60.0, growth=1.01, shrinkage=0.5)
    assert descent_steps(0.2, 30, 500.0) == DescentSteps(100.0, growth=1.0, shrinkage=1.0)


def test_a_constant_step_on_the_sum_is_that_of_the_paper():
    """On a mean of losses the step is `total_weight` times as long."""

    def mean(embedding):
        value, gradient = bowl(embedding)
        return value / 8.0, gradient / 8.0

    on_sum = gradient_descent(bowl, np.zeros((2, 2)), step=0.01, max_iter=7)
    on_mean = gradient_descent(mean, np.zeros((2, 2)), **descent_steps(0.01, 2, 8.0)._asdict(), max_iter=7)
    np.testing.assert_allclose(on_mean.embedding, on_sum.embedding)


@pytest.mark.parametrize("optimizer", ["lbfgs", "gradient_descent"])
def test_steps_beyond_all_numbers_are_not_warned_of(optimizer):
    def steep(x):
        return float(np.sum(np.exp(x))), np.exp(x) * 1e200

    start = np.full((2, 2), 3.0)
    found = (
        lbfgs(steep, start, max_iter=5, tol=1e-9)
        if optimizer == "lbfgs"
        else gradient_descent(steep, start, step=1e200, max_iter=5)
    )
    assert np.isfinite(found.embedding).all()
