"""The commands collect and export as a researcher uses them, with real processes.

These run `cli.export`, `collecting.resuming` and `collecting.rehearsal` too, and the example of the documentation.
"""

import json
import re
import signal
import socket
import sqlite3
import stat
import sys
import warnings
from urllib.error import HTTPError

import pandas as pd
import pytest

from command import tete
from postgres_server import postgres_address, postgres_server  # noqa: F401  (fixtures)
from served_study import DOCUMENT, documented_judge, finished, refused, serving
from tete import read_answers, read_map, read_study
from tete.collecting.rehearsal import rehearsal_rows
from tete.exceptions import DroppedAnswersWarning

NAMES = ["a, \"b\" & 'c'", "<img src=x onerror=alert(1)>", "👩‍🔬", "=1+1", "02", "ünï", "plain", "; semi", "NaN", "1"]


@pytest.fixture
def words(tmp_path):
    quoted = "".join('"' + name.replace('"', '""') + '"\n' for name in NAMES)
    (tmp_path / "words.csv").write_text(f"name\n{quoted}")
    return tmp_path


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory):
    """A study that eight simulated people have answered, and what the command said."""
    folder = tmp_path_factory.mktemp("rehearsed")
    (folder / "words.csv").write_text("name\n" + "".join(f'"{name}, ""so"""\n' for name in "abcdefghijkl"))
    options = ["--simulate", 8, "--per-person", 40, "--port", 0, "--database", folder / "study.db"]
    result = tete("collect", folder / "words.csv", *options, "--json")
    assert result.exit_code == 0, result.output
    return folder / "study.db", [json.loads(line) for line in result.stdout.splitlines()]


def named(triplets):
    return [tuple(str(triplets.name_of(number)) for number in row) for row in triplets.to_array().tolist()]


def answer_some(address, count):
    """Answer as a person who leaves after a while; the key of the person."""
    ask = documented_judge()["ask"]
    standing = ask(address, "/start", {"consent": True, "identity": {"PROLIFIC_PID": "secret-5"}, "source": "page"})
    for _ in range(count):
        question = standing["questions"][0]
        right = question.get("right") or [0]
        answer = {"question": question["question"], "revision": question["revision"], "choice": right, "undo": False}
        ask(address, "/answer", answer | {"ms": 5.0, "ahead": 1, "after": question["position"]}, standing["person"])
        standing |= ask(address, "/next?ahead=1", person=standing["person"])
    return standing


class TestServing:
    def test_from_nothing_to_a_map(self, words):
        example = documented_judge()
        with serving(words, "words.csv", "--per-person", 20, "--catch", 0, "--repeat", 0) as served:
            assert served.said["database"] == "words.db"
            assert (served.said["items"], served.said["people"], served.said["answers"]) == (len(NAMES), 0, 0)
            assert b"<html" in served.get("/")
            n_answers = example["judge"](served.address, "shortest-name", example["shortest_name"])
            assert n_answers == 40  # 20 in both orders
            exported = tete("export", words / "words.db", "-o", words / "while_running.csv")
            assert exported.exit_code == 0, exported.output
            assert served.stop() == {"stored": "words.db", "people": 1, "answers": 40}
        assert stat.S_IMODE((words / "words.db").stat().st_mode) == 0o600
        result = tete("embed", words / "words.db", "-o", words / "map.csv")
        assert result.exit_code == 0, result.output
        assert sorted(map(str, read_map(words / "map.csv").names)) == sorted(NAMES)
        triplets, read_again = read_study(words / "words.db"), read_answers(words / "while_running.csv")
        assert len(triplets) == len(read_again) == 40
        assert named(read_again) == named(triplets)

    @pytest.mark.parametrize(
        "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL]
    )
    def test_the_same_command_goes_on(self, words, how):
        (words / "consent.md").write_text("Yes?")
        options = ["words.csv", "--per-person", "20", "--consent", "consent.md", "--title", "Words"]
        with serving(words, *options) as served:
            before = answer_some(served.address, 5)
            if how == signal.SIGKILL:
                served.process.kill()
            else:
                served.stop(how)
        with serving(words, *options) as served:
            assert (served.said["people"], served.said["answers"]) == (1, 5)
            again = answer_some(served.address, 0)
            assert again["questions"][0] == before["questions"][0]
            assert json.loads(served.get("/study"))["title"] == "Words"
            served.stop()

    def test_items_may_be_added_but_not_removed(self, words):
        options = ["words.csv", "--per-person", "20"]
        with serving(words, *options) as served:
            answer_some(served.address, 4)
            served.stop()
        lines = (words / "words.csv").read_text().splitlines()
        (words / "words.csv").write_text("\n".join([lines[0], "first", *reversed(lines[1:])]))
        with serving(words, *options) as served:
            assert served.said["items"] == len(NAMES) + 1
            served.stop()
        (words / "words.csv").write_text("\n".join([lines[0], "first", *lines[2:]]))
        code, sentence = refused(words, *options, "--port", "0")
        assert code == 2
        assert re.search(r"items.* must .*words.db", sentence)

    def test_a_second_server_is_refused(self, words):
        with serving(words, "words.csv") as served:
            code, sentence = refused(words, "words.csv", "--port", "0")
            assert code == 1
            assert sentence == f"Error: words.db is in use by another tete collect (process {served.process.pid})."
            served.stop()

    def test_a_taken_port_is_named(self, words):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            code, sentence = refused(words, "words.csv", "--port", taken.getsockname()[1])
        assert code == 2
        assert re.fullmatch(r"Error: --port \d+ is taken by another program: give another one.", sentence)

    def test_a_judge_whose_answer_does_not_fit_hears_why(self, words):
        with serving(words, "words.csv") as served:
            with pytest.raises(HTTPError, match="409") as caught:
                documented_judge()["judge"](served.address, "wrong", lambda anchor, choices: [7])
            assert json.load(caught.value)["error"].endswith(".")
            served.stop()


