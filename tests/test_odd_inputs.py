"""Whatever comes in, what comes out is finite or an error of our own: no raw warning, no foreign error, no NaN."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import tete
from odd_inputs import answers, as_triplets, numbers, tables
from tete import CKL, GNMDS, SOE, STE, TETE, TSTE, ListwiseTETE, WeightedTETE
from tete.exceptions import InvalidFeaturesError, TeteError, TeteWarning
from tete.reduction.metric_names import known_metrics

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (TeteWarning, ConvergenceWarning)
]
REDUCTIONS = pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
EMBEDDINGS = st.sampled_from([TETE, TETE, STE, TSTE, CKL, GNMDS, SOE])


def assert_finite(*results):
    for values in results:
        assert np.isfinite(np.asarray(values, dtype=float)).all()


@REDUCTIONS
@given(X=tables(), standardize=st.booleans(), cosine=st.booleans(), n_components=st.integers(1, 3))
def test_tables_of_any_kind(estimator, X, standardize, cosine, n_components):
    metric = "cosine" if cosine and not standardize else "euclidean"
    model = estimator(n_components, standardize=standardize, metric=metric, max_iter=4, random_state=0, n_jobs=1)
    try:
        model.fit(X)
    except TeteError:
        return
    assert_finite(model.embedding_, model.loss_)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


@REDUCTIONS
@given(X=numbers(), metric=st.sampled_from(sorted(set(known_metrics()) - {"precomputed"})))
def test_metrics_of_any_kind(estimator, X, metric):
    width = X.shape[1]
    parameters = {"seuclidean": {"V": np.full(width, 2.0)}, "mahalanobis": {"VI": np.eye(width)}}.get(metric)
    with suppress(TeteError):
        model = estimator(metric=metric, metric_params=parameters, max_iter=3, random_state=0, n_jobs=1).fit(X)
        assert_finite(model.embedding_, model.loss_)
        assert_finite(model.transform(X[::-1]))


@REDUCTIONS
@given(X=numbers(), factor=st.sampled_from([1.001, -3.0, 1e-20, 1e20, 1e200]))
def test_new_rows_of_any_size_get_a_place_or_are_named(estimator, X, factor):
    model = estimator(max_iter=3, random_state=0, n_jobs=1).fit(X)
    with np.errstate(over="ignore"):
        new = X * factor
    with suppress(InvalidFeaturesError):
        assert_finite(model.transform(new))


@given(details=answers(), kind=EMBEDDINGS, n_components=st.integers(1, 3), ridge=st.sampled_from([3e-4, 0.0, 1.0]))
def test_answers_of_any_kind(details, kind, n_components, ridge):
    try:
        triplets = as_triplets(details)
        model = kind(n_components, ridge=ridge, max_iter=30, n_jobs=1).fit(triplets)
    except TeteError:
        return
    assert_finite(model.embedding_, model.loss_, model.score(triplets), model.margins(triplets))


@given(details=answers(), task=st.sampled_from(["trust", "suggest", "position_uncertainty"]))
def test_judgements_of_answers_of_any_kind(details, task):
    with suppress(TeteError):
        triplets = as_triplets(details)
        model = TETE(max_iter=10, n_jobs=1).fit(triplets)
        if task == "trust":
            report = tete.trust(model, triplets, n_folds=2)
            assert_finite(report.probability_wrong, report.wrong_share)
            assert str(report)
        elif task == "suggest":
            assert_finite(tete.suggest(model, triplets, n_questions=3)["bits"])
        else:
            sure = tete.position_uncertainty(model, triplets, n_replicates=10)
            assert_finite(0.0 if sure.no_stability else sure.stability)
