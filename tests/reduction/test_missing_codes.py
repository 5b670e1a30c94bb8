import warnings

import numpy as np
import pandas as pd
import pytest

from tete import ListwiseTETE, WeightedTETE
from tete.exceptions import MissingCodesWarning
from tete.reduction.missing_codes import warn_missing_codes
from tete.reduction.table_reading import check_finite


def said(table, names=None):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_missing_codes(table, check_finite(table), names)
    assert all(each.category is MissingCodesWarning for each in caught)
    return [str(each.message) for each in caught]


@pytest.fixture
def table(rng):
    return rng.normal(15.0, 8.0, size=(300, 4))


@pytest.mark.parametrize("code", [-3.4e38, 9.97e36, 1e20, -1.7e308, -9999.0, -999.0, -99999.0, -(2.0**31), 1e15])
@pytest.mark.parametrize("count", [1, 5, 200])
def test_codes_are_named_with_column_value_and_count(table, code, count):
    table[:count, 2] = code
    (sentence,) = said(table, ["a", "b", "depth", "d"])
    rows = "1 row," if count == 1 else f"{count} rows,"
    assert sentence.startswith(f"Column 2 ('depth') of `X` has {code:g} in {rows} far beyond its other numbers from ")
    assert sentence.endswith("or leave out the rows or the column.")


def test_several_codes(table):
    table[3, 1], table[4, 1], table[7, 3] = -3.4e38, 9.97e36, -9999.0
    (sentence,) = said(table)
    assert "Column 1 of `X` has -3.4e+38 in 1 row" in sentence
    assert "(2 such columns)" in sentence


def test_columns_with_nothing_else_to_compare_with():
    assert "Column 0 of `X` has -3.4e+38" in said(np.array([[0.0], [0.0], [-3.4e38]]))[0]
    assert "Column 0 of `X` has 1e+35" in said(np.array([[0.0], [1.0], [1e35]]))[0]
    assert "has -2.14748e+09 in 2 rows" in said(np.array([[1], [5], [9], [-(2**31)], [-(2**31)]], dtype=np.int32))[0]


@pytest.mark.parametrize(
    "values",
    [
        np.arange(-9999.0, 9999.0),
        np.repeat([0.0, 1.0], 40),
        np.repeat([0.0, 999.0], 40),
        np.repeat([0.0, 1.0, 1e7], 40),
        np.exp(np.random.default_rng(0).normal(0.0, 3.0, size=2000)),
        np.random.default_rng(0).standard_cauchy(5000),
        np.random.default_rng(0).pareto(0.8, size=5000) * 1e7,
        1.7e9 + np.arange(1000.0),
        np.random.default_rng(0).poisson(0.01, size=3000) * 1e6,
        np.append(np.random.default_rng(0).normal(size=200), 1e3),
        np.append(np.random.default_rng(0).uniform(0, 3000, size=200), 9999.0),
        np.random.default_rng(0).normal(size=300) * 1e300,
        np.random.default_rng(0).normal(size=300) * 1e-300,
        np.full(50, -9999.0),
    ],
    ids=str,
)
def test_no_false_alarms(values):
    assert said(values[:, None]) == []


@pytest.mark.parametrize("estimator", [ListwiseTETE, WeightedTETE])
def test_fitting_says_it_once_and_still_gives_a_map(estimator, table):
    table[3, 2] = -3.4e38
    frame = pd.DataFrame(table, columns=list("abcd"))
    with pytest.warns(MissingCodesWarning, match=r"Column 2 \('c'\) of `X` has -3.4e\+38 in 1 row") as caught:
        model = estimator(random_state=0, max_iter=10).fit(frame)
    assert len(caught) == 1
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.loss_)
