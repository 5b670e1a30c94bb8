import numpy as np
import pytest

import reference
from samples import random_triplets
from tete.core.threads import SERIAL, threads
from tete.embedding.losses import GNMDSLoss, STELoss, TETELoss, UnitTETELoss
from tete.embedding.objective import (
    FEWEST_TRIPLETS_IN_A_SHARD,
    MOST_SHARDS,
    MOST_TRIPLETS_IN_A_SHARD,
    ShardedTriplets,
    cut,
)

LOSSES = [
    (UnitTETELoss(), lambda a, b: reference.tete(a, b, 2, 2)),
    (TETELoss(2.0, 1.75), lambda a, b: reference.tete(a, b, 2, 1.75)),
    (STELoss(), reference.ste),
    (GNMDSLoss(), reference.gnmds),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("loss", "expected"), LOSSES, ids=lambda value: str(value) if isinstance(value, tuple) else "")
def test_value_and_gradient(loss, expected, weighted, rng):
    weights = rng.exponential(size=200) if weighted else None
    triplets = random_triplets(rng, weights=weights)
    embedding = rng.normal(size=(12, 3))

    def naive(places):
        return reference.objective(expected, places, triplets.to_array(), weights, 0.1)

    value, gradient = ShardedTriplets(triplets, 3, SERIAL).objective(loss, 0.1)(embedding)
    assert value == pytest.approx(naive(embedding), rel=1e-10)
    np.testing.assert_allclose(gradient, reference.numerical_gradient(naive, embedding), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", [UnitTETELoss(), TETELoss(1.7, 1.4)], ids=str)
def test_equal_bits_on_any_number_of_threads(loss, rng):
    rows = rng.integers(0, 300, size=(100_000, 3))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])]
    triplets = random_triplets(rng).from_array(rows, n_objects=300)
    embedding = rng.normal(size=(300, 2))
    results = []
    for n_jobs in (1, 2, 4, None, -1):
        with threads(n_jobs) as workers:
            shards = ShardedTriplets(triplets, 2, workers)
            assert len(shards._shards) == MOST_SHARDS
            results.append(shards.objective(loss, 3e-4)(embedding))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


def test_shards_are_few_where_gradients_would_cost_more_than_triplets(rng):
    few = random_triplets(rng, n_triplets=50)
    assert len(ShardedTriplets(few, 2, SERIAL)._shards) == 1
    rows = np.tile([(0, 1, 2)], (10 * FEWEST_TRIPLETS_IN_A_SHARD, 1))
    many = few.from_array(rows, n_objects=3)
    assert len(ShardedTriplets(many, 2, SERIAL)._shards) == 10
    wide = few.from_array(rows, n_objects=len(rows))
    assert len(ShardedTriplets(wide, 2, SERIAL)._shards) == 1


@pytest.mark.parametrize("n_triplets", [2**22, 50_000_000, 16 * 2**22 + 1, 161_000_000, 10**9])
def test_many_shards_are_a_power_of_two_and_none_is_too_large(n_triplets):
    shards = cut(n_triplets, 100_000, 2)
    assert len(shards) >= MOST_SHARDS
    assert len(shards) & (len(shards) - 1) == 0
    assert max(shard.stop - shard.start for shard in shards) <= MOST_TRIPLETS_IN_A_SHARD


def test_every_triplet_is_in_one_shard(rng):
    rows = np.tile([(0, 1, 2)], (3 * FEWEST_TRIPLETS_IN_A_SHARD + 17, 1))
    shards = ShardedTriplets(random_triplets(rng).from_array(rows), 2, SERIAL)
    covered = np.concatenate([np.arange(len(rows))[rows_of] for rows_of in shards._shards])
    np.testing.assert_array_equal(covered, np.arange(len(rows)))


def test_compare_multiplies_by_the_comparison_counts(rng):
    weights = rng.exponential(size=200)
    triplets = random_triplets(rng, weights=weights)
    matrix = reference.comparison_counts(triplets.to_array(), weights, 12)
    vectors = rng.normal(size=(12, 4))
    np.testing.assert_allclose(ShardedTriplets(triplets, 4, SERIAL).compare(vectors), matrix @ vectors, atol=1e-10)


def test_the_hessian_at_zero_is_the_comparison_counts(rng):
    triplets = random_triplets(rng)
    shards = ShardedTriplets(triplets, 2, SERIAL)
    direction = 1e-4 * rng.normal(size=(12, 2))
    for t in (1.0, 1.5, 2.0):
        _, gradient = shards.total_loss(TETELoss(t, 1.75), direction)
        np.testing.assert_allclose(gradient, -(2.0 ** (1 - t)) * shards.compare(direction), rtol=1e-5, atol=1e-10)


def test_an_error_in_a_thread_is_not_lost(rng, monkeypatch):
    def broken(*_):
        raise RuntimeError("broken shard")

    monkeypatch.setattr("tete.embedding.objective.sum_losses", broken)
    with threads(2) as workers, pytest.raises(RuntimeError, match="broken shard"):
        ShardedTriplets(random_triplets(rng), 2, workers).total_loss(UnitTETELoss(), np.zeros((12, 2)))
