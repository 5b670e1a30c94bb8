import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tete.core.matrices import as_dense, computable, is_sparse

TABLE = np.array([[0, 2, 0], [1, 0, 0]])


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_sparse_tables(kind):
    assert is_sparse(kind(TABLE))
    dense = as_dense(kind(TABLE))
    assert type(dense) is np.ndarray  # and no np.matrix, whose products are others
    np.testing.assert_array_equal(dense, TABLE)


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, pd.DataFrame])
def test_dense_tables(kind):
    assert not is_sparse(kind(TABLE))
    assert type(as_dense(kind(TABLE))) is np.ndarray
    np.testing.assert_array_equal(as_dense(kind(TABLE)), TABLE)


def test_an_array_is_not_copied():
    assert as_dense(TABLE) is TABLE


def test_numbers_to_compute_with():
    for kind in (np.float64, np.float32, np.int64, np.uint8):
        array = np.ones((2, 2), dtype=kind)
        assert computable(array) is array
    for kind, wanted in ((bool, "f4"), (np.float16, "f4"), (">f4", "f4"), (np.longdouble, "f8"), (">i8", "i8")):
        found = computable(np.ones((2, 2), dtype=kind))
        assert found.dtype == wanted
        assert (found == 1).all()
