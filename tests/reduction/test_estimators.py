"""The estimators and, through them, `reduction.feature_map` and `reduction.points`."""

import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.spatial import procrustes
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors, kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from tete import ListwiseTETE, WeightedTETE
from tete.core.optimization import StopReason
from tete.exceptions import FewRowsWarning, InvalidFeaturesError, InvalidParameterError, MemoryNeedWarning
from tete.metrics.classes import neighborhood_accuracy
from tete.reduction import feature_map
from tete.reduction.listwise import problem

BOTH = pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(digits):
    return {kind: kind(random_state=0, max_iter=100).fit(digits[0][:1500]) for kind in (ListwiseTETE, WeightedTETE)}


def blobs(n=90, n_features=6):
    return make_blobs(n, n_features, centers=3, random_state=0)


WEIGHTS_ARE_NOT_REPEATS = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a weight says how much the row's own neighbourhood counts: a row of weight 0 is still a neighbour of others",
)


@pytest.mark.filterwarnings("ignore::tete.exceptions.FewRowsWarning")
@parametrize_with_checks(
    [ListwiseTETE(max_iter=10, random_state=0), WeightedTETE(max_iter=10, random_state=0)],
    expected_failed_checks=lambda estimator: WEIGHTS_ARE_NOT_REPEATS,
)
def test_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


# Quality ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("estimator", "least"), [(ListwiseTETE, 0.97), (WeightedTETE, 0.92)])
def test_digits_come_out_by_class(digits, estimator, least):
    embedding = estimator(random_state=0).fit_transform(digits[0])
    assert neighborhood_accuracy(embedding, digits[1]) > least


@pytest.mark.parametrize("quality", ["fast", "default", "high"])
def test_presets_and_what_overrides_them(quality):
    X, y = blobs()
    model = ListwiseTETE(quality=quality, random_state=0).fit(X)
    assert model.n_iter_ == {"fast": 200, "default": 500, "high": 1000}[quality]
    assert neighborhood_accuracy(model.embedding_, y) == 1.0
    assert ListwiseTETE(quality=quality, max_iter=7, random_state=0).fit(X).n_iter_ == 7


def test_high_quality_refines_the_arrangement_of_the_default():
    X = load_digits().data[:600]
    default, high = (ListwiseTETE(quality=quality, random_state=0).fit_transform(X) for quality in ("default", "high"))
    assert procrustes(default, high)[2] < 0.05  # share of the squared distances left by turning and scaling


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_exaggeration_makes_groups_compact(n_components):
    X, y = blobs()

    def spread_inside(exaggeration):
        model = ListwiseTETE(n_components, exaggeration=exaggeration, max_iter=100, random_state=0).fit(X)
        places = model.embedding_ / model.embedding_.std()
        new = model.transform(X + 1e-3) / model.embedding_.std()
        assert np.median(np.linalg.norm(new - places, axis=1)) < 0.5
        return np.mean([places[y == label].std(axis=0).mean() for label in np.unique(y)])

    assert spread_inside(4.0) < 0.8 * spread_inside(1.0)


@pytest.mark.parametrize(
    "options",
    [
        {"triplets": "paired"},
        {"weights": "log"},
        {"weights": "uniform"},
        {"optimizer": "gradient_descent"},
        {"optimizer": "gradient_descent", "learning_rate": 0.01, "init": "random"},
        {"t": 1.5},
        {"t": 2.0, "t_prime": 1.5},
        {"t": 1.0},
        {"n_outliers": 5},
    ],
    ids=str,
)
def test_every_reading_of_the_paper_separates_blobs(options):
    X, y = blobs()
    model = WeightedTETE(random_state=0, **options).fit(X)
    assert neighborhood_accuracy(model.embedding_, y) > 0.95
    assert model.history_[-1] < model.history_[0]
    assert np.isfinite(model.transform(X + 0.01)).all()


@BOTH
@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_other_dimensions(estimator, n_components):
    X, y = blobs()
    model = estimator(n_components, random_state=0, max_iter=100).fit(X)
    assert model.embedding_.shape == (90, n_components)
    assert neighborhood_accuracy(model.embedding_, y) > 0.95
    assert model.transform(X[:3] + 0.01).shape == (3, n_components)


# The same result always --------------------------------------------------------------------------------------------


@BOTH
def test_the_number_of_threads_changes_no_bit(estimator, digits):
    maps = [estimator(random_state=3, max_iter=30, n_jobs=n_jobs).fit_transform(digits[0]) for n_jobs in (1, 2, 4)]
    np.testing.assert_array_equal(maps[0], maps[1])
    np.testing.assert_array_equal(maps[0], maps[2])


