import numpy as np
import pandas as pd
import pytest

from tete.exceptions import InvalidFeaturesError
from tete.reduction.encoding.cell_kinds import cells_of, is_missing, value_texts, written


def test_texts_of_values():
    assert [written(value) for value in (3.0, 2.5, " a ", True, 7)] == ["3", "2.5", "a", "True", "7"]
    assert value_texts("c", pd.Series(["a ", "", None, "b", np.nan, pd.NA], dtype=object)).tolist() == [
        "a",
        None,
        None,
        "b",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2.", ".5", "-3e2"], "number"),
        (["1", "2", "many"], "category"),
        (["1,5", "2,5"], "category"),
        (["2020-01-31", "2020-02-01 12:30:00.5Z"], "date"),
        (["2020-01-31", "2020-02-31"], "category"),  # there is no such day
        (["2020-01-31T10:00+09:00", None, "2020-02-01 12:30:00-0330"], "date"),
        (["2020-01-31+09:00"], "category"),  # a zone belongs to a time
        (["True", None, "false "], "truth"),
        (["true", "maybe"], "category"),
        (["3 days 12:00:00", "0 days 00:00:01.5", "1 day"], "duration"),
        (["3 days", "soon"], "category"),
        (["31.01.2020"], "category"),
        (["1_000"], "category"),
    ],
)
def test_texts_that_are_all_numbers_or_all_days(texts, kind):
    assert cells_of("c", pd.Series(texts))[1] == kind


def test_zones_gaps_and_durations_in_texts():
    days = cells_of("c", pd.Series(["2020-01-31T09:00+09:00", None, "2020-01-31T00:00Z", "2020-01-31"]))[0]
    np.testing.assert_array_equal(days, [18292.0, np.nan, 18292.0, 18292.0])
    np.testing.assert_array_equal(cells_of("c", pd.Series(["TRUE", None, "False"]))[0], [1.0, np.nan, 0.0])
    np.testing.assert_array_equal(
        cells_of("c", pd.Series(["1 days 00:00:02", "-1 days +23:59:59"]))[0], [86402.0, -1.0]
    )


def test_cells_that_hold_several_values_are_refused():
    with pytest.raises(
        InvalidFeaturesError, match=r"^Row 1, column 'c' of `X` is a list: cells must hold single values\.$"
    ):
        cells_of("c", pd.Series(["a", ["b", "c"]]))


def test_whole_numbers_beyond_any():
    with pytest.raises(InvalidFeaturesError, match=r"^Row 1, column 'c' of `X` is beyond the largest number"):
        cells_of("c", pd.Series([1, 10**400, None], dtype=object))


def test_days_beyond_three_centuries():
    moments = pd.Series(np.array(["0001-01-01", "9999-12-31T12:00:00", "NaT"], dtype="datetime64[us]"))
    np.testing.assert_array_equal(cells_of("c", moments)[0], [-719162.0, 2932896.5, np.nan])


def test_gaps():
    assert is_missing(np.array([1.0, np.nan])).tolist() == [False, True]
    assert is_missing(np.array(["a", None], dtype=object)).tolist() == [False, True]
