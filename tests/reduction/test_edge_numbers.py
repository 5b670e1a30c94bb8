"""Finite features give finite maps, losses and places, or one clear error: numbers at the edge of what there is."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import pairwise_distances

from tete import ListwiseTETE, WeightedTETE, load_model, save_model
from tete.exceptions import InvalidFeaturesError, InvalidParameterError

BOTH = pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
TABLE = np.random.default_rng(0).normal(size=(60, 5))


def fitted(estimator, X, **options):
    model = estimator(random_state=0, max_iter=8, **options).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.loss_)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)
    return model


@BOTH
@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"metric": "cosine"}, {"pca_components": 2}], ids=str)
def test_columns_of_very_different_sizes(estimator, options):
    fitted(estimator, TABLE * 10.0 ** np.array([-174, -90, 0, 50, 96]), **options)
    fitted(estimator, TABLE * 10.0 ** np.array([-300, -90, 0, 150, 300]), **options)
    fitted(estimator, csr_array(TABLE * 10.0 ** np.array([-310, -300, 0, 150, 300])), **options)


@BOTH
@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-150, 1e150, 1e300])
def test_tables_of_any_size(estimator, size):
    for kind in (np.asarray, csr_array):
        fitted(estimator, kind(TABLE * size))
        fitted(estimator, kind(TABLE * size), standardize=True)
        fitted(estimator, kind(TABLE * size), pca_components=2)


@BOTH
def test_constant_tables_of_many_columns(estimator):
    for kind in (np.asarray, csr_array):
        fitted(estimator, kind(np.zeros((30, 60))))
        fitted(estimator, kind(np.where(np.arange(60) == 3, 1.0, TABLE[:, :1] * 1e-240)))
        for size in (1e-44, 1e-20):  # less than rounding beside the largest number
            X = kind(np.where(np.arange(60) == 3, 1.0, np.tile(TABLE, 12) * size))
            assert np.isfinite(estimator(random_state=0, max_iter=8).fit_transform(X)).all()


@BOTH
@pytest.mark.parametrize("kind", [np.float16, np.longdouble, ">f4", ">f8", ">i2", bool, np.int8])
def test_other_types_of_numbers_are_taken_without_a_word(estimator, kind):
    X = (TABLE * 20).astype(kind)
    for options in ({}, {"standardize": True}, {"pca_components": 3}, {"metric": "manhattan"}, {"metric": "cosine"}):
        fitted(estimator, X, **options)
    if kind is np.float16:
        fitted(estimator, (TABLE * 15_000).astype(kind))  # sums are beyond its numbers


@BOTH
@pytest.mark.parametrize("factor", [1e20, 1e200])
@pytest.mark.parametrize("width", [5, 80])
def test_new_rows_that_are_far_too_large_are_named(estimator, factor, width):
    X = np.random.default_rng(1).normal(size=(60, width))
    model = estimator(random_state=0, max_iter=5).fit(X)
    new = np.concatenate([X[:2], X[2:4] * factor])
    with pytest.raises(InvalidFeaturesError, match=r"Row 2 of `X` cannot be placed: .*too large.* \(2 such rows\)"):
        model.transform(new)
    by_angle = estimator(metric="cosine", random_state=0, max_iter=5).fit(X)
    np.testing.assert_allclose(by_angle.transform(new), by_angle.embedding_[:4], atol=1e-3)


@BOTH
def test_distances_of_any_size_or_one_sentence(estimator):
    for size in (1e-25, 1e30):
        fitted(estimator, TABLE * size, metric="manhattan")
        fitted(estimator, pairwise_distances(TABLE) * size, metric="precomputed")
    for size in (1e-40, 1e60):
        for X, metric in ((TABLE * size, "manhattan"), (pairwise_distances(TABLE) * size, "precomputed")):
            with pytest.raises(InvalidFeaturesError, match=r"The largest distance in `X` must be from 1e-30 to 1e\+38"):
                estimator(metric=metric, random_state=0).fit(X)


def test_clusters_so_far_apart_that_distances_between_them_are_cut_off():
    X = TABLE.copy()
    X[30:] = 1e45 * (1.0 + 1e-9 * TABLE[30:])
    fitted(WeightedTETE, X, metric="manhattan", n_neighbors=5)


@BOTH
def test_rows_without_any_distance_are_counted(estimator):
    X = TABLE.copy()
    X[7] = 2.0
    with pytest.raises(
        InvalidFeaturesError, match=r"By the metric 'correlation' there is no distance .* for 1 of the rows"
    ):
        estimator(metric="correlation").fit(X)
    model = estimator(metric="correlation", random_state=0, max_iter=3).fit(TABLE)
    with pytest.raises(InvalidFeaturesError, match=r"Row 0 of `X` cannot be placed: its distances .* by 'correlation'"):
        model.transform(X[7:8])


@pytest.mark.parametrize("kind", [">f8", np.longdouble, np.float16, bool])
def test_models_of_other_types_of_numbers_can_be_read_again(kind, tmp_path):
    X = TABLE.astype(kind)
    model = ListwiseTETE(metric="manhattan", random_state=0, max_iter=3).fit(X)
    save_model(tmp_path / "model.npz", model)
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").transform(X), model.embedding_)


def test_parameters_beyond_single_precision_are_refused():
    with pytest.raises(InvalidParameterError, match="`weight_bias` must be in"):
        WeightedTETE(weight_bias=1e300).fit(TABLE)
    with pytest.raises(InvalidParameterError, match="`init` must be from"):
        ListwiseTETE(init=1e20 * TABLE[:, :2]).fit(TABLE)
