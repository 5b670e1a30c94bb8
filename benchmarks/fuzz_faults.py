"""Commands that are killed or interrupted at random moments: nothing is lost, left behind or swallowed.

    python benchmarks/fuzz_faults.py kills --number 300 --seed 0
    python benchmarks/fuzz_faults.py interrupts --number 200 --seed 0

`kills` sends SIGKILL; every second one comes right after a file has begun to be written. Afterwards each output must be
the old file or a new whole one, and the next run must finish and leave no file in the making. `interrupts` sends SIGINT
to the command and all its processes, as Ctrl-C in a terminal does, from the moment on when the command has begun (until
then Python itself answers). It must end within 2 seconds with exit code 130 and one line, and leave no process and no
file in the making. Writes `results/fuzz_faults.md`; what failed is kept in `results/fuzz_faults.json`.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from environments import machine
from tete.datasets import make_uniform_triplets

RESULTS = Path(__file__).parent / "results"
OLD = b"the old file\n"
STOPPED = "Error: Stopped. No file is left half-written."
LONGEST_END = 2.0  # seconds from Ctrl-C to the end
LEAVING = 5.0  # seconds until the last helper of a process that has ended is gone
WRITING = 0.02  # seconds after a file has begun within which a kill may come

EMBED = "embed answers.csv -o map.csv --plot map.png --page map.html --trust trust.csv --force"
REDUCE = (
    "reduce table.csv --label kind -o places.csv --plot places.svg --page places.html --model new_model.npz --force"
)
PLACE = "place model.npz table.csv -o placed.json --plot placed.png --page placed.html --force"
CHOOSE = "choose answers.csv --dims 1:2 --folds 2 --plot choice.pdf --force"
VIEWS = "views answers.csv --by answers --n-views 2 -o views --force"
REPRODUCE = "reproduce figure2 --quick --out paper"

KILLED = {
    "embed": EMBED,
    "reduce": REDUCE,
    "place": PLACE,
    "choose": CHOOSE,
    "views": VIEWS,
    "reproduce": REPRODUCE,
    "reproduce --jobs 2": f"{REPRODUCE} --jobs 2",
}
INTERRUPTED = KILLED | {
    "embed, compiling": EMBED,
    "reduce, compiling": REDUCE,
    "check": "check answers.csv",
    "suggest": "suggest answers.csv -o questions.csv --force",
    "score": "score map_before.csv --features table.csv",
    "view": "view map_before.csv -o view.html --plot view.png --force",
    "view --serve": "view map_before.csv --serve",
    "demo": "demo shown --force",
}


@dataclass
class Command:
    """One command in its folder, what it writes and how long it takes."""

    name: str
    arguments: list[str]
    folder: Path
    outputs: list[Path] = field(default_factory=list)
    seconds: float = 0.0

    def start(self) -> subprocess.Popen[str]:
        """Begin, in a session of its own so that all its processes can be found."""
        if self.name.startswith("reproduce"):  # else everything is there already
            shutil.rmtree(self.folder / "paper" / "cache", ignore_errors=True)
            (self.folder / "paper" / "cache").mkdir(parents=True)
        environment = dict(os.environ)
        if self.name.endswith("compiling"):
            environment["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=self.folder)
        return subprocess.Popen(
            [sys.executable, "-m", "tete", *self.arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def finish(self) -> str:
        """Run to the end; what went wrong, if anything."""
        process = self.start()
        _, errors = process.communicate(timeout=600)
        return "" if process.returncode == 0 else f"the next run ended with {process.returncode}: {errors}"

    def learn(self) -> None:
        """Measure one whole run and see what it writes."""
        before = set(self.folder.rglob("*"))
        started = time.perf_counter()
        if "--serve" in self.arguments:
            self.seconds = 4.0
            return
        problem = self.finish()
        assert not problem, problem
        self.seconds = time.perf_counter() - started
        new = sorted(path for path in set(self.folder.rglob("*")) - before if path.is_file())
        # What is cached is not written again, and compiled code is numba's.
        self.outputs = [path for path in new if path.suffix not in (".nbi", ".nbc") and path.parent.name != "cache"]

    def wait(self, process: subprocess.Popen[str], draws: random.Random) -> None:
        """Let a random part of the usual time pass; a run that is done before that says what the usual time is now."""
        started = time.perf_counter()
        try:
            process.wait(draws.uniform(0.0, self.seconds))
        except subprocess.TimeoutExpired:
            return
        self.seconds = 1.2 * (time.perf_counter() - started)

    def states(self) -> Counter[str]:
        """How many files are old, how many new, and what is wrong with others; cached ones, if any, must be new."""
        cached = {whole(path) for path in self.folder.glob("paper/cache/*.npz")} - {"new"}
        return Counter(whole(path) for path in self.outputs) + Counter(cached)

    def make_old(self) -> None:
        """Put old files where the command will write."""
        for path in self.outputs:
            path.write_bytes(OLD)


def prepare(folder: Path) -> None:
    """Answers, a table, a model and a map to start from."""
    draws = np.random.default_rng(0)
    triplets = make_uniform_triplets(draws.normal(size=(60, 2)), 3000, random_state=1).flip(0.1, random_state=2)
    rows = [f"{anchor},{near},{far}" for anchor, near, far in triplets.to_array()]
    (folder / "answers.csv").write_text("\n".join(["anchor,near,far", *rows]) + "\n")
    values = draws.normal(size=(400, 6)) + 4.0 * draws.integers(3, size=(400, 1))
    lines = [",".join([f"row {number}", "abc"[number % 3], *map(str, row)]) for number, row in enumerate(values)]
    (folder / "table.csv").write_text("\n".join(["id,kind,a,b,c,d,e,f", *lines]) + "\n")
    arguments = ["reduce", "table.csv", "--label", "kind", "-o", "map_before.csv", "--model", "model.npz"]
    made = Command("", arguments, folder)
    assert not made.finish()


def whole(path: Path) -> str:
    """Whether a file is "old", "new", or what is wrong with it."""
    if not path.exists():
        return f"{path.name} is gone"
    content = path.read_bytes()
    if content == OLD:
        return "old"
    checks: dict[str, Callable[[], bool]] = {
        ".html": lambda: content.rstrip().endswith(b"</html>"),
        ".svg": lambda: content.rstrip().endswith(b"</svg>"),
        ".pdf": lambda: content.rstrip().endswith(b"%%EOF"),
        ".png": lambda: content.endswith(b"IEND\xaeB`\x82"),
        ".json": lambda: len(json.loads(content)) > 0,
        ".npz": lambda: zipfile.ZipFile(path).testzip() is None,
    }
    try:
        good = checks.get(path.suffix, lambda: content.endswith(b"\n") and content.count(b"\n") > 1)()
    except (ValueError, zipfile.BadZipFile) as error:
        return f"{path.name}: {error}"
    return "new" if good else f"{path.name} is neither old nor whole"


def parts(folder: Path) -> list[str]:
    """Files in the making."""
    return [str(path) for path in folder.rglob("*.part")]


def others_left(session: int) -> list[int]:
    """Processes of a session, after a while for them to end."""
    deadline = time.monotonic() + LEAVING
    while True:
        left = [
            int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal() and _session(each) == session
        ]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def _session(process: Path) -> int:
    """The session of a process that has not ended, else 0."""
    try:
        state, _, _, session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return 0
    return 0 if state == "Z" else int(session)


def wait_for_part(process: subprocess.Popen[str], folder: Path, skipped: int) -> None:
    """Until so many files have begun to be written, one after the other, and another one has."""
    seen: set[str] = set()
    while process.poll() is None and len(seen) <= skipped:
        seen.update(parts(folder))
        time.sleep(0.0005)


def kill_once(command: Command, draws: random.Random, targeted: bool) -> dict[str, Any]:
    command.make_old()
    process = command.start()
    if targeted:
        wait_for_part(process, command.folder, draws.randrange(max(1, len(command.outputs))))
        time.sleep(draws.uniform(0.0, WRITING))
    else:
        command.wait(process, draws)
    process.kill()
    _, errors = process.communicate()
    problems = [f"left process {left}" for left in others_left(process.pid)]
    states = command.states()
    problems += [state for state in states if state not in ("old", "new")]
    found = {"old": states["old"], "new": states["new"], "parts": len(parts(command.folder))}
    if found["parts"]:
        if problem := command.finish():
            problems.append(problem)
        problems += [f"{part} is left after the next run" for part in parts(command.folder)]
        problems += [state for path in command.outputs if (state := whole(path)) != "new"]
    if process.returncode not in (-signal.SIGKILL, 0):
        problems.append(f"exit code {process.returncode}: {errors}")
    return found | {"killed": process.returncode == -signal.SIGKILL, "problems": problems}


def interrupt_once(command: Command, draws: random.Random, targeted: bool) -> dict[str, Any]:
    command.make_old()
    process = command.start()
    threads = Path(f"/proc/{process.pid}/task")
    while process.poll() is None and len(list(threads.iterdir())) < 2:  # the one that waits for Ctrl-C is there
        time.sleep(0.0005)
    if targeted and command.outputs:
        wait_for_part(process, command.folder, draws.randrange(len(command.outputs)))
        time.sleep(draws.uniform(0.0, WRITING))
    else:
        command.wait(process, draws)
    ended = process.poll() is not None
    started = time.perf_counter()
    if not ended:
        os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    seconds = time.perf_counter() - started
    if ended or (process.returncode == 0 and seconds < LONGEST_END):  # it had nothing left to do
        return {"killed": False, "problems": []}
    lines = [line for line in errors.splitlines() if not line.startswith("Warning: ")]
    problems = [f"left process {left}" for left in others_left(process.pid)]
    if process.returncode != 128 + signal.SIGINT:
        problems.append(f"exit code {process.returncode}")
    if lines != [STOPPED]:
        problems.append(f"it said {errors!r}")
    if seconds > LONGEST_END:
        problems.append(f"it took {seconds:.1f} seconds")
    problems += [f"{part} is left" for part in parts(command.folder)]
    states = command.states()
    problems += [state for state in states if state not in ("old", "new")]
    return {"old": states["old"], "new": states["new"], "seconds": seconds, "killed": True, "problems": problems}


def fuzz(kind: str, number: int, seed: int, jobs: int) -> dict[str, Any]:
    """Kill or interrupt commands, so many times in all; as many commands as `jobs` are tried side by side."""
    chosen = KILLED if kind == "kills" else INTERRUPTED
    quotas = [number // len(chosen) + (place < number % len(chosen)) for place in range(len(chosen))]
    facts = machine()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(jobs) as pool:
        commands = [
            Command(name, text.split(), Path(place, str(count))) for count, (name, text) in enumerate(chosen.items())
        ]
        found = list(pool.map(partial(fuzz_command, kind, seed), commands, quotas))
    table = {command.name: row for command, (row, _) in zip(commands, found, strict=True)}
    failures = [failure for _, failed in found for failure in failed]
    return {"seed": seed, "number": number, "table": table, "failures": failures, "machine": facts}


def fuzz_command(kind: str, seed: int, command: Command, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Kill or interrupt one command so many times: the counts, and what failed."""
    draws = random.Random(f"{seed} {command.name}")  # noqa: S311
    command.folder.mkdir()
    prepare(command.folder)
    command.learn()
    once = kill_once if kind == "kills" else interrupt_once
    row: Counter[str] = Counter()
    slowest, failures = 0.0, []
    while row["times"] < number:
        targeted = row["times"] % 2 == 1
        found = once(command, draws, targeted)
        if not found["killed"] and not found["problems"]:
            continue  # it was done before: draw again
        if found["problems"]:
            failures.append({"command": command.name, **found})
            print(json.dumps(failures[-1]), flush=True)
        row["times"] += 1
        for key in ("old", "new", "parts"):
            row[key] += found.get(key, 0)
        row["while writing"] += bool(found.get("parts")) or (targeted and bool(command.outputs))
        row["failed"] += bool(found["problems"])
        slowest = max(slowest, found.get("seconds", 0.0))
    print(f"{command.name}: {number} {kind}, {len(failures)} failed", flush=True)
    return dict(row) | {"slowest": slowest}, failures


