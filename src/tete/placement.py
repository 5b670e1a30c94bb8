"""New rows on a finished map: each descends its own loss against the frozen map, independently of the others.

All rows descend together, but every number of a row comes from that row alone, so that it lands on the same bits
whether it comes alone or with others.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tete.anchored import sum_anchored
from tete.grid import Grid, cells_of
from tete.listwise import Draws, draw_for_cell, listwise_place

__all__ = ["anchored_places", "descend", "draw_for_places", "likely_starts", "listwise_places"]

Places: TypeAlias = NDArray[np.float64]
Evaluate: TypeAlias = Callable[[Places], tuple[NDArray[np.float64], Places]]

N_STEPS = 60
GROWTH, SHRINKAGE = 1.5, 0.3
N_STARTS = 4


def likely_starts(embedding: NDArray[Any], near: NDArray[np.int32], shares: NDArray[Any]) -> list[Places]:
    """Weighted mean of the neighbours' places, and points just beside the nearest ones."""
    places = embedding[near].astype(np.float64)
    weights = shares / shares.sum(axis=1, keepdims=True)
    center = np.sum(weights[:, :, None] * places, axis=1)
    count = min(N_STARTS - 1, near.shape[1])
    return [center, *(0.9 * places[:, place] + 0.1 * center for place in range(count))]


def descend(evaluate: Evaluate, starts: list[Places]) -> Places:
    """Gradient descent of each row from its best start; its step grows after success and shrinks after failure."""
    values, gradients = evaluate(starts[0])
    places = starts[0].copy()
    for start in starts[1:]:
        others, other_gradients = evaluate(start)
        better = others < values
        places[better], values[better], gradients[better] = start[better], others[better], other_gradients[better]
    lengths = np.sqrt(np.sum(gradients**2, axis=1))
    steps = 0.1 / np.maximum(lengths, 1e-12)
    for _ in range(N_STEPS):
        moved = places - steps[:, None] * gradients
        others, other_gradients = evaluate(moved)
        better = others < values
        places[better], values[better], gradients[better] = moved[better], others[better], other_gradients[better]
        steps *= np.where(better, GROWTH, SHRINKAGE)
    return places


@njit(cache=True, nogil=True, error_model="numpy")
def anchored_places(
    loss: Any,
    weights: Any,
    places: Places,
    embedding: NDArray[Any],
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    values: NDArray[np.float64],
    gradients: Places,
) -> None:
    """Weighted t-ETE of each new row's own triplets, eq. (wtete), and its gradient in the row's place."""
    n_rows, n_near, n_far = places.shape[0], near.shape[1], far.shape[1]
    # A table of the new places, followed by what the current row is compared with: `sum_anchored` does the rest.
    table = np.empty((n_rows + n_near + n_far, places.shape[1]))
    table[:n_rows] = places
    scratch = np.zeros_like(table)
    table_near, table_far = np.empty_like(near), np.empty_like(far)
    table_near[:] = n_rows + np.arange(n_near)
    table_far[:] = n_rows + n_near + np.arange(n_far)
    for row in range(n_rows):
        for j in range(n_near):
            table[n_rows + j] = embedding[near[row, j]]
        for k in range(n_far):
            table[n_rows + n_near + k] = embedding[far[row, k]]
        values[row] = sum_anchored(loss, weights, table, table_near, table_far, row, row + 1, scratch)
        gradients[row] = scratch[row]


@njit(cache=True, nogil=True, error_model="numpy")
def listwise_places(
    t: float,
    kappa: NDArray[np.float32],
    places: Places,
    embedding: NDArray[Any],
    near: NDArray[np.int32],
    shares: NDArray[np.float32],
    points: NDArray[np.int32],
    point_weights: Places,
    values: NDArray[np.float64],
    gradients: Places,
) -> None:
    """The listwise loss of each new row against its neighbours and draws, and its gradient in the row's place."""
    for row in range(places.shape[0]):
        values[row] = listwise_place(
            t,
            kappa[row],
            places[row],
            embedding,
            near[row],
            shares[row],
            points[row],
            point_weights[row],
            gradients[row],
        )


def draw_for_places(
    draws: Draws, grid: Grid, places: Places, nearest: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Places]:
    """Outliers and their weights for new rows, named by their nearest point; unused slots weigh nothing."""
    cells = cells_of(places, grid.low, grid.side, grid.shape) if len(grid.shape) else np.full(len(places), -1)
    most = draws.n_uniform + draws.n_near
    points, weights = np.zeros((len(places), most), dtype=np.int32), np.zeros((len(places), most))
    _draw_rows(draws, grid, cells.astype(np.int64), nearest.astype(np.int64), points, weights)
    return points, weights


@njit(cache=True, nogil=True)
def _draw_rows(
    draws: Draws,
    grid: Grid,
    cells: NDArray[np.int64],
    nearest: NDArray[np.int64],
    points: NDArray[np.int32],
    weights: Places,
) -> None:
    for row in range(cells.shape[0]):
        draw_for_cell(draws, nearest[row], cells[row], grid, points[row], weights[row])
