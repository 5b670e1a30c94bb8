"""Measure `tete collect` as people meet it; writes `results/collecting.md`. Name sections to measure those alone.

Everything runs on one machine: the command with its planner, and simulated people who talk to it through HTTP from a
process of their own, resend what was not acknowledged, and think for a time around the given one (half of it to one and
a half). Answers a second are counted while everybody is there; waits are from sending an answer to its acknowledgement,
which the server gives after its commit to SQLite (`synchronous=FULL`).
start: from the command to the first page, each time with a new process. memory: of the process that serves people.
kills: SIGKILL under load, and a restart at once; one more person keeps sending an answer to see when one is
acknowledged again. planner: SIGKILL to the planner under load, which nobody should notice.
"""

import argparse
import contextlib
import csv
import http.client
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from environments import ROOT, machine
from tete.collecting.simulation import Simulated, simulate

RESULTS = Path(__file__).parent / "results"
Rows = list[dict[str, object]]


class Server:
    """The command as a process, which can be killed and started again at the same port."""

    def __init__(self, folder: Path, n_items: int, per_person: int) -> None:
        self.database, self._items, self._port = folder / "study.db", folder / "items.csv", 0
        self._per_person = per_person
        with self._items.open("w", newline="") as file:
            rows = [(f"item{number}", f"Text of item {number}") for number in range(n_items)]
            csv.writer(file).writerows([("name", "text"), *rows])

    def start(self) -> float:
        """Seconds from the command to its first page."""
        options = ["--database", self.database, "--port", self._port, "--per-person", self._per_person, "--json"]
        command = [sys.executable, "-m", "tete", "collect", self._items, *options]
        started = time.perf_counter()
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said: dict[str, str] = {}
        while "for_the_researcher" not in said:
            said |= json.loads(self.process.stdout.readline())
        self.people, self.researcher = said["for_people"], said["for_the_researcher"]
        self._port = urlsplit(self.people).port or 0
        status, _ = ask(self.people, "GET", "/")
        assert status == 200
        return time.perf_counter() - started

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal, and wait for the end."""
        self.process.send_signal(how)
        self.process.communicate()

    def megabytes(self, field: str) -> float:
        """VmRSS, the memory now, or VmHWM, the most so far."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024

    def processor_seconds(self) -> float:
        """What the process has used so far."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def planner(self) -> int | None:
        """The number of the planner's process."""
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if b"planner" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
        return None


@contextlib.contextmanager
def serving(n_items: int = 60, per_person: int = 60) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), n_items, per_person)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.end()


def ask(
    address: str, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        kind = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), kind | (headers or {}))
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


class Rate:
    """Answers a second while all people are there and none has finished."""

    def __init__(self, people: int) -> None:
        self._people = people
        self._seen: list[tuple[float, int]] = []

    def hear(self, said: dict[str, int]) -> None:
        """Take in counts so far."""
        if said["people"] == self._people and said["finished"] == 0:
            self._seen.append((time.perf_counter(), said["answers"]))

    def value(self) -> float:
        """Between the first and the last of these counts."""
        (first, fewer), (last, more) = self._seen[0], self._seen[-1]
        return (more - fewer) / (last - first)


def measure_start(quick: bool) -> Rows:
    rows = []
    for n_items in (60, 10_000):
        with serving(n_items) as server:
            seconds = []
            for _ in range(3 if quick else 10):
                seconds.append(server.start())
                server.end()
        row = {"items": n_items, "median seconds": statistics.median(seconds), "slowest": max(seconds)}
        rows.append({**row, "of a new study": seconds[0], "starts": len(seconds)})
    return rows


def measure_memory(quick: bool) -> Rows:
    people = 50 if quick else 200
    with serving(10_000) as server:
        server.start()
        rows = [{"10,000 items": "after the start", "MB": server.megabytes("VmRSS")}]
        simulate(server.people, people=people)
        rows.append({"10,000 items": f"at most, while {people} people answered", "MB": server.megabytes("VmHWM")})
    return rows


