import numpy as np
import pytest

from tete import TETE, TETECV
from tete.core.validation import check_callback, check_learning_rate, check_n_jobs
from tete.exceptions import InvalidParameterError

TRIPLETS = [(0, 1, 2), (1, 0, 2), (2, 1, 0)]


@pytest.mark.parametrize("good", [None, print, lambda *state: True])
def test_callbacks(good):
    check_callback(good)


@pytest.mark.parametrize("bad", [1, "print", [print]])
def test_no_callbacks(bad):
    with pytest.raises(InvalidParameterError, match="`callback` must be callable or None, got"):
        check_callback(bad)
    with pytest.raises(InvalidParameterError, match="`callback` must be callable or None, got"):
        TETE(callback=bad).fit(TRIPLETS)


@pytest.mark.parametrize("good", ["auto", 1, 0.5, np.float32(2.0)])
def test_learning_rates(good):
    check_learning_rate(good)


@pytest.mark.parametrize("bad", ["fast", 0.0, -1, np.inf, np.nan, None, True, np.array([1.0, 2.0])])
def test_no_learning_rates(bad):
    with pytest.raises(InvalidParameterError, match=r"`learning_rate` must be in \(0, inf\), got"):
        check_learning_rate(bad)


@pytest.mark.parametrize("bad", [0, 1.5, "2", True])
def test_no_numbers_of_threads(bad):
    with pytest.raises(InvalidParameterError, match="`n_jobs` must be a whole number other than 0, or None, got"):
        check_n_jobs(bad)
    for estimator in (TETE(n_jobs=bad), TETECV(n_jobs=bad)):
        with pytest.raises(InvalidParameterError, match="`n_jobs` must be"):
            estimator.fit(TRIPLETS)
