import numpy as np
import pytest

import reference
from samples import random_triplets
from tete import Triplets
from tete.comparisons.summary import components
from tete.core.threads import SERIAL
from tete.datasets import make_uniform_triplets
from tete.embedding.objective import ShardedTriplets
from tete.embedding.spectral_start import RADII, best_radius, brought_back, largest_eigenvalue, spectral_start


def start_of(triplets, n_components):
    return spectral_start(ShardedTriplets(triplets, n_components, SERIAL), components(triplets), n_components)


def largest_of(triplets):
    return largest_eigenvalue(ShardedTriplets(triplets, 1, SERIAL))


@pytest.mark.parametrize("n_objects", [12, 150])  # solved as a dense matrix and by Lanczos
def test_columns_are_the_leading_eigenvectors(n_objects, rng):
    triplets = make_uniform_triplets(rng.normal(size=(n_objects, 2)), 6000, random_state=0)
    values, vectors = np.linalg.eigh(reference.comparison_counts(triplets.to_array(), np.ones(6000), n_objects))
    start = start_of(triplets, 2)
    assert largest_of(triplets) == pytest.approx(values[-1], rel=1e-3)
    for column, expected in zip(start.T, vectors[:, ::-1].T, strict=False):
        assert abs(column @ expected) / np.linalg.norm(column) == pytest.approx(1.0, abs=1e-3)
    ratio = np.linalg.norm(start[:, 0]) / np.linalg.norm(start[:, 1])
    assert ratio == pytest.approx(np.sqrt(values[-1] / values[-2]), rel=1e-2)
    assert np.mean(np.sum(start**2, axis=1)) == pytest.approx(1.0)


def test_it_is_deterministic(rng):
    triplets = random_triplets(rng, n_objects=100, n_triplets=3000)
    np.testing.assert_array_equal(start_of(triplets, 2), start_of(triplets, 2))


def test_every_part_gets_a_start_of_its_own(rng):
    one = random_triplets(rng, n_objects=10).to_array()
    other = one[:50] + 10
    start = start_of(Triplets.from_array(np.concatenate([other, one]), n_objects=20), 2)
    alone = start_of(Triplets.from_array(one), 2)
    np.testing.assert_allclose(np.abs(start[:10]), np.abs(alone), atol=1e-8)
    for part in (start[:10], start[10:]):
        assert np.mean(np.sum(part**2, axis=1)) == pytest.approx(1.0)


def test_more_dimensions_than_objects():
    start = start_of(Triplets.from_array([(0, 1, 2)]), 6)
    assert start.shape == (3, 6)
    assert np.isfinite(start).all()


def test_answers_that_cancel_out_have_no_eigenvalue():
    triplets = Triplets.from_array([(0, 1, 2), (0, 2, 1)])
    assert largest_of(triplets) == pytest.approx(0.0, abs=1e-12)
    assert np.isfinite(start_of(triplets, 2)).all()


@pytest.mark.parametrize("wanted", RADII)
def test_best_radius(wanted):
    shape = np.array([[1.0], [-1.0]])
    found = best_radius(shape, lambda start: abs(start.max() - wanted))
    np.testing.assert_array_equal(found, wanted * shape)


def test_boundless_maps_come_back_to_where_a_loss_is_least(rng):
    shape = rng.normal(size=(30, 2))

    def objective(embedding):
        return abs(np.sqrt(np.mean(np.sum(embedding**2, axis=1))) - 2.1), embedding

    found = brought_back(1e6 * shape + 5.0, objective)
    centred = shape - shape.mean(axis=0)
    np.testing.assert_allclose(found, 2.0 * centred / np.sqrt(np.mean(np.sum(centred**2, axis=1))), atol=1e-9)
    as_usual = 5.0 * RADII[-1] * shape
    assert brought_back(as_usual, objective) is as_usual
