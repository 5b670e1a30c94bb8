"""A process of its own that reads a study while it runs, and says what to ask next and what is known so far.

``python -m tete.collecting.planner DATABASE`` writes lines of JSON: status, proposals, findings, people, page. It only
reads the database. It ends when its standard input does, in the middle of whatever it does: then the server is gone.
Proposals come first, and again before each of the slower things, which take at most a third of the time.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tete.collecting.answer_log import AnswerLog
from tete.collecting.database import Database
from tete.collecting.findings import curve_findings, held_out_findings, people_findings, trust_findings, wrong_share
from tete.collecting.map_page import write_map_page
from tete.collecting.proposals import FEWEST_ANSWERS, Proposer, n_answers_of
from tete.comparisons.triplets import Triplets
from tete.core.printing import counted
from tete.exceptions import TeteError

__all__ = ["Planner", "main"]

POLL = 1.0  # seconds between two looks at the database
FEWEST_PROPOSALS, MOST_PROPOSALS = 100, 2_000
EARLY = 0.5  # of the mentions after which questions are chosen: before, nobody would be asked what is proposed
REST = {"proposals": 1.0, "findings": 2.0, "page": 2.0}  # times what a task took last, before it comes again

Say = Callable[[dict[str, Any]], None]


@dataclass
class Task:
    """Something to do again and again, when answers came since and it has rested."""

    name: str
    do: Callable[[], None]
    least_rest: float
    done_with: int = 0
    next_time: float = 0.0
    failures: int = 0

    def is_due(self, version: int) -> bool:
        """Whether there is something new, and time."""
        return version != self.done_with and time.monotonic() >= self.next_time

    def run(self, version: int, say: Say) -> None:
        """Do it. What goes wrong is said, does not end the planner, and is tried again later and later."""
        start = time.monotonic()
        try:
            self.do()
            self.done_with, self.failures = version, 0
        except Exception as error:  # any fit may fail in its own way, and people must not notice
            self.failures += 1
            say({"status": f"No {self.name} for now: {_sentence(error)}"})
        took = time.monotonic() - start
        self.next_time = time.monotonic() + max(self.least_rest, REST[self.name] * took) * 2 ** min(self.failures, 6)


class Planner:
    """Reads, fits and says.

    Parameters
    ----------
    address : str
        The database.
    say : callable
        Gets what would be a line of the output.
    folder : Path
        For the page.
    """

    def __init__(self, address: str, say: Say, folder: Path) -> None:
        self._say, self._folder = say, folder
        self._database = Database.open_to_read(address)
        self._study = self._database.study
        self._log = AnswerLog(self._database)
        self._proposer = Proposer(self._study.question, self._study.dims)
        self._n_proposed_with = 0
        self._people: dict[str, Any] = {}
        self._tasks = [
            Task("proposals", self._propose, least_rest=0.5),
            Task("findings", self._find, least_rest=5.0),
            Task("page", self._draw, least_rest=10.0),
        ]

    def step(self) -> bool:
        """Read what is new, do the first thing that is due, and say whether anything was."""
        try:
            self._log.update()
        except Exception as error:  # the database may be locked or away for a while
            self._say({"status": f"The planner cannot read the answers: {_sentence(error)}"})
            return False
        due = next((task for task in self._tasks if task.is_due(self._log.version)), None)
        if due is None:
            return False
        due.run(self._log.version, self._say)
        return True

    def close(self) -> None:
        """End the connections."""
        self._database.close()

    def _told(self) -> Triplets | None:
        """Answers for the map that chooses, if there are enough."""
        told = self._log.triplets("told")
        return told if told is not None and n_answers_of(told) >= FEWEST_ANSWERS else None

    def _propose(self) -> None:
        told = self._told()
        if told is None:
            self._say({"status": f"Waiting for {FEWEST_ANSWERS} answers before the first map."})
            return
        count = n_answers_of(told)
        self._say({"status": f"Fitting {counted(count, 'answer')}."})
        if self._study.adaptive == 0.0 or told.mentions().min() < EARLY * self._study.mentions:
            self._proposer.refit(told)
            return
        # Twice as many as came since the last time, so that there are enough until the next time.
        wanted = int(np.clip(2 * (count - self._n_proposed_with), FEWEST_PROPOSALS, MOST_PROPOSALS))
        proposals = self._proposer.propose(told, wanted, seed=count)
        self._n_proposed_with = count
        self._say({"proposals": proposals, "answers": count})
        if not proposals:
            self._say({"status": "Everything that could be suggested was asked: questions are balanced random ones."})

    def _find(self) -> None:
        everything, told = self._log.triplets("all"), self._told()
        if everything is None or told is None:
            return
        n_answers = n_answers_of(everything)
        self._say({"status": f"Testing the map on answers that it was not told ({counted(n_answers, 'answer')})."})
        model = self._proposer.model or self._proposer.refit(told)
        trusted = trust_findings(everything, self._study.dims)
        random = self._log.triplets("random")
        notes = []
        if trusted.n_triplets < len(everything):
            notes.append(f"Verdicts are from a sample of {trusted.n_triplets:,} of {len(everything):,} comparisons.")
        if trusted.report is None:
            notes.append("Held-out answers cannot be predicted yet, so nothing is said about single people.")
        findings = {
            "answers": n_answers,
            "held_out": held_out_findings(model.embedding_, self._proposer.placed, self._log.triplets("tested")),
            "wrong_share": wrong_share(trusted),
            "curve": curve_findings(random, n_answers, self._study.dims),
            "warnings": notes,
        }
        self._say({"findings": findings})
        known = {str(person) for person in self._log.people()}
        # Of people who were excluded since, the last verdict stays.
        verdicts = self._people | people_findings(trusted)
        self._people = {person: verdict for person, verdict in verdicts.items() if person in known}
        self._say({"people": self._people})
        self._say({"status": f"Knows {counted(n_answers, 'answer')}."})

    def _draw(self) -> None:
        everything = self._log.triplets("all")
        if everything is None or n_answers_of(everything) < FEWEST_ANSWERS:
            return
        self._say({"status": f"Drawing the map of {n_answers_of(everything):,} answers."})
        page = write_map_page(self._folder / "map.html", everything, self._study, self._database.items)
        self._say({"page": str(page)})
        self._say({"status": f"Knows {counted(n_answers_of(everything), 'answer')}."})


def main(address: str) -> None:
    """Plan until the standard input ends."""
    os.nice(10)  # people come first
    folder = Path(tempfile.mkdtemp(prefix="tete-planner-"))

    def say(plain: dict[str, Any]) -> None:
        try:
            sys.stdout.write(json.dumps(plain) + "\n")
            sys.stdout.flush()
        except OSError:  # nobody listens any more
            end()

    def end(code: int = 0) -> NoReturn:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(code)

    def wait_for_end() -> None:
        while os.read(0, 2**12):  # not through sys.stdin, whose lock Python wants when it ends by itself
            pass
        end()

    threading.Thread(target=wait_for_end, daemon=True).start()
    say({"status": "The planner reads the answers."})
    try:
        planner = Planner(address, say, folder)
    except TeteError as error:
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        end(1)
    while True:
        if not planner.step():
            time.sleep(POLL)


def _sentence(error: Exception) -> str:
    """The first line of what an error says."""
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text[:200] if text.endswith(".") else f"{text[:200]}."


if __name__ == "__main__":
    main(sys.argv[1])
