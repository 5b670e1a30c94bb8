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
from tete.core.threads import Threads
from tete.exceptions import InvalidFeaturesError
from tete.reduction.metric_names import metric_said
from tete.reduction.points import Points
from tete.reduction.search.nearest import Neighbors

__all__ = ["NearestPlacer", "Placer", "Places"]

Places: TypeAlias = NDArray[np.float32]

ROWS_AT_ONCE = 4096  # whose neighbours and draws are in memory


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
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
            result = self._places_of(rows, workers)
        lost = np.flatnonzero(~np.isfinite(result).all(axis=1))
        if len(lost):
            reason = "its numbers are too large beside those of the fitted table"
            if self.points.projection is None:
                reason = (
                    f"its distances from the fitted rows by {metric_said(self.points.metric)} are no finite numbers"
                )
            raise InvalidFeaturesError(
                f"Row {lost[0]} of `X` cannot be placed: {reason} ({counted(len(lost), 'such row')})."
            )
        return result

    def _places_of(self, rows: Any, workers: Threads) -> Places:
        result = np.empty((rows.shape[0], self.places.shape[1]), dtype=np.float32)
        for start in range(0, rows.shape[0], ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            queries = self.points.queries(rows[some], workers)
            finite = self.points.finite(queries)
            if not finite.all():
                self.points.empty(queries, ~finite)  # no search takes them; they are refused in the end
            neighbors = self.points.search.of(queries, self.n_candidates, workers)
            equal = self.points.equal_points(queries, neighbors)
            known = finite & (equal >= 0)
            result[some] = np.where(known[:, None], self.places[equal], np.nan)
            new = np.flatnonzero(finite & ~known & np.isfinite(neighbors.distances[:, 0]))
            if len(new):
                near = Neighbors(neighbors.indices[new], neighbors.distances[new])
                result[start + new] = self.descend(queries[new], near, workers)
        return result

    @abstractmethod
    def descend(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[Any]:
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

    def descend(self, queries: Any, neighbors: Neighbors, workers: Threads) -> NDArray[Any]:
        """The places of the nearest points."""
        return self.places[neighbors.indices[:, 0]]

    def own_values(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    @classmethod
    def checked_values(cls, arrays: CheckedArrays, n_points: int, n_candidates: int) -> dict[str, Any]:
        """Nothing."""
        return {}
