"""The seam between what all reductions do and what each does: a recipe makes problems, a problem is minimised.

`FeatureMap` reads, projects, searches, starts, warns and keeps; it asks its recipe for a problem, and the problem, once
minimised, for the placer of new rows.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.optimization import Minimum
from tete.core.threads import Threads
from tete.core.types import Callback
from tete.reduction.merged_rows import MergedRows
from tete.reduction.placer import Placer, Places

__all__ = ["Problem", "Recipe", "handful"]


class Problem(ABC):
    """What is minimised for the rows of one table."""

    @property
    @abstractmethod
    def max_iter(self) -> int:
        """Number of iterations, of which the rows may call for more than the recipe says for their number."""

    @abstractmethod
    def minimize(self, start: Places, callback: Callback | None) -> Minimum:
        """Find the map of at least three distinct points."""

    @abstractmethod
    def placer(self, places: Places) -> Placer:
        """What places new rows on the finished map."""


class Recipe(ABC):
    """What an estimator's parameters say about a table of some size."""

    max_iter: int

    @property
    @abstractmethod
    def n_candidates(self) -> int:
        """How many nearest neighbours to look for."""

    @property
    @abstractmethod
    def bytes_for_neighbors(self) -> int:
        """Memory for neighbours and what is computed from them, in bytes a row."""

    @abstractmethod
    def problem(self, rows: MergedRows, point_weights: NDArray[np.float64], seed: int, workers: Threads) -> Problem:
        """Neighbourhoods of at least three distinct points, ready to be minimised; the weights have mean 1."""

    @abstractmethod
    def warm_up(self, n_components: int) -> None:
        """Load or compile the loops that a problem needs, on a handful of points."""


def handful(n_points: int = 64) -> tuple[Any, NDArray[np.float32]]:
    """Points on a spiral and their distances, to warm compiled code up on."""
    angles = np.linspace(0.0, 12.0, n_points)
    points = np.column_stack([angles * np.cos(angles), angles * np.sin(angles)]).astype(np.float32)
    return points, np.linalg.norm(points[:, None] - points[None], axis=2)