@BOTH
@pytest.mark.parametrize("options", [{}, {"n_components": 5}, {"t": 1.3, "learning_rate": 1.0}])
def test_code_that_is_loaded_on_another_thread_changes_nothing(monkeypatch, digits, estimator, options):
    X, calls = digits[0][:300], []
    monkeypatch.setattr(feature_map, "WORTH_A_THREAD", 300)
    recipe = type(estimator()._recipe(300))
    warm_up = recipe.warm_up
    monkeypatch.setattr(recipe, "warm_up", lambda self, n: (calls.append(n), warm_up(self, n)))
    told = []
    settings = options | {"random_state": 3, "max_iter": 12, "callback": lambda iteration, *_: told.append(iteration)}
    warmed = estimator(**settings, n_jobs=2).fit_transform(X)
    assert calls == [options.get("n_components", 2)]
    np.testing.assert_array_equal(estimator(**settings, n_jobs=1).fit_transform(X), warmed)
    assert (len(calls), told) == (1, [*range(1, 13)] * 2)


def test_another_process_gives_the_same_bits():
    code = (
        "import hashlib; from sklearn.datasets import load_digits; from tete import ListwiseTETE\n"
        "map = ListwiseTETE(random_state=3, max_iter=30).fit_transform(load_digits().data)\n"
        "print(hashlib.sha256(map.tobytes()).hexdigest())"
    )
    run = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    assert run[0] == run[1]


@BOTH
def test_fitting_again_forgets_the_first_data(estimator):
    X, _ = blobs()
    other = np.random.default_rng(0).normal(size=(60, 4))
    model = estimator(random_state=0, max_iter=20)
    first = model.fit_transform(X)
    np.testing.assert_array_equal(model.fit(other).fit(X).embedding_, first)
    np.testing.assert_array_equal(clone(model).fit_transform(X), first)


@BOTH
def test_inputs_stay_untouched(estimator):
    X, _ = blobs()
    copy = X.copy()
    X.setflags(write=False)
    estimator(random_state=0, max_iter=10).fit(X).transform(X[:5])
    np.testing.assert_array_equal(X, copy)


# New rows ----------------------------------------------------------------------------------------------------------


@BOTH
def test_rows_of_the_fitted_table_get_their_own_places(fitted, digits, estimator):
    model = fitted[estimator]
    np.testing.assert_array_equal(model.transform(digits[0][:1500]), model.embedding_)


@BOTH
def test_new_rows_do_not_depend_on_each_other(fitted, digits, estimator):
    new = digits[0][1500:]
    together = fitted[estimator].transform(new)
    np.testing.assert_array_equal(fitted[estimator].transform(new[:7]), together[:7])
    np.testing.assert_array_equal(fitted[estimator].transform(new[::-1]), together[::-1])


@pytest.mark.parametrize(("estimator", "least"), [(ListwiseTETE, 0.93), (WeightedTETE, 0.88)])
def test_new_rows_land_among_their_class(fitted, digits, estimator, least):
    X, y = digits
    model = fitted[estimator]
    places = np.vstack([model.embedding_, model.transform(X[1500:])])
    near = NearestNeighbors(n_neighbors=5).fit(places[:1500]).kneighbors(places[1500:], return_distance=False)
    votes = np.array([np.bincount(y[row]).argmax() for row in near])
    assert np.mean(votes == y[1500:]) > least


@BOTH
def test_a_fitted_map_survives_pickling(fitted, digits, estimator):
    again = pickle.loads(pickle.dumps(fitted[estimator]))
    np.testing.assert_array_equal(
        again.transform(digits[0][1500:1520]), fitted[estimator].transform(digits[0][1500:1520])
    )


# Kinds of input ----------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float16, np.float64, list, pd.DataFrame, csr_array])
def test_any_table(estimator, kind):
    X = np.random.default_rng(0).integers(2, size=(40, 8))
    table = kind(X) if kind in (pd.DataFrame, csr_array) else X.tolist() if kind is list else X.astype(kind)
    model = estimator(random_state=0, max_iter=5, n_neighbors=5).fit(table)
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_array_equal(model.transform(table), model.embedding_)


