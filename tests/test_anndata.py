import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph

import tete
from tete import ListwiseTETE, WeightedTETE
from tete.anndata import listwise, weighted
from tete.exceptions import InvalidParameterError
from tete.metrics import neighborhood_accuracy

anndata = pytest.importorskip(
    "anndata", reason="needs anndata, which needs pandas before 3: `make test-oldest` has both"
)


@pytest.fixture
def adata():
    """Digits for cells: a matrix, principal components, and neighbours as scanpy leaves them."""
    X, y = load_digits(n_class=4, return_X_y=True)
    found = anndata.AnnData(X[:200].astype(np.float32))
    found.obs["kind"] = [f"kind {each}" for each in y[:200]]
    found.obsm["X_pca"] = PCA(20, random_state=0).fit_transform(X[:200])
    found.obsp["distances"] = sparse.csr_matrix(kneighbors_graph(found.obsm["X_pca"], 14, mode="distance"))
    found.uns["neighbors"] = {"params": {"n_neighbors": 15}, "distances_key": "distances"}
    return found


@pytest.mark.parametrize(("tool", "estimator"), [(listwise, ListwiseTETE), (weighted, WeightedTETE)])
def test_the_map_is_that_of_the_estimator(adata, tool, estimator):
    assert tool(adata) is None
    expected = estimator(random_state=0).fit(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_tete"], expected.embedding_)
    assert adata.uns["tete"]["params"]["method"] == tool.__name__
    assert adata.uns["tete"]["params"]["use_rep"] == "X_pca"
    assert adata.uns["tete"]["loss"] == expected.loss_
    known = estimator(random_state=0, precomputed_knn=adata.obsp["distances"]).fit(adata.obsm["X_pca"])
    tool(adata, neighbors_key="neighbors", key_added="X_known")
    np.testing.assert_array_equal(adata.obsm["X_known"], known.embedding_)
    assert adata.uns["known"]["params"]["neighbors_key"] == "neighbors"


def test_the_matrix_itself_or_nothing_but_the_graph(adata):
    adata.X = sparse.csr_matrix(adata.X)
    listwise(adata, use_rep="X", n_components=3)
    assert adata.obsm["X_tete"].shape == (200, 3)
    listwise(adata, use_rep=None, neighbors_key="neighbors", key_added="graph")
    assert neighborhood_accuracy(adata.obsm["graph"], adata.obs["kind"].to_numpy()) > 0.9
    weighted(adata, use_rep=None, neighbors_key="neighbors", weights="uniform")
    with pytest.raises(InvalidParameterError, match="`weights` must be 'uniform' when `X` is a graph"):
        weighted(adata, use_rep=None, neighbors_key="neighbors")


def test_graphs_under_another_key(adata):
    adata.uns["close"] = {"distances_key": "close_distances"}
    adata.obsp["close_distances"] = adata.obsp["distances"]
    listwise(adata, neighbors_key="neighbors", key_added="X_one")
    listwise(adata, neighbors_key="close", key_added="X_two")
    np.testing.assert_array_equal(adata.obsm["X_one"], adata.obsm["X_two"])


def test_a_copy_leaves_the_cells_alone(adata):
    found = listwise(adata, copy=True, quality="fast")
    assert "X_tete" in found.obsm
    assert "X_tete" not in adata.obsm
    assert "tete" not in adata.uns


def test_what_is_written_is_read_again(adata, tmp_path):
    listwise(adata, quality="fast", random_state=None)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.obsm["X_tete"], adata.obsm["X_tete"])
    assert again.uns["tete"]["params"]["quality"] == "fast"
    assert "random_state" not in again.uns["tete"]["params"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"use_rep": "X_scvi"}, r"`use_rep` must be 'X' .* or a key of `adata.obsm` \('X_pca'\), got 'X_scvi'"),
        ({"neighbors_key": "near"}, "`neighbors_key` must be a key of `adata.uns` .*, got 'near'"),
        ({"neighbors_key": "lost"}, "`adata.obsp` must have the distances 'gone' of `neighbors_key` 'lost', got none"),
        ({"use_rep": None}, "`use_rep` may be None only with a `neighbors_key`, got None for both"),
        ({"n_neighbors": 0}, "`n_neighbors` must be"),
    ],
)
def test_what_is_not_there_is_said(adata, parameters, message):
    adata.uns["lost"] = {"distances_key": "gone"}
    with pytest.raises(InvalidParameterError, match=message):
        listwise(adata, **parameters)
    assert "X_tete" not in adata.obsm


def test_other_objects_are_refused(rng):
    with pytest.raises(InvalidParameterError, match="`adata` must be an AnnData object, got ndarray"):
        tete.anndata.listwise(rng.normal(size=(5, 2)))


def test_real_cells(data_folder):
    path = data_folder / "pbmc700" / "pbmc68k_reduced.h5ad"
    if not path.exists():
        pytest.skip("needs the cells pbmc700")
    with warnings.catch_warnings():  # the file is of an early version of the format
        warnings.simplefilter("ignore")
        cells = anndata.read_h5ad(path)
    listwise(cells)
    listwise(cells, neighbors_key="neighbors", key_added="X_known")
    kinds = cells.obs["bulk_labels"].to_numpy()
    umap = neighborhood_accuracy(cells.obsm["X_umap"], kinds)
    assert neighborhood_accuracy(cells.obsm["X_tete"], kinds) > umap - 0.02
    assert neighborhood_accuracy(cells.obsm["X_known"], kinds) > umap - 0.02
