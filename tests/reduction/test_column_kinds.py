import datetime
import pathlib
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tete import ListwiseTETE
from tete.exceptions import InvalidFeaturesError
from tete.reduction.column_kinds import numbers_only

DAYS = pd.date_range("2020-01-01", periods=3)
ODD_COLUMNS = {
    "text": (["a", "b", "c"], "text"),
    "text that looks like numbers": (pd.Series(["1", "2", "3"], dtype=object), "text"),
    "pandas' text": (pd.array(["a", None, "c"], dtype="string"), "text"),
    "mixed": (pd.Series([1, "b", 2.0], dtype=object), "text"),
    "categories": (pd.Categorical(["x", "y", "x"]), "categories"),
    "categories of numbers": (pd.Categorical([1, 2, 1]), "categories"),
    "dates": (DAYS, "dates"),
    "dates with a zone": (DAYS.tz_localize("UTC"), "dates"),
    "days": (pd.Series([datetime.date(2020, 1, day) for day in (1, 2, 3)], dtype=object), "dates"),
    "periods": (pd.period_range("2020", periods=3, freq="D"), "dates"),
    "durations": (DAYS - DAYS[0], "durations"),
    "complex": ([1j, 2.0, 3.0], "complex numbers"),
    "intervals": (pd.interval_range(0, 3), "values of the type interval"),
}


@pytest.mark.parametrize("case", ODD_COLUMNS)
def test_a_column_of_something_else_is_named_with_what_to_do(case):
    values, what = ODD_COLUMNS[case]
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "odd one": values})
    with pytest.raises(
        InvalidFeaturesError, match=f"Column 'odd one' of `X` holds {what}.*: leave it out, or"
    ) as error:
        numbers_only(frame)
    assert "such columns" not in str(error.value)
    with pytest.raises(InvalidFeaturesError, match=r"\(2 such columns\)"):
        numbers_only(frame.assign(another=values))
    with pytest.raises(InvalidFeaturesError, match="Column 'odd one'"):
        ListwiseTETE().fit(frame)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        [True, False, True],
        pd.array([1, 2, 3], dtype="Int64"),
        pd.array([0.5, 2, 3], dtype="Float32"),
        pd.array([True, False, True], dtype="boolean"),
        pd.Series([1, 2.5, np.float32(3)], dtype=object),
        pd.Series([Decimal("1.5"), Decimal(2), Decimal(3)], dtype=object),
        np.array([1, 2, 3], dtype=np.float16),
        np.array([1, 2, 3], dtype=">i4"),
        pd.arrays.SparseArray([0, 0, 1]),
    ],
    ids=lambda values: str(getattr(values, "dtype", type(values[0]).__name__)),
)
@pytest.mark.filterwarnings("ignore::tete.exceptions.FewRowsWarning")
def test_numbers_of_any_type_are_taken_without_a_word(values):
    frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "other": values})
    plain = pd.DataFrame({"size": [1.0, 2.0, 4.0], "other": np.asarray(values, dtype=float)})
    here, there = (ListwiseTETE(random_state=0, max_iter=5).fit_transform(table) for table in (frame, plain))
    np.testing.assert_allclose(here, there, atol=1e-4)


@pytest.mark.parametrize(
    "values", [pd.array([1, None, 3], dtype="Int64"), pd.Series([1, pd.NA, 2.5], dtype=object), [1.0, np.nan, 2.0]]
)
def test_gaps_are_named_by_row_and_column(values):
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "other": values})
    with pytest.raises(InvalidFeaturesError, match=r"Row 1, column .*'other'\)? of `X` is .*NaN"):
        ListwiseTETE().fit(frame)


def test_arrays_of_something_else_are_refused():
    for wrong, what in (
        (np.array([["1", "2"], ["3", "4"]]), "text"),
        (np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"), "dates"),
        (np.array([[1], [2]], dtype="m8[s]"), "durations"),
        (np.ones((2, 2)) * 1j, r"complex numbers \(Complex data not supported\)"),
    ):
        with pytest.raises(InvalidFeaturesError, match=f"`X` must hold real numbers, got {what}"):
            ListwiseTETE().fit(wrong)
    with pytest.raises(InvalidFeaturesError, match="Row 1, column 0 of `X` is text, '4'"):
        ListwiseTETE().fit(np.array([[1, 2], ["4", 3]], dtype=object))
    with pytest.raises(InvalidFeaturesError, match="at most 308 digits"):
        ListwiseTETE().fit(np.array([[1, 2], [10**400, 3]], dtype=object))


@pytest.mark.parametrize("file", ["table.csv", pathlib.Path("table.csv")])
def test_a_files_name_is_told_what_reads_it(file):
    with pytest.raises(InvalidFeaturesError, match=r"`X` is 'table\.csv': a file is read by `tete\.read_features`"):
        ListwiseTETE().fit(file)
