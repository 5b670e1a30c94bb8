"""The command line as a person uses it: every command, and every mistake in one sentence.

These run `cli.embed`, `cli.embed_fixed`, `cli.check`, `cli.choose`, `cli.curve`, `cli.suggest`, `cli.view`, `cli.demo`
and `cli.demo_digits`, with what commands share: `cli.options`, `cli.embedding_options`, `cli.outputs`, `cli.messages`.
"""

import functools
import json
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from command import tete
from tete import Triplets
from tete.cli import app
from tete.cli import demo_digits as demo
from tete.datasets import make_uniform_triplets
from tete.io import read_map, write_answers
from tete.selection.candidates import TEMPERATURES


@pytest.fixture
def answers(tmp_path, rng):
    """A file of 600 answers about 12 named objects, by three annotators."""
    triplets = make_uniform_triplets(rng.normal(size=(12, 2)), 600, random_state=0)
    named = Triplets.from_array(
        triplets.to_array(), names=[f"thing {n}" for n in range(12)], annotators=rng.choice(["ann", "bob", "cy"], 600)
    )
    write_answers(tmp_path / "answers.csv", named)
    return tmp_path / "answers.csv"


@pytest.fixture
def answers_of_many(answers, rng):
    """The same answers, by 20 annotators."""
    table = pd.read_csv(answers)
    table["annotator"] = [f"person {n}" for n in rng.integers(20, size=len(table))]
    table.to_csv(answers, index=False)
    return answers


class TestByPeople:
    def test_errors_by_answers_and_by_people(self, answers_of_many):
        text = tete("embed", answers_of_many, "--ellipses").stdout
        assert "for new people" in text
        assert "20 people held out)" in text
        assert "% of the map's spread is reproduced by 20 other people, " in text
        assert "% by other answers (10 draws)" in text
        result = json.loads(tete("embed", answers_of_many, "--ellipses", "--by", "answers", "--json").stdout)
        assert (result["people"], result["stability_by"]) == (None, "answers")

    def test_few_people_are_said(self, answers):
        assert "for new people      unknown: 3 people are too few" in tete("embed", answers).stdout

    @pytest.mark.parametrize("command", ["embed", "choose"])
    def test_few_people_in_one_sentence(self, answers, command):
        result = tete(command, answers, "--by", "annotators")
        assert result.exit_code == 2
        assert result.stderr.strip().endswith(
            "--by must be 'answers' here, got 'annotators'. 3 people are too few to say how far people differ, "
            "15 are needed."
        )

    def test_score(self, answers_of_many, tmp_path):
        tete("embed", answers_of_many, "--dims", "1", "-o", tmp_path / "map.csv")  # which cannot agree with all
        scored = ("score", tmp_path / "map.csv", "--answers", answers_of_many)
        assert "% by answers, " in tete(*scored).stdout
        assert "% by people" not in tete(*scored, "--by", "answers").stdout
        assert json.loads(tete(*scored, "--json").stdout)["standard_error_by_people"] > 0.0


