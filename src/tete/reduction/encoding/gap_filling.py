"""What fills gaps in: conditional means of a Gaussian, moved towards the nearest rows as far as hidden cells advise.

Where columns are correlated the Gaussian is the better guess (measures of the same thing); where groups or bent shapes
tell more than correlations do, the nearest rows are (letters, principal components); the best is often between them.
Some known cells are hidden, both guess them, and the share s of the least squared error of

    (1 - s) Gaussian + s nearest

is kept for all gaps.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.core.randomness import make_generator
from tete.core.threads import Threads
from tete.reduction.encoding.gaussian_gaps import GaussianGaps, fit_gaussian
from tete.reduction.encoding.neighbor_gaps import MOST_DONORS, NeighborGaps, donors_of

__all__ = ["GapFiller", "fit_filler"]

Table = NDArray[np.float64]

HIDDEN = 0.1  # share of the cells that are hidden
MOST_ASKED = 1_000  # rows whose hidden cells are guessed
FEWEST_HIDDEN = 30  # cells; fewer cannot tell which guess is better


@dataclass(frozen=True, eq=False)
class GapFiller:
    """Both ways to fill gaps in, and the `share` of the nearest rows' guess."""

    gaussian: GaussianGaps
    nearest: NeighborGaps
    share: float

    def filled(self, table: Table, workers: Threads) -> Table:
        """A copy of the table whose gaps are filled in, each row by itself."""
        guess = self.gaussian.filled(table, workers)
        if self.share == 0.0:
            return guess
        near = self.nearest.filled(table, workers)
        return np.asarray(np.where(np.isnan(near), guess, guess + self.share * (near - guess)))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of this as plain arrays; rows that no guess needs are left out."""
        arrays = self.gaussian.to_arrays()
        return arrays if self.share == 0.0 else arrays | {"encoder_share": np.array(self.share), **self._donors()}

    def _donors(self) -> dict[str, NDArray[Any]]:
        known = ~np.isnan(self.nearest.donors)
        return {"encoder_donors": np.where(known, self.nearest.donors, np.float32(0.0)), "encoder_known": known}

    @classmethod
    def from_arrays(cls, arrays: CheckedArrays, width: int) -> Self:
        """The same again from `to_arrays`, with everything checked."""
        gaussian = GaussianGaps.from_arrays(arrays, width)
        if not arrays.has("encoder_share"):
            return cls(gaussian, NeighborGaps(np.empty((0, width), dtype=np.float32)), 0.0)
        donors = arrays.numbers("encoder_donors", "f4", (None, width))
        known = arrays.numbers("encoder_known", "?", donors.shape)
        share = arrays.real("encoder_share", least=0.0, most=1.0)
        return cls(gaussian, NeighborGaps(np.where(known, donors, np.float32(np.nan))), share)


def fit_filler(table: Table, columns: NDArray[np.int64], workers: Threads) -> GapFiller:
    """What fills in the gaps of a table, of columns of about mean 0 and variance 1, rows in a random order.

    `columns` says for each of its columns which one of the original table it belongs to: these are missing together.
    """
    share = _share_of_nearest(table[:MOST_DONORS], columns, workers)
    return GapFiller(fit_gaussian(table, workers), donors_of(table), share)


def _share_of_nearest(table: Table, columns: NDArray[np.int64], workers: Threads) -> float:
    """The share of the nearest rows' guess that is best for cells that are hidden."""
    hidden = make_generator(0).random((len(table), int(columns.max()) + 1))[:, columns] < HIDDEN
    hidden &= ~np.isnan(table)
    hidden[(hidden | np.isnan(table)).all(axis=1)] = False  # a row needs something to go by
    holed = np.where(hidden, np.nan, table)
    asked = np.flatnonzero(hidden.any(axis=1))[:MOST_ASKED]
    truth, guess = table[asked], fit_gaussian(holed, workers).filled(holed[asked], workers)
    near = donors_of(holed).filled(holed[asked], workers)
    used = hidden[asked] & ~np.isnan(near)
    if int(used.sum()) < FEWEST_HIDDEN:
        return 0.0
    steps = (near - guess)[used]
    size = float(np.sum(steps * steps))
    return float(np.clip(np.sum(steps * (truth - guess)[used]) / size, 0.0, 1.0)) if size > 0.0 else 0.0