@BOTH
def test_data_frames_in_and_out(estimator):
    frame = load_wine(as_frame=True).data
    model = estimator(random_state=0, max_iter=5).set_output(transform="pandas").fit(frame)
    result = model.transform(frame.head())
    assert list(result.columns) == [f"{estimator.__name__.lower()}{c}" for c in range(2)]
    assert list(model.feature_names_in_) == list(frame.columns)


@BOTH
@pytest.mark.parametrize("metric", ["cosine", "manhattan", "chebyshev", "correlation"])
def test_metrics(estimator, metric):
    X, y = blobs()
    model = estimator(random_state=0, metric=metric, max_iter=100).fit(X)
    assert neighborhood_accuracy(model.embedding_, y) > 0.9
    np.testing.assert_array_equal(model.transform(X[:5]), model.embedding_[:5])


@BOTH
def test_precomputed_distances_equal_features(estimator):
    X, y = blobs()
    distances = pairwise_distances(X)
    model = estimator(random_state=0, metric="precomputed", max_iter=100).fit(distances)
    assert neighborhood_accuracy(model.embedding_, y) > 0.95
    assert model.transform(pairwise_distances(X[:4] + 0.1, X)).shape == (4, 2)


def test_a_graph_of_neighbours():
    X, y = blobs()
    graph = kneighbors_graph(X, 35, mode="distance")
    embedding = ListwiseTETE(random_state=0, metric="precomputed").fit_transform(graph)
    assert neighborhood_accuracy(embedding, y) > 0.95
    edges, own = graph.tocoo(), np.arange(90)  # the same distances, and zeros to the rows themselves
    shuffled = np.random.default_rng(0).permutation(edges.nnz + 90)
    rows, columns = (np.append(ends, own)[shuffled] for ends in (edges.row, edges.col))
    entries = (np.append(edges.data, np.zeros(90))[shuffled], (rows, columns))
    again = ListwiseTETE(random_state=0, metric="precomputed").fit_transform(csr_array(entries, shape=graph.shape))
    np.testing.assert_array_equal(again, embedding)
    embedding = WeightedTETE(random_state=0, metric="precomputed", weights="uniform").fit_transform(graph)
    assert neighborhood_accuracy(embedding, y) > 0.95
    with pytest.raises(InvalidParameterError, match="`weights` must be 'uniform' when `X` is a graph"):
        WeightedTETE(metric="precomputed").fit(graph)


@BOTH
def test_known_neighbours_replace_the_search(estimator):
    X, _ = blobs()
    distances, indices = NearestNeighbors(n_neighbors=41).fit(X).kneighbors(X)
    with_self = estimator(random_state=0, max_iter=20, precomputed_knn=(indices, distances)).fit_transform(X)
    without = estimator(random_state=0, max_iter=20, precomputed_knn=(indices[:, 1:], distances[:, 1:]))
    np.testing.assert_array_equal(without.fit_transform(X), with_self)
    with pytest.raises(InvalidParameterError, match="`precomputed_knn` must be two arrays of one shape with 90 rows"):
        estimator(precomputed_knn=(indices[:5], distances[:5])).fit(X)
    with pytest.raises(
        InvalidParameterError, match="UMAP's three parts or a sparse graph of distances, got tuple of 4"
    ):
        estimator(precomputed_knn=(indices, distances, None, None)).fit(X)


@BOTH
def test_known_neighbours_as_other_programs_have_them(estimator):
    """UMAP's three parts; graphs of scikit-learn, with and without the rows themselves; scanpy's, a sparse array."""
    X, _ = blobs()
    distances, indices = NearestNeighbors(n_neighbors=41).fit(X).kneighbors(X)
    expected = estimator(random_state=0, max_iter=20, precomputed_knn=(indices, distances)).fit_transform(X)
    graph = kneighbors_graph(X, 40, mode="distance")
    with_own = KNeighborsTransformer(n_neighbors=40, mode="distance").fit_transform(X)
    for known in ((indices, distances, object()), graph, graph.tocoo(), with_own, csr_array(graph)):
        model = estimator(random_state=0, max_iter=20, precomputed_knn=known).fit(X)
        np.testing.assert_array_equal(model.embedding_, expected)
        assert np.isfinite(model.transform(X[:3] + 0.1)).all()


# Edges -------------------------------------------------------------------------------------------------------------


@BOTH
def test_equal_rows_share_one_place(estimator):
    X = np.repeat(blobs(60)[0], 10, axis=0)
    model = estimator(random_state=0, max_iter=50).fit(X)
    assert len(np.unique(model.embedding_, axis=0)) == 60
    np.testing.assert_array_equal(model.embedding_[::10], model.embedding_[9::10])


