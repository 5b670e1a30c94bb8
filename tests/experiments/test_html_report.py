"""The report says what the tables say, and the command says in one sentence what is wrong.

Runs `experiments.reproduction` through the command `cli.reproduce`.
"""

import base64
import dataclasses
import html
import importlib.util
import re

import numpy as np
import pandas as pd
import pytest

from command import tete
from experiment_data import forget, small, stand_in
from tete.experiments import EXPERIMENT_NAMES, inputs, load_experiment, reproduction
from tete.experiments.experiment import Check, Claim, Outcome
from tete.experiments.html_report import cell, write_report


@pytest.fixture(autouse=True)
def small_data(monkeypatch):
    stand_in(monkeypatch)
    monkeypatch.setattr(reproduction, "load_experiment", small)
    yield
    forget()


def reproduce(*arguments):
    return tete("reproduce", *arguments)


def cells(page):
    """The text of all cells of all tables, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    return [[html.unescape(text) for text in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


@pytest.mark.slow
def test_every_number_is_that_of_the_table_beside(tmp_path):
    assert reproduce("figure5", "alien_eggs", "--quick", "--out", tmp_path / "paper", "-q").exit_code == 0
    page = (tmp_path / "paper" / "index.html").read_text()
    rows = cells(page)
    for name in ("figure5", "alien_eggs"):
        experiment = load_experiment(name)
        table = pd.read_csv(tmp_path / "paper" / f"{name}.csv")
        summary = pd.read_csv(tmp_path / "paper" / f"{name}_summary.csv")
        np.testing.assert_allclose(experiment.summary(table).iloc[:, -1], summary.iloc[:, -1])
        for line in summary.itertuples(index=False):
            assert [cell(column, value) for column, value in zip(summary.columns, line, strict=True)] in rows
        for claim in experiment.claims(table):
            assert html.escape(claim.statement) in page
            for check in claim.checks:
                assert f"{'yes' if check.passed else 'no'}: {html.escape(check.text)}" in page
    verdicts = pd.read_csv(tmp_path / "paper" / "verdicts.csv")
    assert set(verdicts["experiment"]) == {"figure5", "alien_eggs"}
    assert all(verdict in page for verdict in verdicts["verdict"])


def test_the_page_is_self_contained_and_says_that_it_is_quick(tmp_path):
    assert reproduce("figure2", "--quick", "--out", tmp_path / "paper").exit_code == 0
    page = (tmp_path / "paper" / "index.html").read_text()
    assert "quick run" in page
    assert "<script" not in page
    assert not re.search(r'src="(?!data:)', page)
    inlined = base64.b64decode(re.search(r"base64,([^\"]+)", page).group(1))
    assert inlined == (tmp_path / "paper" / "figure2.png").read_bytes()
    assert (tmp_path / "paper" / "figure2_small.png").stat().st_size < 100_000


def test_a_full_report_says_where_it_differs_from_the_paper_and_a_quick_one_does_not(tmp_path):
    chapter = reproduction.Chapter(small("figure2"), None, None, [Claim("a", "b", [Check("c", True)])], {})
    different = dataclasses.replace(chapter.experiment, tried="<everything>")
    for quick in (False, True):
        write_report(tmp_path, [dataclasses.replace(chapter, experiment=different)], quick=quick)
        for name, text in (("index.html", "&lt;everything&gt;"), ("verdicts.md", "<everything>")):
            assert (text in (tmp_path / name).read_text()) != quick


def test_text_is_escaped(tmp_path):
    toy = dataclasses.replace(
        load_experiment("figure2"), title="<h9>", run=lambda setting, n_jobs: Outcome([]), protocol=("a < b & c",)
    )
    claim = Claim("<i>", "x > y", [Check("<script>", True)])
    chapter = reproduction.Chapter(toy, pd.DataFrame({"name": ["<a>"], "seconds": [1.0]}), None, [claim], {"<d>": "&"})
    write_report(tmp_path, [chapter], quick=False)
    page = (tmp_path / "index.html").read_text()
    for text in ("<script>", "<a>", "<d>", "<h9>", "a < b & c", "x > y"):
        assert text not in page
        assert html.escape(text) in page


@pytest.mark.slow
def test_redrawing_computes_nothing(tmp_path, monkeypatch):
    assert reproduce("alien_eggs", "--quick", "--out", tmp_path / "paper").exit_code == 0
    before = (tmp_path / "paper" / "index.html").read_text()
    (tmp_path / "paper" / "alien_eggs.png").unlink()
    refuse = dataclasses.replace(small("alien_eggs"), run=lambda setting, n_jobs: pytest.fail("computed anew"))
    monkeypatch.setattr(reproduction, "load_experiment", lambda name: refuse)
    assert reproduce("alien_eggs", "--quick", "--out", tmp_path / "paper").exit_code == 0
    assert (tmp_path / "paper" / "index.html").read_text() == before
    assert (tmp_path / "paper" / "alien_eggs.png").exists()


def test_a_missing_data_set_is_named_and_the_rest_goes_on(tmp_path, monkeypatch):
    def absent():
        raise FileNotFoundError("music.npz is missing: put it there")

    monkeypatch.setitem(inputs.SOURCES, "Music", absent)
    result = reproduce("figure5", "figure2", "--quick", "--out", tmp_path / "paper")
    assert result.exit_code == 0
    assert "Warning: figure5 goes without Music: music.npz is missing: put it there" in result.stderr
    page = (tmp_path / "paper" / "index.html").read_text()
    assert "Music is missing" in page
    assert (tmp_path / "paper" / "figure2.png").exists()
    assert not (tmp_path / "paper" / "figure5.png").exists()


def test_the_list_names_all():
    result = reproduce("--list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(EXPERIMENT_NAMES)
    assert "needs MIT Scenes, MNIST" in result.stdout


def test_mistakes_are_one_sentence(tmp_path, monkeypatch):
    result = reproduce("figure7", "--out", tmp_path / "paper")
    assert result.exit_code == 2
    assert "Error: There is no experiment 'figure7': choose from figure1," in result.stderr
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    result = reproduce("figure2", "--out", tmp_path / "mine")
    assert result.exit_code == 2
    assert "no earlier run's: name another --out." in result.stderr
    assert (tmp_path / "mine" / "index.html").read_text() == "mine"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = reproduce("figure6", "--out", tmp_path / "paper")
    assert result.exit_code == 2
    assert "figure6 needs openTSNE: pip install 'tete[experiments]'" in result.stderr


def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch):
    def stop(setting, n_jobs):
        raise KeyboardInterrupt

    stopped = dataclasses.replace(small("figure2"), run=stop)
    monkeypatch.setattr(reproduction, "load_experiment", lambda name: stopped)
    result = reproduce("figure2", "--quick", "--out", tmp_path / "paper")
    assert result.exit_code == 130
    assert result.stderr.endswith("Error: Stopped. No file is left half-written.\n")


def test_cells():
    assert [cell("seconds", 1.26), cell("accuracy", 0.12345), cell("pieces", 3.0), cell("x", float("nan"))] == [
        "1.3",
        "0.123",
        "3",
        "",
    ]
    assert cell("triplet_error", 0.0) == "0.000"
    assert cell("fits", np.int64(3)) == "3"
