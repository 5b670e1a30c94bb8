import numpy as np
import pytest

from tete.core.threads import SERIAL
from tete.reduction.listwise.affinities import Affinities
from tete.reduction.listwise.problem import CANDIDATES, PRESETS, ListwiseRecipe, preset_of
from tete.reduction.listwise.surface import Surface
from tete.reduction.merged_rows import merge_rows


def recipe(**options):
    preset = PRESETS["fast"]._replace(max_iter=30)
    settings = {"preset": preset, "n_neighbors": 5, "keep_surfaces": True, "learning_rate": "auto"}
    return ListwiseRecipe(**(settings | options))


def rows_of(table, rng):
    settings = {"metric": "euclidean", "pca_components": None, "n_neighbors": lambda _: recipe().n_candidates}
    return merge_rows(table, **settings, rng=rng, workers=SERIAL)


def test_points_without_a_surface_have_their_affinities(rng):
    rows = rows_of(rng.normal(size=(200, 8)), rng)
    problem = recipe().problem(rows, np.ones(200), 3, SERIAL)
    assert isinstance(problem.objective.affinities, Affinities)
    assert problem.objective.affinities.indices.shape == (200, 5)
    np.testing.assert_allclose(problem.kappa, 200 / (3 * 5), rtol=1e-6)


def test_a_surface_has_fewer_competitors_and_farther_neighbours(rng):
    sheet = np.column_stack([rng.uniform(size=(1500, 2)) * 10.0, np.zeros(1500)])
    rows = rows_of(sheet, rng)
    problem = recipe().problem(rows, np.ones(1500), 3, SERIAL)
    assert isinstance(problem.objective.affinities, Surface)
    assert 15.0 <= problem.kappa.min() < 0.5 * 1500 / (3 * 5)
    plain = recipe(keep_surfaces=False).problem(rows, np.ones(1500), 3, SERIAL)
    assert isinstance(plain.objective.affinities, Affinities)
    np.testing.assert_allclose(plain.kappa, 1500 / (3 * 5))


def test_surfaces_have_the_iterations_they_need(rng):
    sheet = np.column_stack([rng.uniform(size=(1500, 2)) * 10.0, np.zeros(1500)])
    cloud = rng.normal(size=(1500, 8))
    sheets, clouds = rows_of(sheet, rng), rows_of(cloud, rng)
    default = recipe(preset=PRESETS["default"])

    def iterations(recipe, rows):
        return recipe.problem(rows, np.ones(len(rows)), 3, SERIAL).max_iter

    assert (iterations(default, sheets), iterations(default, clouds)) == (200, 110)
    assert iterations(recipe(preset=PRESETS["high"]), sheets) == PRESETS["high"].max_iter
    assert iterations(recipe(preset=PRESETS["default"], keep_surfaces=False), sheets) == 110
    mixed = rows_of(np.vstack([np.pad(sheet[:500], ((0, 0), (0, 5))), 20.0 + cloud]), rng)
    assert iterations(default, mixed) == 110


@pytest.mark.parametrize("learning_rate", ["auto", 0.05])
def test_neighbours_come_nearer_and_the_placer_keeps_what_it_needs(rng, learning_rate):
    rows = rows_of(rng.normal(size=(150, 6)), rng)
    problem = recipe(learning_rate=learning_rate).problem(rows, np.ones(150), 3, SERIAL)
    start = rng.normal(size=(150, 2)).astype(np.float32)
    minimum = problem.minimize(start, None)
    assert (len(minimum.history), minimum.embedding.shape) == (30, (150, 2))
    near = problem.objective.affinities.indices

    def share_of_spread(places):
        apart = np.linalg.norm(places[:, None] - places[near], axis=2).mean()
        return apart / np.linalg.norm(places - places.mean(axis=0), axis=1).mean()

    assert share_of_spread(minimum.embedding) < share_of_spread(start)
    placer = problem.placer(minimum.embedding.astype(np.float32))
    assert (placer.n_neighbors, placer.n_pool, placer.stream, placer.seed) == (5, 5 * CANDIDATES, 30, 3)
    np.testing.assert_array_equal(placer.kappa, problem.kappa)


@pytest.mark.parametrize("n_components", [2, 4])
def test_a_warm_up_runs_the_loops(n_components):
    recipe().warm_up(n_components)


def test_the_step_grows_and_falls():
    recipes = [recipe(preset=PRESETS[quality]) for quality in ("default", "high")]
    assert [each.n_ramp for each in recipes] == [22.0, 22.0]
    default, high = ([each.step(k / each.max_iter) for k in range(each.max_iter)] for each in recipes)
    np.testing.assert_allclose(default[:56], high[:56])
    assert default[0] == pytest.approx(1 / 22)
    assert max(default) == default[20] == high[125] == 1.0
    assert np.all(np.diff(default[56:]) < 0)
    assert np.all(np.diff(high[126:]) < 0)
    assert high[-1] == pytest.approx(1 / 125)
    assert recipe().n_ramp == pytest.approx(6.0)  # of 30 iterations
    assert recipe().n_full == 15.0
    few = recipe(preset=preset_of("high", 100)._replace(max_iter=100))
    assert (few.n_ramp, few.n_full, few.n_untempered) == (20.0, 50.0, 50.0)
    assert recipes[1].n_untempered == 0


@pytest.mark.parametrize("n_rows", [100, 10_000])
def test_high_quality_begins_as_the_default_does(n_rows):
    default, high = preset_of("default", n_rows), preset_of("high", n_rows)
    assert high._replace(max_iter=default.max_iter, t=default.t) == default
    assert default.n_full == default.n_untempered == default.max_iter / 2
    assert high.max_iter >= 2 * default.max_iter
    assert high.t >= default.t


@pytest.mark.parametrize("kind", ["cloud", "sheet"])
def test_high_quality_is_on_the_way_where_the_default_is(rng, kind):
    table = rng.normal(size=(600, 8))
    if kind == "sheet":
        table[:, 2:] = 0.0
    rows = rows_of(table, rng)
    start = table[:, :2].astype(np.float32)

    def maps(quality):
        preset = preset_of(quality, 10_000)
        shown = []
        problem = recipe(preset=preset).problem(rows, np.ones(600), 3, SERIAL)
        problem.minimize(start, lambda iteration, value, embedding: shown.append(embedding) or iteration > 252)
        return shown

    default, high = maps("default"), maps("high")
    np.testing.assert_array_equal(default[249], high[249])
    assert np.any(default[251] != high[251])


def test_small_tables_have_more_iterations():
    assert preset_of("default", 20_000).max_iter > preset_of("default", 20_001).max_iter
    assert preset_of("high", 1_000_000) == PRESETS["high"]


def test_more_neighbours_are_kept_of_few_rows(rng):
    assert (preset_of("default", 5_000).width, preset_of("default", 5_001).width) == (2, 1)
    wide = recipe(preset=preset_of("fast", 100)._replace(max_iter=30))
    assert (wide.n_pool, recipe().n_pool) == (20, 10)
    for n_rows, kept, kappa in ((100, 10, 100 * 2.5 / 30), (48, 8, 48 * 2.5 / 24), (24, 5, 24 / 15)):
        problem = wide.problem(rows_of(rng.normal(size=(n_rows, 8)), rng), np.ones(n_rows), 3, SERIAL)
        assert problem.objective.affinities.indices.shape == (n_rows, kept)
        assert problem.placer(np.zeros((n_rows, 2), dtype=np.float32)).n_neighbors == kept
        np.testing.assert_allclose(problem.kappa, kappa, rtol=1e-6)
