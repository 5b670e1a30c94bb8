import numpy as np
import pytest

from tete.core.threads import SERIAL
from tete.reduction.feature_start import _scaled as scaled_start
from tete.reduction.feature_start import graph_start, linear_start


def test_the_first_component_has_spread_one_whatever_the_units(rng):
    columns = rng.normal(size=(200, 3)) * [9.0, 4.0, 1.0] * 1e6
    start = scaled_start(columns, 2, rng)
    np.testing.assert_allclose(start, columns[:, :2] / columns[:, 0].std())


@pytest.mark.parametrize("width", [0, 1])
def test_missing_columns_are_small_draws(rng, width):
    start = scaled_start(rng.normal(size=(500, width)), 3, rng)
    assert start.shape == (500, 3)
    np.testing.assert_allclose(start[:, width:].std(axis=0), 0.01, rtol=0.2)


def test_constant_columns_are_small_draws(rng):
    assert 0.0 < np.abs(scaled_start(np.ones((50, 2)), 2, rng)).max() < 0.1


def test_slow_modes_tell_the_ends_of_a_chain_apart():
    points = np.arange(60)
    indices = np.column_stack([(points + step).clip(0, 59) for step in (-2, -1, 1, 2)]).astype(np.int32)
    start = graph_start(indices, 1, np.random.default_rng(0))[:, 0]
    assert abs(np.corrcoef(start, np.cos(np.pi * (points + 0.5) / 60))[0, 1]) > 0.99
    again = graph_start(indices, 1, np.random.default_rng(0))[:, 0]
    np.testing.assert_array_equal(start, again)  # the same seed, the same bits


def test_too_few_points_for_modes_are_drawn(rng):
    assert graph_start(np.array([[1], [0], [1]], dtype=np.int32), 2, rng).shape == (3, 2)


def test_the_start_of_a_table_is_its_principal_components(rng):
    table = (rng.normal(size=(300, 5)) * [9.0, 4.0, 1.0, 0.5, 0.1]).astype(np.float32)
    start = linear_start(table, 2, rng, SERIAL)
    assert start[:, 0].std() == pytest.approx(1.0, rel=1e-3)
    assert abs(np.corrcoef(start[:, 0], table[:, 0])[0, 1]) > 0.99
    assert abs(np.corrcoef(start[:, 1], table[:, 1])[0, 1]) > 0.99


def test_few_columns_start_with_the_widest(rng):
    table = (rng.normal(size=(300, 2)) * [1e-3, 9.0]).astype(np.float32)
    start = linear_start(table, 2, rng, SERIAL)
    np.testing.assert_allclose(start.std(axis=0), [1.0, 1e-3 / 9.0], rtol=0.2)
