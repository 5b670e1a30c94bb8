"""Minimise a sequence of easier problems, each started at the solution of the one before.

The map is first fitted with a few dimensions more than wanted, at t = t' = 2, which needs no powers. With room to
spare, objects move past each other instead of getting caught on the wrong side of the map, where a capped loss hardly
pulls any more. The result is turned to its principal axes, cut to the wanted dimensions, and fitted further.

Of few objects the first problem may have a flat map. From there the wanted one could hardly leave the line: on it, the
gradient across it is zero. So a flat map is opened before it is fitted with another loss. Without a ridge it may be
boundless, which is mended there too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tete.core.geometry import principal_axes
from tete.core.optimization import Minimum, StopReason, lbfgs
from tete.core.types import Callback, Embedding
from tete.embedding.checkpoint import Checkpoint, Standing
from tete.embedding.losses import Loss
from tete.embedding.objective import TripletSum
from tete.embedding.spectral_start import brought_back, spectral_start

__all__ = ["Stage", "minimize_in_stages", "opened"]

FLAT = 0.05  # of the widest axis: narrower ones are opened
OPENING = 0.3  # of the map's size: from there and from .5 the best minimum was reached most often, .1 was too little


class Stage(NamedTuple):
    """One problem of the sequence."""

    loss: Loss
    n_components: int


def minimize_in_stages(
    shards: TripletSum,
    stages: Sequence[Stage],
    start: Embedding,
    *,
    ridge: float,
    max_iter: int,
    tol: float,
    callback: Callback | None,
    checkpoint: Checkpoint | None = None,
) -> Minimum:
    """L-BFGS on each stage in turn; all but the last take at most half of the iterations that are left.

    With a checkpoint, the fit goes on from where it stands there.
    """
    history: list[float] = []
    stop_reason, first = StopReason.MAX_ITER, 0
    if checkpoint is not None and (found := checkpoint.found()) is not None:
        first, start, history = found
    elif checkpoint is not None:
        checkpoint.keep(Standing(first, start, history))  # the spectral start, which may have taken long
    for place, stage in enumerate(stages[first:], first):
        start = principal_axes(start, stage.n_components)
        left = max_iter - len(history)
        budget = left if place == len(stages) - 1 else left // 2
        if budget == 0:
            continue
        objective = shards.objective(stage.loss, ridge)
        if place > first and stage.loss != stages[place - 1].loss:
            start = brought_back(opened(start, shards), objective)
        minimum = lbfgs(
            objective,
            start,
            max_iter=budget,
            tol=tol,
            callback=_kept(_counted(callback, len(history), stages[-1].n_components), checkpoint, place, history),
        )
        history += minimum.history
        start, stop_reason = minimum.embedding, minimum.stop_reason
        if stop_reason is StopReason.CALLBACK:
            break
    embedding = principal_axes(start, stages[-1].n_components)
    value, _ = shards.objective(stages[-1].loss, ridge)(embedding)
    return Minimum(embedding, value, history, stop_reason)


def opened(embedding: Embedding, shards: TripletSum) -> Embedding:
    """The map itself, or, where it is flat, its wide axes and across them those of the spectral start."""
    centred = embedding - embedding.mean(axis=0)
    squares, axes = np.linalg.eigh(centred.T @ centred)
    is_flat = squares < FLAT**2 * squares[-1]
    if not is_flat.any():
        return embedding
    wide, n_flat = centred @ axes[:, ~is_flat], int(is_flat.sum())
    start = spectral_start(shards, shards.parts(), len(squares))
    across = start - start.mean(axis=0)
    across = principal_axes(across - wide @ np.linalg.lstsq(wide, across, rcond=None)[0], n_flat)
    width = np.linalg.norm(across[:, 0])
    if width < 1e-9 * np.linalg.norm(start):  # so few objects that there is nothing across
        return embedding
    found = np.column_stack([wide, across * (OPENING * np.linalg.norm(centred) / width)])
    found *= np.sign(found[np.argmax(np.abs(found), axis=0), np.arange(len(squares))])  # else the solver's whim
    return found


def _counted(callback: Callback | None, done: int, n_components: int) -> Callback | None:
    """The callback with iterations counted over all stages, shown a map of the wanted dimensions."""
    if callback is None:
        return None

    def counted(iteration: int, value: float, embedding: Embedding) -> Any:
        return callback(done + iteration, value, principal_axes(embedding, n_components))

    return counted


def _kept(
    callback: Callback | None, checkpoint: Checkpoint | None, stage: int, history: list[float]
) -> Callback | None:
    """The callback, after the checkpoint has been told where the fit stands."""
    if checkpoint is None:
        return callback
    values = list(history)

    def kept(iteration: int, value: float, embedding: Embedding) -> Any:
        values.append(value)
        checkpoint.keep(Standing(stage, embedding, values))
        return callback is not None and callback(iteration, value, embedding)

    return kept
