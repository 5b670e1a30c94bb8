"""Quality from one pass equals the measures computed with everything in memory."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from tete import metrics
from tete.exceptions import InvalidParameterError
from tete.metrics import ranks
from tete.metrics.quality import map_quality


@pytest.fixture
def table(rng):
    return rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)) + 100.0


@pytest.fixture
def places(table, rng):
    return table[:, :2] + 0.3 * rng.normal(size=(300, 2))


def reference(distances, places, count):
    """Recall and trustworthiness from full ranks, naively."""
    on_map = pairwise_distances(places)
    recalls, penalty, n_rows = [], 0, len(places)
    for row in range(n_rows):
        order = [other for other in np.argsort(distances[row], kind="stable") if other != row]
        rank = {other: place + 1 for place, other in enumerate(order)}
        near = [other for other in np.argsort(on_map[row], kind="stable") if other != row][:count]
        recalls.append(np.mean([rank[other] <= count for other in near]))
        penalty += sum(max(rank[other] - count, 0) for other in near)
    return np.mean(recalls), 1 - 2 * penalty / (n_rows * count * (2 * n_rows - 3 * count - 1))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "precomputed"])
@pytest.mark.parametrize("at_once", [700, 2**21])
def test_all_rows_give_the_naive_measures(table, places, metric, at_once, monkeypatch):
    monkeypatch.setattr(ranks, "NUMBERS_AT_ONCE", at_once)
    table = table - 90.0  # angles that differ
    distances = pairwise_distances(table, metric="chebyshev" if metric == "precomputed" else metric)
    given = distances if metric == "precomputed" else table
    found = map_quality(given, places, metric=metric, n_samples=300)
    recall, trustworthiness = reference(distances, places, 15)
    assert found.recall == pytest.approx(recall, abs=1e-3)
    assert found.trustworthiness == pytest.approx(trustworthiness, abs=1e-4)
    assert (found.global_score is None) == (metric == "precomputed")
    assert 0.5 < found.random_triplets <= 1.0


def test_agrees_with_the_single_measures(table, places):
    found = map_quality(table, places, labels=table[:, 0] > 100, n_samples=300)
    assert found.recall == pytest.approx(metrics.neighborhood_recall(table, places, n_samples=None), abs=1e-3)
    assert found.accuracy == pytest.approx(metrics.neighborhood_accuracy(places, table[:, 0] > 100))
    assert found.global_score == pytest.approx(metrics.global_score(table, places))
    assert found.random_triplets == pytest.approx(metrics.random_triplet_accuracy(table, places), abs=0.01)


def test_kinds_of_tables_agree(tmp_path, rng, places):
    whole = rng.integers(0, 50, size=(300, 8)).astype(np.uint8)
    np.save(tmp_path / "x.npy", whole)
    kinds = [
        whole.astype(float),
        whole,
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        sparse.csr_matrix(whole),
        pd.DataFrame(whole),
    ]
    results = [map_quality(kind, places).as_dict() for kind in kinds]
    for result in results[1:]:
        assert result == pytest.approx(results[0], abs=2e-3)


def test_a_sample_is_near_the_whole_and_says_how_near(table, places):
    whole, some = (map_quality(table, places, n_samples=count) for count in (300, 60))
    assert some.n_samples == 60
    assert abs(whole.recall - some.recall) < 4 * some.recall_error
    assert map_quality(table, places, n_samples=60) == some


def test_a_perfect_and_a_random_map(rng):
    places = rng.normal(size=(200, 2))
    perfect, random = map_quality(places * 1e6 + 1e7, places), map_quality(rng.normal(size=(200, 2)), places)
    assert (perfect.recall, perfect.trustworthiness, perfect.random_triplets) == (1.0, 1.0, 1.0)
    assert perfect.global_score == pytest.approx(1.0)
    assert random.recall < 0.15
    assert abs(random.random_triplets - 0.5) < 0.05


def test_rows_without_a_class_do_not_count(places):
    classes = np.where(places[:, 0] > np.median(places[:, 0]), "right", "left").astype(object)
    noisy = classes.copy()
    noisy[::3] = ""
    assert map_quality(places, places, labels=noisy).accuracy > 0.95
    assert map_quality(places, places, labels=[""] * 300).accuracy is None


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_few_rows(n_rows, rng):
    found = map_quality(rng.normal(size=(n_rows, 3)), rng.normal(size=(n_rows, 2)), labels=["a"] * n_rows)
    assert found.recall is found.global_score is found.accuracy is None
    assert str(found) == "quality             unknown: too few rows"


def test_seven_rows_and_equal_rows(rng):
    assert map_quality(rng.normal(size=(7, 3)), rng.normal(size=(7, 2))).n_neighbors == 3
    for table in (np.ones((30, 3)), sparse.csr_array(np.ones((30, 3)))):
        equal = map_quality(table, rng.normal(size=(30, 2)), labels=[0, 1] * 15)
        assert equal.recall is equal.random_triplets is equal.global_score is equal.accuracy is None
        assert str(equal) == "quality             nothing to measure: all rows are equal"


def test_measures_do_not_depend_on_the_size_of_numbers(table, places):
    usual, huge = (map_quality(scale * table, places) for scale in (1.0, 2.0**900))
    for name in ("recall", "trustworthiness", "random_triplets", "global_score"):
        assert getattr(huge, name) == pytest.approx(getattr(usual, name), rel=1e-4)


def test_numbers_that_stand_for_truth_values_are_taken_as_such(rng):
    truths, places = rng.random((60, 8)) < 0.4, rng.normal(size=(60, 2))
    counts = np.where(truths, rng.integers(1, 5, truths.shape), 0)
    found, plain = (map_quality(table, places, metric="jaccard").as_dict() for table in (counts, truths))
    for name in ("recall", "trustworthiness", "random_triplets"):
        assert found[name] == plain[name]


def test_a_graph_has_no_distances_to_compare(rng, places):
    assert map_quality(sparse.eye(300).tocsr(), places, metric="precomputed").recall is None


def test_the_table_for_people(table, places):
    text = str(map_quality(table, places, labels=table[:, 0] > 100))
    for part in ("neighbours kept", "trustworthiness", "classes", "random triplets", "global score"):
        assert part in text


def test_bad_input(table, places):
    with pytest.raises(InvalidParameterError, match="`embedding` must have 300 rows like `X`, got 299"):
        map_quality(table, places[1:])
    with pytest.raises(InvalidParameterError, match="`labels` must have one entry for each of 300 rows, got 2"):
        map_quality(table, places, labels=["a", "b"])
    with pytest.raises(InvalidParameterError, match="`n_samples` must be a whole number of at least 1, got 0"):
        map_quality(table, places, n_samples=0)
