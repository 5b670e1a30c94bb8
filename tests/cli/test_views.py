"""The command views, as a person uses it."""

import json

import pandas as pd
import pytest

from command import tete
from people_of_views import study
from samples import random_triplets
from tete.io import read_map, write_answers


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "answers.csv"
    write_answers(path, study()[0])
    return path


def test_everything_is_written_and_said(answers, tmp_path):
    result = tete("views", answers, "-o", tmp_path / "found")
    assert result.exit_code == 0, result.output
    names = {"view_0.csv", "view_1.csv", "people.csv", "summary.txt", "views.html"}
    assert {path.name for path in (tmp_path / "found").iterdir()} == names
    assert "views, or ends of a continuum" in result.stdout
    assert (tmp_path / "found" / "summary.txt").read_text().splitlines() == result.stdout.splitlines()[: -len(names)]
    assert read_map(tmp_path / "found" / "view_1.csv").embedding.shape == (20, 2)
    people = pd.read_csv(tmp_path / "found" / "people.csv", index_col="annotator")
    assert people["answers"].dtype.kind == "i"
    assert people["verdict"].eq("consistent, but another view").sum() == 6
    again = tete("views", answers, "-o", tmp_path / "found")
    assert again.exit_code == 2
    assert "view_0.csv exists already: --force overwrites it" in again.stderr


def test_json_and_a_given_number(answers):
    found = json.loads(tete("views", answers, "--n-views", 1, "--json").stdout)
    assert found["n_views"] == 1
    assert found["needed"] == 300
    assert found["found"] == "1, as asked for"
    assert found["written"] == []


def test_single_answers(tmp_path, rng):
    write_answers(tmp_path / "answers.csv", random_triplets(rng, n_triplets=300))
    alone = tete("views", tmp_path / "answers.csv")
    assert alone.exit_code == 2
    assert "must have annotators to be told apart by them, got none. --by answers tells single" in alone.stderr
    result = tete("views", tmp_path / "answers.csv", "--by", "answers", "--n-views", 2, "-o", tmp_path / "found")
    assert result.exit_code == 0, result.output
    told = pd.read_csv(tmp_path / "found" / "answers.csv")
    assert told["line"].tolist() == list(range(2, 302))
    assert list(told.columns[2:]) == ["line", "anchor", "near", "far", "view", "probability", "reliability"]
    assert not (tmp_path / "found" / "people.csv").exists()


def test_nothing_is_left_of_mistakes(answers, tmp_path):
    assert tete("views", tmp_path / "absent.csv", "-o", tmp_path / "found").exit_code == 2
    assert not (tmp_path / "found").exists()
    taken = tete("views", answers, "-o", answers)
    assert taken.exit_code == 2
    assert "--output must be a folder" in " ".join(taken.stderr.split())


@pytest.mark.parametrize("number", ["two", "0", "21"])
def test_numbers_that_are_none(answers, number):
    result = tete("views", answers, "--n-views", number)
    assert result.exit_code == 2
    assert f"--n-views must be auto or a whole number from 1 to 20, got '{number}'" in " ".join(result.stderr.split())
