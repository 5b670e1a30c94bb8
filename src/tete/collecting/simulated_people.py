"""Judges who do not exist: a hidden map, answers as people give them, and a few who do not care.

How often one of two is called more alike grows smoothly with the difference of the distances; sometimes the attention
lapses and the answer is anything. Bad people answer at random or reversed, known answers too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import dist, exp
from random import Random
from typing import Any, Literal

__all__ = ["HiddenMap", "Question", "SimulatedPerson"]

SHARPNESS = 4.0  # of the choice, per unit of distance: two random places of the map are about 1.8 apart
LAPSES = 0.05
BAD = 0.10  # share of the people
CANNOT_SAY = 0.01


@dataclass(frozen=True)
class Question:
    """What a person sees: item numbers, and what to do with them."""

    anchor: int | None
    choices: tuple[int, ...]
    n_picks: int = 1

    @classmethod
    def from_json(cls, plain: dict[str, Any], n_picks: int) -> "Question":
        """From a question as the server sends it."""
        anchor = plain["anchor"] and plain["anchor"]["item"]
        return cls(anchor, tuple(each["item"] for each in plain["choices"]), n_picks)


class HiddenMap:
    """Places of items on a plane, each drawn when it is first needed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.place = lru_cache(maxsize=None)(self._place)

    def unlikeness(self, question: Question) -> list[float]:
        """How little each choice is the one asked for."""
        places = [self.place(item) for item in question.choices]
        if question.anchor is not None:
            anchor = self.place(question.anchor)
            return [dist(anchor, place) for place in places]
        # The odd one is that without which the others are closest.
        one, two, three = places
        return [dist(two, three), dist(one, three), dist(one, two)]

    def best(self, question: Question) -> set[int]:
        """The places that the map itself would choose."""
        unlikeness = self.unlikeness(question)
        return set(sorted(range(len(unlikeness)), key=unlikeness.__getitem__)[: question.n_picks])

    def _place(self, item: int) -> tuple[float, float]:
        rng = Random(f"item {self._seed} {item}")  # noqa: S311
        return rng.gauss(0.0, 1.0), rng.gauss(0.0, 1.0)


class SimulatedPerson:
    """One judge.

    Attributes
    ----------
    kind : "good", "random" or "reversed"
        How the person answers.
    """

    def __init__(self, hidden: HiddenMap, seed: int, number: int) -> None:
        self._hidden = hidden
        self.rng = Random(f"person {seed} {number}")  # noqa: S311
        bad = self.rng.random() < BAD
        self.kind: Literal["good", "random", "reversed"] = (
            "good" if not bad else "random" if self.rng.random() < 0.5 else "reversed"
        )

    def answer(self, question: Question) -> list[int] | None:
        """Places that the person chooses, best first; None if it cannot say."""
        if not _is_self_evident(question) and self.rng.random() < CANNOT_SAY:
            return None
        if self.kind == "random" or self.rng.random() < LAPSES:
            return self.rng.sample(range(len(question.choices)), question.n_picks)
        unlikeness = self._hidden.unlikeness(question)
        if _is_self_evident(question):  # nobody overlooks that two are the same
            unlikeness = [each or float("-inf") for each in unlikeness]
        if self.kind == "reversed":
            unlikeness = [-each for each in unlikeness]
        return self._choose(unlikeness, question.n_picks)

    def _choose(self, unlikeness: Sequence[float], n_picks: int) -> list[int]:
        """One after the other, each with a chance that falls with its distance."""
        left, chosen = list(range(len(unlikeness))), list[int]()
        for _ in range(n_picks):
            least = min(unlikeness[place] for place in left)
            chances = [
                1.0 if unlikeness[place] == least else exp(-SHARPNESS * (unlikeness[place] - least)) for place in left
            ]
            chosen += self.rng.choices(left, chances)
            left.remove(chosen[-1])
        return chosen


def _is_self_evident(question: Question) -> bool:
    """Whether the anchor is among the choices, or two choices are the same."""
    return question.anchor in question.choices or len(set(question.choices)) < len(question.choices)
