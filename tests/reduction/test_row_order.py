import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

from tete import ListwiseTETE, WeightedTETE
from tete.core.threads import SERIAL, threads
from tete.reduction.row_order import content_order, point_order, row_hashes


@pytest.fixture
def table(rng):
    values = rng.normal(size=(5000, 7)).round(2)
    values[rng.random(values.shape) < 0.3] = 0.0
    return values


def test_equal_rows_have_one_hash_in_any_type_and_others_have_another(table):
    hashes = row_hashes(table, SERIAL)
    assert len(np.unique(hashes)) == len(np.unique(table, axis=0))
    np.testing.assert_array_equal(row_hashes(csr_array(table), SERIAL), hashes)
    np.testing.assert_array_equal(row_hashes(np.asfortranarray(table), SERIAL), hashes)
    np.testing.assert_array_equal(row_hashes(np.where(table == 0.0, -0.0, table), SERIAL), hashes)
    with threads(3) as workers:
        np.testing.assert_array_equal(row_hashes(table, workers), hashes)
    small = np.abs(table).round()
    for kind in (np.uint8, np.int32, np.float16, np.float32, ">f4", np.longdouble):
        np.testing.assert_array_equal(row_hashes(small.astype(kind), SERIAL), row_hashes(small, SERIAL))
    flags = table > 0.5
    np.testing.assert_array_equal(row_hashes(flags, SERIAL), row_hashes(flags.astype(float), SERIAL))


def test_tables_of_few_bits_have_many_hashes():
    """Ones and zeros differ in few bits of their floating-point numbers."""
    flags = (np.arange(2**16)[:, None] >> np.arange(16)) & 1
    assert len(np.unique(row_hashes(flags.astype(float), SERIAL))) == 2**16


def test_orders_go_by_content(table, rng):
    table = np.concatenate([table, table[:800]])
    shuffle = rng.permutation(len(table))
    here, there = (content_order(rows, np.random.default_rng(1), SERIAL) for rows in (table, table[shuffle]))
    np.testing.assert_array_equal(table[here], table[shuffle][there])
    assert np.any(here != content_order(table, np.random.default_rng(2), SERIAL))
    np.testing.assert_array_equal(np.sort(here), np.arange(len(table)))
    points = [
        rows[point_order(rows, order, np.random.default_rng(1))]
        for rows, order in ((table, here), (table[shuffle], there))
    ]
    np.testing.assert_array_equal(*points)


def test_the_beginning_of_the_order_is_a_sample_even_of_equal_rows(rng):
    table = np.where(rng.random(20_000) < 0.7, 0.0, rng.normal(size=20_000))[:, None]
    for seed in range(5):
        first = content_order(table, np.random.default_rng(seed), SERIAL)[:2000]
        assert abs(np.mean(table[first] == 0.0) - 0.7) < 0.05


def test_other_units_and_small_changes_leave_the_order_of_points(table):
    table = np.unique(table, axis=0)
    order = np.arange(len(table))
    here = point_order(table, order, np.random.default_rng(0))
    for other in (table * 1e20, table / 3.0, table + 1e-9 * np.sin(table), table.astype(np.float32)):
        there = point_order(other, order, np.random.default_rng(0))
        assert np.mean(here == there) > 0.99


# Whole maps ----------------------------------------------------------------------------------------------------------

DIGITS = load_digits().data
CASES = {
    "digits": (DIGITS[:700], {}),
    "equal rows": (np.concatenate([DIGITS[:300], DIGITS[:120], DIGITS[:40]]), {}),
    "few components": (DIGITS[:500], {"pca_components": 10}),
    "cosine": (DIGITS[:400], {"metric": "cosine"}),
    "another metric": (np.concatenate([DIGITS[:300], DIGITS[:30]]), {"metric": "manhattan"}),
    "own units": (DIGITS[:400], {"standardize": True}),
    "random start": (DIGITS[:400], {"init": "random"}),
    "sparse": (csr_array(DIGITS[:400]), {"pca_components": 10}),
    "sparse with another metric": (csr_array(DIGITS[:200]), {"metric": "manhattan"}),
    "surface": (np.random.default_rng(0).random((900, 2)), {}),
    "four dimensions": (DIGITS[:400], {"n_components": 4}),
}


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize("case", CASES)
def test_the_map_of_permuted_rows_is_the_permuted_map(estimator, case, rng):
    X, options = CASES[case]
    weights, shuffle = rng.random(X.shape[0]), rng.permutation(X.shape[0])
    settings = options | {"random_state": 5, "max_iter": 40}
    here = estimator(**settings).fit(X, sample_weight=weights)
    there = estimator(**settings, n_jobs=1).fit(X[shuffle], sample_weight=weights[shuffle])
    np.testing.assert_array_equal(here.embedding_[shuffle], there.embedding_)
    np.testing.assert_array_equal(here.history_, there.history_)
    new = X[:20] * 1.01
    np.testing.assert_array_equal(here.transform(new), there.transform(new))


@pytest.mark.parametrize("estimator", [ListwiseTETE, pytest.param(WeightedTETE, marks=pytest.mark.slow)])
def test_so_it_is_where_neighbours_are_searched_in_cells_and_components_come_from_a_sample(estimator, rng):
    X = rng.normal(size=(16_000, 9)).astype(np.float32)
    X[:, :3] += 8.0 * rng.integers(4, size=(16_000, 3))
    shuffle = rng.permutation(len(X))
    settings = {"random_state": 5, "max_iter": 12, "pca_components": 7}
    here = estimator(**settings).fit_transform(X)
    np.testing.assert_array_equal(here[shuffle], estimator(**settings).fit_transform(X[shuffle]))


def test_a_given_start_goes_with_its_row(rng):
    X, start, shuffle = DIGITS[:200], rng.normal(size=(200, 2)), rng.permutation(200)
    here = ListwiseTETE(init=start, random_state=0, max_iter=1, learning_rate=1e-9).fit_transform(X)
    np.testing.assert_allclose(here, start - start.mean(axis=0), atol=1e-5)
    there = ListwiseTETE(init=start[shuffle], random_state=0, max_iter=1, learning_rate=1e-9).fit_transform(X[shuffle])
    np.testing.assert_array_equal(here[shuffle], there)


def test_callbacks_see_the_rows_as_they_stand(rng):
    X, seen = np.concatenate([DIGITS[:150], DIGITS[:20]]), []
    model = ListwiseTETE(random_state=0, max_iter=5, callback=lambda *told: seen.append(told[2])).fit(X)
    last = seen[-1] - seen[-1].mean(axis=0)
    np.testing.assert_allclose(last, model.embedding_, atol=1e-5)
