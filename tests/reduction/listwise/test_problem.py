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
    n_neighbors = recipe().n_candidates
    return merge_rows(table, metric="euclidean", pca_components=None, n_neighbors=n_neighbors, rng=rng, workers=SERIAL)


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


def test_the_step_grows_and_falls_and_all_qualities_begin_alike():
    recipes = [recipe(preset=PRESETS[quality]) for quality in ("default", "high")]
    assert [each.n_ramp for each in recipes] == [22.0, 22.0]
    default, high = ([each.step(k / each.max_iter) for k in range(each.max_iter)] for each in recipes)
    np.testing.assert_allclose(default[:22], high[:22])
    assert default[0] == pytest.approx(1 / 22)
    assert max(default) == default[20] == 1.0
    assert np.all(np.diff(default[56:]) < 0)
    assert recipe().n_ramp == pytest.approx(6.0)  # of 30 iterations


def test_small_tables_have_more_iterations():
    assert preset_of("default", 20_000).max_iter > preset_of("default", 20_001).max_iter
    assert preset_of("high", 1_000_000) == PRESETS["high"]
