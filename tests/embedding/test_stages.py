import numpy as np
import pytest

from tete import TETE, Triplets
from tete.core.optimization import StopReason
from tete.core.threads import SERIAL
from tete.datasets import make_uniform_triplets
from tete.embedding.losses import TETELoss, UnitTETELoss
from tete.embedding.objective import ShardedTriplets
from tete.embedding.stages import Stage, minimize_in_stages, opened

STAGES = [Stage(UnitTETELoss(), 4), Stage(UnitTETELoss(), 2), Stage(TETELoss(2.0, 1.75), 2)]


def minimize(triplets, start, **options):
    settings = {"ridge": 3e-4, "max_iter": 200, "tol": 1e-6, "callback": None, **options}
    return minimize_in_stages(ShardedTriplets(triplets, 4, SERIAL), STAGES, start, **settings)


def test_it_ends_at_a_minimum_of_the_last_stage(clean_triplets, rng):
    minimum = minimize(clean_triplets, rng.normal(size=(30, 4)))
    assert minimum.embedding.shape == (30, 2)
    value, gradient = ShardedTriplets(clean_triplets, 4, SERIAL).objective(STAGES[-1].loss, 3e-4)(minimum.embedding)
    assert minimum.value == value
    assert np.abs(gradient).max() < 1e-3
    assert minimum.stop_reason is StopReason.CONVERGED


@pytest.mark.parametrize("max_iter", [1, 2, 7])
def test_iterations_are_shared_between_the_stages(clean_triplets, rng, max_iter):
    minimum = minimize(clean_triplets, rng.normal(size=(30, 4)), max_iter=max_iter)
    assert minimum.n_iter == max_iter
    assert minimum.stop_reason is StopReason.MAX_ITER


def test_the_callback_counts_on_and_sees_the_wanted_dimensions(clean_triplets, rng):
    seen = []

    def callback(iteration, value, embedding):
        seen.append(iteration)
        assert embedding.shape == (30, 2)
        return iteration == 5

    minimum = minimize(clean_triplets, rng.normal(size=(30, 4)), callback=callback)
    assert seen == [1, 2, 3, 4, 5]
    assert minimum.stop_reason is StopReason.CALLBACK
    assert minimum.embedding.shape == (30, 2)
    assert np.isfinite(minimum.value)


def widths(embedding):
    return np.linalg.svd(embedding - embedding.mean(axis=0), compute_uv=False)


def flat_case():
    """Nine objects of a plane whose map at t = t' = 2 is a line, and at t' = 1.5 none."""
    rng = np.random.default_rng(108)
    n_objects, n_answers = int(rng.integers(8, 21)), int(rng.integers(60, 401))
    points = rng.normal(size=(n_objects, 2))
    return make_uniform_triplets(points, n_answers, random_state=108)


def test_a_line_on_the_way_does_not_flatten_the_map():
    answers = flat_case()
    on_the_way, wanted = TETE(t=2, t_prime=2).fit(answers), TETE(t=2, t_prime=1.5).fit(answers)
    assert widths(on_the_way.embedding_)[1] < 0.01 * widths(on_the_way.embedding_)[0]
    assert widths(wanted.embedding_)[1] > 0.2 * widths(wanted.embedding_)[0]
    from_many = TETE(t=2, t_prime=1.5, init="random", n_init=10, random_state=0).fit(answers)
    assert wanted.loss_ == pytest.approx(from_many.loss_, rel=1e-4)


def test_a_flat_map_is_opened_and_any_other_is_left_alone(clean_triplets, rng):
    shards = ShardedTriplets(clean_triplets, 3, SERIAL)
    round_one = rng.normal(size=(30, 3))
    assert opened(round_one, shards) is round_one
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    flat = round_one * [2.0, 1.0, 1e-4]
    found = opened(flat @ turn, shards)
    np.testing.assert_allclose(np.sort(widths(found[:, :2])), np.sort(widths(flat[:, :2])), rtol=1e-6)
    size = np.linalg.norm(flat - flat.mean(axis=0))
    assert np.linalg.norm(found[:, 2]) == pytest.approx(0.3 * size, rel=1e-6)
    np.testing.assert_allclose(found[:, :2].T @ found[:, 2], 0.0, atol=1e-9 * size**2)


def test_so_few_objects_that_nothing_is_across_stay_as_they_are():
    triplets = Triplets.from_array([(0, 1, 2), (1, 0, 2)])
    line = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 3.0, 0.0]])
    found = opened(line, ShardedTriplets(triplets, 3, SERIAL))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, line)


@pytest.mark.parametrize(
    ("settings", "least"),
    [
        ({"t": 1.0, "t_prime": 1.0}, 1.0),
        ({"t": 1.0, "kernel": "distance"}, 1.0),
        ({"t": 2.0, "kernel": "distance"}, 0.95),  # which may forget some answers
        ({}, 1.0),
    ],
)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 2, 3, 4, 5))])
def test_without_a_ridge_error_free_answers_have_a_map(seed, settings, least):
    """The first stage grows without end there, and the next one used to stay where it began."""
    answers = make_uniform_triplets(np.random.default_rng(seed).normal(size=(20, 2)), 400, random_state=seed + 400)
    fitted = TETE(ridge=0.0, **settings).fit(answers)
    assert fitted.score(answers) >= least
    assert np.abs(fitted.embedding_).max() < 1e4
