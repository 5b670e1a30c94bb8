"""From a recipe (`reduction.recipe`) to a problem and its placer; triplets by `reduction.weighted.triplet_choice`."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from reference_reduction import paper_weights
from tete.core.optimization import StopReason
from tete.core.threads import SERIAL
from tete.exceptions import InvalidParameterError
from tete.reduction.merged_rows import merge_rows
from tete.reduction.recipe import handful
from tete.reduction.weighted.problem import WeightedRecipe

RECIPE = {
    "max_iter": 20,
    "n_neighbors": 5,
    "n_outliers": 6,
    "t": 2.0,
    "t_prime": 2.0,
    "weights": "paper",
    "weight_bias": 0.01,
    "triplets": "shared",
    "optimizer": "momentum",
    "learning_rate": "auto",
}


@pytest.fixture
def rows(rng):
    table, settings = (
        rng.normal(size=(60, 4)),
        {"metric": "euclidean", "pca_components": None, "n_neighbors": lambda _: 12},
    )
    return merge_rows(table, **settings, rng=rng, workers=SERIAL)


def problem_of(rows, **options):
    return WeightedRecipe(**(RECIPE | options)).problem(rows, np.ones(len(rows)), 3, SERIAL)


def test_weights_are_those_of_the_paper(rows):
    problem = problem_of(rows)
    weights, near, far = problem.objective.weights, problem.objective.near, problem.objective.far
    table = weights.near[:, :, None] * weights.far[:, None, :] + weights.bias[:, None, None]
    apart = cdist(rows.points.table.astype(np.float64), rows.points.table.astype(np.float64))
    sigma = np.sort(apart, axis=1)[:, 10]
    distances = (np.take_along_axis(apart, others, axis=1) for others in (near, far))
    np.testing.assert_allclose(table, paper_weights(*distances, near, far, sigma, 0.01), rtol=1e-4)


@pytest.mark.parametrize("optimizer", ["momentum", "gradient_descent"])
def test_minimising_lowers_the_objective_and_the_placer_keeps_the_map(rows, rng, optimizer):
    problem = problem_of(rows, optimizer=optimizer)
    start = rng.normal(size=(60, 2)).astype(np.float32)
    minimum = problem.minimize(start, None)
    assert problem.objective(minimum.embedding)[0] < problem.objective(start)[0]
    assert minimum.stop_reason is StopReason.MAX_ITER
    places = minimum.embedding.astype(np.float32)
    placer = problem.placer(places)
    assert placer.places is places
    assert placer.n_candidates == 10  # sigma is the distance to the 10th neighbour


def test_paired_triplets_have_one_outlier_for_each_neighbour(rows):
    table = problem_of(rows, triplets="paired").objective.weights.table
    assert table.shape == (60, 5, 5)
    assert np.count_nonzero(table) == 60 * 5


def test_given_the_largest_weight_new_rows_are_weighed_like_the_fitted_ones(rows):
    problem = problem_of(rows)
    near = rows.neighbors.first(5)
    far = problem.choice.outliers(rows.points, rows.points.table, near, np.arange(60), SERIAL)
    weights, largest = problem.choice.weigh(near, far, problem.scales, problem.scales, problem.largest)
    assert largest == problem.largest
    np.testing.assert_array_equal(weights.near, problem.objective.weights.near)


def test_a_graph_has_no_distances_to_outliers(rows):
    graph = merge_rows(
        sparse.csr_array(np.ones((5, 5))),
        metric="precomputed",
        pca_components=None,
        n_neighbors=lambda _: 3,
        rng=np.random.default_rng(0),
        workers=SERIAL,
    )
    with pytest.raises(InvalidParameterError, match="`weights` must be 'uniform' when `X` is a graph"):
        problem_of(graph)
    assert problem_of(graph, weights="uniform").largest is None


@pytest.mark.parametrize("options", [{}, {"weights": "log"}, {"t": 1.5, "t_prime": 1.2}])
def test_a_warm_up_runs_the_loops(options):
    WeightedRecipe(**(RECIPE | options)).warm_up(3)
    points, distances = handful(10)
    assert points.shape == (10, 2)
    np.testing.assert_allclose(distances, distances.T)


def test_rows_that_count_must_have_triplets_that_do(rows):
    recipe = WeightedRecipe(**(RECIPE | {"weight_bias": 0.0}))
    with pytest.raises(InvalidParameterError, match=r"^`sample_weight` must leave some triplets that count.* is 0\.$"):
        recipe.problem(rows, np.full(60, 1e-60), 3, SERIAL)  # zero in single precision
