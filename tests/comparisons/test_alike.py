"""Names that look alike are found, whatever makes them differ, and stay different objects."""

import pytest

from tete import Triplets
from tete.comparisons.alike import alike_names, alike_rows


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("pear", "pe\u200bar"),
        ("red pear", "red  pear"),
        ("red pear", "red\u00a0pear"),
        ("Pear", "pear"),
        ("STRASSE", "straße"),
        ("1", "1.0"),
        ("7", "07"),
        ("1", "\uff11"),
    ],
)
def test_pairs(one, other):
    assert alike_names([one, "plum", other]) == ((one, other),)
    ((label, text),) = alike_rows([(one, other)])
    assert label == "look alike"
    first, second = text.split(" and ")
    assert first != second
    assert text.isascii() or "\u0301" not in text


def test_what_does_not_look_alike():
    assert alike_names(["pear", "pears", "1", "2", "1_0", "10", "nan", "NaN.", "inf"]) == ()
    assert alike_names(None) == alike_names([1, 2, 30]) == ()
    assert alike_rows([]) == []


def test_many_groups_are_counted():
    groups = alike_names([f"{case}{number}" for number in range(9) for case in ("a", "A")])
    assert len(groups) == 9
    assert alike_rows(groups)[-1] == ("", "(9 such groups of names in all)")


def test_the_summary_lists_them():
    triplets = Triplets(anchor=[0], near=[1], far=[2], names=["pear", "Pear", "plum"])
    assert triplets.n_objects == 3
    assert triplets.summary().alike_names == (("pear", "Pear"),)
    assert "look alike        'pear' and 'Pear'" in str(triplets.summary())
    assert "look alike" not in str(Triplets(anchor=[0], near=[1], far=[2]).summary())
