import numpy as np
import pytest

from tete.core.optimization import StopReason, adam, momentum_descent

GOAL = np.array([[1.0, -2.0], [3.0, 0.5]])
SCALES = np.array([[1.0, 30.0], [0.1, 5.0]])


def bowl(embedding):
    return float(np.sum(SCALES * (embedding - GOAL) ** 2)), 2 * SCALES * (embedding - GOAL)


def test_adam_is_the_published_algorithm():
    embedding, first, second = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    for step in range(1, 21):
        gradient = bowl(embedding)[1]
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        embedding = embedding - 0.1 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-7)
    found = adam(lambda _, moved: bowl(moved), np.zeros((2, 2)), step=lambda done: 0.1, max_iter=20)
    np.testing.assert_allclose(found.embedding, embedding, rtol=1e-6)
    assert found.n_iter == 20
    assert found.stop_reason is StopReason.MAX_ITER


def test_adam_gets_the_iteration_and_the_share_done():
    iterations, shares = [], []

    def objective(iteration, embedding):
        iterations.append(iteration)
        return bowl(embedding)

    adam(objective, np.zeros((2, 2)), step=lambda done: shares.append(done) or 0.1, max_iter=4)
    assert iterations == [0, 1, 2, 3]
    assert shares == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_reach_the_minimum_in_the_precision_of_the_start(dtype):
    start = np.zeros((2, 2), dtype=dtype)

    def objective(embedding):
        value, gradient = bowl(embedding)
        return value, gradient.astype(dtype)

    by_adam = adam(lambda _, moved: objective(moved), start, step=lambda done: 0.3 * (1 - done), max_iter=500)
    by_momentum = momentum_descent(objective, start, step=0.003, max_iter=500)
    for found in (by_adam, by_momentum):
        assert found.embedding.dtype == dtype
        np.testing.assert_allclose(found.embedding, GOAL, atol=1e-2)
    assert not start.any()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_both_stop_when_the_value_is_not_finite(value):
    start = np.ones((2, 2))
    assert momentum_descent(lambda e: (value, e), start, step=1, max_iter=5).stop_reason is StopReason.DIVERGED
    found = adam(lambda _, e: (value, e), start, step=lambda done: 1.0, max_iter=5)
    assert found.stop_reason is StopReason.DIVERGED
    np.testing.assert_array_equal(found.embedding, start)


def test_both_stop_when_the_callback_says_so():
    callback = lambda iteration, value, embedding: iteration == 3  # noqa: E731
    found = momentum_descent(bowl, np.ones((2, 2)), step=1e-3, max_iter=9, callback=callback)
    assert (found.n_iter, found.stop_reason) == (3, StopReason.CALLBACK)
    found = adam(lambda _, e: bowl(e), np.ones((2, 2)), step=lambda done: 0.1, max_iter=9, callback=callback)
    assert (found.n_iter, found.stop_reason) == (3, StopReason.CALLBACK)
