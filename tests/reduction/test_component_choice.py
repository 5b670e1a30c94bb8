import numpy as np
import pytest
from scipy import sparse

from tete import ListwiseTETE, WeightedTETE, load_model, save_model
from tete.reduction import component_choice
from tete.reduction.component_choice import fit_points, kept_neighbors
from tete.reduction.projection import Projection, fit_projection
from tete.reduction.sparse_scaling import SparseScaling


def texts(rng, n_rows=300, n_columns=400, n_words=12):
    """Rows of words that hardly correlate: few components say little about them."""
    columns = rng.integers(0, n_columns, (n_rows, n_words))
    rows = np.repeat(np.arange(n_rows), n_words)
    return sparse.csr_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n_rows, n_columns))


def chosen(table, components="auto", unit_rows=False):
    rng = np.random.default_rng(0)
    order = rng.permutation(table.shape[0])
    return fit_points(table, components, rng, unit_rows=unit_rows, spreads=None, order=order)


@pytest.fixture
def flat(rng):
    return rng.normal(size=(300, 10)) @ rng.normal(size=(10, 120)) + 0.05 * rng.normal(size=(300, 120))


@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_kept_neighbours_are_counted(flat, unit_rows, kind, rng):
    table = kind(flat)
    assert kept_neighbors(table, fit_projection(flat, 50, rng, center=not unit_rows, unit_rows=unit_rows)) > 0.95
    assert kept_neighbors(table, fit_projection(flat, 2, rng, center=not unit_rows, unit_rows=unit_rows)) < 0.6


def test_fifty_components_where_they_keep_neighbours(flat):
    assert chosen(flat).components.shape[1] == 50
    assert chosen(sparse.csr_array(flat), unit_rows=True).components.shape[1] == 50


def test_more_components_where_fifty_do_not(rng):
    hundred = rng.normal(size=(600, 90)) @ np.linalg.qr(rng.normal(size=(300, 90)))[0].T
    assert chosen(hundred).components.shape[1] == 100
    assert chosen(rng.normal(size=(1000, 180))).components is None  # noise: no component says more than another


@pytest.mark.parametrize("unit_rows", [False, True])
def test_sparse_rows_as_they_are(rng, unit_rows, monkeypatch):
    table = texts(rng)
    assert isinstance(chosen(table, unit_rows=unit_rows), SparseScaling)
    assert isinstance(chosen(table, None, unit_rows), SparseScaling)
    assert chosen(table, 20, unit_rows).components.shape[1] == 20
    monkeypatch.setattr(component_choice, "MOST_PRODUCTS", 10.0)
    assert isinstance(chosen(table, unit_rows=unit_rows), Projection)


def test_few_columns_stay(rng):
    assert chosen(rng.normal(size=(100, 50))).components is None
    assert chosen(texts(rng, n_columns=40), None).components is None


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_maps_of_sparse_rows(estimator, metric, rng, tmp_path):
    table = sparse.vstack([texts(rng), texts(rng)[:5]]).tocsr()
    table = sparse.vstack([table, table[:20]]).tocsr()  # equal rows are one point
    model = estimator(metric=metric, random_state=0, max_iter=20).fit(table)
    assert model.pca_components_ is None
    assert isinstance(model.placer_.points.projection, SparseScaling)
    np.testing.assert_array_equal(model.embedding_[:20], model.embedding_[-20:])
    assert len(model.placer_.points) <= 305
    order = rng.permutation(table.shape[0])
    permuted = estimator(metric=metric, random_state=0, max_iter=20, n_jobs=1).fit(table[order])
    np.testing.assert_array_equal(permuted.embedding_, model.embedding_[order])
    new = texts(np.random.default_rng(5), 30)
    places = model.transform(new)
    np.testing.assert_array_equal(model.transform(new.toarray()), places)
    np.testing.assert_array_equal(model.transform(table[:50]), model.embedding_[:50])
    np.testing.assert_array_equal(np.vstack([model.transform(new[[row]]) for row in range(30)]), places)
    save_model(tmp_path / "model.npz", model)
    again = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.transform(new), places)
    assert again.pca_components_ is None


def test_columns_of_sparse_rows_weigh_alike(rng):
    table = texts(rng)
    units = sparse.csr_array(table.toarray() * np.geomspace(1e-3, 1e3, 400))
    here, there = (ListwiseTETE(standardize=True, random_state=0, max_iter=5).fit(some) for some in (table, units))
    found, expected = (each.placer_.points.table.toarray() for each in (there, here))
    np.testing.assert_allclose(np.sort(found.sum(axis=1)), np.sort(expected.sum(axis=1)), rtol=1e-4)


def test_sparse_rows_too_large_to_be_placed_are_named(rng):
    model = ListwiseTETE(random_state=0, max_iter=5).fit(texts(rng))
    new = texts(np.random.default_rng(5), 3)
    new.data[:] = np.where(np.repeat(np.arange(3), np.diff(new.indptr)) == 1, 1e300, new.data)
    with pytest.raises(ValueError, match="Row 1 of `X` cannot be placed"):
        model.transform(new)
