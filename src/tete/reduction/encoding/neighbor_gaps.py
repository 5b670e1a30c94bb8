"""Gaps of a table filled in from its nearest rows: the mean of the five nearest that have the cell.

A row is compared by the cells that it has. Where another row lacks one of them, the expected square difference from a
value of mean 0 and variance 1 counts, x^2 + 1: by common cells alone, as `nan_euclidean` compares, the nearest rows
would be those with the fewest cells to differ in.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tete.core.compilation import compiled
from tete.core.threads import Threads, row_slices

__all__ = ["NeighborGaps", "donors_of"]

Table = NDArray[np.float64]

N_NEAREST = 5
MOST_DONORS, MOST_CELLS = 2_000, 4_000_000  # rows that are kept, so that new rows and model files stay cheap
ROWS_IN_A_PIECE = 64


@dataclass(frozen=True, eq=False)
class NeighborGaps:
    """Rows, with gaps, that others are filled in from."""

    donors: NDArray[np.float32]

    def filled(self, table: Table, workers: Threads) -> Table:
        """A copy of the table with its gaps filled in, each row by itself; those of cells that no row has stay."""
        result = table.copy()
        donors = self.donors.astype(np.float64)
        slices = row_slices(len(table), size=ROWS_IN_A_PIECE)
        workers.run(partial(_fill_piece, table, donors, result, slices), len(slices))
        return result


def donors_of(table: Table) -> NeighborGaps:
    """The first rows of a table in a random order, as many as are kept."""
    n_donors = max(min(MOST_DONORS, MOST_CELLS // table.shape[1]), N_NEAREST)
    return NeighborGaps(table[:n_donors].astype(np.float32))


def _fill_piece(table: Table, donors: Table, result: Table, slices: list[slice], piece: int) -> None:
    _fill_rows(table[slices[piece]], donors, result[slices[piece]])


@compiled(error_model="numpy")
def _fill_rows(rows: Table, donors: Table, result: Table) -> None:
    distances = np.empty(len(donors))
    for row in range(len(rows)):
        gaps = np.flatnonzero(np.isnan(rows[row]))
        if len(gaps):
            _measure(rows[row], donors, distances)
            order = np.argsort(distances, kind="mergesort")  # stable: ties go by number
            for column in gaps:
                result[row, column] = _mean_of_nearest(donors[:, column], distances, order)


@compiled(error_model="numpy")
def _measure(row: Table, donors: Table, distances: Table) -> None:
    """The expected square distance from each donor over the row's own cells."""
    for donor in range(len(donors)):
        total = 0.0
        for column in range(len(row)):
            if not np.isnan(row[column]):
                step = row[column] - donors[donor, column]
                total += row[column] * row[column] + 1.0 if np.isnan(step) else step * step
        distances[donor] = total


@compiled(error_model="numpy")
def _mean_of_nearest(cells: Table, distances: Table, order: NDArray[np.int64]) -> float:
    """The mean of a column over the nearest donors that have its cell, not-a-number if none has."""
    total, count = 0.0, 0
    for donor in order:
        if count == N_NEAREST or np.isinf(distances[donor]):
            break
        if not np.isnan(cells[donor]):
            total += cells[donor]
            count += 1
    return total / count if count else np.nan
