"""Which question a person is asked next.

Test questions are uniformly random. Balanced ones have an item that is mentioned least, until every item has enough
mentions, and others dealt like cards, so that all come up equally often; late items meet all the others this way, and
not only each other. Suggested ones come from the planner, best first, each once; without any, balanced ones are asked.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from random import Random

from tete.collecting.item_counts import Deck, Mentions
from tete.collecting.items import Item
from tete.collecting.roles import fitting, is_program, roles_of
from tete.collecting.study import Asked, KnownQuestion, Shown, Study
from tete.exceptions import InvalidParameterError

__all__ = ["Asker"]

COUNTED = {"test", "balanced", "suggested", "repeat"}  # roles that mention items, as the database counts them
REPEATABLE = {"test", "balanced", "suggested"}
APART = 5  # positions between a question and its repeat, so that the answer is not simply remembered
TRIES = 40  # random questions until one was not asked: where half were asked already, all fail once in 10^12
PLANS_KEPT = 2_000  # of the latest people; drawn again for others
LOOKED_THROUGH = 100  # proposals, for one that the person was not asked

Key = tuple[int, tuple[int, ...]]


class Asker:
    """Draws questions for everybody, and counts how often items were mentioned.

    Parameters
    ----------
    study : Study
        What is asked. With so few items that there are not enough questions, `study` asks fewer.
    items : sequence of Item
        All of them.
    mentions : sequence of int
        How often each was mentioned in stored questions.
    """

    def __init__(self, study: Study, items: Sequence[Item], mentions: Sequence[int]) -> None:
        self._kind = study.question
        if len(items) < self._kind.n_shown:
            raise InvalidParameterError(
                f"`items` must be at least {self._kind.n_shown} for the question {self._kind}, got {len(items)}."
            )
        self.study = fitting(study, len(items))
        self._n_items = len(items)
        self._mentions, self._deck = Mentions(mentions), Deck(len(items))
        numbers = {item.name: item.number for item in items}
        self._known = {
            role: [self._resolve(each, numbers, f"known_{role}") for each in given]
            for role, given in (("catch", study.known_catch), ("practice", study.known_practice))
        }
        self._proposals: deque[Shown] = deque()
        # Questions suggested lately: a plan may have been made before their answers came.
        self._suggested: set[Key] = set()
        self._suggested_before: set[Key] = set()
        self._plans: OrderedDict[tuple[int, bool], list[str]] = OrderedDict()

    @property
    def n_proposals(self) -> int:
        """How many suggested questions wait."""
        return len(self._proposals)

    @property
    def least_mentions(self) -> int:
        """Mentions of the item that has fewest."""
        return self._mentions.least

    @property
    def median_mentions(self) -> int:
        """Mentions of the item in the middle."""
        return self._mentions.median

    @property
    def enough(self) -> bool:
        """Whether every item has the mentions after which questions are chosen."""
        return self._mentions.least >= self.study.mentions

    def roles(self, person_seed: int, source: str) -> list[str]:
        """The person's plan, as `roles_of`, with as many questions as the items have."""
        key = person_seed, is_program(source)
        if key not in self._plans:
            self._plans[key] = roles_of(self.study, person_seed, source)
            if len(self._plans) > PLANS_KEPT:
                self._plans.popitem(last=False)
        self._plans.move_to_end(key)
        return self._plans[key]

    def propose(self, proposals: Sequence[Sequence[int]]) -> None:
        """Replace the suggested questions that wait, best first."""
        self._suggested_before, self._suggested = self._suggested, set()
        self._proposals = deque(
            tuple(each)
            for each in proposals
            if len(set(each)) == self._kind.n_shown == len(each)
            and all(0 <= number < self._n_items for number in each)
            and self._kind.key(tuple(each)) not in self._suggested_before
        )

    def draw(self, person_seed: int, source: str, asked: Sequence[Asked], position: int, person: int) -> Asked | None:
        """The person's question at this position, after those that were asked; None when the plan is done."""
        roles = self.roles(person_seed, source)
        if position >= len(roles):
            return None
        rng = Random(f"question {self.study.seed} {person_seed} {position}")  # noqa: S311
        asked_keys = {self._kind.key(each.shown) for each in asked}
        role = roles[position]
        drawn: Asked | None = None
        if role in ("practice", "catch"):
            drawn = self._draw_known(role, asked_keys, rng)
        elif role == "repeat":
            drawn = self._draw_repeat(asked, position, rng)
        elif role == "swapped" and asked:
            shown, first = asked[-1].shown, self._kind.has_anchor
            drawn = _question(role, shown[:first] + shown[first:][::-1], repeats=asked[-1].number)
        if drawn is None:
            drawn = self._draw_fresh(role, asked_keys, rng)
        if drawn is None:
            return None
        if drawn.role in COUNTED:
            self._mentions.count(drawn.shown)
        return replace(drawn, person=person, position=position)

    def _draw_fresh(self, role: str, asked: set[Key], rng: Random) -> Asked | None:
        """A question that the person was not asked, as the role says; balanced for roles that found none."""
        if role == "adaptive" and self.enough and (proposal := self._take_proposal(asked)):
            return _question("suggested", self._shuffled(proposal, rng))
        draw = self._draw_uniform if role == "test" else self._draw_balanced
        shown = self._unasked(draw, self._all_questions, asked, rng)
        return None if shown is None else _question("test" if role == "test" else "balanced", shown)

    def _take_proposal(self, asked: set[Key]) -> Shown | None:
        for place in range(min(len(self._proposals), LOOKED_THROUGH)):
            key = self._kind.key(self._proposals[place])
            if key not in asked:
                found = self._proposals[place]
                del self._proposals[place]
                self._suggested.add(key)
                return found
        return None

    def _unasked(
        self, draw: Callable[[Random], Shown], everything: Callable[[], Iterator[Shown]], asked: set[Key], rng: Random
    ) -> Shown | None:
        """A random question that the person was not asked, looked for among all of them where few are left."""
        for _ in range(TRIES):
            if self._kind.key(shown := draw(rng)) not in asked:
                return shown
        # Most were asked already, so the first few of all hold one that was not, if there is one.
        first = islice(everything(), 2 * len(asked) + TRIES)
        left = [shown for shown in first if self._kind.key(shown) not in asked]
        return self._shuffled(rng.choice(left), rng) if left else None

    def _draw_uniform(self, rng: Random) -> Shown:
        """Any question with the same chance."""
        return tuple(rng.sample(range(self._n_items), self._kind.n_shown))

    def _draw_balanced(self, rng: Random) -> Shown:
        """A question of items that come up equally often."""
        chosen = [] if self.enough else [self._mentions.draw_least(rng)]
        while len(chosen) < self._kind.n_shown:
            chosen.append(self._deck.deal(rng, chosen))
        rng.shuffle(chosen)  # the anchor is any of them
        return tuple(chosen)

    def _draw_self_evident(self, rng: Random) -> Shown:
        """A question with the anchor among the choices; of odd-one-out, two that are the same and another."""
        one, *others = rng.sample(range(self._n_items), self._kind.n_choices - (not self._kind.has_anchor))
        return self._shuffled((one, one, *others), rng)

    def _all_questions(self) -> Iterator[Shown]:
        everything = range(self._n_items)
        if not self._kind.has_anchor:
            yield from combinations(everything, self._kind.n_choices)
            return
        for anchor in everything:
            others = [number for number in everything if number != anchor]
            yield from ((anchor, *choices) for choices in combinations(others, self._kind.n_choices))

    def _all_self_evident(self) -> Iterator[Shown]:
        for one in range(self._n_items):
            others = [number for number in range(self._n_items) if number != one]
            yield from ((one, one, *rest) for rest in combinations(others, self._kind.n_shown - 2))

    def _draw_known(self, role: str, asked: set[Key], rng: Random) -> Asked | None:
        """A question whose answer everybody knows: one given by the study while there is one, else self-evident."""
        given = [each for each in self._known[role] if self._kind.key(each[0]) not in asked]
        if given:
            shown, right = rng.choice(given)
            shown = self._shuffled(shown, rng)
        else:
            found = self._unasked(self._draw_self_evident, self._all_self_evident, asked, rng)
            if found is None:
                return None
            shown = found
            right = {shown[0]} if self._kind.has_anchor else {each for each in shown if shown.count(each) == 1}
        choices = shown[self._kind.has_anchor :]
        return _question(role, shown, right=tuple(place for place, each in enumerate(choices) if each in right))

    def _draw_repeat(self, asked: Sequence[Asked], position: int, rng: Random) -> Asked | None:
        """A question asked before, with the places shuffled again.

        If possible one that is not of the test share, whose second answer would tell the map what the first one said.
        """
        repeated = {each.repeats for each in asked if each.role == "repeat"}
        fresh = [each for each in asked if each.role in REPEATABLE and each.number not in repeated]
        left = [each for each in fresh if each.role != "test"] or fresh
        if not left:
            return None
        before = rng.choice([each for each in left if position - each.position >= APART] or left[:1])
        return _question("repeat", self._shuffled(before.shown, rng), repeats=before.number)

    def _shuffled(self, shown: Shown, rng: Random) -> Shown:
        first = int(self._kind.has_anchor)
        return shown[:first] + tuple(rng.sample(shown[first:], len(shown) - first))

    def _resolve(self, given: KnownQuestion, numbers: dict[str, int], name: str) -> tuple[Shown, set[int]]:
        """Numbers for the names of a question that the study gives."""
        kind = self._kind
        for each in (*given.shown, *given.right):
            if each not in numbers:
                raise InvalidParameterError(f"`{name}` must name items, got {each!r}.")
        if len(given.shown) != kind.n_shown:
            raise InvalidParameterError(
                f"`{name}` must show {kind.n_shown} items for the question {kind}, got {len(given.shown)}."
            )
        choices = given.shown[kind.has_anchor :]
        if (
            not set(given.right) <= set(choices)
            or not 1 <= sum(each in given.right for each in choices) <= kind.n_picks
        ):
            raise InvalidParameterError(
                f"`{name}` must have 1 to {kind.n_picks} right ones among its choices, got {list(given.right)}."
            )
        return tuple(numbers[each] for each in given.shown), {numbers[each] for each in given.right}


def _question(role: str, shown: Shown, right: tuple[int, ...] | None = None, repeats: int | None = None) -> Asked:
    return Asked(0, 0, 0, role, shown, right, repeats)
