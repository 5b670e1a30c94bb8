"""New rows on a finished map: a placer is all that is needed for that, as one frozen value.

A new row finds its nearest points. If it is one of them it takes that point's place; else it descends its own loss
against the frozen map, by itself. A placer can be turned into plain arrays and back; what comes from a file is checked
array by array, because compiled code trusts its input.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.printing import counted
from tete.core.threads import SERIAL, Threads, row_slices
from tete.exceptions import InvalidFeaturesError
from tete.reduction.metric_names import metric_said
from tete.reduction.novelty import Novelty
from tete.reduction.points import Found, Points
from tete.reduction.projection import Projection
from tete.reduction.search.nearest import Neighbors

__all__ = ["NearestPlacer", "Placer", "Places"]

Places: TypeAlias = NDArray[np.float32]

ROWS_AT_ONCE = 16_384  # whose neighbours are in memory: enough that those of one cell come together
ROWS_IN_A_PIECE = 128  # enough work for a thread; their draws are in memory


@dataclass(frozen=True, eq=False, kw_only=True)
class Placer(ABC):
    """Places new rows on a finished map.

    Attributes
    ----------
    points : Points
        The distinct rows of the fitted table and the search among them.
    places : array of shape (n_points, n_components)
        Where they are on the map.
    n_candidates : int
        How many nearest points a new row looks for.
    """

    name: ClassVar[str]  # in files

    points: Points
    places: Places
    n_candidates: int

    def place(self, rows: Any, workers: Threads) -> Places:
        """Places of new rows, each independent of the others; rows of the fitted table get their own places."""
        return self.place_with(rows, workers, None)[0]

    def place_with(self, rows: Any, workers: Threads, novelty: Novelty | None) -> tuple[Places, NDArray[np.float32]]:
        """The same, and how unlike all points each row is, if that is asked for; some rows at a time."""
        self.prepare()
        places = np.empty((rows.shape[0], self.places.shape[1]), dtype=np.float32)
        unlike = np.empty(0 if novelty is None else rows.shape[0], dtype=np.float32)
        for start in range(0, rows.shape[0], ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
                found = self.points.find(rows[some], self.n_candidates, workers)
                places[some] = self._places_of(found, workers)
            self._refuse_lost(places, some)
            if novelty is not None:
                unlike[some] = novelty.of(self.points, rows[some], found, workers)
        return places, unlike

    def _places_of(self, found: Found, workers: Threads) -> Places:
        known = found.finite & (found.equal >= 0)
        result = np.where(known[:, None], self.places[found.equal], np.float32(np.nan))
        new = np.flatnonzero(found.finite & ~known & np.isfinite(found.neighbors.distances[:, 0]))
        slices = row_slices(len(new), size=ROWS_IN_A_PIECE)

        def work(piece: int) -> None:
            some = new[slices[piece]]
            near = Neighbors(found.neighbors.indices[some], found.neighbors.distances[some])
            result[some] = self.descend(found.queries[some], near)

        workers.run(work, len(slices) if len(new) else 0)
        return result

    def _refuse_lost(self, places: Places, some: slice) -> None:
        lost = np.flatnonzero(~np.isfinite(places[some]).all(axis=1))
        if len(lost):
            reason = "its numbers are too large beside those of the fitted table"
            if self.points.projection is None:
                reason = (
                    f"its distances from the fitted rows by {metric_said(self.points.metric)} are no finite numbers"
                )
            raise InvalidFeaturesError(
                f"Row {some.start + lost[0]} of `X` cannot be placed: {reason} ({counted(len(lost), 'such row')})."
            )

    def prepare(self) -> None:
        """Make what all new rows share, so that no thread waits for it and the first row takes no longer."""
        self.points.prepare()

    def warm_up(self) -> None:
        """The same, and load the compiled code, by placing the mean of all rows where there is one."""
        self.prepare()
        if isinstance(self.points.projection, Projection):
            with np.errstate(all="ignore"):
                found = self.points.find(self.points.projection.mean[None], self.n_candidates, SERIAL)
                self._places_of(found, SERIAL)

    @abstractmethod
    def descend(self, queries: Any, neighbors: Neighbors) -> NDArray[Any]:
        """Places of rows that are none of the points, from their nearest points."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays, numbers and texts as arrays without dimensions."""
        own = {name: np.asarray(value) for name, value in self.own_values().items() if value is not None}
        common = {"places": self.places, "n_candidates": np.array(self.n_candidates)}
        return self.points.to_arrays() | common | own

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The same placer again from `to_arrays`; anything that is missing, unknown or wrong is refused by name."""
        checked = CheckedArrays(arrays)
        points = Points.from_arrays(checked)
        places = checked.numbers("places", "f4", (len(points), None))
        n_candidates = checked.whole("n_candidates", least=1, most=len(points))
        own = cls.checked_values(checked, len(points), n_candidates)
        placer = cls(points=points, places=places, n_candidates=n_candidates, **own)
        checked.finish()
        return placer

    @abstractmethod
    def own_values(self) -> dict[str, Any]:
        """What this kind of placer has beside points and places, by public names; None where it has none."""

    @classmethod
    @abstractmethod
    def checked_values(cls, arrays: CheckedArrays, n_points: int, n_candidates: int) -> dict[str, Any]:
        """The arguments that `own_values` were made of."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestPlacer(Placer):
    """For tables of one or two distinct rows, where there is nothing to compare: new rows lie where the nearest is."""

    name = "nearest"

    def descend(self, queries: Any, neighbors: Neighbors) -> NDArray[Any]:
        """The places of the nearest points."""
        return self.places[neighbors.indices[:, 0]]

    def own_values(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    @classmethod
    def checked_values(cls, arrays: CheckedArrays, n_points: int, n_candidates: int) -> dict[str, Any]:
        """Nothing."""
        return {}
