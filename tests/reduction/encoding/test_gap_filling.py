import numpy as np
import pytest

from tete.core.checked_arrays import CheckedArrays
from tete.core.threads import SERIAL, threads
from tete.exceptions import InvalidFileError
from tete.reduction.encoding import gap_filling
from tete.reduction.encoding.gap_filling import GapFiller, fit_filler
from tete.reduction.encoding.gaussian_gaps import fit_gaussian
from tete.reduction.encoding.neighbor_gaps import donors_of


def standardized(table):
    return (table - table.mean(axis=0)) / table.std(axis=0)


def with_gaps(table, rng):
    return np.where(rng.random(table.shape) < 0.1, np.nan, table)


@pytest.fixture
def correlated(rng):
    """Six measures of two things: what is missing follows from the others."""
    return standardized(rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(300, 6)))


@pytest.fixture
def grouped(rng):
    """Tight groups at places without correlation: only rows of the same group know what is missing."""
    return standardized(rng.normal(size=(12, 6))[rng.integers(12, size=300)] + 0.05 * rng.normal(size=(300, 6)))


def error_of(filler, table, holed):
    return np.mean((filler.filled(holed, SERIAL) - table)[np.isnan(holed)] ** 2)


def test_the_gaussian_for_correlations_and_the_nearest_rows_for_groups(correlated, grouped, rng):
    shares = {}
    for name, table in {"correlated": correlated, "grouped": grouped}.items():
        holed = with_gaps(table, rng)
        both = fit_filler(holed, np.arange(6), SERIAL)
        gaussian, nearest = fit_gaussian(holed, SERIAL), donors_of(holed)
        least = min(error_of(gaussian, table, holed), error_of(nearest, table, holed))
        assert error_of(both, table, holed) < 1.1 * least
        shares[name] = both.share
    assert shares["correlated"] < 0.3
    assert shares["grouped"] > 0.8


def test_guesses_are_mixed_by_the_share(grouped, rng):
    holed = with_gaps(grouped, rng)
    gaussian, nearest = fit_gaussian(holed, SERIAL), donors_of(holed)
    mixed = GapFiller(gaussian, nearest, 0.25).filled(holed, SERIAL)
    expected = 0.75 * gaussian.filled(holed, SERIAL) + 0.25 * nearest.filled(holed, SERIAL)
    np.testing.assert_allclose(mixed, expected, rtol=1e-12)
    alone = holed[:1].copy()
    alone[0, 1:] = np.nan
    useless = GapFiller(gaussian, donors_of(np.where(np.arange(6) > 0, np.nan, grouped)), 1.0)
    np.testing.assert_array_equal(useless.filled(alone, SERIAL), gaussian.filled(alone, SERIAL))  # no row has the cells


def test_indicators_of_a_category_are_hidden_together(grouped, monkeypatch):
    seen = []
    monkeypatch.setattr(
        gap_filling, "fit_gaussian", lambda table, workers: seen.append(table) or fit_gaussian(table, workers)
    )
    fit_filler(grouped, np.array([0, 1, 1, 1, 2, 2]), SERIAL)
    hidden = np.isnan(seen[0])  # then comes the table itself
    np.testing.assert_array_equal(hidden[:, [1, 1, 4]], hidden[:, [2, 3, 5]])
    assert 0.05 < hidden[:, [0, 1, 4]].mean() < 0.15
    assert (hidden[:, 0] != hidden[:, 1]).any()
    assert not hidden.all(axis=1).any()
    np.testing.assert_array_equal(seen[1], grouped)


def test_few_cells_say_nothing(rng):
    assert fit_filler(rng.normal(size=(8, 3)), np.arange(3), SERIAL).share == 0.0


def test_the_same_bits_on_any_number_of_threads(grouped, rng):
    holed = with_gaps(grouped, rng)
    one = fit_filler(holed, np.arange(6), SERIAL)
    with threads(2) as workers:
        two = fit_filler(holed, np.arange(6), workers)
        np.testing.assert_array_equal(one.filled(holed, SERIAL), two.filled(holed, workers))


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_arrays_and_back(share, grouped, rng):
    holed = with_gaps(grouped, rng)
    filler = GapFiller(fit_gaussian(holed, SERIAL), donors_of(holed), share)
    arrays = filler.to_arrays()
    assert ("encoder_donors" in arrays) == (share > 0.0)
    assert all(np.isfinite(array).all() for array in arrays.values())
    checked = CheckedArrays(arrays)
    again = GapFiller.from_arrays(checked, 6)
    checked.finish()
    np.testing.assert_array_equal(again.filled(holed, SERIAL), filler.filled(holed, SERIAL))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoder_share", np.array(1.5), "`encoder_share` must be a number from 0 to 1, got 1.5"),
        ("encoder_donors", np.zeros((4, 5), np.float32), r"`encoder_donors` must have the shape \(any, 6\)"),
        ("encoder_known", np.ones((3, 6)), "`encoder_known` must have the type"),
        ("encoder_known", None, "`encoder_known` is missing"),
    ],
)
def test_damaged_arrays(name, value, message, grouped):
    arrays = GapFiller(fit_gaussian(grouped, SERIAL), donors_of(grouped), 0.5).to_arrays()
    arrays |= {name: value}
    with pytest.raises(InvalidFileError, match=message):
        GapFiller.from_arrays(CheckedArrays({key: each for key, each in arrays.items() if each is not None}), 6)