def measure_load(quick: bool) -> Rows:
    rows = []
    for people, think, per_person in ((200, 0.75, 60), (200, 0.0, 60)):
        with serving(60, per_person if not quick else per_person // 3 if think else per_person) as server:
            server.start()
            rate, before, began = Rate(people), server.processor_seconds(), time.perf_counter()
            result = simulate(server.people, people=people, think=think, say=rate.hear)
            used = (server.processor_seconds() - before) / (time.perf_counter() - began)
            rows.append(
                {
                    "people": people,
                    "think, s": think,
                    "answers": len(result.acknowledged),
                    "answers a second": round(rate.value()),
                    **waits(result),
                    "finished": f"{result.finished} of {people}",
                    "cores used by the server": used,
                    "MB at most": round(server.megabytes("VmHWM")),
                }
            )
    return rows


def waits(result: Simulated) -> dict[str, object]:
    ordered = sorted(result.waits)
    return {f"p{part}, ms": 1e3 * ordered[(len(ordered) - 1) * part // 100] for part in (50, 95, 99)}


class Crowd:
    """People who come, one group after the other, as long as they are wanted."""

    def __init__(self, address: str, people: int, think: float) -> None:
        self.results: list[Simulated] = []
        self._wanted = True
        self._thread = threading.Thread(target=self._come, args=(address, people, think))
        self._thread.start()

    def _come(self, address: str, people: int, think: float) -> None:
        while self._wanted:
            result = simulate(address, people=people, think=think, seed=len(self.results), patience=60.0)
            self.results.append(result)

    def leave(self) -> None:
        """Wait until those who are there have finished."""
        self._wanted = False
        self._thread.join()


class Probe:
    """One more person, who knows how long nothing is acknowledged."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.acknowledged: list[tuple[int, int, list[int]]] = []
        self.moved = 0
        self._take(ask(address, "POST", "/start", {"consent": True})[1])

    def _take(self, reply: bytes) -> None:
        said = json.loads(reply)
        self._headers = {"Authorization": f"Bearer {said['person']}"}
        self._question = said["questions"][0]["question"]

    def answer(self) -> None:
        """Send an answer until it is acknowledged, and look whether the question was the one that is expected."""
        body = {"question": self._question, "revision": 0, "choice": [0], "ms": 1.0}
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, reply = ask(self._address, "POST", "/answer", body, self._headers)
                if status == 200:
                    break
            time.sleep(0.01)
        self.acknowledged.append((self._question, 0, [0]))
        said = json.loads(reply)
        if said["state"] != "asking":
            self._take(ask(self._address, "POST", "/start", {"consent": True})[1])
        else:
            self._question = said["questions"][0]["question"]

    def look(self) -> None:
        """Count if the person is not at the same question as before."""
        reply = json.loads(ask(self._address, "GET", "/next", headers=self._headers)[1])
        self.moved += reply["questions"][0]["question"] != self._question


def measure_kills(quick: bool) -> Rows:
    n_kills, again, starts = 5 if quick else 100, [], []
    with serving() as server:
        server.start()
        probe, crowd = Probe(server.people), Crowd(server.people, 50, 0.2)
        for _ in range(n_kills):
            time.sleep(1.0)
            probe.answer()
            killed = time.perf_counter()
            server.end(signal.SIGKILL)
            starts.append(server.start())
            probe.look()
            probe.answer()
            again.append(time.perf_counter() - killed)
        crowd.leave()
        server.end()
        acknowledged = [each for result in crowd.results for each in result.acknowledged] + probe.acknowledged
        missing, doubled = account(acknowledged, server.database)
    people = sum(result.people for result in crowd.results)
    return [
        {"": "kills", "count": n_kills},
        {"": "answers acknowledged", "count": len(acknowledged)},
        {"": "messages sent again", "count": sum(result.sent_again for result in crowd.results)},
        {"": "acknowledged answers missing or changed", "count": missing},
        {"": "answers stored twice", "count": doubled},
        {"": "people who did not reach the end", "count": people - sum(result.finished for result in crowd.results)},
        {"": "times that the one more person was at another question", "count": probe.moved},
        {"": "seconds from the kill to the next acknowledged answer, median", "count": statistics.median(again)},
        {"": "the same, longest", "count": max(again)},
    ]


def account(acknowledged: list[tuple[int, int, object]], database: Path) -> tuple[int, int]:
    """Acknowledged answers that the database does not have as they were given, and answers that it has twice."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT question, revision, choice, undone FROM answers").fetchall()
    stored = {}
    for question, revision, choice, undone in rows:
        stored[question, revision] = "undo" if undone else choice and json.loads(choice)
    missing = sum(stored.get((question, revision), "nothing") != choice for question, revision, choice in acknowledged)
    return missing, len(rows) - len(stored)


def measure_planner(quick: bool) -> Rows:
    rows = []
    for n_kills in (0, 2 if quick else 10):
        with serving() as server:
            server.start()
            results: list[Simulated] = []
            think = 0.4 if quick else 0.75
            crowd = threading.Thread(
                target=lambda server=server, think=think, results=results: results.append(
                    simulate(server.people, people=100, think=think)
                )
            )
            crowd.start()
            killed = 0
            while crowd.is_alive() and killed < n_kills:
                time.sleep(2.0)
                if (planner := server.planner()) is not None:
                    os.kill(planner, signal.SIGKILL)
                    killed += 1
            crowd.join()
            with contextlib.closing(sqlite3.connect(server.database)) as connection:
                events = connection.execute("SELECT count(*) FROM events WHERE kind = 'planner died'").fetchone()[0]
        (result,) = results
        row = {"planner killed": killed, "events that say so": events, "finished": f"{result.finished} of 100"}
        rows.append({**row, "messages sent again": result.sent_again, **waits(result)})
    return rows


SECTIONS: dict[str, tuple[str, Callable[[bool], Rows]]] = {
    "start": ("From the command to the first page", measure_start),
    "memory": ("Memory of the process that serves people", measure_memory),
    "load": ("Load: 200 people, 60 items, triplets", measure_load),
    "kills": ("The server killed with SIGKILL while 50 people answer", measure_kills),
    "planner": ("The planner killed with SIGKILL while 100 people answer", measure_planner),
}


def as_markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    for row in rows:
        cells = [
            f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
            for value in row.values()
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="default: all")
    parser.add_argument("--quick", action="store_true", help="fewer of everything; writes no results")
    arguments = parser.parse_args()
    file = RESULTS / "collecting.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    for name in arguments.sections or SECTIONS:
        title, measure = SECTIONS[name]
        print(f"measuring {name} ...", flush=True)
        rows = measure(arguments.quick)
        print(as_markdown(rows), flush=True)
        if arguments.quick:
            continue
        stored[name] = {"title": title, "machine": machine(), "rows": rows}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [
            f"## {section['title']}\n\n{as_markdown(section['rows'])}\n\n`{json.dumps(section['machine'])}`"
            for section in (stored[each] for each in SECTIONS if each in stored)
        ]
        (RESULTS / "collecting.md").write_text("\n\n".join([f"# Collecting answers\n\n{__doc__}", *parts]) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(ROOT / "src"))
    main()
