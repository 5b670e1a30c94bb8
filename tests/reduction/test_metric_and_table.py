import warnings

import numpy as np
import pytest
from numba import njit
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from tete import ListwiseTETE, WeightedTETE, save_model
from tete.exceptions import InvalidFeaturesError, InvalidParameterError, SlowMetricWarning
from tete.reduction import metric_and_table

BOTH = pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
TABLE = np.random.default_rng(0).normal(size=(60, 3))


def canberra(first, second, power=1.0):
    return float(np.sum(np.abs(first - second) ** power / (np.abs(first) + np.abs(second))))


@njit
def compiled_canberra(first, second):
    total = 0.0
    for c in range(len(first)):
        total += abs(first[c] - second[c]) / (abs(first[c]) + abs(second[c]))
    return total


# Functions -----------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("metric", [canberra, compiled_canberra], ids=["Python", "numba"])
def test_functions_compare_rows_like_the_metric_of_that_name(estimator, metric):
    named = estimator(metric="canberra", random_state=0, max_iter=10).fit(TABLE)
    own = estimator(metric=metric, random_state=0, max_iter=10).fit(TABLE)
    np.testing.assert_allclose(own.embedding_, named.embedding_, atol=1e-3)
    np.testing.assert_allclose(own.transform(TABLE[:9] + 0.01), named.transform(TABLE[:9] + 0.01), atol=1e-3)
    np.testing.assert_array_equal(own.transform(TABLE), own.embedding_)


def test_functions_get_their_parameters():
    model = ListwiseTETE(metric=canberra, metric_params={"power": 2.0}, random_state=0, max_iter=5).fit(TABLE)
    found = model.placer_.points.search.of(TABLE[:5], 3, workers=None)
    points = model.placer_.points.table
    expected = np.sort([[canberra(row, point, 2.0) for point in points] for row in TABLE[:5]])[:, :3]
    np.testing.assert_allclose(found.distances, expected, rtol=1e-5)
    with pytest.raises(InvalidParameterError, match=r"`metric_params` must be a dict or None, got \[2\]"):
        ListwiseTETE(metric=canberra, metric_params=[2]).fit(TABLE)


def test_functions_that_are_no_distances_are_refused():
    for wrong, match in (
        (lambda first: 0.0, "`metric` must take two rows and return a number: .* raised TypeError"),
        (lambda first, second: "far", "raised ValueError"),
        (lambda first, second: -1.0, "finite and not negative, got -1"),
        (lambda first, second: np.nan, "finite and not negative, got nan"),
    ):
        with pytest.raises(InvalidParameterError, match=match):
            ListwiseTETE(metric=wrong).fit(TABLE)
    with pytest.raises(InvalidParameterError, match="for a sparse `X`, got the function canberra"):
        ListwiseTETE(metric=canberra).fit(csr_array(TABLE))
    with pytest.raises(InvalidParameterError, match="`standardize` needs the metric 'euclidean', got the function"):
        ListwiseTETE(metric=canberra, standardize=True).fit(TABLE)


def test_functions_are_not_saved(tmp_path):
    model = ListwiseTETE(metric=canberra, random_state=0, max_iter=5).fit(TABLE)
    with pytest.raises(InvalidParameterError, match=r"cannot be saved: files hold no code, got the function canberra"):
        save_model(tmp_path / "model.npz", model)
    assert not list(tmp_path.iterdir())


def test_a_word_about_slow_functions(monkeypatch):
    monkeypatch.setattr(metric_and_table, "SLOW_SECONDS", 0.0)
    with pytest.warns(SlowMetricWarning, match=r"All pairs of 60 rows are 4e\+03 calls of `metric`.*numba.njit"):
        model = ListwiseTETE(metric=canberra, random_state=0, max_iter=5).fit(TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(TABLE)  # a few rows are no matter


# Great circles -------------------------------------------------------------------------------------------------------


@BOTH
def test_distances_on_the_globe(estimator, rng):
    """Neighbours along great circles are those along chords, which shorten no order."""
    places = np.column_stack([np.arcsin(rng.uniform(-1, 1, 80)), rng.uniform(-np.pi, np.pi, 80)])
    model = estimator(metric="haversine", random_state=0, max_iter=10).fit(places)
    latitude, longitude = model.placer_.points.table.T
    chords = np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )
    found = model.placer_.points.search.within(5, Serial())
    np.testing.assert_array_equal(found.indices, np.argsort(cdist(chords, chords), axis=1)[:, 1:6])
    assert np.isfinite(model.transform(places[:4] + 0.01)).all()


class Serial:
    n_jobs = 1


def test_other_tables_have_no_place_on_the_globe():
    with pytest.raises(InvalidFeaturesError, match="needs two columns, latitude and longitude in radians, got 3"):
        ListwiseTETE(metric="haversine").fit(TABLE)
    with pytest.raises(InvalidFeaturesError, match=r"Row 1 of `X` has the latitude 48.1.*numpy.radians.*\(2 such rows"):
        ListwiseTETE(metric="haversine").fit([[0.0, 0.0], [48.1, 11.6], [52.5, 13.4]])
