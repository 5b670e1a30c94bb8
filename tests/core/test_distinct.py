import numpy as np
import pytest

from tete.core.distinct import distinct


@pytest.mark.parametrize("numbers", [[], [3], [5, -1, 5, 2, -1], [[2, 1], [1, 7]]])
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_numbers_as_unique_ones(numbers, kind):
    given = np.array(numbers, dtype=kind)
    found = distinct(given)
    np.testing.assert_array_equal(found, np.unique(given))
    assert found.dtype == kind
    np.testing.assert_array_equal(given, np.array(numbers, dtype=kind))
