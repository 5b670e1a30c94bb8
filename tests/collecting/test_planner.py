"""The planner: proposals first, then findings, people and a page; it survives what goes wrong and ends with its server.

Also `collecting.map_page`, which it writes.
"""

import json
import os
import subprocess
import sys

import pytest

from collecting_samples import answer, make_items, make_study
from tete.collecting import planner as planner_module
from tete.collecting.asking import Asker
from tete.collecting.people import add_event
from tete.collecting.planner import Planner

pytest.importorskip("bokeh")


class Heard(list):
    def of(self, key):
        return [plain[key] for plain in self if key in plain]


def run_until_idle(planner, most=20):
    for task in planner._tasks:
        task.next_time = 0.0
    for _ in range(most):
        if not planner.step():
            return
    raise AssertionError("the planner never rests")


@pytest.fixture
def make_planner(tmp_path):
    opened = []

    def make(**settings):
        study = make_study(tmp_path / "study.db", **settings)
        heard = Heard()
        planner = Planner(str(tmp_path / "study.db"), heard.append, tmp_path)
        opened.extend([study, planner])
        return study, planner, heard

    yield make
    for each in opened:
        each.close()


def test_nothing_new_is_no_work(make_planner):
    _, planner, heard = make_planner()
    assert not planner.step()
    assert not heard


def test_few_answers_make_no_map(make_planner):
    study, planner, heard = make_planner(per_person=12, catch=0, repeat=0)
    answer(study, 1)
    run_until_idle(planner)
    assert heard.of("status") == ["Waiting for 20 answers before the first map."]
    assert len(heard) == 1


@pytest.mark.parametrize("kind", ["triplet", "odd-one-out", "pick:2of4"])
def test_proposals_come_first_then_findings_people_and_a_page(make_planner, kind, tmp_path):
    study, planner, heard = make_planner(kind=kind, n_items=30, per_person=40, title="Cups <b>")
    _, kinds = answer(study, 20)
    run_until_idle(planner)
    order = [key for plain in heard for key in plain if key != "status"]
    assert order == ["proposals", "answers", "findings", "people", "page"]
    asker = Asker(study.study, make_items(30), [10] * 30)
    asker.propose(heard.of("proposals")[0])
    assert asker.n_proposals == len(heard.of("proposals")[0]) >= 50
    (findings,) = heard.of("findings")
    assert findings["held_out"]["low"] < findings["held_out"]["accuracy"] < findings["held_out"]["high"]
    assert findings["held_out"]["accuracy"] > 0.6
    assert set(findings["curve"]) == {"points", "sentence", "enough"}
    assert findings["warnings"] == []
    (people,) = heard.of("people")
    assert set(people) == {str(number) for number in kinds}
    flagged = {int(number) for number, about in people.items() if about["verdict"] in ("at chance", "reversed")}
    assert flagged <= {number for number, kind in kinds.items() if kind != "good"}
    page = (tmp_path / "map.html").read_text()
    assert heard.of("page") == [str(tmp_path / "map.html")]
    assert "Cups &lt;b&gt;" in page
    json.dumps(list(heard), allow_nan=False)


def test_new_answers_and_excluded_people_are_new_work(make_planner):
    study, planner, heard = make_planner(per_person=30)
    answer(study, 4)
    run_until_idle(planner)
    heard.clear()
    run_until_idle(planner)
    assert not heard
    with study.writing.begin() as connection:
        add_event(connection, "excluded", 2)
    run_until_idle(planner)
    assert heard.of("findings")[0]["answers"] < 4 * 26
    assert set(heard.of("people")[0]) == {"1", "2", "3", "4"}  # the last verdict stays


def test_a_study_that_is_not_adaptive_has_findings_without_proposals(make_planner):
    study, planner, heard = make_planner(per_person=30, adaptive=0.0)
    answer(study, 10)
    run_until_idle(planner)
    assert not heard.of("proposals")
    assert heard.of("findings")[0]["held_out"] is not None


def test_proposals_wait_until_they_would_be_asked(make_planner):
    study, planner, heard = make_planner(per_person=30, mentions=1000)
    answer(study, 4)
    run_until_idle(planner)
    assert not heard.of("proposals")
    assert heard.of("page")


def test_a_failure_is_said_in_a_sentence_and_the_rest_goes_on(make_planner, monkeypatch):
    def fail(*_):
        raise MemoryError("too much\nof it")

    study, planner, heard = make_planner(per_person=30)
    answer(study, 4)
    monkeypatch.setattr(planner_module, "trust_findings", fail)
    run_until_idle(planner)
    assert "No findings for now: too much." in heard.of("status")
    assert heard.of("proposals")
    assert heard.of("page")
    monkeypatch.undo()
    run_until_idle(planner)  # it is tried again, without new answers
    assert heard.of("findings")


def test_a_database_that_cannot_be_read_is_said(make_planner, monkeypatch):
    _, planner, heard = make_planner()
    monkeypatch.setattr(planner._log, "update", lambda: (_ for _ in ()).throw(OSError("disk is away")))
    assert not planner.step()
    assert heard.of("status") == ["The planner cannot read the answers: disk is away."]


def start_planner(path):
    return subprocess.Popen(
        [sys.executable, "-m", "tete.collecting.planner", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )


def test_as_a_process_it_ends_with_its_standard_input(make_planner, tmp_path):
    study, _, _ = make_planner(per_person=30)
    answer(study, 4)
    process = start_planner(tmp_path / "study.db")
    try:
        lines = []
        while not any("page" in line for line in lines):
            lines.append(json.loads(process.stdout.readline()))
        assert any("proposals" in line for line in lines)
        page = next(line["page"] for line in lines if "page" in line)
        assert os.path.exists(page)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) >= 10
        process.stdin.close()
        assert process.wait(20) == 0
        assert not os.path.exists(page)
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()


def test_a_file_that_is_no_study_is_one_sentence(tmp_path):
    (tmp_path / "x.db").write_text("no")
    process = start_planner(tmp_path / "x.db")
    assert process.wait(60) == 1
    complaint = process.stderr.read()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    assert len(complaint.splitlines()) == 1
    assert "x.db is no" in complaint
