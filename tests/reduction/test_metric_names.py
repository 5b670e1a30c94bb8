import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from tete import ListwiseTETE, WeightedTETE, load_model, save_model
from tete.core.threads import threads
from tete.exceptions import InvalidParameterError, TruthValuesWarning
from tete.reduction.metric_names import (
    METRIC_PARAMETERS,
    OF_TRUTH_VALUES,
    PROJECTED,
    check_metric,
    known_metrics,
    metric_arrays,
)
from tete.reduction.search.exact import MetricSearch

BOTH = pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
TABLE = np.random.default_rng(0).normal(size=(60, 3)) * [1.0, 5.0, 0.2]
PARAMETERS = {
    "minkowski": {"p": 3},
    "seuclidean": {"V": TABLE.var(axis=0)},
    "mahalanobis": {"VI": np.linalg.inv(np.cov(TABLE.T))},
}


def test_all_that_are_known_pass_and_no_others():
    for metric in known_metrics():
        check_metric(metric, PARAMETERS.get(metric))
    assert {*PROJECTED, *METRIC_PARAMETERS, "precomputed", "manhattan", "jaccard"} <= set(known_metrics())
    for metric in ("nan_euclidean", "nearness", None):
        with pytest.raises(InvalidParameterError, match="`metric` must be"):
            check_metric(metric)


@BOTH
@pytest.mark.parametrize("metric", sorted(set(known_metrics()) - {"precomputed"}))
def test_every_metric_that_is_offered_works(estimator, metric):
    table = TABLE > 0 if metric in OF_TRUTH_VALUES else np.tanh(TABLE[:, :2]) if metric == "haversine" else TABLE
    model = estimator(metric=metric, metric_params=PARAMETERS.get(metric), random_state=0, max_iter=5).fit(table)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(table[:5])).all()


@pytest.mark.parametrize("metric", ["mahalanobis", "seuclidean", "minkowski", "canberra"])
def test_threads_do_not_share_what_a_metric_writes(metric, rng):
    points = rng.normal(size=(2000, 6))
    parameters = {"mahalanobis": {"VI": np.linalg.inv(np.cov(points.T))}, "seuclidean": {"V": points.var(axis=0)}}
    parameters = parameters.get(metric, {})
    with threads(2) as workers:
        found = MetricSearch(points, metric, parameters).within(5, workers)
    expected = np.sort(cdist(points, points, metric, **parameters), axis=1)[:, 1:6]
    np.testing.assert_allclose(found.distances, expected, rtol=1e-5)


# Parameters of metrics -----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("metric", "parameters"),
    [*PARAMETERS.items(), ("minkowski", {"w": [1.0, 0.0, 2.0]}), ("minkowski", {"p": 1.5, "w": (1, 2, 3)})],
    ids=str,
)
def test_parameters_are_used_in_fitting_placing_and_files(estimator, metric, parameters, tmp_path):
    model = estimator(metric=metric, metric_params=parameters, random_state=0, max_iter=5).fit(TABLE)
    search = model.placer_.points.search
    new = TABLE[:9] + 0.01
    found = search.of(new, 4, workers=Serial())
    np.testing.assert_allclose(found.distances, np.sort(cdist(new, search.points, metric, **parameters))[:, :4], 1e-5)
    pairs = model.placer_.points.between(new)(np.arange(9), np.arange(9))
    np.testing.assert_allclose(pairs, np.diag(cdist(new, search.points[:9], metric, **parameters)), 1e-5)
    plain = estimator(metric="euclidean", random_state=0, max_iter=5).fit(TABLE)
    assert np.abs(model.embedding_ - plain.embedding_).max() > 1e-3
    save_model(tmp_path / "model.npz", model)
    restored = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(restored.transform(new), model.transform(new))
    assert restored.metric_params.keys() == parameters.keys()
    for name, value in parameters.items():
        np.testing.assert_array_equal(restored.metric_params[name], value)


class Serial:
    n_jobs = 1


