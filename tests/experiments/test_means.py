"""Means of tidy tables against sums by hand."""

import pandas as pd
import pytest

from tete.experiments.means import different, means, means_and_spreads, rows_of

TABLE = pd.DataFrame(
    {
        "method": ["b", "b", "a", "a"],
        "noise": [0.1, 0.1, 0.1, 0.2],
        "value": [1.0, 2.0, 4.0, None],
        "seconds": [1.0, 3.0, 5.0, 7.0],
    }
)


def test_means_skip_what_was_not_measured():
    assert means(TABLE, ["method", "noise"], "value") == {("b", 0.1): 1.5, ("a", 0.1): 4.0}
    assert means(TABLE, ["method"], "seconds") == {("b",): 2.0, ("a",): 6.0}


def test_rows_and_values_keep_their_order():
    assert different(TABLE, "method") == ["b", "a"]
    assert rows_of(TABLE, method="a", noise=0.1).index.tolist() == [2]


def test_summaries_count_and_spread():
    found = means_and_spreads(TABLE, ["method"], ["value", "seconds"])
    assert found["fits"].tolist() == [2, 2]
    assert found["value"].tolist() == [1.5, 4.0]
    assert found["value_sd"][0] == pytest.approx(0.5**0.5)
    assert "seconds_sd" not in found
