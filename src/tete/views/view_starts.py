"""Guesses at who could belong to one view more, from which the rounds of `cross_fitting` go on.

The sharpest guess: what people's deviations from their view have in common (`shared_deviations`). Leading eigenvectors
of the matrix of who deviates alike cut them in two.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from tete.core.blas import one_blas_thread
from tete.embedding.answer_model import Floats
from tete.views.cross_fitting import CrossFit, Solution
from tete.views.shared_deviations import deviation_gram

__all__ = ["starting_weights"]

N_CUTS = 2  # eigenvectors
MOVED = 0.9  # of a unit's weight that goes to the new view
A_LITTLE = 0.02  # that everybody has in it
IN_VIEW = 0.3  # who has less of a view is not among those it is cut into


def starting_weights(fit: CrossFit, found: Solution) -> Iterator[Floats]:
    """Weights of units in the views that were found and in one more: shape (n_units, n_views + 1)."""
    views, members = found.memberships.views, found.memberships
    if len(fit.kinds.reliability) > 1:
        reverse = members.reversed > 0.5
        for view in range(found.n_views):
            inside = views[:, view] > IN_VIEW
            for cut in _deviating(fit, found, view, inside & ~reverse):
                yield _with_new_view(views, cut & inside)
        reliable = members.weights.sum(axis=1)
        poor = (reliable < 0.5 * np.median(reliable)) & ~reverse
    else:
        own = np.argmax(views, axis=1)
        agreement = np.stack([fit.answers.by_unit(np.sign(each)) for each in found.margins], axis=1)
        poor = np.take_along_axis(agreement, own[:, None], axis=1)[:, 0] < 0.0
    if poor.any():
        yield _with_new_view(views, poor)
    drawn = fit.rng.random(len(views)) < 1.0 / (found.n_views + 1)
    yield _with_new_view(views, drawn)


def _with_new_view(views: Floats, moved: NDArray[np.bool_]) -> Floats:
    return np.column_stack([views * (1.0 - MOVED * moved)[:, None], MOVED * moved + A_LITTLE])


def _deviating(fit: CrossFit, found: Solution, view: int, counted: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """For each leading eigenvector those at its heavier end."""
    if counted.sum() < 3:
        return
    gram = deviation_gram(fit.answers, found.margins[view], found.models[view], np.flatnonzero(counted))
    with one_blas_thread():
        _, vectors = eigh(gram, subset_by_index=(max(len(gram) - N_CUTS, 0), len(gram) - 1))
    for vector in vectors.T[::-1]:
        turned = vector * (np.sign(np.sum(vector**3)) or 1.0)
        cut = np.zeros(len(counted), dtype=bool)
        cut[counted] = turned > _two_means(turned)
        yield cut


def _two_means(values: Floats) -> float:
    """The cut of a line of values into two that are as narrow as possible."""
    ordered = np.sort(values)
    counts = np.arange(1, len(ordered))
    sums, total = np.cumsum(ordered)[:-1], ordered.sum()
    between = sums**2 / counts + (total - sums) ** 2 / (len(ordered) - counts)
    best = int(np.argmax(between))
    return float((ordered[best] + ordered[best + 1]) / 2.0)