@BOTH
def test_constant_rows_are_one_point(estimator):
    model = estimator(random_state=0).fit(np.ones((40, 3)))
    assert not model.embedding_.any()
    assert model.stop_reason_ is StopReason.CONVERGED
    assert model.transform(np.ones((2, 3)) * 2).shape == (2, 2)


@BOTH
@pytest.mark.parametrize("n_rows", [2, 3, 4, 8])
def test_few_rows(estimator, n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    with pytest.warns(FewRowsWarning, match=f"reduced from .* to {n_rows - 1}, because there are {n_rows} rows"):
        model = estimator(random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert len(np.unique(model.embedding_, axis=0)) == n_rows
    assert np.isfinite(model.transform(X + 0.1)).all()


@BOTH
@pytest.mark.parametrize("factor", [1e-150, 1e-20, 1e20, 1e150])
def test_units_and_constant_columns_do_not_matter(estimator, factor):
    X = np.column_stack([blobs()[0], np.full(90, 3.0)])
    expected = estimator(random_state=0, max_iter=5).fit_transform(X)
    np.testing.assert_allclose(
        np.abs(estimator(random_state=0, max_iter=5).fit_transform(X * factor)), np.abs(expected), atol=0.05
    )


@BOTH
def test_bad_values_are_named(estimator):
    X, _ = blobs()
    X[17, 3] = np.nan
    with pytest.raises(InvalidFeaturesError, match="Row 17, column 3 of `X` is NaN"):
        estimator().fit(X)
    sparse = csr_array(np.where(np.isnan(X), np.inf, np.round(X, 0)))
    with pytest.raises(InvalidFeaturesError, match="Row 17, column 3 of `X` is infinity"):
        estimator().fit(sparse)
    with pytest.raises(ValueError, match="must have at least 2 rows, got 1"):
        estimator().fit(np.ones((1, 3)))


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (WeightedTETE, {"t": 2.5}, r"`t` must be in \[1, 2\], got 2.5."),
        (WeightedTETE, {"weights": "none"}, "`weights` must be 'paper', 'log' or 'uniform', got 'none'."),
        (WeightedTETE, {"n_outliers": 0}, "`n_outliers` must be a whole number from 1 to 10000, got 0."),
        (ListwiseTETE, {"quality": "best"}, "`quality` must be 'fast', 'default' or 'high', got 'best'."),
        (ListwiseTETE, {"exaggeration": 0.5}, r"`exaggeration` must be in \[1, 100\], got 0.5."),
        (ListwiseTETE, {"n_neighbors": 0}, "`n_neighbors` must be a whole number of at least 1, got 0."),
        (
            ListwiseTETE,
            {"pca_components": "all"},
            "`pca_components` must be 'auto', a whole number or None, got 'all'.",
        ),
        (ListwiseTETE, {"pca_components": 0}, "`pca_components` must be a whole number of at least 1, got 0."),
        (ListwiseTETE, {"metric": "nearness"}, "`metric` must be .*, got 'nearness'."),
        (ListwiseTETE, {"learning_rate": 0}, r"`learning_rate` must be in \(0, inf\), got 0."),
        (ListwiseTETE, {"n_jobs": 0}, "`n_jobs` must be a whole number other than 0, or None, got 0."),
        (WeightedTETE, {"callback": 3}, "`callback` must be callable or None, got 3."),
        (ListwiseTETE, {"init": np.ones((3, 2))}, r"`init` must have shape \(90, 2\)"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(estimator, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        estimator(**options).fit(blobs()[0])


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_a_map_that_overflows_ends_with_a_warning_and_finite_places(n_components):
    with pytest.warns(ConvergenceWarning, match="the objective was no longer finite"):
        model = ListwiseTETE(n_components, max_iter=20, random_state=0, learning_rate=1e20).fit(blobs()[0])
    assert model.stop_reason_ is StopReason.DIVERGED
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("width", [0, 1])
def test_given_neighbours_must_be_others(width):
    own = np.tile(np.arange(90)[:, None], width)
    with pytest.raises(InvalidParameterError, match="`precomputed_knn` must hold"):
        ListwiseTETE(precomputed_knn=(own, np.zeros(own.shape))).fit(blobs()[0])


@BOTH
def test_sample_weights(estimator):
    X, _ = blobs()
    plain = estimator(random_state=0, max_iter=20).fit_transform(X)
    equal = estimator(random_state=0, max_iter=20).fit_transform(X, sample_weight=np.full(90, 3.0))
    np.testing.assert_allclose(equal, plain, atol=1e-3)
    uneven = estimator(random_state=0, max_iter=20).fit_transform(X, sample_weight=np.arange(90))
    assert np.abs(uneven - plain).max() > 0.01
    with pytest.raises(InvalidParameterError, match="`sample_weight` must have 90 entries"):
        estimator().fit(X, sample_weight=[1.0])
    with pytest.raises(InvalidParameterError, match="`sample_weight` must be finite"):
        estimator().fit(X, sample_weight=-np.ones(90))


@BOTH
def test_a_callback_sees_the_map_and_can_stop(estimator):
    seen = []
    model = estimator(random_state=0, callback=lambda *what: seen.append(what) or len(seen) == 4)
    model.fit(blobs()[0])
    assert [iteration for iteration, _, _ in seen] == [1, 2, 3, 4]
    assert seen[0][2].shape == (90, 2)
    assert model.stop_reason_ is StopReason.CALLBACK
    assert model.n_iter_ == len(model.history_) == 4


@BOTH
def test_progress_names_the_stage(estimator, capsys):
    estimator(random_state=0, max_iter=3, verbose=True).fit(blobs()[0])
    assert f"{estimator.__name__}: map" in capsys.readouterr().err


def test_duplicates_keep_their_given_start():
    X = np.repeat(blobs(40)[0], 2, axis=0)
    start = np.random.default_rng(0).normal(size=(80, 2))
    model = ListwiseTETE(init=start, max_iter=1, learning_rate=1e-9, random_state=0).fit(X)
    expected = np.repeat(start[::2], 2, axis=0)
    np.testing.assert_allclose(model.embedding_, expected - expected.mean(axis=0), atol=1e-5)


@BOTH
def test_a_need_for_more_memory_than_there_is_is_said(estimator, monkeypatch):
    monkeypatch.setattr("tete.reduction.table_reading.os.sysconf", lambda name: 64)
    with pytest.warns(MemoryNeedWarning, match=r"About 0.0 GB are needed \(\d+ bytes a row\), but the machine has"):
        estimator(random_state=0, max_iter=2).fit(blobs()[0])


@BOTH
def test_the_memory_that_is_said_to_be_needed_is_about_what_is_used(estimator):
    X = blobs(20_000)[0].astype(np.float32)
    estimator(random_state=0, max_iter=2).fit(X[:500])  # compiles
    model = estimator(random_state=0, max_iter=30)
    tracemalloc.start()
    model.fit(X)
    used = tracemalloc.get_traced_memory()[1] / len(X)
    tracemalloc.stop()
    assert 0.6 < used / model._bytes_per_row(model._recipe(len(X)), X.shape[1]) < 1.1


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
def test_standardized_columns_weigh_alike(estimator, rng):
    X = rng.normal(size=(80, 4))
    units = np.array([1.0, 1000.0, 0.01, 7.0])
    options = {"standardize": True, "max_iter": 30, "random_state": 0}
    plain = estimator(**options).fit(X)
    scaled = estimator(**options).fit(X * units)
    np.testing.assert_allclose(scaled.column_spreads_, X.std(axis=0) * units)
    here = pairwise_distances(plain.embedding_)
    there = pairwise_distances(scaled.embedding_)
    assert np.corrcoef(here.ravel(), there.ravel())[0, 1] > 0.98
    np.testing.assert_array_equal(scaled.transform(X * units), scaled.embedding_)
    with pytest.raises(InvalidParameterError, match=r"`standardize` needs the metric 'euclidean', got 'cosine'"):
        estimator(standardize=True, metric="cosine").fit(X)


def test_equal_rows_leave_as_many_neighbours_to_choose_from(rng, monkeypatch):
    widths, found = [], problem.affinities

    def noted(pool, *others):
        widths.append((pool.indices.shape[1], others[2]))
        return found(pool, *others)

    monkeypatch.setattr(problem, "affinities", noted)
    few = rng.normal(size=(4000, 5)).astype(np.float32)
    for table in (few, np.concatenate([few, few[:1500]])):
        ListwiseTETE(random_state=0, max_iter=2, keep_surfaces=False, n_jobs=1).fit(table)
    assert widths == [(60, 30), (60, 30)]


@pytest.mark.parametrize("X", [np.array(5.0), np.float64(3), 3])
def test_a_number_is_no_table(X):
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array instead"):
        ListwiseTETE().fit(X)
