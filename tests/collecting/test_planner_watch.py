"""A planner that works, one that dies, and none at all: played by small programs."""

import asyncio
import json
import os
import signal
import sys

import pytest
from sqlalchemy import select

from collecting_help import served, until
from tete.collecting import planner_watch, schema
from tete.collecting.planner_watch import PlannerWatch
from tete.collecting.study import Study

LINES = [
    {"status": "fitting 1,234 answers"},
    {"proposals": [[0, 1, 2], [3, 4, 5], [0, 0, 1], [99, 1, 2]], "answers": 1234},
    {"findings": {"answers": 1234}},
    {"people": {"7": {"verdict": "ordinary", "agreement": 0.8, "expected": 0.9}}},
    {"page": "/nowhere/map.html"},
]
SPEAKS = [
    "-c",
    f"""
import sys
for line in {["a warning of some library", *map(json.dumps, LINES)]}:
    print(line, flush=True)
sys.stdin.read()
""",
]
DIES = ["-c", "import sys; sys.stdin; raise SystemExit('no answers, no plan.')"]


class Watching:
    """A watch that runs beside a server."""

    def __init__(self, server, program):
        self.server = server
        self.watch = PlannerWatch("unused", server.asker, server.writer, [sys.executable, *program])

    def __enter__(self):
        async def start():
            return asyncio.create_task(self.watch.run())

        self.task = self.server.client.wait_for(start())
        return self.watch

    def __exit__(self, *_):
        async def stop():
            self.task.cancel()
            await asyncio.wait([self.task])

        self.server.client.wait_for(stop())


def children():
    """Numbers of the processes that this one started and that still run."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:  # of the main thread
        of_main = file.read().split()
    others = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            others += file.read().split()
    return {int(number) for number in of_main + others}


@pytest.fixture
def server(tmp_path):
    with served(tmp_path, items=12, study=Study(per_person=30, practice=0, catch=0, repeat=0, mentions=1)) as server:
        yield server


def died(server):
    with server.database.engine.connect() as connection:
        return connection.execute(select(schema.events).where(schema.events.c.kind == "planner died")).all()


def test_what_it_says_is_heard(server):
    with Watching(server, SPEAKS) as watch:
        until(lambda: watch.page is not None)
        assert watch.about() | {"seconds_since_heard": 0} == {
            "state": "running",
            "sentence": "fitting 1,234 answers",
            "proposals": 2,  # those that are questions about these items
            "seconds_since_heard": 0,
        }
        assert watch.findings == {"answers": 1234}
        assert watch.people["7"]["verdict"] == "ordinary"
        assert str(watch.page) == "/nowhere/map.html"
    assert died(server) == []


def test_it_ends_with_the_server(server):
    before = children()
    with Watching(server, SPEAKS) as watch:
        until(lambda: watch.state == "running")
        (planner,) = children() - before
    with pytest.raises(ProcessLookupError):
        os.kill(planner, 0)


def test_one_that_does_not_want_to_end_is_ended(server, monkeypatch):
    monkeypatch.setattr(planner_watch, "FAREWELL", 0.1)
    before = children()
    with Watching(server, ["-c", "print('{}', flush=True); import time; time.sleep(60)"]) as watch:
        until(lambda: watch.state == "running")
        (planner,) = children() - before
    with pytest.raises(ProcessLookupError):
        os.kill(planner, 0)


def test_when_it_dies_people_notice_nothing_and_the_dashboard_says_so(server, monkeypatch):
    monkeypatch.setattr(planner_watch, "FIRST_PAUSE", 30.0)
    before = children()
    with Watching(server, SPEAKS) as watch:
        until(lambda: watch.page is not None)
        visitor = server.start()
        (planner,) = children() - before
        os.kill(planner, signal.SIGKILL)
        until(lambda: watch.state == "died")
        assert watch.sentence == (
            "The planner died (signal SIGKILL) and starts again within 30 s. Meanwhile questions are balanced random "
            "ones, and people notice nothing."
        )
        assert visitor.answer_all()["answered"] == 30
        until(lambda: died(server))
        (event,) = died(server)
        assert json.loads(event.detail) == {"reason": "signal SIGKILL"}


def test_it_is_started_again_with_growing_pauses(server, monkeypatch):
    pauses = []
    sleep = asyncio.sleep

    async def short(seconds):
        pauses.append(seconds)
        await sleep(0 if len(pauses) < 8 else 60)

    monkeypatch.setattr(planner_watch.asyncio, "sleep", short)
    with Watching(server, DIES) as watch:
        until(lambda: len(pauses) == 8)
        assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
        assert watch.sentence.startswith("The planner died (no answers, no plan) and starts again within 60 s.")
    assert len(died(server)) == 8


def test_a_program_that_is_missing_is_one_that_died(server):
    watch = PlannerWatch("unused", server.asker, server.writer, ["/nowhere/python"])

    async def run():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watch.run(), 0.2)

    server.client.wait_for(run())
    assert "it cannot be started: No such file or directory" in watch.sentence


@pytest.mark.parametrize(
    "line",
    [b"\n", b"[1]\n", b"{\n", b"3\n", b'{"proposals": 3}\n', b'{"page": null}\n', b'{"proposals": [["a", {}]]}\n'],
)
def test_strange_lines_do_no_harm(server, line):
    lines = [line, b'{"status": "on"}\n']
    program = ["-c", f"import sys; sys.stdout.buffer.writelines({lines}); sys.stdout.flush(); sys.stdin.read()"]
    with Watching(server, program) as watch:
        until(lambda: watch.sentence == "on")
        assert watch.state == "running"


def test_complaints_are_read_so_that_nobody_waits(server):
    program = ["-c", "import sys; sys.stderr.write('x' * 10**6 + '\\nlast words\\n'); raise SystemExit(3)"]
    with Watching(server, program) as watch:
        until(lambda: watch.state == "died")
        assert "(last words)" in watch.sentence
