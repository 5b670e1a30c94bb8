import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from tete import ListwiseTETE, WeightedTETE, load_model, save_model
from tete.core.checked_arrays import CheckedArrays
from tete.exceptions import InvalidFileError
from tete.reduction.novelty import Novelty

DIGITS = load_digits().data
SETTINGS = {
    "Euclidean": {},
    "cosine": {"metric": "cosine"},
    "few components": {"pca_components": 20},
    "no components": {"pca_components": None},
    "standardized": {"standardize": True},
    "another metric": {"metric": "manhattan"},
}


def fitted(estimator=ListwiseTETE, n_rows=500, **parameters):
    return estimator(random_state=0, max_iter=3, **parameters).fit(DIGITS[:n_rows])


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize("setting", SETTINGS)
def test_noise_among_digits_is_found(estimator, setting, rng):
    model = fitted(estimator, **SETTINGS[setting])
    noise = rng.uniform(0.0, 16.0, size=(40, 64))
    places, novelty = model.transform(noise, return_novelty=True)
    np.testing.assert_array_equal(places, model.transform(noise))
    assert novelty.shape == (40,)
    assert np.mean(novelty > 3.0) > 0.9
    own = model.transform(DIGITS[:500], return_novelty=True)[1]
    assert np.median(own) == pytest.approx(1.0, abs=0.02)
    assert np.mean(own > 2.0) == pytest.approx(0.01, abs=0.006)
    ordinary = model.transform(DIGITS[500:1000], return_novelty=True)[1]
    assert 0.8 < np.median(ordinary) < 1.4
    assert np.mean(ordinary > 3.0) < 0.06  # other people's digits, of which three hundredths are far out


def test_what_components_leave_out_counts():
    """Rows that differ from the fitted ones only across the components."""
    rng = np.random.default_rng(0)
    plane = np.linalg.qr(rng.normal(size=(60, 5)))[0]
    table = rng.normal(size=(300, 5)) @ plane.T + 0.01 * rng.normal(size=(300, 60))
    model = ListwiseTETE(pca_components=5, random_state=0, max_iter=3).fit(table)
    across = rng.normal(size=60)
    across -= plane @ (plane.T @ across)
    new = table[:20] + 8.0 * across / np.linalg.norm(across)
    assert np.all(model.transform(new, return_novelty=True)[1] > 3.0)
    assert np.median(model.transform(table[:20] * 1.001, return_novelty=True)[1]) < 1.5


