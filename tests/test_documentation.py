"""README and docstrings are true: every Python block and every command runs."""

import doctest
import importlib.util
import re
import shlex
from dataclasses import replace
from glob import glob
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import tete
from test_architecture import MODULES
from tete import Triplets
from tete.datasets import make_uniform_triplets
from tete.io import write_answers

ROOT = Path(__file__).parents[1]
BLOCKS = [
    block
    for page in ("README.md", "docs/command_line.md", "docs/datasets.md", "docs/views.md")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
]
FOLDERS = ("", "howto", "explanation", "coming_from", "reference")
PAGES = [
    *ROOT.glob("*.md"),
    *(path for folder in FOLDERS for path in sorted((ROOT / "docs" / folder).glob("*.md"))),
    *(ROOT / "benchmarks").glob("*.py"),
]
TASKS = ["docs/index.md", *(f"docs/howto/{path.name}" for path in sorted((ROOT / "docs/howto").glob("*.md")))]

COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("tete ")
]


def test_the_readme_is_short_and_ends_with_the_patent():
    lines = (ROOT / "README.md").read_text().rstrip().splitlines()
    assert len(lines) <= 120
    assert "10,127,694 B2" in lines[-1]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_readme_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("page", ["README.md", "docs/command_line.md", "docs/elsewhere.md", *TASKS])
def test_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL):
        exec(compile(block, page, "exec"), {"__name__": "page"})


def test_the_table_of_commands_runs_one_after_the_other(tmp_path, monkeypatch, rng):
    """But for commands that ask people or run for long, which have tests of their own."""
    monkeypatch.chdir(tmp_path)
    lines = (ROOT / "docs/command_line.md").read_text().splitlines()
    listed = [line.split("|")[1] for line in lines if line.startswith("| `tete ")]
    commands = [command for cell in listed for command in re.findall(r"`(tete [^`]*)`", cell)]
    points = rng.normal(size=(12, 2))
    answers = make_uniform_triplets(points, 300, random_state=0)
    write_answers("held_out.csv", make_uniform_triplets(points, 50, random_state=1))
    people = np.array([f"person {number % 3}" for number in range(300)])
    write_answers("answers.csv", replace(answers, annotators=people))
    write_answers("new_answers.csv", Triplets.from_array([(12, 0, 1), (12, 2, 3), (0, 12, 5), (12, 4, 5)]))
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["width", "height", "depth"])
    table.assign(species=["rose", "tulip", "daisy"] * 20).to_csv("table.csv", index=False)
    table[:5].to_csv("new_rows.csv", index=False)
    Path("rows").mkdir()
    table[:40].to_parquet("rows/first.parquet")
    table[40:].to_parquet("rows/second.parquet")
    for command in commands:
        if command.split()[1] not in {"demo", "collect", "export", "reproduce", "views"}:
            words = [sorted(glob(word)) if "*" in word else [word] for word in shlex.split(command)[1:]]
            result = tete(*chain.from_iterable(words))
            assert result.exit_code == 0, f"{command}: {result.output}"


def test_the_readme_has_blocks():
    assert len(BLOCKS) >= 2
    assert {line.split()[1] for line in COMMANDS} >= {"check", "embed", "view", "reduce", "place", "score"}


def test_readme_commands_run_one_after_the_other(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    write_answers("answers.csv", make_uniform_triplets(rng.normal(size=(12, 2)), 300, random_state=0))
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["width", "height", "depth"])
    table.assign(species=["rose", "tulip", "daisy"] * 20).to_csv("table.csv", index=False)
    table[:5].to_csv("new.csv", index=False)
    for line in COMMANDS:
        result = tete(*shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"


def test_readme_links_point_to_files():
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text()):
        if "://" not in target:
            assert (ROOT / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_names_in_documents_and_benchmarks_exist(page):
    text = page.read_text()
    for path in re.findall(r"\b(?:src|tests|docs|benchmarks)/[\w/]+\.\w+", text):
        assert path.startswith("docs/_build/") or (ROOT / path).exists(), path  # the site is there once it is built
    for package, name in re.findall(r"(?<![\w./@-])(tete(?:\.[a-z_]+)*)\.(\w+)", text):
        found = importlib.import_module(package)
        assert hasattr(found, name) or importlib.util.find_spec(f"{package}.{name}"), f"{package}.{name}"
    for package, names in re.findall(r"^from (tete[\w.]*) import ([\w, ]+)$", text, flags=re.MULTILINE):
        found = importlib.import_module(package)
        for name in names.split(", "):
            assert hasattr(found, name) or importlib.util.find_spec(f"{package}.{name}"), f"{package}.{name}"


@pytest.mark.parametrize("module", ["", *(f".{name.removesuffix('.__init__')}" for name in MODULES)])
def test_docstring_examples(module):
    if module == ".anndata":
        pytest.importorskip("anndata", reason="needs anndata, which needs pandas before 3: `make test-oldest` has both")
    result = doctest.testmod(importlib.import_module(f"tete{module}"))
    assert result.failed == 0
