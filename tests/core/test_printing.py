"""Short tables of text."""

import numpy as np
import pytest

import tete
from tete.core.printing import Printed, counted, listed, rows_under, table_lines, whole_counts


def test_texts_begin_in_one_column():
    assert table_lines([("objects", "12"), ("", "of them 3")], width=10) == ["objects   12", "          of them 3"]
    assert table_lines([]) == []


def test_only_the_first_of_several_rows_has_the_label():
    assert rows_under("written", ["a.csv", "b.png"]) == [("written", "a.csv"), ("", "b.png")]
    assert rows_under("written", []) == []


@pytest.mark.parametrize(
    ("values", "text"),
    [((), "none"), ((1, 2), "1, 2"), (range(8), "0, 1, 2, 3, 4, 5, 6, 7"), ("ab" * 600, "a, b, ... (1,200 in all)")],
)
def test_long_lists_are_cut(values, text):
    assert listed(values, most=2 if len(values) > 8 else 8) == text


def test_counts_are_whole_however_large():
    assert whole_counts(np.array([0.0, 2.4, 1e300])).tolist() == [0, 2, 2**62]


def test_what_is_counted_is_one_or_several():
    assert [counted(number, "row") for number in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]
    assert [counted(number, "person", "people") for number in (1, 2)] == ["1 person", "2 people"]


def test_notebooks_show_results_as_print_does():
    """IPython asks for `_repr_pretty_`; `repr` stays the call that would make the value."""

    class Printer:
        def __init__(self):
            self.written = []
            self.text = self.written.append

    summary = tete.Triplets.from_array([(0, 1, 2), (1, 0, 2)]).summary()
    summary._repr_pretty_(printer := Printer(), False)
    assert printer.written == [str(summary)]
    assert "connected parts" in str(summary)
    assert repr(summary).startswith("TripletSummary(")


@pytest.mark.parametrize("kind", ["TrustReport", "Uncertainty", "LearningCurve", "MapQuality"])
def test_public_results_are_shown_as_text(kind):
    assert issubclass(getattr(tete, kind), Printed)
