import numpy as np
import pytest

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL, threads
from tete.exceptions import InvalidFileError
from tete.reduction.encoding import gaussian_gaps
from tete.reduction.encoding.gaussian_gaps import PRIOR_ROWS, GaussianGaps, fit_gaussian, next_gaussian


def conditional_mean(row, mean, covariance):
    """The textbook's: mean_m + C_mo C_oo^-1 (x_o - mean_o)."""
    known = ~np.isnan(row)
    result = row.copy()
    step = np.linalg.solve(covariance[np.ix_(known, known)], row[known] - mean[known])
    result[~known] = mean[~known] + covariance[np.ix_(~known, known)] @ step
    return result


def log_posterior(table, model):
    """Likelihood of the cells that are there times the prior, in logarithms, row by row."""
    total = 0.0
    for row in table:
        known = ~np.isnan(row)
        own, step = model.covariance[np.ix_(known, known)], row[known] - model.mean[known]
        total -= 0.5 * (np.linalg.slogdet(own)[1] + step @ np.linalg.solve(own, step))
    inverse = np.linalg.inv(model.covariance)
    return total - 0.5 * PRIOR_ROWS * (np.linalg.slogdet(model.covariance)[1] + np.trace(inverse))


@pytest.fixture
def holed(rng):
    table = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(200, 6))
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    table[rng.random(table.shape) < 0.3] = np.nan
    return table[~np.isnan(table).all(axis=1)]


def test_gaps_get_their_conditional_means(rng, holed):
    factor = rng.normal(size=(6, 6))
    model = GaussianGaps(rng.normal(size=6), factor @ factor.T + 0.1 * np.eye(6))
    expected = np.array([conditional_mean(row, model.mean, model.covariance) for row in holed])
    np.testing.assert_allclose(model.filled(holed, SERIAL), expected, rtol=1e-8)


def test_the_covariances_of_what_is_filled_in(rng, holed):
    factor = rng.normal(size=(6, 6))
    model = GaussianGaps(np.zeros(6), factor @ factor.T + 0.1 * np.eye(6))
    expected = np.zeros((6, 6))
    for row in holed:
        gaps, known = np.flatnonzero(np.isnan(row)), np.flatnonzero(~np.isnan(row))
        across = model.covariance[np.ix_(gaps, known)]
        inner = np.linalg.solve(model.covariance[np.ix_(known, known)], across.T)
        expected[np.ix_(gaps, gaps)] += model.covariance[np.ix_(gaps, gaps)] - across @ inner
    np.testing.assert_allclose(model.expected(holed, SERIAL)[1], expected, rtol=1e-7)


def test_every_round_raises_the_posterior(holed):
    model = GaussianGaps(np.zeros(6), np.eye(6))
    values = [log_posterior(holed, model)]
    for _ in range(25):
        model = next_gaussian(model, holed, SERIAL)
        values.append(log_posterior(holed, model))
    assert np.all(np.diff(values) > -1e-9)
    assert values[-1] > values[0] + 10.0


def test_a_table_without_gaps_gives_mean_and_covariance(rng):
    table = rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4))
    model = fit_gaussian(table, SERIAL)
    np.testing.assert_allclose(model.mean, table.mean(axis=0))
    expected = (np.cov(table.T, bias=True) * 400 + PRIOR_ROWS * np.eye(4)) / (400 + PRIOR_ROWS)
    np.testing.assert_allclose(model.covariance, expected)


def test_the_truth_is_found_again(rng):
    factor = rng.normal(size=(5, 5))
    covariance = factor @ factor.T
    spreads = np.sqrt(np.diag(covariance))
    table = rng.normal(size=(8000, 5)) @ factor.T / spreads
    table[rng.random(table.shape) < 0.2] = np.nan
    table = table[~np.isnan(table).all(axis=1)]
    found = fit_gaussian(table, SERIAL).covariance
    np.testing.assert_allclose(found, covariance / np.outer(spreads, spreads), atol=0.06)


def test_the_number_of_threads_changes_no_bit(rng):
    table = rng.normal(size=(3000, 8)) @ rng.normal(size=(8, 8))
    table[rng.random(table.shape) < 0.1] = np.nan
    found = []
    for n_jobs in (1, 3):
        with threads(n_jobs) as workers:
            found.append(fit_gaussian(table, workers).filled(table, workers))
    np.testing.assert_array_equal(*found)


def test_wide_tables_get_means(rng, monkeypatch):
    monkeypatch.setattr(gaussian_gaps, "MOST_COLUMNS", 3)
    table = rng.normal(size=(20, 4))
    table[3, 2] = np.nan
    model = fit_gaussian(table, SERIAL)
    assert model.covariance is None
    assert model.filled(table, SERIAL)[3, 2] == pytest.approx(np.nanmean(table[:, 2]))
    again = GaussianGaps.from_arrays(CheckedArrays(model.to_arrays()), 4)
    assert again.covariance is None


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda arrays: arrays.update(encoder_covariance=np.array([[1.0, 0.5], [0.4, 1.0]])), "symmetric positive"),
        (lambda arrays: arrays.update(encoder_covariance=np.array([[1.0, 2.0], [2.0, 1.0]])), "symmetric positive"),
        (lambda arrays: arrays.update(encoder_covariance=np.eye(3)), "must have the shape"),
        (lambda arrays: arrays.update(encoder_mean=np.array([np.nan, 0.0])), "must be finite"),
        (lambda arrays: arrays.pop("encoder_mean"), "is missing"),
    ],
)
def test_arrays_are_checked(change, match):
    arrays = GaussianGaps(np.zeros(2), np.eye(2)).to_arrays()
    assert np.array_equal(GaussianGaps.from_arrays(CheckedArrays(arrays), 2).covariance, np.eye(2))
    change(arrays)
    with pytest.raises(InvalidFileError, match=match):
        GaussianGaps.from_arrays(CheckedArrays(arrays), 2)
