import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import manifold
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from reference_reduction import exact_neighbors
from tete.exceptions import InvalidParameterError
from tete.metrics.neighborhoods import global_score, neighborhood_recall, random_triplet_accuracy, trustworthiness


@pytest.fixture(scope="module")
def data():
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500], PCA(2, random_state=0).fit_transform(X[:500])


def test_recall_is_the_share_of_common_neighbours(data):
    X, _, Y = data
    true, found = exact_neighbors(X, 15)[0], exact_neighbors(Y, 15)[0]
    expected = np.mean([len(np.intersect1d(*pair)) for pair in zip(true, found, strict=True)]) / 15
    assert neighborhood_recall(X, Y, n_samples=None) == pytest.approx(expected, abs=1e-3)
    assert neighborhood_recall(X, Y, n_samples=250) == pytest.approx(expected, abs=0.05)
    assert neighborhood_recall(Y, Y, n_samples=None) == 1.0
    for n_samples in (None, 250):
        assert neighborhood_recall(X, Y, n_samples=n_samples, true_neighbors=true) == pytest.approx(
            neighborhood_recall(X, Y, n_samples=n_samples), abs=1e-3
        )
    with pytest.raises(InvalidParameterError, match=r"`true_neighbors` must have shape \(.*, 15\), got"):
        neighborhood_recall(X, Y, true_neighbors=true[:, :3])


def test_trustworthiness_equals_that_of_scikit_learn(data):
    X, _, Y = data
    expected = manifold.trustworthiness(X, Y, n_neighbors=10)
    assert trustworthiness(X, Y, n_neighbors=10, n_samples=None) == pytest.approx(expected, abs=1e-3)
    with pytest.raises(InvalidParameterError, match="`n_neighbors` must be below 250, half the rows, got 300"):
        trustworthiness(X, Y, n_neighbors=300)


def test_random_triplets(data):
    X, _, Y = data
    assert random_triplet_accuracy(Y, 3 * Y + 1) == pytest.approx(1.0, abs=1e-3)
    assert random_triplet_accuracy(X, np.random.default_rng(0).normal(size=(500, 2))) == pytest.approx(0.5, abs=0.02)
    assert random_triplet_accuracy(X, Y, random_state=1) == random_triplet_accuracy(X, Y, random_state=1)


def test_global_score_is_one_for_principal_components(data):
    X, _, Y = data
    assert global_score(X, Y) == pytest.approx(1.0, abs=1e-4)
    assert global_score(X, Y @ [[2.0, 1.0], [0.0, 3.0]]) == pytest.approx(1.0, abs=1e-4)
    centered, map_centered = X - X.mean(axis=0), np.tanh(Y) - np.tanh(Y).mean(axis=0)
    back = np.linalg.lstsq(map_centered, centered, rcond=None)[0]
    error, least = (
        np.sum((centered - Z @ A) ** 2)
        for Z, A in ((map_centered, back), (Y, np.linalg.lstsq(Y, centered, rcond=None)[0]))
    )
    assert global_score(X, np.tanh(Y)) == pytest.approx(np.exp(-(error - least) / least), rel=1e-3)


def test_sparse_features_and_many_dimensions(data):
    X, _, Y = data
    # Sparse and dense rows are multiplied in different orders, so that ties among whole numbers break either way.
    assert neighborhood_recall(csr_array(X), Y) == pytest.approx(neighborhood_recall(X, Y), abs=2e-3)
    assert neighborhood_recall(X, X[:, :40], n_samples=None) > 0.5


@pytest.mark.parametrize("metric", [neighborhood_recall, trustworthiness, random_triplet_accuracy, global_score])
def test_rows_must_match(data, metric):
    with pytest.raises(InvalidParameterError, match="`embedding` must have 500 rows like `X`, got 9"):
        metric(data[0], data[2][:9])