class TestMistakes:
    @pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0 but no more"])
    def test_files_that_are_no_database(self, words, content):
        (words / "study.db").write_bytes(content)
        result = tete("collect", words / "words.csv", "--database", words / "study.db", "--port", 0)
        assert result.exit_code in (1, 2)
        assert re.fullmatch(r"Error: [^\n]*study\.db [^\n]*\.\n", result.stderr)
        assert (words / "study.db").read_bytes() == content

    def test_databases_of_other_programs(self, words):
        with sqlite3.connect(words / "study.db") as other:
            other.execute("CREATE TABLE songs (title)")
        other.close()
        result = tete("collect", words / "words.csv", "--database", words / "study.db", "--port", 0)
        assert result.exit_code == 2
        assert "study.db is a database, but not a study: another program made it." in result.stderr

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--question", "best"], "--question must be triplet"),
            (["--per-person", "0"], "--per-person"),
            (["--test", "1.5"], "--test"),
            (
                ["--per-person", "5"],
                "--per-person must hold the catch questions and each repeated one twice, 12, got 5",
            ),
            (["--consent", "gone.md"], "gone.md: No such file or directory."),
            (["--completion-link", "javascript:alert(1)"], "--completion-link must be an address that begins with"),
            (["--host", "0.0.0.0"], "--public-url must be given"),
            (["--question", "pick:2of11"], "must have at least 12 items for the question pick:2of11, got 10"),
            (["--texts", "words.csv"], "words.csv must be TOML"),
            (["p0001"], "an ID is for forget"),
        ],
    )
    def test_options_have_rules(self, words, monkeypatch, options, said):
        monkeypatch.chdir(words)
        result = tete("collect", "words.csv", *options)
        assert result.exit_code == 2
        assert said in result.stderr
        assert "Traceback" not in result.output
        assert not (words / "words.db").exists()

    def test_the_file_of_a_study_is_named(self, words):
        (words / "study.toml").write_text('items = "words.csv"\nper_person = 3\n')
        result = tete("collect", words / "study.toml", "--port", 0)
        assert result.exit_code == 2
        assert "study.toml: `per_person` must hold the catch questions" in result.stderr

    def test_items_that_are_not_there(self, tmp_path):
        result = tete("collect", tmp_path / "gone")
        assert result.exit_code == 2
        assert "gone: No such folder or table of items." in result.stderr

    def test_a_missing_extra_is_named(self, words, monkeypatch):
        module = sys.modules["tete.cli.collect"]  # whose name in the package is the command
        monkeypatch.setattr(module, "find_spec", lambda name: None)
        result = tete("collect", words / "words.csv")
        assert result.exit_code == 2
        assert (
            "collecting answers needs starlette, uvicorn and SQLAlchemy: pip install 'tete[collect]'" in result.stderr
        )


