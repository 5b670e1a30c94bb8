"""Placers: frozen values with everything that placing needs, through arrays and back.

These are of `reduction.listwise.placer` and `reduction.weighted.placer` too.
"""

import dataclasses

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from tete import ListwiseTETE, WeightedTETE, load_model, save_model
from tete.core.threads import SERIAL
from tete.exceptions import InvalidFeaturesError, InvalidFileError
from tete.reduction.listwise.placer import ListwisePlacer
from tete.reduction.placer import NearestPlacer
from tete.reduction.search.cells import CellSearch
from tete.reduction.search.exact import FlatSearch
from tete.reduction.weighted.placer import WeightedPlacer

QUICK = {"max_iter": 10, "n_neighbors": 5, "random_state": 0}
KINDS = [(ListwiseTETE, ListwisePlacer), (WeightedTETE, WeightedPlacer)]


@pytest.fixture
def table(rng):
    return rng.normal(size=(90, 8))


@pytest.mark.parametrize(("estimator", "kind"), KINDS)
def test_transform_asks_the_placer(table, estimator, kind):
    model = estimator(**QUICK).fit(table[:60])
    assert type(model.placer_) is kind
    np.testing.assert_array_equal(model.placer_.place(table, SERIAL), model.transform(table))
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.placer_.places = None


@pytest.mark.parametrize(("estimator", "kind"), KINDS)
@pytest.mark.parametrize("options", [{}, {"metric": "cosine"}, {"metric": "manhattan"}, {"pca_components": 3}])
def test_arrays_are_all_there_is(table, estimator, kind, options):
    placer = estimator(**QUICK, **options).fit(table[:60]).placer_
    arrays = placer.to_arrays()
    assert all(isinstance(array, np.ndarray) and array.dtype.kind in "biufU" for array in arrays.values())
    restored = kind.from_arrays(arrays)
    np.testing.assert_array_equal(restored.place(table, SERIAL), placer.place(table, SERIAL))
    for name in arrays:
        with pytest.raises(InvalidFileError):  # nothing is kept that is not needed
            kind.from_arrays({other: array for other, array in arrays.items() if other != name})


def test_the_weights_of_all_readings_come_back(table):
    for options in ({"weights": "log"}, {"weights": "uniform"}, {"triplets": "paired"}, {"t": 1.5, "t_prime": 1.2}):
        placer = WeightedTETE(**QUICK, **options).fit(table[:60]).placer_
        restored = WeightedPlacer.from_arrays(placer.to_arrays())
        np.testing.assert_array_equal(restored.place(table, SERIAL), placer.place(table, SERIAL))


def test_given_distances_are_not_kept(table):
    distances = np.linalg.norm(table[:, None] - table[None, :60], axis=2)
    placer = ListwiseTETE(metric="precomputed", **QUICK).fit(distances[:60]).placer_
    assert max(array.size for array in placer.to_arrays().values()) == 120
    assert placer.points.table is None
    restored = ListwisePlacer.from_arrays(placer.to_arrays())
    np.testing.assert_array_equal(restored.place(distances, SERIAL), placer.place(distances, SERIAL))


def test_two_points_need_no_descent():
    with pytest.warns(UserWarning, match="`n_neighbors` is reduced"):
        placer = ListwiseTETE(random_state=0).fit([[0.0, 0.0], [1.0, 1.0]]).placer_
    assert isinstance(placer, NearestPlacer)
    restored = NearestPlacer.from_arrays(placer.to_arrays())
    np.testing.assert_array_equal(restored.place(np.array([[0.1, 0.0], [5.0, 5.0]]), SERIAL), placer.places)


def test_sparse_rows(table):
    rows = sparse.csr_array(np.where(table > 0.5, table, 0.0))
    placer = WeightedTETE(metric="manhattan", **QUICK).fit(rows[:60]).placer_
    restored = WeightedPlacer.from_arrays(placer.to_arrays())
    np.testing.assert_array_equal(restored.place(rows, SERIAL), placer.place(rows, SERIAL))


@pytest.mark.parametrize(("estimator", "kind"), KINDS)
def test_rows_beyond_all_numbers_are_named(table, estimator, kind):
    model = estimator(**QUICK).fit(table)
    for fitted, rows in ((model, table), (estimator(**QUICK).fit(table[:, :3]), table[:, :3])):  # two kinds of search
        far = rows[:4] + 0.1
        far[2] *= 1e60
        with pytest.raises(InvalidFeaturesError, match=r"Row 2 of `X` cannot be placed: .* \(1 such row\)"):
            fitted.transform(far)


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
def test_new_rows_of_a_graph_need_as_many_neighbours_as_the_fitted_ones(table, estimator):
    graph = kneighbors_graph(table, 12, mode="distance")
    options = {"weights": "uniform"} if estimator is WeightedTETE else {}
    model = estimator(metric="precomputed", n_neighbors=15, max_iter=5, random_state=0, **options).fit(graph)
    assert np.isfinite(model.transform(graph[:5])).all()


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize("flat_points", [10_000, 20])
def test_places_do_not_depend_on_batches_and_threads(monkeypatch, table, estimator, flat_points):
    monkeypatch.setattr("tete.reduction.search.exact.FLAT_POINTS", flat_points)
    monkeypatch.setattr("tete.reduction.search.exact.NEARLY_ALL", 2.0)
    model = estimator(**QUICK).fit(table[:60])
    assert isinstance(model.placer_.points.search, FlatSearch if flat_points > 60 else CellSearch)
    places, novelty = model.transform(table, return_novelty=True)
    for rows_at_once, rows_in_a_piece, n_jobs in ((7, 3, 1), (50, 64, 3), (1, 1, 2)):
        monkeypatch.setattr("tete.reduction.placer.ROWS_AT_ONCE", rows_at_once)
        monkeypatch.setattr("tete.reduction.placer.ROWS_IN_A_PIECE", rows_in_a_piece)
        others = model.set_params(n_jobs=n_jobs).transform(table, return_novelty=True)
        np.testing.assert_array_equal(others[0], places)
        np.testing.assert_array_equal(others[1], novelty)


def test_a_row_at_no_distance_does_not_look_at_the_rows_beside_it(monkeypatch, rng):
    """The metric sees only the first column, so that many different rows are at distance 0."""
    table = np.column_stack([np.repeat(np.arange(6.0), 10), rng.normal(size=60)])
    for estimator in (ListwiseTETE, WeightedTETE):
        model = estimator(metric="minkowski", metric_params={"p": 2, "w": [1.0, 0.0]}, **QUICK).fit(table)
        new = np.column_stack([[0.0, 1.0, 2.5, 2.75], rng.normal(size=4)])
        together = model.transform(new)
        np.testing.assert_array_equal([model.transform(row[None])[0] for row in new], together)


def test_a_loaded_model_is_ready(tmp_path, table):
    save_model(tmp_path / "model.npz", ListwiseTETE(**QUICK).fit(table))
    placer = load_model(tmp_path / "model.npz").placer_
    assert placer.points.search._blocks is not None
    assert "surroundings" in vars(placer)


def test_lost_rows_are_numbered_among_all(monkeypatch, table):
    monkeypatch.setattr("tete.reduction.placer.ROWS_AT_ONCE", 20)
    model = WeightedTETE(**QUICK).fit(table)
    rows = np.vstack([table, np.full((1, 8), 1e200)])
    with pytest.raises(InvalidFeaturesError, match="Row 90 of `X` cannot be placed"):
        model.transform(rows)
