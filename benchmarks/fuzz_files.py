"""Mutated files of every kind are read: each ends in a result or in an error of our own, in time and in memory.

Case n of a seed is always the same file, so that what failed can be made again: `--first n --cases 1`. Files are read
in a process that is watched: one that dies is counted, and another goes on behind the case that killed it.
"""

import argparse
import json
import multiprocessing as mp
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tete.exceptions import InvalidFileError, TeteError, TeteWarning

MOST_SECONDS = 20.0  # of one small file
MOST_MEMORY = 2**30  # bytes that one small file may take
OUTCOMES = ("result", "our own error", "anything else")


class TooLongError(BaseException):
    """Reading takes too long; no reader may catch this."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", type=int, default=None, help="stop after this many files instead")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")


def run(options: argparse.Namespace) -> tuple[list[dict[str, object]], str, int]:
    """Rows of counts by what files hold and their kind, a sentence, and how many cases failed."""
    options.kept.mkdir(parents=True, exist_ok=True)
    counts: Counter[tuple[str, str, str]] = Counter()
    changes: Counter[str] = Counter()
    started, case = time.monotonic(), options.first
    end = None if options.cases is None else options.first + options.cases
    while (case < end) if end is not None else (time.monotonic() - started < options.seconds):
        left = None if end is not None else options.seconds - (time.monotonic() - started)
        before = case
        for record in _watched(options.seed, case, end, left, options.kept):
            counts[record["holds"], record["kind"], record["outcome"]] += 1
            changes[record["change"]] += 1
            case = record["case"] + 1
        if case == before:
            raise RuntimeError(f"case {case} of seed {options.seed} cannot be made")
    rows = []
    for holds, kind in dict.fromkeys(key[:2] for key in sorted(counts)):
        found = [counts[holds, kind, outcome] for outcome in OUTCOMES]
        rows.append({"file of": holds, "kind": kind, "files": sum(found)} | dict(zip(OUTCOMES, found, strict=True)))
    sums = {name: sum(row[name] for row in rows) for name in ("files", *OUTCOMES)}
    rows.append({"file of": "all", "kind": "", **sums})
    minutes = (time.monotonic() - started) / 60
    done = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in sorted(changes.items()))
    sentence = f"{sums['files']:,} mutated files, {sums['anything else']} failures, {minutes:.1f} minutes ({done})."
    return rows, sentence, sums["anything else"]


def _watched(seed: int, first: int, end: int | None, seconds: float | None, kept: Path) -> Iterator[dict[str, Any]]:
    """Records of the cases that one process reads until it ends or dies."""
    context = mp.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(seed, first, end, seconds, kept, sending))
    process.start()
    sending.close()
    announced = None
    try:
        while True:
            message = receiving.recv()
            if message["outcome"] is None:
                announced = message
            else:
                announced = None
                yield message
    except EOFError:
        process.join()
    if announced is not None:  # it died over this file
        _keep(kept, announced, f"the process ended with {process.exitcode}")
        yield announced | {"outcome": "anything else"}


def _work(seed: int, first: int, end: int | None, seconds: float | None, kept: Path, sending: Any) -> None:
    from fuzz_mutations import mutated  # noqa: PLC0415  (heavy, and only where files are read)
    from fuzz_samples import samples  # noqa: PLC0415

    valid, case = samples(), first
    with tempfile.TemporaryDirectory() as folder:
        for sample in valid:  # each is read as it is, and what has to be compiled takes no time of a case
            path = Path(folder, f"valid.{sample.extension}")
            path.write_bytes(sample.content)
            sample.read(path, sample.options[0])
        started = time.monotonic()
        while (case < end) if end is not None else (time.monotonic() - started < seconds):
            rng = np.random.default_rng([seed, case])
            sample = valid[rng.integers(len(valid))]
            change, content = mutated(rng, sample, valid)
            options = sample.options[rng.integers(len(sample.options))]
            path = Path(folder, f"case.{sample.extension}")
            path.write_bytes(content)
            record = {"case": case, "seed": seed, "holds": sample.holds, "kind": sample.kind, "change": change}
            announced = record | {
                "outcome": None,
                "options": options,
                "content": content,
                "extension": sample.extension,
            }
            sending.send(announced)
            reason = _outcome(sample, path, options)
            if reason not in OUTCOMES[:2]:
                _keep(kept, announced, reason)
                reason = "anything else"
            sending.send(record | {"outcome": reason})
            case += 1


def _outcome(sample: Any, path: Path, options: dict[str, Any]) -> str:
    """One of the good outcomes, or what went wrong."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with _guarded(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", TeteWarning)
            sample.read(path, options)
        outcome = OUTCOMES[0]
    except TeteError as error:
        named = not isinstance(error, InvalidFileError) or path.name in str(error)
        outcome = OUTCOMES[1] if named else f"the message does not name the file: {error}"
    except BaseException:
        outcome = traceback.format_exc()
    taken = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    return outcome if taken < MOST_MEMORY / 2 else f"{taken / 2**20:.0f} MB of memory were taken"


@contextmanager
def _guarded() -> Iterator[None]:
    """Limits of time and memory."""

    def stop(*_: Any) -> None:
        raise TooLongError(f"more than {MOST_SECONDS} s")

    usual = signal.signal(signal.SIGALRM, stop)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGALRM, usual)


def _keep(folder: Path, announced: dict[str, Any], reason: str) -> None:
    stem = f"{announced['seed']}_{announced['case']}_{announced['holds']}"
    (folder / f"{stem}.{announced['extension']}").write_bytes(announced["content"])
    facts = {key: value for key, value in announced.items() if key not in {"content", "outcome"}}
    (folder / f"{stem}.txt").write_text(json.dumps(facts) + "\n\n" + reason + "\n", errors="backslashreplace")
