import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

from tete.core.threads import SERIAL, threads
from tete.reduction.projection import column_spreads, fit_projection, project, standardized


@pytest.fixture
def wide(rng=None):
    generator = np.random.default_rng(0)
    return generator.normal(size=(300, 8)) @ generator.normal(size=(8, 60)) + generator.normal(size=(300, 60)) * 0.01


def projected(X, width, n_jobs=1, **options):
    with threads(n_jobs) as workers:
        return project(fit_projection(X, width, np.random.default_rng(0), **options), X, workers)


def test_distances_are_those_of_principal_components(wide):
    expected = PCA(8).fit_transform(wide)
    points = projected(wide, 8)
    ratio = np.linalg.norm(points[1:] - points[0], axis=1) / np.linalg.norm(expected[1:] - expected[0], axis=1)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)


def test_spreads_of_huge_numbers(wide):
    sizes = np.ones(60)
    sizes[0] = 2.0**900
    np.testing.assert_allclose(column_spreads(wide * sizes), wide.std(axis=0) * sizes)


def test_sparse_rows_give_the_points_of_dense_ones(wide):
    wide = np.where(np.abs(wide) > 2.0, wide, 0.0)
    dense, sparse = projected(wide, 8), projected(csr_array(wide), 8)
    np.testing.assert_allclose(np.abs(dense), np.abs(sparse), atol=1e-3)


def test_a_row_alone_gets_the_same_bits(wide):
    with threads(1) as workers:
        projection = fit_projection(wide, 8, np.random.default_rng(0))
        together = project(projection, wide, workers)
        alone = np.vstack([project(projection, wide[[row]], workers) for row in range(50)])
    np.testing.assert_array_equal(together[:50], alone)


def test_the_number_of_threads_changes_no_bit():
    X = np.random.default_rng(0).normal(size=(9000, 12))
    np.testing.assert_array_equal(projected(X, 5, 1), projected(X, 5, 4))


@pytest.mark.parametrize("factor", [1e-200, 1e-30, 1.0, 1e30, 1e200])
def test_units_do_not_matter(wide, factor):
    np.testing.assert_allclose(projected(wide * factor, None), projected(wide, None), atol=1e-5)


def test_an_offset_costs_no_digits(wide):
    np.testing.assert_allclose(np.abs(projected(wide + 1e6, 3)), np.abs(projected(wide, 3)), atol=1e-3)


def test_unit_rows_have_length_one(wide):
    points = projected(wide, None, center=False, unit_rows=True)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32])
def test_any_kind_of_number(dtype):
    X = (np.random.default_rng(0).random((50, 10)) * 3).astype(dtype)
    np.testing.assert_allclose(np.abs(projected(X, 4)), np.abs(projected(X.astype(float), 4)), atol=1e-3)


def test_constant_data_are_all_zero():
    assert not projected(np.ones((5, 3)), None).any()


@pytest.mark.parametrize("width", [None, 8])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_columns_divided_by_their_spreads(wide, width, kind):
    units = np.geomspace(1e-3, 1e3, 60)
    units[-1] = 0.0  # a constant column is left alone
    table = np.where(np.abs(wide) > 2.0, wide, 0.0) * units
    spreads = column_spreads(kind(table))
    np.testing.assert_allclose(spreads, np.where(table.std(axis=0) > 0.0, table.std(axis=0), 1.0))
    points = projected(kind(table), width, spreads=spreads)
    expected = projected(standardized(table, spreads), width)
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-3)


def test_spreads_of_more_rows_than_are_read_at_once(rng, monkeypatch):
    monkeypatch.setattr("tete.reduction.projection.SAMPLE_ROWS", 7)
    table = rng.normal(loc=[0.0, 1e6, 5.0], size=(30, 3))
    np.testing.assert_allclose(column_spreads(table), table.std(axis=0), rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_components_are_those_of_scikit_learn(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60)) @ rng.normal(size=(60, 60)) * np.linspace(3.0, 0.1, 60) + offset
    found, expected = fit_projection(X, 8, rng), PCA(8, svd_solver="full").fit(X)
    alignment = np.abs(expected.components_ @ found.components)
    np.testing.assert_allclose(alignment, np.eye(8), atol=2e-3)
    assert found.scale == pytest.approx(np.sqrt(expected.explained_variance_.sum()), rel=1e-4)
    assert np.all(np.abs(found.components).max(axis=0) == found.components.max(axis=0))  # signs never depend on luck


def test_bits_of_a_row_depend_on_nothing_but_its_numbers(rng):
    table = (5.0 + rng.normal(size=(301, 70))).astype(np.float32)
    projection = fit_projection(table, 9, rng)
    whole = project(projection, table, SERIAL)
    np.testing.assert_array_equal(project(projection, table.astype(np.float64), SERIAL), whole)
    np.testing.assert_array_equal(project(projection, table[::-1], SERIAL), whole[::-1])
    for row in (0, 100, 300):
        np.testing.assert_array_equal(project(projection, table[[row]], SERIAL)[0], whole[row])
    expected = (table.astype(np.float64) - projection.mean) @ projection.components / projection.scale
    np.testing.assert_allclose(whole, expected, atol=1e-5)


def test_rows_too_large_for_single_precision_are_projected_in_double(rng):
    table = rng.normal(size=(50, 12))
    projection = fit_projection(table, 3, rng)
    large = np.concatenate([table[:2], 1e30 * table[2:3], table[3:4]])
    large[2, :6] *= 1e8
    expected = (large - projection.mean) @ projection.components / projection.scale
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(project(projection, large, SERIAL), expected.astype(np.float32), rtol=1e-4)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float16, np.float32, ">f8", bool])
def test_few_rows_have_the_bits_of_many(rng, kind):
    table = rng.integers(0, 200, size=(300, 12)).astype(kind)
    projection = fit_projection(table, 4, rng)
    many = project(projection, table, SERIAL)
    for some in (slice(0, 1), slice(7, 40)):
        np.testing.assert_array_equal(project(projection, table[some], SERIAL), many[some])
