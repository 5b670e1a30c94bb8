import numpy as np
import pytest
from scipy import sparse

from tete.core.checked_arrays import CheckedArrays
from tete.exceptions import InvalidFileError
from tete.reduction.sparse_scaling import SparseScaling, check_canonical, fit_sparse_scaling


@pytest.fixture
def table(rng):
    return sparse.csr_array(np.where(rng.random((50, 30)) < 0.2, rng.random((50, 30)), 0.0))


def test_unit_rows_have_length_one_and_zeros_stay(table):
    table = sparse.vstack([table, sparse.csr_array((1, 30))]).tocsr()
    rows = SparseScaling(30, 1.0, True).rows(table * 1e200).toarray()
    lengths = np.linalg.norm(table.toarray(), axis=1)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), (lengths > 0).astype(float), rtol=1e-6)
    np.testing.assert_allclose(rows * lengths[:, None], table.toarray(), atol=1e-6)


def test_scaled_rows_have_a_total_variance_of_one(table):
    scaling = fit_sparse_scaling(table, unit_rows=False, spreads=None, order=None)
    assert scaling.rows(table).toarray().var(axis=0).sum() == pytest.approx(1.0, rel=1e-5)
    spreads = np.linspace(1.0, 2.0, 30)
    scaling = fit_sparse_scaling(table, unit_rows=False, spreads=spreads, order=None)
    expected = table.toarray() / spreads
    np.testing.assert_allclose(scaling.rows(table).toarray() * scaling.scale, expected, atol=1e-6)


def test_any_way_of_writing_the_same_rows(table):
    scaling = SparseScaling(30, 1.0, True)
    plain = scaling.rows(table)
    shuffled = table.copy()
    shuffled.indices, shuffled.data = shuffled.indices.copy(), shuffled.data.copy()
    for start, stop in zip(shuffled.indptr[:-1], shuffled.indptr[1:], strict=True):
        shuffled.indices[start:stop] = shuffled.indices[start:stop][::-1]
        shuffled.data[start:stop] = shuffled.data[start:stop][::-1]
    shuffled.has_sorted_indices = False
    before = shuffled.indices.copy()
    for other in (table.toarray(), table.tocsc(), sparse.csr_matrix(table), shuffled):
        again = scaling.rows(other)
        np.testing.assert_array_equal(again.indices, plain.indices)
        np.testing.assert_array_equal(again.data, plain.data)
    np.testing.assert_array_equal(shuffled.indices, before)


@pytest.mark.parametrize("spreads", [None, np.ones(30)])
def test_arrays_and_back(spreads):
    scaling = SparseScaling(30, 2.5, False, spreads)
    again = SparseScaling.from_arrays(CheckedArrays(scaling.to_arrays()), 30)
    assert (again.scale, again.unit_rows, again.spreads is None) == (2.5, False, spreads is None)
    with pytest.raises(InvalidFileError, match="`scale` must be"):
        SparseScaling.from_arrays(CheckedArrays(scaling.to_arrays() | {"scale": np.array(0.0)}), 30)


def test_rows_from_files_must_be_canonical(table):
    points = SparseScaling(30, 1.0, True).rows(table)
    assert check_canonical(points) is points
    check_canonical(SparseScaling(30, 1.0, True).rows(sparse.csr_array((3, 30))))
    for wrong in (points.indices[::-1].copy(), np.zeros_like(points.indices)):
        other = sparse.csr_array((points.data, wrong, points.indptr), shape=points.shape)
        with pytest.raises(InvalidFileError, match="`points_columns` must rise"):
            check_canonical(other)
    with pytest.raises(InvalidFileError, match="must have the type float32"):
        check_canonical(points.astype(np.float64))
