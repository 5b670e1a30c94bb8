"""README and docstrings are true: every Python block runs."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from test_architecture import MODULES

ROOT = Path(__file__).parents[1]
BLOCKS = [
    block
    for page in ("README.md", "docs/command_line.md", "docs/datasets.md")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
]


def test_the_readme_is_short_and_ends_with_the_patent():
    lines = (ROOT / "README.md").read_text().rstrip().splitlines()
    assert len(lines) <= 160
    assert "10,127,694 B2" in lines[-1]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_readme_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})


def test_the_readme_has_blocks():
    assert len(BLOCKS) >= 2


def test_readme_links_point_to_files():
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text()):
        if "://" not in target:
            assert (ROOT / target).exists(), target


@pytest.mark.parametrize("module", ["", *(f".{name.removesuffix('.__init__')}" for name in MODULES)])
def test_docstring_examples(module):
    result = doctest.testmod(importlib.import_module(f"tete{module}"))
    assert result.failed == 0
