import pytest
import scipy.linalg  # noqa: F401  (loads scipy's BLAS)
from threadpoolctl import threadpool_info, threadpool_limits

from tete.core.blas import one_blas_thread
from tete.core.optimization import lbfgs


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_after():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread(), one_blas_thread():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_the_limit_is_lifted_after_an_error(rng):
    def objective(embedding):
        assert set(blas_threads()) == {1}
        raise KeyError("stop")

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(KeyError, match="stop"):
            lbfgs(objective, rng.normal(size=(5, 2)), max_iter=10, tol=1e-6)
        assert blas_threads() == before
