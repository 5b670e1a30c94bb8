import numpy as np
import pytest

from tete.core.checked_arrays import CheckedArrays
from tete.exceptions import InvalidFileError


def refused(message):
    return pytest.raises(InvalidFileError, match=message)


def test_each_array_is_given_once_and_as_it_is():
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    arrays = CheckedArrays({"table": table, "n": np.array(3), "x": np.array(0.5), "yes": np.array(True)})
    found = arrays.numbers("table", "f8", (2, None))
    np.testing.assert_array_equal(found, table)
    assert found.flags.c_contiguous
    assert (arrays.whole("n", least=1), arrays.real("x", least=0, most=1), arrays.flag("yes")) == (3, 0.5, True)
    assert not arrays.has("table")
    with refused("`table` is missing"):
        arrays.numbers("table", "f8", (2, None))
    arrays.finish()


def test_what_nobody_asked_for_is_refused():
    with refused(r"`b` is not known \(1 such array\)"):
        CheckedArrays({"b": np.zeros(2)}).finish()


@pytest.mark.parametrize(
    ("array", "rule", "message"),
    [
        (np.zeros(3), {"dtype": "f4", "shape": (3,)}, "`x` must have the type f4, got float64"),
        (np.array(["a"]), {"dtype": None, "shape": (1,)}, "`x` must have the type of numbers, got <U1"),
        (np.zeros((2, 3)), {"dtype": "f8", "shape": (2, 4)}, r"`x` must have the shape \(2, 4\), got \(2, 3\)"),
        (np.zeros(3), {"dtype": "f8", "shape": (3, 1)}, r"`x` must have the shape \(3, 1\), got \(3,\)"),
        (np.zeros(0), {"dtype": "f8", "shape": (None,)}, r"`x` must have the shape \(any\), got \(0,\)"),
        (np.array([1, np.nan]), {"dtype": "f8", "shape": (2,)}, "`x` must be finite, got 1 other values"),
        (np.array([1, 5]), {"dtype": None, "shape": (2,), "most": 4}, "`x` must be from -inf to 4, got 1 to 5"),
    ],
)
def test_rules_of_arrays(array, rule, message):
    with refused(message):
        CheckedArrays({"x": array}).numbers("x", rule.pop("dtype"), rule.pop("shape"), **rule)


@pytest.mark.parametrize(
    ("array", "ask", "message"),
    [
        (np.array(2.0), lambda arrays: arrays.whole("x", least=1), "single value .whole numbers., got float64"),
        (np.array([2]), lambda arrays: arrays.whole("x", least=1), r"got int64 of shape \(1,\)"),
        (np.array(9), lambda arrays: arrays.whole("x", least=1, most=8), "from 1 to 8, got 9"),
        (np.array(np.nan), lambda arrays: arrays.real("x", least=0, most=1), "a number from 0 to 1, got nan"),
        (np.array(1), lambda arrays: arrays.flag("x"), "single value .true or false., got int64"),
        (np.array("c"), lambda arrays: arrays.text("x", ("a", "b")), "must be one of a, b, got 'c'"),
        (np.array(["a", "b"]), lambda arrays: arrays.texts("x", 3), "must be 3 texts, got <U1"),
        (np.array([0.5]), lambda arrays: arrays.numbering("x", 1, most=3), "must hold whole numbers, got float64"),
        (np.array([-1]), lambda arrays: arrays.numbering("x", 1, most=3), "from 0 to 3, got -1"),
    ],
)
def test_rules_of_values(array, ask, message):
    with refused(message):
        ask(CheckedArrays({"x": array}))


def test_one_text_of_any_content():
    assert CheckedArrays({"a": np.array("{}")}).one_text("a") == "{}"
    with pytest.raises(InvalidFileError, match="`a` must be a single value"):
        CheckedArrays({"a": np.array(["x"])}).one_text("a")