COLUMNS = {
    "kills": {
        "times": "kills",
        "while writing": "of them aimed at or in the writing",
        "old": "old files found",
        "new": "new files found",
        "parts": "files in the making left, all removed by the next run",
        "failed": "failed",
    },
    "interrupts": {
        "times": "interrupts",
        "while writing": "of them aimed at the writing",
        "old": "old files found",
        "new": "new files found",
        "slowest": "longest, seconds",
        "failed": "failed",
    },
}


def as_markdown(kind: str, found: dict[str, Any]) -> str:
    columns = COLUMNS[kind]
    lines = [f"| command | {' | '.join(columns.values())} |", "|---" * (len(columns) + 1) + "|"]
    totals: Counter[str] = Counter()
    for name, row in found["table"].items():
        values = [row.get(key, 0) for key in columns]
        for key, value in zip(columns, values, strict=True):
            totals[key] = max(totals[key], value) if key == "slowest" else totals[key] + value
        lines.append(f"| {name} | {' | '.join(_cell(value) for value in values)} |")
    lines.append(f"| all | {' | '.join(_cell(totals[key]) for key in columns)} |")
    return "\n".join(lines)


def _cell(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def write(stored: dict[str, Any]) -> None:
    (RESULTS / "fuzz_faults.json").write_text(json.dumps(stored, indent=1) + "\n")
    sections = [
        f"## {kind.capitalize()}\n\n{as_markdown(kind, found)}\n\n"
        f"Seed {found['seed']}. `{json.dumps(found['machine'])}`"
        for kind, found in sorted(stored.items(), reverse=True)
    ]
    text = (__doc__ or "").strip()
    (RESULTS / "fuzz_faults.md").write_text("\n\n".join([f"# Kills and interrupts\n\n{text}", *sections]) + "\n")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=["kills", "interrupts"])
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="Commands that are tried side by side.")
    options = parser.parse_args(given)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore, and theirs too
    file = RESULTS / "fuzz_faults.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    stored[options.kind] = fuzz(options.kind, options.number, options.seed, options.jobs)
    write(stored)
    print(as_markdown(options.kind, stored[options.kind]))
    raise SystemExit(1 if stored[options.kind]["failures"] else 0)


if __name__ == "__main__":
    main()
