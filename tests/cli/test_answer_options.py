"""What every command that reads answers can be told of them, and what is said of single answers and regions."""

import inspect
import json
import re
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import tete
from tete.cli.answer_options import AnswerOptions
from tete.cli.check import check
from tete.cli.choose import choose
from tete.cli.embed import embed
from tete.cli.score import score
from tete.cli.suggest import suggest
from tete.cli.view import view
from tete.cli.views import views
from tete.datasets import make_uniform_triplets

FIXED = ("--t", 2, "--t-prime", 1.5)


@pytest.fixture
def table(rng):
    """Answers of two people about eight named objects, with response times."""
    answers = make_uniform_triplets(rng.normal(size=(8, 2)), 120, random_state=0)
    names = np.array([f"thing {n}" for n in range(8)], dtype=object)
    frame = pd.DataFrame(names[answers.to_array()], columns=["anchor", "near", "far"])
    return frame.assign(who=["ann", "bob"] * 60, worker="all the same", rt=rng.integers(150, 2000, size=120))


@pytest.mark.parametrize("command", [check, choose, embed, score, suggest, view, views], ids=lambda each: each.__name__)
def test_all_commands_take_the_same_options(command):
    taken = inspect.signature(command).parameters
    assert set(AnswerOptions.__dataclass_fields__) <= set(taken)
    assert "reading" not in taken


def test_annotators_of_suggested_questions(table, tmp_path):
    table.assign(user="x").to_csv(tmp_path / "a.csv", index=False)
    refused = tete("suggest", tmp_path / "a.csv", "-n", 3, *FIXED)
    assert refused.exit_code == 2
    assert "name the one to use with --annotator" in refused.stderr
    assert tete("suggest", tmp_path / "a.csv", "-n", 3, *FIXED, "--annotator", "who").exit_code == 0


def test_screens_and_zipped_tables(tmp_path):
    with zipfile.ZipFile(tmp_path / "screens.zip", "w") as archive:
        archive.writestr("screens.csv", "q,a1,a2,a3,best\nx,a,b,c,b\nx,a,b,,a\ny,a,b,c,none\n")
    options = ("--columns", "q,a1,a2,a3", "--picked", "best")
    told = tete("check", tmp_path / "screens.zip", *options, "--json")
    assert told.exit_code == 0, told.output
    assert "1 of 3 answers was left out: undecided" in told.stderr
    assert json.loads(told.stdout)["n_answers"] == 2
    assert (
        json.loads(tete("check", tmp_path / "screens.zip", *options, "--ties", "half", "--json").stdout)["n_answers"]
        == 3
    )


def test_response_times_by_person(table, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    told = tete("check", tmp_path / "a.csv", "--annotator", "who")
    assert "response times    median" in told.stdout
    assert "ann: median" in told.stdout
    times = json.loads(tete("check", tmp_path / "a.csv", "--annotator", "who", "--json").stdout)["response_times"]
    assert set(times["by_annotator"]) == {"ann", "bob"}
    assert times["by_annotator"]["ann"][0] == np.sort(table["rt"][::2])[29]


def test_trust_is_in_the_order_of_the_file_with_lines(table, tmp_path):
    labels = [f"{n % 7}-{n}" for n in range(120)]
    table.assign(answer=labels).to_csv(tmp_path / "a.csv", index=False)
    text = (tmp_path / "a.csv").read_text().replace("\n", "\n\n", 1)  # a blank line after the header
    (tmp_path / "a.csv").write_text(text)
    made = tete("embed", tmp_path / "a.csv", *FIXED, "--trust", tmp_path / "trust.csv")
    assert made.exit_code == 0, made.output
    trusted = pd.read_csv(tmp_path / "trust.csv")
    assert trusted["line"].tolist() == list(range(3, 123))
    assert trusted["answer"].tolist() == labels
    assert trusted["near"].tolist() == table["near"].tolist()
    assert trusted["ms"].tolist() == table["rt"].tolist()


def test_regions_in_a_file_and_in_json(table, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    made = tete("embed", tmp_path / "a.csv", *FIXED, "--ellipses-file", tmp_path / "regions.csv", "--json")
    assert made.exit_code == 0, made.output
    result, regions = json.loads(made.stdout), pd.read_csv(tmp_path / "regions.csv")
    assert regions["object"].tolist() == [f"thing {n}" for n in range(8)]
    assert (regions["half_axis_1"] >= regions["half_axis_2"]).all()
    assert result["ellipses"][3]["angle"] == pytest.approx(regions["angle"][3])
    assert str(tmp_path / "regions.csv") in result["written"]


def test_the_choice_says_its_folds_and_does_not_contradict_itself(table, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    told = tete("choose", tmp_path / "a.csv", "--dims", "1:3", "--folds", 3)
    assert told.exit_code == 0, told.output
    number = r"(-?[\d.]+)"
    pattern = rf"^ +(\d) +[\d.]+% ± [\d.]+% +{number} ± {number} +(\d) of 3 +.*?(<- chosen)?$"
    rows = re.findall(pattern, told.stdout, flags=re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert all(1 <= int(row[3]) <= 3 for row in rows)
    best = max(rows, key=lambda row: float(row[1]))
    near = [row for row in rows if float(row[1]) >= float(best[1]) - float(best[2]) - 1e-4]  # rounding
    chosen = next(row for row in rows if row[4])
    assert chosen == near[0]
    assert "within one standard error of the best one's" in told.stdout


def test_the_next_command_repeats_what_was_said_of_the_answers(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my answers.csv").write_text(table.rename(columns={"near": "more like"}).to_csv(index=False, sep=";"))
    given = ("--columns", "anchor,more like,far", "--annotator", "who", "--ties", "half", "--skip-invalid")
    told = tete("choose", "my answers.csv", *given, "--dims", 1)
    assert told.exit_code == 0, told.output
    following = next(line for line in told.stdout.splitlines() if line.startswith("next"))
    words = shlex.split(following)[1:]
    assert words[:4] == ["tete", "embed", "my answers.csv", "--columns"]
    assert all(word in words for word in given)
    assert tete(*words[1:]).exit_code == 0


def test_the_next_command_after_standard_input_says_so(table):
    told = tete("choose", "-", "--dims", 1, "--annotator", "who", stdin=table.to_csv(index=False))
    assert told.exit_code == 0, told.output
    assert re.search(
        r"next +tete embed - --annotator who .*\n +with the same answers on standard input once more", told.stdout
    )


def test_who_looks_for_place_finds_it(table, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    refused = tete("place", tmp_path / "map.csv", tmp_path / "a.csv")
    assert refused.exit_code == 2
    assert "new objects are placed on a map by answers about them: tete embed" in " ".join(refused.stderr.split())
    assert "--fixed map.csv" in " ".join(tete("place", "--help").stdout.split())
