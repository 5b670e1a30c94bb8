"""Items that come up equally often, in constant time: counts of mentions by level, and a deck that is dealt."""

from collections.abc import Container, Iterable, Sequence
from random import Random

__all__ = ["Deck", "Mentions"]


class Mentions:
    """How often each item was mentioned, with the items of each count kept together."""

    def __init__(self, counts: Sequence[int]) -> None:
        self._counts = list(counts)
        self._levels: dict[int, list[int]] = {}
        self._places = [0] * len(self._counts)
        for item, count in enumerate(self._counts):
            self._put(item, count)
        self.least = min(self._counts)

    def count(self, items: Iterable[int]) -> None:
        """One more mention of each."""
        for item in items:
            count = self._counts[item]
            level, place = self._levels[count], self._places[item]
            level[place] = level[-1]  # the last one of the level moves into the gap
            self._places[level[place]] = place
            level.pop()
            if not level:
                del self._levels[count]
            self._counts[item] = count + 1
            self._put(item, count + 1)
            if count == self.least and not level:
                self.least += 1  # counts grow by one, so the item itself is on the next level

    @property
    def median(self) -> int:
        """As often as this at least half of the items were mentioned, and at least half no more often."""
        left = len(self._counts) // 2
        for count in sorted(self._levels):
            left -= len(self._levels[count])
            if left < 0:
                break
        return count

    def draw_least(self, rng: Random) -> int:
        """Any item of those mentioned least."""
        return rng.choice(self._levels[self.least])

    def _put(self, item: int, count: int) -> None:
        level = self._levels.setdefault(count, [])
        self._places[item] = len(level)
        level.append(item)


class Deck:
    """Items in random order, all of them before any comes again."""

    def __init__(self, n_items: int) -> None:
        self._items = list(range(n_items))
        self._left = n_items

    def deal(self, rng: Random, without: Container[int]) -> int:
        """The next item that is none of these: the others stay in the deck."""
        while True:
            start = rng.randrange(self._left) if self._left else 0
            for step in range(self._left):
                place = (start + step) % self._left
                if (item := self._items[place]) not in without:
                    self._left -= 1
                    self._items[place], self._items[self._left] = self._items[self._left], item
                    return item
            self._left = len(self._items)
