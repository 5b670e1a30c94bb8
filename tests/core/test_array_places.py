"""Places in arrays as compiled loops name them: `core.array_places`."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from tete.core.array_places import index, read_soon


@njit
def row_sums(table, rows):
    total = np.zeros(len(rows))
    for place in range(len(rows)):
        row = index(rows[place])
        read_soon(table, row)
        for column in range(index(table.shape[1])):
            total[place] += table[row, column]
    return total


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_numbers_name_the_places_they_always_did(kind):
    table = np.random.default_rng(0).normal(size=(200, 7))
    rows = np.array([0, 199, 3, 3, 128], dtype=kind)
    np.testing.assert_allclose(row_sums(table, rows), table[rows].sum(axis=1), rtol=1e-12)
    assert table.flags.writeable
    assert row_sums(np.zeros((0, 7)), rows[:0]).shape == (0,)


def test_memory_is_asked_for_by_the_processors_own_instruction():
    row_sums(np.zeros((3, 2)), np.zeros(1, dtype=np.int32))
    (code,) = (text for types, text in row_sums.inspect_llvm().items() if "int32" in str(types[1]))
    assert "llvm.prefetch" in code


def test_loops_that_are_not_compiled_run_as_well():
    program = """
import numpy as np
from numba import njit
from tete.core.array_places import index, read_soon
table = np.arange(6.0).reshape(3, 2)
assert read_soon(table, index(np.int32(2))) is None
assert type(index(np.int32(2))) is int
assert njit(lambda row: index(row) + index(1))(np.int32(1)) == 2
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
