import numpy as np
import pytest
from scipy import sparse

from tete.exceptions import FewRowsWarning, InvalidFeaturesError, InvalidParameterError, MemoryNeedWarning
from tete.reduction import table_reading
from tete.reduction.table_reading import check_finite, check_sample_weight, warn_few_rows, warn_memory


@pytest.mark.parametrize("at_once", [2, 4096])
def test_the_first_bad_cell_is_named(at_once, monkeypatch):
    monkeypatch.setattr(table_reading, "ROWS_AT_ONCE", at_once)
    table = np.ones((7, 3))
    check_finite(table)
    check_finite(np.full((3, 2), 1e308))  # whose sum is not finite
    table[5, 1], table[6, 0] = np.inf, np.nan
    with pytest.raises(InvalidFeaturesError, match="Row 5, column 1 of `X` is infinity"):
        check_finite(table)
    with pytest.raises(InvalidFeaturesError, match="Row 5, column 1 of `X` is infinity"):
        check_finite(sparse.csr_array(table))
    check_finite(np.ones((2, 2), dtype=int))


def test_weights_of_rows():
    assert check_sample_weight(None, 3).tolist() == [1, 1, 1]
    assert check_sample_weight([0, 2], 2).tolist() == [0, 2]
    for wrong in ([1.0], [1, -1], [np.nan, 1], [0, 0]):
        with pytest.raises(InvalidParameterError, match="`sample_weight` must"):
            check_sample_weight(wrong, 2)


def test_words_before_a_long_run(monkeypatch):
    with pytest.warns(FewRowsWarning, match="`n_neighbors` is reduced from 5 to 3, because there are 4 rows"):
        warn_few_rows(5, 4)
    warn_few_rows(3, 4)
    warn_memory(1000, 100)
    monkeypatch.setattr("tete.reduction.table_reading.os.sysconf", lambda name: 100)  # 10,000 bytes
    with pytest.warns(MemoryNeedWarning, match=r"About 0\.0 GB are needed \(11 bytes a row\)"):
        warn_memory(1000, 11)


def test_weights_of_any_size_are_refused_beyond_what_can_be_squared():
    for wrong in ([1e-200, 1.0], [1.0, 1e200]):
        with pytest.raises(InvalidParameterError, match=r"`sample_weight` must be 0 or from 1e-100 to 1e\+100"):
            check_sample_weight(wrong, 2)


def test_columns_have_limits_and_names():
    low, high = check_finite(np.array([[1.0, -2.0], [3.0, 0.0]]))
    assert (low.tolist(), high.tolist()) == ([1, -2], [3, 0])
    with pytest.raises(InvalidFeaturesError, match=r"Row 0, column 1 \('b'\) of `X` is NaN"):
        check_finite(np.array([[0.0, np.nan]]), ["a", "b"])
