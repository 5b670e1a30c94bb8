import numpy as np
import pytest

from tete.core.hashed_draws import draw, mix, stream


def python_mix(value):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x31848BAB), (14, 0x045D9F3B)):
        value ^= value >> shift
        value = (value * factor) % 2**32
    return value ^ (value >> 16)


@pytest.mark.parametrize("value", [0, 1, 17, 2**31, 2**32 - 1])
def test_mix_is_the_same_compiled_and_plain(value):
    assert mix(value) == python_mix(value)


def test_draws_are_uniform_and_streams_independent():
    draws = np.array([[draw(stream(3, 5, name), slot, 10) for slot in range(400)] for name in range(50)])
    counts = np.bincount(draws.ravel(), minlength=10)
    expected = draws.size / 10
    assert np.sum((counts - expected) ** 2 / expected) < 30  # chi-square with 9 degrees of freedom
    correlations = np.corrcoef(draws)[np.triu_indices(50, 1)]
    assert np.abs(correlations).mean() < 1.2 / np.sqrt(400)
    assert len({tuple(row) for row in draws}) == 50


def test_draws_depend_on_every_part_of_their_name():
    names = {stream(seed, first, second) for seed in range(10) for first in range(10) for second in range(10)}
    assert len(names) == 1000
    assert 0 <= min(draw(name, 0, 7) for name in names) <= max(draw(name, 0, 7) for name in names) == 6