class TestRehearsal:
    def test_it_says_what_came_in(self, rehearsed):
        _, said = rehearsed
        report = next(each["rehearsal"] for each in said if "rehearsal" in each)
        assert report["people"] == report["finished"] == 8
        assert report["answers"] >= 8 * 43
        assert report["catch"][1] == 32
        assert report["catch"][0] > 16
        assert report["repeat"][1] > 20
        assert 0.6 < report["held_out"] < 1.0
        assert 0.7 < report["map_agreement"] < 1.0
        assert said[-1]["people"] == 8

    def test_its_table_has_every_number(self, rehearsed):
        report = next(each["rehearsal"] for each in rehearsed[1] if "rehearsal" in each)
        rows = dict(rehearsal_rows(report | {"sent_again": 3, "problems": {"Gone.": 2}}))
        assert rows["people"] == "8 started, 8 finished"
        assert rows["sent again"] == "3 messages"
        assert rows["problems"] == "Gone. (2 people)"
        assert rows["the map"].startswith("orders ")
        nothing = {"held_out": None, "map_agreement": None, "catch": (0, 0)}
        assert "the map" not in dict(rehearsal_rows(report | nothing))
        assert dict(rehearsal_rows(report | nothing))["catch questions"] == "none"

    @pytest.mark.slow
    def test_its_table_is_for_people(self, words):
        code, said, complaints = finished(words, "words.csv", "--simulate", 3, "--per-person", 20, "--port", 0)
        assert code == 0, complaints
        assert "Database            words-rehearsal.db: a new study" in said
        assert "people              3 started, 3 finished" in said
        assert re.search(r"Stored +3 people \(3 simulated\) and \d+ answers in words-rehearsal.db", said)

    def test_invented_people_do_not_come_among_real_ones(self, rehearsed, tmp_path):
        database, _ = rehearsed
        options = ["--database", database, "--port", 0, "--per-person", 40]
        result = tete("collect", database.parent / "words.csv", *options, "--simulate", 3)
        assert result.exit_code == 2
        assert "--database must be new for a rehearsal, got" in result.stderr
        with serving(tmp_path, database.parent / "words.csv", "--database", database) as served:
            served.process.send_signal(signal.SIGINT)
            _, complaints = served.process.communicate(timeout=60)
        assert "8 people (8 simulated)" in complaints
        assert "real answers need another database" in complaints


