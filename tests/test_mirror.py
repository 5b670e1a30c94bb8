"""Tests mirror the packages: whoever changes a file finds its tests without searching.

Two files have none: `core.types` has names of types only, and `__main__` is one call, made in `test_architecture`.
"""

import ast
from pathlib import Path

import pytest

from test_architecture import MODULES

TESTS = Path(__file__).parent
NAMED = "\n".join(ast.get_docstring(ast.parse(path.read_text())) or "" for path in TESTS.rglob("test_*.py"))


@pytest.mark.parametrize("module", [module for module in MODULES if not module.endswith("__init__")])
def test_every_file_has_tests_of_its_own_or_is_named_where_it_is_tested(module):
    *room, name = module.split(".")
    assert TESTS.joinpath(*room, f"test_{name}.py").exists() or f"`{module}`" in NAMED
