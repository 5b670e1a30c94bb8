"""Does the loop pay? Questions that a map chooses against balanced random ones, at equal numbers of answers.

Simulated people answer by a hidden map, with close calls, 5 % lapses, and a tenth of people who answer at random or
reversed. They are asked what `tete collect` would ask: plans of 60 questions (4 of them known, 4 repeated, 15 % of the
others random tests), the same code for questions (`Asker`) and proposals (`Proposer`), without the web between them.
Five people at a time answer in turn; the planner proposes again after each tenth more of answers, as one that needs
time would. The share of adaptive questions is 0 (none is chosen), 0.5 (the default) or 1, once every item has 10
mentions.

All answers so far make a map (catch questions aside, which are not counted either), and its accuracy is the share of
20,000 random comparisons of the hidden map, without any noise, that it predicts. Draws differ in the hidden map (but
for that of human answers), the people and the questions; the gain is that on the same draw, with its standard error.
Writes `results/collecting_loop.md`. Name settings to measure those alone.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from environments import data_folder, machine
from lifting import human_sets
from tete import TETE, Triplets
from tete.collecting.asking import Asker
from tete.collecting.items import Item
from tete.collecting.proposals import FEWEST_ANSWERS, Proposer, fitted_map
from tete.collecting.simulated_people import HiddenMap, Question, SimulatedPerson
from tete.collecting.study import Asked, QuestionKind, Study
from tete.datasets import make_uniform_triplets
from tete.metrics.satisfaction import satisfied
from triplets import RESULTS, as_markdown

SHARES = (0.0, 0.5, 1.0)
AT_ONCE = 5  # people
N_TESTED = 20_000
MEAN_DISTANCE = np.sqrt(np.pi)  # of two places of a plane of standard normal draws, as simulated people have it


def plane(n_items: int) -> Callable[[int], np.ndarray]:
    return lambda seed: np.random.default_rng(seed).normal(size=(n_items, 2))


def groups(n_items: int) -> Callable[[int], np.ndarray]:
    """Items in eight tight groups, between which most comparisons are clear."""

    def places(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return rng.normal(size=(8, 2))[rng.integers(8, size=n_items)] + rng.normal(scale=0.2, size=(n_items, 2))

    return places


def human(name: str, dims: int) -> Callable[[int], np.ndarray]:
    """The map of human answers."""
    return lambda _: TETE(dims).fit(Triplets.from_array(human_sets(data_folder())[name])).embedding_


@dataclass(frozen=True)
class Setting:
    """What is compared: a hidden map, a kind of question, and numbers of answers for each item to look at."""

    places: Callable[[int], np.ndarray]
    kind: str = "triplet"
    dims: int = 2
    per_item: tuple[int, ...] = (4, 6, 8, 12, 18, 27)
    n_draws: int = 12


SETTINGS = {
    "30 items on a plane": Setting(plane(30)),
    "60 items on a plane": Setting(plane(60)),
    "60 items in 8 groups": Setting(groups(60)),
    "30 eggs, the line of human answers": Setting(human("30 eggs", 1), dims=1),
    "60 items on a plane, odd-one-out": Setting(plane(60), kind="odd-one-out"),
    "60 items on a plane, pick:2of8": Setting(plane(60), kind="pick:2of8", per_item=(2, 3, 4, 6, 8)),
}


class KnownMap(HiddenMap):
    """A hidden map of given places, of the size that people's eyes expect."""

    def __init__(self, places: np.ndarray) -> None:
        distances = np.linalg.norm(places[:, None] - places[None], axis=2)
        self.places = places * (MEAN_DISTANCE / distances[np.triu_indices(len(places), 1)].mean())
        self.place = lambda item: self.places[item]


