import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tete.exceptions import InvalidFeaturesError
from tete.reduction.encoding.column_codes import Rules, describe, encode

RULES = Rules(max_categories=4, max_missing=0.8, drop_ids=True)
DAYS = pd.date_range("2020-01-01", periods=4)


def code_of(values, order=None, rules=RULES):
    return describe("c", pd.Series(values, name="c"), order, rules)


CASES = {
    "numbers": ([1.5, None, 2.0, 9.0], "number", [[1.5], [np.nan], [2.0], [9.0]]),
    "whole numbers with gaps": (pd.array([1, None, 7, 7], dtype="Int64"), "number", [[1], [np.nan], [7], [7]]),
    "numbers as texts": (["1", "", " 2.5", "3e1"], "number", [[1], [np.nan], [2.5], [30]]),
    "decimals": (
        pd.Series([Decimal("1.5"), Decimal(2), None, Decimal(4)], dtype=object),
        "number",
        [[1.5], [2], [np.nan], [4]],
    ),
    "truth": ([True, False, True, True], "truth", [[1], [0], [1], [1]]),
    "truth with gaps": (pd.array([True, None, False, True], dtype="boolean"), "truth", [[1], [np.nan], [0], [1]]),
    "truth as objects": (pd.Series([True, None, False, True], dtype=object), "truth", [[1], [np.nan], [0], [1]]),
    "dates": (DAYS, "date", [[18262], [18263], [18264], [18265]]),
    "dates with a zone": (DAYS.tz_localize("Etc/GMT-12"), "date", [[18261.5], [18262.5], [18263.5], [18264.5]]),
    "days": (
        pd.Series(
            [datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 3), datetime.date(2020, 1, 4)], dtype=object
        ),
        "date",
        [[18262], [np.nan], [18264], [18265]],
    ),
    "dates as texts": (
        ["2020-01-01", None, "2020-01-02T12:00", "2020-01-01"],
        "date",
        [[18262], [np.nan], [18263.5], [18262]],
    ),
    "periods": (pd.period_range("2020-01-01", periods=4, freq="D"), "date", [[18262], [18263], [18264], [18265]]),
    "durations": (DAYS - DAYS[1], "duration", [[-86400], [0], [86400], [172800]]),
    "texts": (["b", "a", None, "b"], "category", [[0, 1], [1, 0], [np.nan, np.nan], [0, 1]]),
    "pandas' texts": (
        pd.array(["b", None, "a", "b "], dtype="string"),
        "category",
        [[0, 1], [np.nan, np.nan], [1, 0], [0, 1]],
    ),
    "categories": (pd.Categorical(["y", "x", "y", None]), "category", [[0, 1], [1, 0], [0, 1], [np.nan, np.nan]]),
    "categories of numbers": (pd.Categorical([2.0, 1.0, 2.0, 1.0]), "category", [[0, 1], [1, 0], [0, 1], [1, 0]]),
    "ordered": (
        pd.Categorical(["lo", "hi", None, "lo"], ["lo", "mid", "hi"], ordered=True),
        "ordered",
        [[0], [2], [np.nan], [0]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_kinds_and_numbers(case):
    values, kind, expected = CASES[case]
    column = pd.Series(values, name="c")
    code = describe("c", column, None, RULES)
    assert code.kind == kind
    np.testing.assert_array_equal(encode(code, column), np.array(expected, dtype=float))
    assert len(code.outputs) == len(expected[0])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None, None, None], "empty"),
        (["", " ", None], "empty"),
        ([2.0, 2.0, None], "constant"),
        (["a", "a", None], "constant"),
        (["anna", "bert", "carl"], "all different"),
        ([1.0] + 19 * [None], "constant"),
        ([1.0, 2.0, 3.0] + 17 * [None], "85% empty"),
        (["a", "a", "b"] + 17 * [None], "85% empty"),
        (np.arange(30) + 7, "numbers the rows"),
        (np.random.default_rng(0).permutation(30), "numbers the rows"),
        ([f"a comment of many words {n}" for n in range(10)] + ["a comment of many words 0"], "text of 10 values"),
    ],
)
def test_what_cannot_say_which_rows_are_alike_is_left_out(values, reason):
    code = code_of(values)
    assert (code.kind, code.reason, code.outputs) == ("left out", reason, [])


def test_ids_can_be_kept():
    rules = Rules(max_categories=4, max_missing=0.8, drop_ids=False)
    assert code_of(np.arange(30), rules=rules).kind == "number"
    assert code_of(["anna", "bert", "carl"], rules=rules).kind == "category"


def test_rare_values_share_an_indicator():
    values = [*"aaabbbcccddd", "rare", "odd", None]
    code = code_of(values)
    assert code.outputs == ["c_a", "c_b", "c_c", "c_d", "c_other values"]
    encoded = encode(code, pd.Series(["a", "odd", "never seen", None]))
    np.testing.assert_array_equal(encoded[:3], [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]])
    assert np.isnan(encoded[3]).all()


def test_unseen_values_are_gaps():
    code = code_of(["b", "a", "b"])
    assert np.isnan(encode(code, pd.Series(["never"]))).all()
    ordered = code_of(["lo", "hi", "lo"], order=["lo", "mid", "hi"])
    np.testing.assert_array_equal(encode(ordered, pd.Series(["mid", "never", "hi"])), [[1], [np.nan], [2]])


def test_cells_of_another_kind_are_named():
    code = code_of([1.0, 2.0, 4.0])
    with pytest.raises(InvalidFeaturesError, match="Row 2, column 'c' of `X` is 'wide', expected a number"):
        encode(code, pd.Series(["1", None, "wide"]))
    days = code_of(["2020-01-01", "2020-02-01", "2020-01-01"])
    with pytest.raises(InvalidFeaturesError, match="Row 0, column 'c' of `X` is 'soon', expected a date"):
        encode(days, pd.Series(["soon", "2020-01-01"]))
    truths = code_of(["true", "false", "true"])
    with pytest.raises(InvalidFeaturesError, match="Row 1, column 'c' of `X` is 'maybe', expected true or false as in"):
        encode(truths, pd.Series(["true", "maybe"]))
    for cells, cell in (([1, 0, 7], "7"), ([1.0, None, 2.5], "2.5"), (["1", "0", "-1"], "-1")):
        with pytest.raises(InvalidFeaturesError, match=f"Row 2, column 'c' of `X` is '{cell}', expected true or false"):
            encode(truths, pd.Series(cells))
    np.testing.assert_array_equal(encode(truths, pd.Series([1, 0, None])), [[1], [0], [np.nan]])
    np.testing.assert_array_equal(encode(code, pd.Series([None, None], dtype=object)), [[np.nan], [np.nan]])
    np.testing.assert_array_equal(encode(code, pd.Series([True, False])), [[1], [0]])


def test_infinity_and_complex_numbers_are_refused():
    with pytest.raises(InvalidFeaturesError, match="Row 1, column 'c' of `X` is infinity"):
        code_of([1.0, np.inf, 2.0])
    with pytest.raises(InvalidFeaturesError, match="Column 'c' of `X` holds complex numbers"):
        code_of([1j, 2.0])