class TestReading:
    def test_check_counts_answers_not_comparisons(self, rehearsed):
        result = tete("check", rehearsed[0], "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert found["n_objects"] == 12
        assert "annotators        8 with" in tete("check", rehearsed[0]).stdout

    def test_maps_choices_suggestions_and_scores(self, rehearsed, tmp_path):
        database, _ = rehearsed
        for command in (
            ["embed", database, "-o", tmp_path / "map.csv", "--page", tmp_path / "map.html"],
            ["choose", database, "--dims", "1,2", "--folds", 2],
            ["suggest", database, "-n", 3],
            ["score", tmp_path / "map.csv", "--answers", database],
            ["view", tmp_path / "map.csv", "--answers", database, "-o", tmp_path / "view.html"],
        ):
            result = tete(*command)
            assert result.exit_code == 0, result.output
        assert 'a, "so"' in set(map(str, read_map(tmp_path / "map.csv").names))

    def test_objects_that_a_map_does_not_have(self, rehearsed, tmp_path):
        (tmp_path / "map.csv").write_text("object,x,y\na,0,1\nb,1,2\n")
        result = tete("score", tmp_path / "map.csv", "--answers", rehearsed[0])
        assert result.exit_code == 2
        assert "is not an object of the map" in result.stderr

    @pytest.mark.parametrize("option", [["--columns", "a,b,c"], ["--no-header"], ["--weight", "w"]])
    def test_options_of_files_do_not_go_with_databases(self, rehearsed, option):
        result = tete("check", rehearsed[0], *option)
        assert result.exit_code == 2
        assert "study.db is the database of a study" in result.stderr

    @pytest.mark.parametrize("command", ["check", "embed", "choose", "suggest", "export"])
    def test_databases_that_are_not_there(self, tmp_path, command):
        more = ["-o", tmp_path / "a.csv"] if command == "export" else []
        result = tete(command, tmp_path / "gone.db", *more)
        assert result.exit_code == 2
        assert result.stderr == f"Error: {tmp_path / 'gone.db'}: No such file or directory.\n"
        assert not (tmp_path / "gone.db").exists()


@pytest.mark.slow
def test_postgresql(words, postgres_address):  # noqa: F811
    options = ["--database", postgres_address, "--per-person", 20, "--port", 0, "--json"]
    code, said, complaints = finished(words, "words.csv", "--simulate", 3, *options)
    assert code == 0, complaints
    assert json.loads(said.splitlines()[-1]) == {"stored": postgres_address, "people": 3, "answers": 3 * 23}
    assert tete("check", postgres_address).exit_code == 0
    exported = tete("export", postgres_address, "-o", words / "answers.csv")
    assert exported.exit_code == 0, exported.output
    assert tete("collect", "forget", "simulated-0-1", "--database", postgres_address).exit_code == 0
    again = read_answers(words / "answers.csv")
    assert len(set(again.annotators)) == 3
    exported = tete("export", postgres_address, "-o", words / "fewer.csv")
    assert len(set(read_answers(words / "fewer.csv").annotators)) == 2


def test_passwords_are_not_repeated(words):
    address = "postgresql://ann:secret@127.0.0.1:1/study"
    for command in (["check", address], ["collect", words / "words.csv", "--database", address]):
        result = tete(*command)
        assert result.exit_code == 1
        assert "ann:***@127.0.0.1" in result.stderr
        assert "secret" not in result.output


class TestExport:
    def test_answers_are_read_again(self, rehearsed, tmp_path):
        database, _ = rehearsed
        result = tete("export", database, "-o", tmp_path / "answers.csv")
        assert result.exit_code == 0, result.output
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedAnswersWarning)  # people who cannot say, if there was any
            direct = read_study(database)
        exported = read_answers(tmp_path / "answers.csv")
        assert tete("check", tmp_path / "answers.csv").stdout == tete("check", database).stdout
        assert len(exported) == len(direct)
        table = pd.read_csv(tmp_path / "answers.csv")
        assert set(table["role"]) <= {"test", "balanced", "suggested", "repeat"}
        assert "simulated" not in (tmp_path / "answers.csv").read_text()

    def test_everything_and_identities(self, rehearsed, tmp_path):
        files = ["-o", tmp_path / "all.parquet", "--identities", tmp_path / "key.csv"]
        result = tete("export", rehearsed[0], "--everything", *files, "--json")
        assert result.exit_code == 0, result.output
        everything, key = pd.read_parquet(tmp_path / "all.parquet"), pd.read_csv(tmp_path / "key.csv")
        assert {"practice", "catch", "repeat"} <= set(everything["role"])
        assert json.loads(result.stdout)["written"][str(tmp_path / "key.csv")] == len(key) == 8
        assert key["value"].str.startswith("simulated-").all()
        assert stat.S_IMODE((tmp_path / "key.csv").stat().st_mode) == 0o600

    def test_nothing_is_overwritten_by_accident(self, rehearsed, tmp_path):
        (tmp_path / "answers.csv").write_text("mine")
        result = tete("export", rehearsed[0], "-o", tmp_path / "answers.csv", "--identities", tmp_path / "key.csv")
        assert result.exit_code == 2
        assert "exists already: --force overwrites it." in result.stderr
        assert not (tmp_path / "key.csv").exists()
        assert tete("export", rehearsed[0], "-o", tmp_path / "answers.csv", "--force").exit_code == 0

    def test_mistakes(self, rehearsed, tmp_path):
        assert "name a file to write" in tete("export", rehearsed[0]).stderr
        same = ["-o", tmp_path / "a.csv", "--identities", tmp_path / "a.csv"]
        assert "--identities must be another file" in tete("export", rehearsed[0], *same).stderr
        assert "the extension must be one of" in tete("export", rehearsed[0], "-o", tmp_path / "a.db").stderr
        (tmp_path / "a.csv").write_text("anchor,near,far\n0,1,2\n")
        result = tete("export", tmp_path / "a.csv", "-o", tmp_path / "b.csv")
        assert result.exit_code == 2
        assert "a.csv is no SQLite database." in result.stderr


class TestForgetting:
    def test_a_person_is_deleted(self, words):
        with serving(words, "words.csv", "--per-person", "20") as served:
            answer_some(served.address, 3)
            in_use = tete("collect", "forget", "secret-5", "--database", words / "words.db")
            assert in_use.exit_code == 1
            assert "is in use by another tete collect" in in_use.stderr
            served.stop()
        assert b"secret-5" in (words / "words.db").read_bytes()
        result = tete("collect", "forget", "secret-5", "--database", words / "words.db", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["rows"] > 6
        assert b"secret-5" not in (words / "words.db").read_bytes()
        again = tete("collect", "forget", "secret-5", "--database", words / "words.db")
        assert again.exit_code == 2
        assert "secret-5" in again.stderr

    def test_mistakes(self, words):
        assert "forget needs an ID and --database" in tete("collect", "forget").stderr
        assert "forget needs an ID and --database" in tete("collect", "forget", "p0001").stderr
        result = tete("collect", "forget", "p0001", "--database", words / "gone.db")
        assert result.exit_code == 2
        assert "gone.db: No such file or directory." in result.stderr
        assert not (words / "gone.db").exists()


def test_the_documented_client_is_short():
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 32
