import numpy as np
import pytest

from tete.core.optimization import StopReason
from tete.core.threads import SERIAL
from tete.embedding.losses import TETELoss, UnitTETELoss
from tete.embedding.objective import ShardedTriplets
from tete.embedding.stages import Stage, minimize_in_stages

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