class Loop:
    """One study: people answer in turn, and a planner proposes."""

    def __init__(self, setting: Setting, share: float, seed: int) -> None:
        self.hidden, self.seed = KnownMap(setting.places(seed)), seed
        n_items = len(self.hidden.places)
        self.study = Study(question=QuestionKind.parse(setting.kind), adaptive=share, dims=setting.dims, seed=seed)
        items = [Item(number, str(number), "text", "", "", None, "") for number in range(n_items)]
        self.asker = Asker(self.study, items, [0] * n_items)
        self.proposer = Proposer(self.study.question, setting.dims)
        self.answers: list[tuple[Asked, list[int]]] = []
        self.visits: list[tuple[int, SimulatedPerson, list[Asked]]] = []
        self.n_people, self.n_questions, self.next_plan = 0, 0, 2 * FEWEST_ANSWERS

    def run_to(self, n_answers: int) -> None:
        """Ask until there are so many answers."""
        while len(self.answers) < n_answers:
            self.visits += [self.newcomer() for _ in range(AT_ONCE - len(self.visits))]
            self.visits = [visit for visit in self.visits if self.ask(*visit)]
            if len(self.answers) >= self.next_plan and self.study.adaptive:
                wanted = max(100, len(self.answers) // 5)  # twice what is answered until the next time
                self.asker.propose(self.proposer.propose(self.triplets("told"), wanted, seed=len(self.answers)))
                self.next_plan = max(len(self.answers) + 20, round(1.1 * len(self.answers)))

    def newcomer(self) -> tuple[int, SimulatedPerson, list[Asked]]:
        """Somebody who was not asked anything yet."""
        self.n_people += 1
        return self.n_people, SimulatedPerson(self.hidden, self.seed, self.n_people), []

    def ask(self, number: int, person: SimulatedPerson, asked: list[Asked]) -> bool:
        """Ask the next question, and say whether there was one."""
        drawn = self.asker.draw(number, "page", asked, len(asked), number)
        if drawn is None:
            return False
        self.n_questions += 1
        asked.append(replace(drawn, number=self.n_questions))
        kind = self.study.question
        anchor, choices = (drawn.shown[0], drawn.shown[1:]) if kind.has_anchor else (None, drawn.shown)
        choice = person.answer(Question(anchor, choices, kind.n_picks))
        if choice is not None and drawn.right is None:
            self.answers.append((asked[-1], choice))
        return True

    def triplets(self, which: str) -> Triplets:
        """All answers, or those that the map that chooses is told."""
        tests = {asked.number for asked, _ in self.answers if asked.role == "test"}
        kept = [
            (asked.shown, choice, asked.number)
            for asked, choice in self.answers
            if which == "all" or not {asked.number, asked.repeats} & tests
        ]
        shown, choices, numbers = map(np.array, zip(*kept, strict=True))
        details = {"answers": numbers, "n_objects": len(self.hidden.places)}
        if self.study.question.has_anchor:
            return Triplets.from_selection(shown, choices + 1, **details)
        return Triplets.from_odd_one_out(shown, choices[:, 0], **details)

    def accuracy(self) -> float:
        """Share of noiseless comparisons that the map of all answers predicts."""
        truth = make_uniform_triplets(self.hidden.places, N_TESTED, random_state=self.seed)
        return float(satisfied(fitted_map(self.triplets("all"), self.study.dims).embedding_, truth).mean())


def measure(setting: Setting) -> np.ndarray:
    """Accuracies by share, draw and number of answers."""
    found = np.empty((len(SHARES), setting.n_draws, len(setting.per_item)))
    for place, share in enumerate(SHARES):
        for draw in range(setting.n_draws):
            loop = Loop(setting, share, 1000 + draw)
            for step, per_item in enumerate(setting.per_item):
                loop.run_to(per_item * len(loop.hidden.places))
                found[place, draw, step] = loop.accuracy()
    return found


def table(setting: Setting, found: np.ndarray) -> list[dict[str, object]]:
    lines = [(f"{share:g} adaptive", found[place]) for place, share in enumerate(SHARES)]
    lines += [(f"gain of {share:g}", found[place] - found[0]) for place, share in enumerate(SHARES) if place]
    return [
        {"questions": label}
        | {f"{per_item} answers an item": cell(values[:, step]) for step, per_item in enumerate(setting.per_item)}
        | {"mean of all": cell(values.mean(axis=1), 4)}
        for label, values in lines
    ]


def cell(values: np.ndarray, digits: int = 3) -> str:
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("settings", nargs="*", help=f"default: all of {'; '.join(SETTINGS)}")
    file, here = RESULTS / "collecting_loop.json", machine()  # the commit whose code is loaded, not that of the end
    for name in parser.parse_args().settings or list(SETTINGS):
        setting, started = SETTINGS[name], time.process_time()
        rows = table(setting, measure(setting))
        print(name, round(time.process_time() - started), "s", json.dumps(rows[-2:]), flush=True)
        measured = {"machine": here, "draws": setting.n_draws, "rows": rows}
        stored = (json.loads(file.read_text()) if file.exists() else {}) | {name: measured}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        parts = [f"# The loop: chosen against random questions\n\n{__doc__}"]
        for each in (each for each in SETTINGS if each in stored):
            parts.append(f"## {each} ({stored[each]['draws']} draws)\n\n{as_markdown(stored[each]['rows'])}")
            parts.append(f"`{json.dumps(stored[each]['machine'])}`")
        (RESULTS / "collecting_loop.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