@pytest.mark.parametrize(
    ("metric", "parameters", "match"),
    [
        ("seuclidean", None, "'seuclidean' needs `metric_params` with 'V', got None"),
        ("mahalanobis", {}, "'mahalanobis' needs `metric_params` with 'VI'"),
        ("euclidean", {"p": 2}, "`metric_params` of 'euclidean' must be None"),
        ("minkowski", {"power": 2}, "must have the entries 'p' and 'w', got {'power': 2}"),
        ("minkowski", [3], "must have the entries 'p' and 'w'"),
        ("minkowski", {"p": 0.5}, r"`metric_params\['p'\]` must be in \[1, inf\)"),
        ("minkowski", {"p": "two"}, r"`metric_params\['p'\]` must be numbers"),
        ("minkowski", {"w": [1, 1]}, r"`metric_params\['w'\]` must have the shape \(3,\), got \(2,\)"),
        ("minkowski", {"w": [1, -1, 1]}, "must not be negative"),
        ("seuclidean", {"V": [1, 0, 1]}, "must be positive, got 0"),
        ("seuclidean", {"V": [1, np.nan, 1]}, "must be finite"),
        ("mahalanobis", {"VI": np.triu(np.ones((3, 3)))}, "symmetric"),
        ("mahalanobis", {"VI": np.diag([1.0, 1.0, -1.0])}, "got the eigenvalue -1"),
    ],
)
def test_wrong_parameters_are_refused_by_name(metric, parameters, match):
    with pytest.raises(InvalidParameterError, match=match):
        ListwiseTETE(metric=metric, metric_params=parameters).fit(TABLE)


def test_numbers_of_parameters_are_not_the_users_arrays():
    variances = np.ones(3)
    arrays = metric_arrays({"V": variances}, 3)
    variances[0] = 7.0
    assert arrays["V"].tolist() == [1, 1, 1]


# True and false ------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("metric", sorted(set(OF_TRUTH_VALUES) & set(known_metrics())))
def test_metrics_of_truth_values_warn_once_in_one_sentence(estimator, metric):
    table = np.random.default_rng(1).poisson(0.7, size=(50, 8))
    with pytest.warns(TruthValuesWarning, match=f"The metric '{metric}' compares true and false values") as caught:
        model = estimator(metric=metric, random_state=0, max_iter=5).fit(table)
    assert len(caught) == 1
    truth = estimator(metric=metric, random_state=0, max_iter=5).fit(table > 0)  # no word is needed
    np.testing.assert_array_equal(model.embedding_, truth.embedding_)
    np.testing.assert_array_equal(model.transform(table), model.embedding_)


@pytest.mark.parametrize("metric", sorted(set(known_metrics()) - {*PROJECTED, "precomputed"}))
def test_neighbours_by_every_metric_are_the_nearest(metric):
    """Also by those that are no distances in the strict sense, on which trees err."""
    table = np.random.default_rng(2).poisson(0.8, size=(120, 6)) + (0 if metric in OF_TRUTH_VALUES else 0.1)
    table = table > 0 if metric in OF_TRUTH_VALUES else table + 0.01 * np.random.default_rng(3).random(table.shape)
    table = np.radians(table[:, :2]) if metric == "haversine" else table
    parameters = {"seuclidean": {"V": np.ones(6)}, "mahalanobis": {"VI": np.eye(6)}}.get(metric, {})
    found = MetricSearch(table, metric, parameters).within(20, Serial())
    distances = pairwise_distances(table, metric=metric, **parameters)
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(distances)[:, :20], atol=1e-6)
    assert np.all(found.indices != np.arange(120)[:, None])


def test_sparse_tables_take_some_metrics():
    for metric in ("manhattan", "l2"):
        ListwiseTETE(metric=metric, random_state=0, max_iter=3).fit(csr_array(TABLE))
    with pytest.raises(InvalidParameterError, match=r"`metric` must be one of .* for a sparse `X`, got 'chebyshev'"):
        ListwiseTETE(metric="chebyshev").fit(csr_array(TABLE))
