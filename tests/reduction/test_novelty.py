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