class TestEmbed:
    def test_one_command_gives_a_map_and_a_summary(self, answers, tmp_path):
        result = tete("embed", answers, "-o", tmp_path / "map.csv")
        assert result.exit_code == 0, result.output
        assert "objects             12" in result.stdout
        assert "held-out accuracy" in result.stdout
        assert "annotators" in result.stdout
        found = read_map(tmp_path / "map.csv")
        assert found.embedding.shape == (12, 2)
        assert found.names[0] == "thing 0"

    def test_json_and_quiet(self, answers, tmp_path):
        result = json.loads(tete("embed", answers, "-o", tmp_path / "map.csv", "--json").stdout)
        assert result["n_objects"] == 12
        assert result["held_out_accuracy"] > 0.8
        assert result["written"] == [str(tmp_path / "map.csv")]
        assert tete("embed", answers, "--quiet").stdout == ""

    @pytest.mark.parametrize(
        "method",
        ["tete", *(pytest.param(each, marks=pytest.mark.slow) for each in ("tste", "ste", "ckl", "gnmds", "soe"))],
    )
    def test_every_method_in_three_dimensions(self, answers, tmp_path, method):
        assert tete("embed", answers, "--method", method, "--dims", 3, "-o", tmp_path / "m.npy").exit_code == 0
        assert np.load(tmp_path / "m.npy").shape == (12, 3)

    def test_ellipses(self, answers, tmp_path):
        files = ["--plot", tmp_path / "map.svg", "--page", tmp_path / "map.html"]
        result = tete("embed", answers, "--ellipses", *files, "--json")
        assert result.exit_code == 0, result.output
        assert 0.9 < json.loads(result.stdout)["stability"] <= 1.0
        few = tmp_path / "few.csv"
        few.write_text("anchor,near,far\na,b,c\nb,a,c\nc,a,b\n")
        told = tete("embed", few, "--ellipses").stdout
        assert "stability           unknown: 3 answers for 6 coordinates, 20 are needed" in told
        assert "width" in (tmp_path / "map.html").read_text()
        assert "% of the map's spread is reproduced" in tete("embed", answers, "--ellipses").stdout

    def test_wrong_answers_are_estimated(self, answers):
        result = tete("embed", answers)
        assert "wrong answers       " in result.stdout
        assert "annotators          0 of 3 are suspicious" in result.stdout
        low, high = json.loads(tete("embed", answers, "--json").stdout)["wrong_interval"]
        assert 0.0 <= low < high < 0.1

    @pytest.mark.parametrize("extension", ["csv", "tsv", "parquet", "json"])
    def test_trust_has_a_row_for_every_answer(self, answers, tmp_path, extension):
        path = tmp_path / f"trust.{extension}"
        result = tete("embed", answers, "--trust", path, "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["written"] == [str(path)]
        readers = {"parquet": pd.read_parquet, "json": pd.read_json, "tsv": functools.partial(pd.read_csv, sep="\t")}
        found, given = readers.get(extension, pd.read_csv)(path), pd.read_csv(answers)
        pd.testing.assert_frame_equal(found[list(given)], given, check_dtype=False)
        assert found["wrong"].between(0.0, 1.0).all()
        if extension == "csv":
            assert "exists already: --force" in tete("embed", answers, "--trust", path).stderr
            assert tete("embed", answers, "--trust", path, "--force").exit_code == 0

    def test_trust_of_answers_that_form_groups(self, tmp_path, rng):
        places = rng.normal(size=(8, 2))
        rows = np.array([rng.choice(8, size=3, replace=False) for _ in range(300)])
        spans = [np.linalg.norm(places[rows[:, n - 1]] - places[rows[:, n - 2]], axis=1) for n in range(3)]
        odd = rows[np.arange(300), np.argmin(spans, axis=0)]  # the one that is not of the closest pair
        table = pd.DataFrame(rows, columns=["first", "second", "third"]).assign(odd=odd)
        table.to_csv(tmp_path / "a.csv", index=False)
        result = tete("embed", tmp_path / "a.csv", "--trust", tmp_path / "t.csv")
        assert result.exit_code == 0, result.output
        found = pd.read_csv(tmp_path / "t.csv")
        assert (found["triplets"] == 2).all()
        np.testing.assert_array_equal(found["far"], odd)

    def test_trust_where_nothing_can_be_said(self, tmp_path):
        (tmp_path / "a.csv").write_text("anchor,near,far\na,b,c\nb,a,c\n")
        result = tete("embed", tmp_path / "a.csv", "--trust", tmp_path / "t.csv")
        assert result.exit_code == 2
        assert "t.csv: nothing can be said about single answers" in result.stderr
        assert not (tmp_path / "t.csv").exists()

    def test_a_pipe(self, answers):
        result = tete("embed", "-", stdin=answers.read_text())
        assert result.exit_code == 0
        assert "answers             600" in result.stdout

    def test_a_table_about_the_objects(self, tmp_path):
        (tmp_path / "a.csv").write_text("anchor,near,far\n0,1,2\n1,0,2\n2,1,0\n")
        (tmp_path / "o.csv").write_text("index,name,kind\n0,apple,fruit\n1,pear,fruit\n2,carrot,root\n")
        result = tete("embed", tmp_path / "a.csv", "--objects", tmp_path / "o.csv", "-o", tmp_path / "m.csv")
        assert result.exit_code == 0, result.output
        assert (tmp_path / "m.csv").read_text().splitlines()[0] == "object,x,y,name,kind"
        assert read_map(tmp_path / "m.csv").names == ("0", "1", "2")

    def test_options_of_another_method_are_a_usage_error(self, answers):
        result = tete("embed", answers, "--method", "ste", "--t", 2)
        assert result.exit_code == 2
        assert "--t is an option of --method tete" in result.output

    def test_warnings_are_shown(self, tmp_path):
        (tmp_path / "a.csv").write_text("anchor,near,far\n0,1,2\n3,4,5\n0,0,1\n")
        result = tete("embed", tmp_path / "a.csv", "--skip-invalid")
        assert result.exit_code == 0
        assert "Warning: 1 of 3 answers was left out: an object cannot be compared with itself." in result.stderr
        assert "Warning: The answers fall into 2 parts" in result.stderr


class TestChooseAndSuggest:
    def test_choose(self, answers, tmp_path):
        result = tete("choose", answers, "--dims", "1:3", "--folds", 3, "--plot", tmp_path / "choice.png")
        assert result.exit_code == 0, result.output
        assert result.stdout.count("%  ") == 3
        assert "<- chosen" in result.stdout
        assert "tete embed" in result.stdout
        assert (tmp_path / "choice.png").read_bytes().startswith(b"\x89PNG")
        found = json.loads(tete("choose", answers, "--dims", 2, "--folds", 3, "--json").stdout)
        assert found["best"]["n_components"] == 2
        tried = {(each["t"], None if each["kernel"] == "distance" else each["t_prime"]) for each in found["candidates"]}
        assert tried == set(TEMPERATURES)
        assert all(each["log_likelihood"] < 0.0 for each in found["candidates"])

    def test_curve(self, answers, answers_of_many, tmp_path):
        result = tete("curve", answers, "--repeats", 1, "--plot", tmp_path / "curve.svg", "--t", 2, "--t-prime", 1.5)
        assert result.exit_code == 0, result.output
        assert result.stdout.count("±") == 6
        assert "answers, heading for" in result.stdout
        assert "where it is heading" in (tmp_path / "curve.svg").read_text()
        options = ["--by", "annotators", "--repeats", 1, "--t", 2, "--t-prime", 1.5, "--json"]
        found = json.loads(tete("curve", answers_of_many, *options).stdout)
        assert found["by"] == "annotators"
        assert [set(point) for point in found["points"]] == [{"people", "answers", "error", "standard_error"}] * 6
        few = tmp_path / "few.csv"
        few.write_text("anchor,near,far\na,b,c\nb,a,c\n")
        assert "At least 100 answers are needed for a curve, got 2." in tete("curve", few).stderr

    def test_dims_that_are_none_and_too_many_folds(self, answers, tmp_path):
        few = tmp_path / "few.csv"
        few.write_text("anchor,near,far\na,b,c\nb,a,c\nc,a,b\n")
        assert "Error: At least 5 different questions are needed to hold some out" in tete("choose", few).stderr
        refused = tete("choose", few, "--folds", 4).stderr
        assert "Error: --folds must be at most the number of different questions, 3, got 4." in refused
        result = tete("choose", answers, "--dims", "two")
        assert result.exit_code == 2
        assert "--dims must be like 1:8, 1,2,4 or 2, got 'two'" in result.output

    def test_suggested_questions_can_be_answered(self, answers, tmp_path):
        result = tete("suggest", answers, "-n", 20, "-o", tmp_path / "q.csv")
        assert result.exit_code == 0, result.output
        assert "Is thing" in result.stdout
        assert "... and 10 more" in result.stdout
        asked = json.loads(tete("suggest", answers, "-n", 3, "--json").stdout)["questions"]
        assert len(asked) == 3
        assert {"center", "left", "right"} < set(asked[0])
        assert tete("suggest", answers, "-n", 3, "--quiet").stdout == ""
        questions = pd.read_csv(tmp_path / "q.csv")
        assert len(questions) == 20
        questions.assign(answer="left").to_csv(tmp_path / "answered.csv", index=False)
        assert "20 from 20 answers" in tete("check", tmp_path / "answered.csv").stdout


class TestFixed:
    def test_new_objects_onto_a_map(self, answers, tmp_path):
        tete("embed", answers, "-o", tmp_path / "map.csv")
        (tmp_path / "new.csv").write_text("anchor,near,far\nnewcomer,thing 0,thing 1\nthing 0,newcomer,thing 2\n")
        options = ("--fixed", tmp_path / "map.csv", "-o", tmp_path / "both.csv", "--plot", tmp_path / "both.png")
        result = tete("embed", tmp_path / "new.csv", *options)
        assert result.exit_code == 0, result.output
        assert "newcomer" in result.stdout
        before, after = read_map(tmp_path / "map.csv"), read_map(tmp_path / "both.csv")
        assert after.names == (*before.names, "newcomer")
        np.testing.assert_array_equal(after.embedding[:12], before.embedding)

    def test_what_does_not_go_with_a_fixed_map(self, answers, tmp_path):
        tete("embed", answers, "-o", tmp_path / "map.csv")
        fixed = ("embed", answers, "--fixed", tmp_path / "map.csv")
        refused = tete(*fixed, "--ellipses")
        assert refused.exit_code == 2
        assert "--ellipses, --objects, --trust and --by do not go with --fixed" in refused.stderr
        assert tete(*fixed, "--trust", tmp_path / "t.csv").exit_code == 2
        refused = tete(*fixed, "--label", "genre")
        assert refused.exit_code == 2
        assert "--label must be one of the columns" in refused.stderr


class TestCheckAndScore:
    def test_check(self, answers):
        result = tete("check", answers)
        assert result.exit_code == 0
        assert "contradictions" in result.stdout
        assert "agreement" in result.stdout
        assert json.loads(tete("check", answers, "--json").stdout)["n_objects"] == 12
        assert tete("check", answers, "--quiet").stdout == ""

    def test_score(self, answers, tmp_path):
        tete("embed", answers, "-o", tmp_path / "map.csv")
        result = tete("score", tmp_path / "map.csv", "--answers", answers)
        assert result.exit_code == 0
        assert "600 triplets agree with the map of 12 objects" in result.stdout
        assert json.loads(tete("score", tmp_path / "map.csv", "--answers", answers, "--json").stdout)["accuracy"] > 0.9
        assert tete("score", tmp_path / "map.csv", "--answers", answers, "--quiet").stdout == ""

    def test_score_of_a_bare_array(self, tmp_path):
        np.save(tmp_path / "m.npy", [[0.0, 0], [1, 0], [5, 0]])
        (tmp_path / "a.csv").write_text("anchor,near,far\n0,1,2\n0,2,1\n")
        assert "50.0% of 2 triplets" in tete("score", tmp_path / "m.npy", "--answers", tmp_path / "a.csv").stdout

    def test_score_of_a_map_without_the_object(self, tmp_path):
        (tmp_path / "m.csv").write_text("object,x,y\na,0,0\nb,1,1\n")
        (tmp_path / "a.csv").write_text("anchor,near,far\na,b,c\n")
        result = tete("score", tmp_path / "m.csv", "--answers", tmp_path / "a.csv")
        assert result.exit_code == 2
        assert "line 2, column 'far': 'c': not among the 2 objects of the map" in result.stderr


class TestPictures:
    def test_embed_draws_and_makes_a_page(self, answers, tmp_path):
        files = [tmp_path / name for name in ("map.csv", "map.svg", "map.html")]
        result = tete("embed", answers, "-o", files[0], "--plot", files[1], "--page", files[2], "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["written"] == [str(path) for path in files]
        assert "thing 3" in files[1].read_text()
        assert "600 answers" not in files[2].read_text()  # the page counts for itself
        assert '"total": 600' in files[2].read_text()

    def test_view(self, answers, tmp_path):
        (tmp_path / "map.csv").write_text("object,x,y,kind\nthing 0,0,0,a\nthing 1,1,0,b\nthing 2,0,1,a\n")
        result = tete("view", tmp_path / "map.csv", "--label", "kind", "--plot", tmp_path / "map.png")
        assert result.exit_code == 0, result.output
        assert '"label": "kind"' in (tmp_path / "map.html").read_text()
        assert (tmp_path / "map.png").exists()
        again = tete("view", tmp_path / "map.csv")
        assert again.exit_code == 2
        assert "map.html exists already" in again.stderr
        page = tmp_path / "page.html"
        result = tete("view", tmp_path / "map.csv", "-o", page, "--json")
        assert json.loads(result.stdout) == {"n_objects": 3, "written": [str(page)]}
        assert tete("view", tmp_path / "map.csv", "-o", page, "--force", "--quiet").stdout == ""

    def test_a_label_that_is_no_column(self, answers, tmp_path):
        result = tete("embed", answers, "--label", "kind", "-o", tmp_path / "map.csv")
        assert result.exit_code == 2
        assert result.stderr == "Error: --label must be one of the columns (none), got 'kind'.\n"
        assert not (tmp_path / "map.csv").exists()

    def test_numbered_objects_are_shown_by_name(self, tmp_path):
        (tmp_path / "map.csv").write_text("object,x,y\n0,0,0\n1,1,0\n")
        (tmp_path / "o.csv").write_text("id,name\n1,pear\n0,apple\n")
        assert tete("view", tmp_path / "map.csv", "--objects", tmp_path / "o.csv").exit_code == 0
        assert '"names": ["apple", "pear"]' in (tmp_path / "map.html").read_text()

    def test_pictures_are_checked_before_the_answers_are_read(self, tmp_path):
        result = tete("embed", tmp_path / "none.csv", "--plot", tmp_path / "map.gif")
        assert "the extension must be one of .png, .svg, .pdf, got '.gif'" in result.stderr
        result = tete("embed", tmp_path / "none.csv", "--page", tmp_path / "map.pdf")
        assert "the extension must be one of .html, .htm, got '.pdf'" in result.stderr

    @pytest.mark.slow
    def test_demo(self, tmp_path, monkeypatch):
        few = functools.partial(demo.digit_maps, n_digits=60, per_point=20)
        monkeypatch.setattr(demo, "digit_maps", few)
        monkeypatch.setattr(demo, "pixel_map", functools.partial(demo.pixel_map, n_digits=100))
        result = tete("demo", tmp_path / "demo")
        assert result.exit_code == 0, result.output
        assert result.stdout.count("t-ETE") == 3 + 1
        assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == sorted(demo.FILES)
        scored = tete("score", tmp_path / "demo" / "map.csv", "--answers", tmp_path / "demo" / "answers.csv")
        assert "1,200 triplets agree" in scored.stdout
        assert "By their pixels: 100 digits" in result.stdout
        assert "neighbours kept" in result.stdout
        table = tmp_path / "demo" / "digits.csv"
        reduced = tete("reduce", table, "--label", "digit", "--quality", "fast")
        assert reduced.exit_code == 0, reduced.output
        assert "features            64" in reduced.stdout
        assert "exists already" in tete("demo", tmp_path / "demo").stderr
        assert tete("demo", tmp_path / "demo", "--force", "--quiet").stdout == ""
        found = json.loads(tete("demo", tmp_path / "demo", "--force", "--json").stdout)
        assert [each["method"] for each in found["maps"]] == ["t-STE", "t-ETE"] * 3
        assert found["pixels"]["n_rows"] == 100
        assert len(found["written"]) == len(demo.FILES)


MISTAKES = [
    ("", "is empty"),
    ("anchor,near,far\n", "has a header but no rows"),
    ("anchor near far\n0 1 2\n", "expected at least 3 columns"),
    ("anchor,near,far\n0,1,2\n0,1,2,3\n", "line 3: expected 3 columns"),
    ("foo,bar,baz\n0,1,2\n", "expected columns anchor, near, far"),
    ("anchor,near,far\n0,1,2\n0,2,1\n", "cancel each other out"),
    (b"\x00\x01\x02" * 100, "is not a text file"),
    (b"\xff\xd8\xff\xe0abc", "is not utf-8 text"),
]


class TestMistakes:
    @pytest.mark.parametrize(("content", "message"), MISTAKES)
    @pytest.mark.parametrize("command", ["embed", "check"])
    def test_one_sentence_and_exit_code_2(self, tmp_path, content, message, command):
        path = tmp_path / "answers.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = tete(command, path)
        if command == "check" and "cancel" in message:
            assert result.exit_code == 0
            return
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""

    def test_one_answer_is_enough(self, tmp_path):
        (tmp_path / "a.csv").write_text("anchor,near,far\nx,y,z\n")
        result = tete("embed", tmp_path / "a.csv")
        assert result.exit_code == 0
        assert "unknown: At least 20 answers are needed to hold some out, got 1." in result.stdout
        assert "unknown: no answer could be held out" in result.stdout

    def test_a_thousand_objects_with_ten_answers(self, tmp_path, rng):
        rows = [",".join(map(str, rng.choice(1000, 3, replace=False))) for _ in range(10)]
        (tmp_path / "a.csv").write_text("anchor,near,far\n999,0,1\n" + "\n".join(rows))
        result = tete("embed", tmp_path / "a.csv")
        assert result.exit_code == 0
        assert "parts that no answer relates" in result.stderr

    def test_missing_file_and_folder(self, tmp_path):
        missing = tete("embed", tmp_path / "none.csv")
        assert missing.exit_code == 2
        assert missing.stderr == f"Error: {tmp_path}/none.csv: No such file or directory.\n"
        (tmp_path / "folder.csv").mkdir()
        assert "Is a folder" in tete("embed", tmp_path / "folder.csv").stderr
        assert "Is a folder, expected a file" in tete("embed", tmp_path).stderr

    def test_outputs_are_checked_before_the_answers_are_read(self, answers, tmp_path):
        (tmp_path / "map.csv").write_text("mine")
        result = tete("embed", answers, "-o", tmp_path / "map.csv")
        assert result.exit_code == 2
        assert "map.csv exists already: --force" in result.stderr
        assert (tmp_path / "map.csv").read_text() == "mine"
        assert tete("embed", answers, "-o", tmp_path / "map.csv", "--force").exit_code == 0
        assert "must be one of .csv" in tete("embed", tmp_path / "none.csv", "-o", tmp_path / "map.xlsx").stderr
        assert "does not exist" in tete("embed", tmp_path / "none.csv", "-o", tmp_path / "no" / "map.csv").stderr

    def test_no_permission(self, open_folder, request):
        (open_folder / "locked").mkdir(mode=0o555)
        request.getfixturevalue("ordinary_user")  # only now: nobody could not have made the folder
        result = tete("embed", open_folder / "none.csv", "-o", open_folder / "locked" / "map.csv")
        assert result.exit_code == 2
        assert "No permission to write" in result.stderr

    @pytest.mark.parametrize(
        "arguments", [["embed"], ["embed", "a.csv", "--dims", "0"], ["fly"], ["embed", "--method", "x"]]
    )
    def test_usage_errors_have_exit_code_2(self, arguments):
        result = tete(*arguments)
        assert result.exit_code == 2
        assert "Traceback" not in result.output

    def test_two_outputs_with_one_name_are_refused_before_the_work(self, answers, tmp_path):
        result = tete("embed", answers, "-o", tmp_path / "a.csv", "--trust", tmp_path / "." / "a.csv")
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: Outputs must be different files, got ")
        assert not (tmp_path / "a.csv").exists()

    def test_bad_temperature(self, answers):
        result = tete("embed", answers, "--t", 2.5)
        assert result.exit_code == 2
        assert result.stderr == "Error: --t must be in [1, 2], got 2.5.\n"

    def test_ctrl_c_changes_no_file(self, tmp_path):
        (tmp_path / "map.csv").write_text("mine")
        # A shell's background jobs ignore the signal, and so would this process if the tests run in one.
        program = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);from tete.cli import app; app()"
        )
        command = [sys.executable, "-c", program, "embed", "-", "-o", "map.csv", "--force"]
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=tmp_path, text=True, **pipes) as process:
            process.stdin.write("anchor,near,far\n" + "0,1,2\n" * 100_000)  # more than a pipe holds: it is being read
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert errors == "Error: Stopped. No file is left half-written.\n"
        assert (tmp_path / "map.csv").read_text() == "mine"
        assert [path.name for path in tmp_path.iterdir()] == ["map.csv"]


@pytest.mark.parametrize("command", [command.callback.__name__ for command in app.registered_commands])
def test_every_command_has_help_with_an_example_and_speaks_to_machines_or_not_at_all(command):
    result = tete(command, "--help")
    assert result.exit_code == 0
    assert f"Example: tete {command}" in result.stdout
    assert "--json" in result.stdout
    assert "--quiet" in result.stdout