def test_without_components_it_is_the_ratio_of_distances(rng):
    table, new = rng.normal(size=(80, 3)), rng.normal(size=(10, 3)) * 3.0
    model = ListwiseTETE(random_state=0, max_iter=3).fit(table)
    distances = np.linalg.norm(table[:, None] - table, axis=2)
    nearest = np.argsort(distances, axis=1)[:, 1:6]
    scales = np.take_along_axis(distances, nearest, axis=1).mean(axis=1)
    ratios = scales / scales[nearest].mean(axis=1)
    typical = np.median(ratios)
    power = max(np.log(2.0) / np.log(np.quantile(ratios / typical, 0.99)), 1.0)
    to_new = np.linalg.norm(new[:, None] - table, axis=2)
    found = np.argsort(to_new, axis=1)[:, :5]
    expected = np.take_along_axis(to_new, found, axis=1).mean(axis=1) / scales[found].mean(axis=1)
    novelty = model.transform(new, return_novelty=True)[1]
    np.testing.assert_allclose(novelty, (expected / typical) ** power, rtol=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_row_by_itself_on_any_number_of_threads_and_from_files(setting, tmp_path, rng):
    model = fitted(n_rows=200, **SETTINGS[setting])
    new = np.vstack([DIGITS[200:230], rng.uniform(0, 16, size=(5, 64)), DIGITS[:5]])
    together = model.transform(new, return_novelty=True)[1]
    alone = [model.transform(row[None], return_novelty=True)[1][0] for row in new]
    np.testing.assert_array_equal(alone, together)
    save_model(tmp_path / "model.npz", model)
    again = load_model(tmp_path / "model.npz").set_params(n_jobs=1)
    np.testing.assert_array_equal(again.transform(new, return_novelty=True)[1], together)


def test_sparse_rows_and_graphs(rng):
    words = sparse.csr_array(rng.poisson(0.05, size=(200, 300)))
    for parameters in ({}, {"metric": "cosine"}, {"metric": "cosine", "pca_components": 20}):
        model = ListwiseTETE(random_state=0, max_iter=3, **parameters).fit(words)
        own = model.transform(words, return_novelty=True)[1]
        np.testing.assert_allclose(model.transform(words.toarray(), return_novelty=True)[1], own, rtol=1e-4)
        assert np.median(own) == pytest.approx(1.0, abs=0.1)
    points = rng.normal(size=(60, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    model = ListwiseTETE(metric="precomputed", random_state=0, max_iter=3).fit(distances)
    far = model.transform(distances[:3] + 20.0, return_novelty=True)[1]
    assert np.all(far > 3.0)


def test_tables_with_nothing_to_compare():
    for table in ([[0.0], [0.0]], [[0.0], [1.0]], [[0.0], [0.0], [1.0]]):
        with pytest.warns(UserWarning, match="n_neighbors"):
            model = ListwiseTETE(random_state=0).fit(table)
        assert np.isfinite(model.transform([[0.0], [5.0]], return_novelty=True)[1]).all()


def test_arrays_are_checked():
    arrays = Novelty(np.ones(3, dtype=np.float32), None, 1.0, 2.0).to_arrays()
    assert Novelty.from_arrays(CheckedArrays(arrays), 3, None).power == 2.0
    for change, match in (
        ({"novelty_scales": np.zeros(3, dtype=np.float32)}, "`novelty_scales` must be from"),
        ({"novelty_typical": np.array(0.0)}, "`novelty_typical` must be"),
        ({"novelty_power": np.array(0.5)}, "`novelty_power` must be"),
        ({"novelty_beyond": -np.ones(3, dtype=np.float32)}, "`novelty_beyond` must be"),
    ):
        with pytest.raises(InvalidFileError, match=match):
            Novelty.from_arrays(CheckedArrays(arrays | change), 3, None)


def texts(n_rows, rng, n_words=400):
    """Rows of a tf-idf table of topics: a dozen words each, of length 1, most of them words of the row's topic."""
    topics = rng.integers(8, size=n_rows)
    own = topics[:, None] * 40 + np.minimum(rng.geometric(0.12, size=(n_rows, 14)), 40) - 1
    columns = np.hstack([own, rng.integers(n_words - 40, size=(n_rows, 4))]).ravel()
    rows = sparse.csr_array((np.ones(len(columns)), (np.repeat(np.arange(n_rows), 18), columns)), (n_rows, n_words))
    rows.data = np.sqrt(rows.data)
    return sparse.csr_array(rows.multiply(1.0 / np.sqrt(rows.power(2).sum(axis=1))[:, None]))


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
@pytest.mark.parametrize(
    "parameters",
    [{"metric": "cosine"}, {"pca_components": None}, {"metric": "cosine", "pca_components": 30}],
    ids=["cosine", "Euclidean", "cosine by components"],
)
def test_texts_with_nothing_in_common_are_novel(estimator, parameters, rng):
    """Of such rows no distance is much larger than those among ordinary ones."""
    table = texts(1200, rng)
    model = estimator(random_state=0, max_iter=3, **parameters).fit(table[:800])
    unseen, empty = np.zeros((2, 400))
    unseen[-40:] = rng.random(40)
    strange = np.vstack([unseen, 100.0 * unseen, empty])
    for rows in (strange, sparse.csr_array(strange)):
        assert np.all(model.transform(rows, return_novelty=True)[1] > 1000.0)
    own = model.transform(table[:800], return_novelty=True)[1]
    assert np.mean(own > 2.0) == pytest.approx(0.01, abs=0.005)
    ordinary = model.transform(table[800:], return_novelty=True)[1]
    assert 0.8 < np.median(ordinary) < 1.2
    assert np.mean(ordinary > 2.0) < 0.05
    assert np.mean(ordinary > 3.0) < 0.01
    if parameters.get("pca_components") is None:
        nearly = unseen / np.linalg.norm(unseen)
        nearly[0] = 0.05  # a single word that other rows have, and hardly
        assert model.transform(nearly[None], return_novelty=True)[1][0] > 3.0


def test_angles_are_told_by_what_rows_have_in_common(rng):
    table, new = rng.random((80, 6)), rng.random((10, 6)) ** 3.0
    model = ListwiseTETE(metric="cosine", random_state=0, max_iter=3).fit(table)
    units, queries = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (table, new))

    def distances(common):
        return np.sqrt(-2.0 * np.log(common.mean(axis=1)))

    cosines = units @ units.T
    nearest = np.argsort(-cosines, axis=1)[:, 1:6]
    scales = distances(np.take_along_axis(cosines, nearest, axis=1))
    ratios = scales / scales[nearest].mean(axis=1)
    typical = np.median(ratios)
    power = max(np.log(2.0) / np.log(np.quantile(ratios / typical, 0.99)), 1.0)
    found = np.argsort(-(queries @ units.T), axis=1)[:, :5]
    expected = distances(np.take_along_axis(queries @ units.T, found, axis=1)) / scales[found].mean(axis=1)
    novelty = model.transform(new, return_novelty=True)[1]
    np.testing.assert_allclose(novelty, (expected / typical) ** power, rtol=1e-3)
    opposed = model.transform(-table[:5], return_novelty=True)[1]
    assert np.all(opposed > 3.0)


def test_sparse_rows_of_any_length_with_no_column_of_another_are_novel(rng):
    counts = sparse.csr_array(np.hstack([rng.poisson(0.1, size=(300, 200)), np.zeros((300, 5))]))
    counts = counts[np.diff(counts.indptr) > 0]
    strange = np.zeros((2, 205))
    strange[0, -3:] = 1.0
    model = ListwiseTETE(pca_components=None, random_state=0, max_iter=3).fit(counts)
    assert np.all(model.transform(strange, return_novelty=True)[1] > 1000.0)
    assert np.all(model.transform(counts, return_novelty=True)[1] < 5.0)
    with_empty = sparse.csr_array(sparse.vstack([counts, sparse.csr_array((2, 205))]))
    model = ListwiseTETE(pca_components=None, random_state=0, max_iter=3).fit(with_empty)
    novelty = model.transform(strange, return_novelty=True)[1]
    assert novelty[0] > 1000.0
    assert novelty[1] < 5.0  # an empty row is nothing new there
    signed = sparse.csr_array(rng.normal(size=(300, 4)))
    model = ListwiseTETE(random_state=0, max_iter=3).fit(signed)
    assert model.transform(np.zeros((1, 4)), return_novelty=True)[1][0] < 2.0  # in the midst of them


@pytest.mark.filterwarnings("ignore:`n_neighbors`")
def test_fitted_rows_with_nothing_in_common():
    """Each by itself, and one that is empty: there is nothing usual to compare with, but numbers come out."""
    for table in (sparse.csr_array(np.eye(9)), sparse.csr_array(np.vstack([np.eye(8), np.zeros((1, 8))]))):
        for metric in ("cosine", "euclidean"):
            model = ListwiseTETE(metric=metric, random_state=0).fit(table)
            assert np.isfinite(model.transform(table, return_novelty=True)[1]).all()
