"""Simulated people who visit a study through HTTP: a rehearsal, and a load test.

In a process of its own: ``python -m tete.collecting.simulation ADDRESS people=200 think=0.75 seed=1`` writes a line of
JSON now and then, and the result last.
"""

import asyncio
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tete.collecting.http_client import Client, RefusedError, UnreachableError
from tete.collecting.simulated_people import HiddenMap, Question, SimulatedPerson

__all__ = ["Simulated", "simulate"]

AHEAD = 5  # questions that the page holds
UNDO = 0.01  # share of the answers that are taken back once
AT_ONCE = 400  # people with an open connection: a process may have 1,024 files
PAUSED = 0.25  # seconds until a person looks again whether a study goes on
SAY_EVERY = 1.0  # seconds between two reports


@dataclass
class Simulated:
    """What came of it.

    Attributes
    ----------
    people, finished : int
        Who started, and who saw the end.
    problems : Counter
        What kept the others from it, by its sentence.
    acknowledged : list of (question, revision, choice)
        Every answer that the server said it has; an undone one has the choice "undo".
    waits : list of float
        Seconds from sending an answer to its acknowledgement.
    sent_again : int
        Messages that were sent more than once.
    right, compared : int
        Answers to real questions that the hidden map would give too, and all of them.
    bad : dict
        Of people who do not care: the person's number in the study, and random or reversed.
    seconds : float
        From the first start to the last answer.
    """

    people: int = 0
    finished: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    acknowledged: list[tuple[int, int, Any]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    sent_again: int = 0
    right: int = 0
    compared: int = 0
    bad: dict[int, str] = field(default_factory=dict)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Numbers of the result."""
        waits = sorted(self.waits) or [0.0]
        return {
            "people": self.people,
            "finished": self.finished,
            "problems": dict(self.problems),
            "answers": len(self.acknowledged),
            "seconds": round(self.seconds, 2),
            "per_second": round(len(self.acknowledged) / max(self.seconds, 1e-9), 1),
            **{f"p{part}_ms": round(1e3 * waits[(len(waits) - 1) * part // 100], 1) for part in (50, 95, 99)},
            "sent_again": self.sent_again,
            "agreement": round(self.right / max(self.compared, 1), 4),
            "bad": self.bad,
        }


def simulate(
    address: str,
    *,
    people: int,
    think: float = 0.0,
    seed: int = 0,
    patience: float = 60.0,
    say: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Simulated:
    """Let simulated people answer until all have finished.

    Parameters
    ----------
    address : str
        Of the people's page.
    people : int
        How many.
    think : float, default=0.0
        Mean seconds from an acknowledged answer to the next one.
    seed : int, default=0
        Of the hidden map and of all people. Those of the same seed go on where they were.
    patience : float, default=60.0
        Seconds until a person gives up on a server that does not answer.
    say : callable
        Gets the counts so far, every second.

    Returns
    -------
    Simulated
        What came of it.
    """
    return asyncio.run(_everybody(address, people, think, seed, patience, say))


async def _everybody(
    address: str, people: int, think: float, seed: int, patience: float, say: Callable[[dict[str, Any]], None]
) -> Simulated:
    result, hidden, start = Simulated(), HiddenMap(seed), time.monotonic()
    async with Client(address, patience) as client:
        study = await client.request("GET", "/study")
    seats = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        person = SimulatedPerson(hidden, seed, number)
        async with seats, Client(address, patience) as client:
            await Visit(client, person, hidden, study, think, result).run({"id": f"simulated-{seed}-{number}"})

    reports = asyncio.create_task(_report(result, start, say))
    try:
        await asyncio.gather(*map(one, range(people)))
    finally:
        reports.cancel()
    result.seconds = time.monotonic() - start
    return result


async def _report(result: Simulated, start: float, say: Callable[[dict[str, Any]], None]) -> None:
    while True:
        await asyncio.sleep(SAY_EVERY)
        result.seconds = time.monotonic() - start
        say({"people": result.people, "finished": result.finished, "answers": len(result.acknowledged)})


class Visit:
    """One person from the start button to the last page, as the page would talk to the server."""

    def __init__(
        self,
        client: Client,
        person: SimulatedPerson,
        hidden: HiddenMap,
        study: dict[str, Any],
        think: float,
        result: Simulated,
    ) -> None:
        self._client, self._person, self._hidden, self._think, self._result = client, person, hidden, think, result
        self._n_picks = int(study["question"]["picks"])
        self._questions: deque[dict[str, Any]] = deque()
        self._undone: set[int] = set()
        self._after = -1

    async def run(self, identity: dict[str, str]) -> None:
        """Start, answer what is asked, and leave; what goes wrong is counted."""
        try:
            await asyncio.sleep(self._person.rng.random() * self._think)
            body = {"consent": True, "identity": identity, "source": "page"}
            reply = await self._client.request("POST", "/start", body)
            self._client.key = reply["person"]
            self._result.people += 1
            if self._person.kind != "good":
                self._result.bad[int(reply["person"].split(".")[0])] = self._person.kind
            self._hold(reply)
            while self._questions or reply["state"] in ("asking", "paused"):
                reply = await (self._answer() if self._questions else self._fetch(reply["state"]))
            self._result.finished += reply["state"] == "finished"
            if reply["state"] != "finished":
                self._result.problems[f"the study is {reply['state']}"] += 1
        except (RefusedError, UnreachableError) as error:
            self._result.problems[str(error)] += 1
        finally:
            self._result.sent_again += self._client.sent_again

    async def _fetch(self, state: str) -> dict[str, Any]:
        if state == "paused":
            await asyncio.sleep(PAUSED)
        reply = await self._client.request("GET", f"/next?ahead={AHEAD}")
        self._hold(reply)
        if reply["state"] == "asking" and not self._questions:
            raise UnreachableError("The study asks, but there is no question.")
        return reply

    def _hold(self, reply: dict[str, Any]) -> None:
        """Keep the questions that came."""
        held = {each["question"] for each in self._questions}
        self._questions += [each for each in reply["questions"] if each["question"] not in held]
        self._after = max([self._after, *(each["position"] for each in self._questions)])

    async def _answer(self) -> dict[str, Any]:
        """Answer the first question that is held; seldom take it back, so that it comes again."""
        await asyncio.sleep(self._think * (0.5 + self._person.rng.random()))
        plain = self._questions.popleft()
        question = Question.from_json(plain, self._n_picks)
        if plain["practice"]:
            return await self._send(plain, choice=_completed(plain["right"], question))
        choice = self._person.answer(question)
        reply = await self._send(plain, choice=choice)
        if self._person.rng.random() < UNDO and plain["question"] not in self._undone:
            self._undone.add(plain["question"])
            reply = await self._send(plain | {"revision": plain["revision"] + 1}, undo=True)
            self._questions.appendleft(plain | {"revision": plain["revision"] + 2})
        elif choice is not None:
            self._result.right += len(self._hidden.best(question) & set(choice))
            self._result.compared += self._n_picks
        return reply

    async def _send(
        self, plain: dict[str, Any], *, choice: list[int] | None = None, undo: bool = False
    ) -> dict[str, Any]:
        """Send until it is acknowledged, and keep what comes with that."""
        body = {"question": plain["question"], "revision": plain["revision"], "choice": choice, "undo": undo}
        took = round(1e3 * (self._think or 1.0) * (0.5 + self._person.rng.random()), 1)
        start = time.perf_counter()
        reply = await self._client.request(
            "POST", "/answer", body | {"ms": None if undo else took, "ahead": AHEAD, "after": self._after}
        )
        self._result.waits.append(time.perf_counter() - start)
        self._result.acknowledged.append((plain["question"], plain["revision"], "undo" if undo else choice))
        self._hold(reply)
        return reply


def _completed(right: list[int], question: Question) -> list[int]:
    """As many picks as are asked for, the right ones among them."""
    others = [place for place in range(len(question.choices)) if place not in right]
    return [*right, *others][: question.n_picks]


def main(address: str, *settings: str) -> None:
    """Simulate with settings such as people=200, and write what comes of it to the standard output."""

    def say(plain: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(plain) + "\n")
        sys.stdout.flush()

    given = dict(each.split("=", 1) for each in settings)
    result = simulate(
        address,
        people=int(given.get("people", 10)),
        think=float(given.get("think", 0.0)),
        seed=int(given.get("seed", 0)),
        say=say,
    )
    say(result.to_json())


if __name__ == "__main__":
    main(*sys.argv[1:])
