import builtins
import inspect
import re
import warnings

import pytest

from tete import exceptions
from tete.exceptions import TeteError, TeteWarning, warn


def drawn_tree():
    """Of each class in the docstring's tree: its name, the name above it, and the one it also is."""
    above = []
    for line in exceptions.__doc__.splitlines():
        found = re.match(r"    ([ │├└─]*)(\w+)(?:\s+\(also an? (\w+)\))?", line)
        if found:
            depth = len(found[1]) // 4
            above = [*above[:depth], found[2]]
            yield found[2], above[depth - 1] if depth else None, found[3]


TREE = list(drawn_tree())


@pytest.mark.parametrize(("name", "parent", "also"), TREE, ids=[name for name, _, _ in TREE])
def test_the_tree_of_the_docstring_is_the_tree(name, parent, also):
    kind = getattr(exceptions, name)
    expected = [parent and getattr(exceptions, parent), also and getattr(builtins, also)]
    assert [base for base in kind.__bases__ if base is not Exception] == [base for base in expected if base]


def test_every_error_and_warning_is_drawn():
    own = {name for name, kind in inspect.getmembers(exceptions, inspect.isclass) if issubclass(kind, Exception)}
    assert {name for name in own if issubclass(getattr(exceptions, name), TeteError | TeteWarning)} == {
        name for name, _, _ in TREE
    }


def test_warnings_point_at_the_first_line_outside_the_package():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("Look out.", TeteWarning)
    assert caught[0].filename == __file__
    assert str(caught[0].message) == "Look out."
