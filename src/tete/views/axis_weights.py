"""The rival of views: one map for all, whose axes each person weighs differently, as in INDSCAL (Carroll & Chang 1970).

Person p sees the object i at s_p * y_i, axis by axis. Two views are the case of twice as many axes, of which everybody
has weights of 0 on half; a continuum of weights lies in between, and looks like views to whoever looks for groups. The
maps of one half are tested on the other, exactly as views are, so that the two log-likelihoods can be compared.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.core.optimization import lbfgs
from tete.core.threads import threads
from tete.core.types import Embedding, Objective
from tete.embedding.answer_model import Floats
from tete.embedding.distance_margins import distance_margins
from tete.embedding.losses import tete_loss
from tete.embedding.objective import ShardedTriplets
from tete.views.cross_fitting import LOOSE, CrossFit, Solution
from tete.views.unit_answers import UnitAnswers

__all__ = ["AxisWeights", "fit_axis_weights"]

RIDGE = 3e-4  # on the map, as everywhere
# Of the logarithms of weights, in standard deviations: half of the people weigh an axis between 0.5 and 2 times as much
# as others do, and one in twenty gives it less than a seventh. Not tuned.
SPREAD = 1.0
MOST_STEPS = 150  # of L-BFGS
LEAST_WEIGHT = 0.1  # to start from, of axes of a view that a person is not in: from 0 no slope leads away
MOST_PLACES = 4_000_000  # people times objects times axes, beyond which this is not tried


class AxisWeights(NamedTuple):
    """How likely the answers are with weighed axes, and how many axes that takes."""

    total: float
    n_axes: int


def fit_axis_weights(fit: CrossFit, one: Solution, *others: Solution) -> AxisWeights | None:
    """The best of fits that start from one map, and from the maps of several views side by side."""
    found = []
    for start in (one, *others):
        n_axes = sum(0 if places is None else places.shape[1] for places in start.maps[0])
        complete = all(places is not None for of_half in start.maps for places in of_half)
        if complete and fit.answers.n_units * fit.answers.triplets.n_objects * n_axes <= MOST_PLACES:
            found.append(AxisWeights(_total_from(fit, start), n_axes))
    return max(found, key=lambda each: each.total) if found else None


def _total_from(fit: CrossFit, start: Solution) -> float:
    margins = np.empty(len(fit.answers.units))
    weights = start.memberships.weights.sum(axis=1)
    for half in (0, 1):
        places = np.hstack([each for each in start.maps[half] if each is not None])
        n_axes = places.shape[1] // start.n_views
        scales = np.repeat(np.maximum(start.memberships.views, LEAST_WEIGHT), n_axes, axis=1)
        if start.n_views == 1:
            scales = np.ones_like(scales)
        seen = _fitted(fit, half, weights, places, np.log(scales))
        tested = fit.halves[1 - half]
        margins[fit.rows[1 - half]] = _margins(tested, seen, fit.known[half])
    return fit.scored(margins, weights).total


def _fitted(fit: CrossFit, half: int, weights: Floats, places: Embedding, log_scales: Floats) -> Embedding:
    """The places of all objects as each person sees them, one person below the other."""
    answers, n_objects = fit.halves[half], len(places)
    counted = weights[answers.units] > 0.0
    chosen = answers.triplets.select(counted).with_weights((answers.counts * weights[answers.units])[counted])
    with threads(fit.maker.n_jobs) as workers:
        shards = ShardedTriplets(_by_person(chosen, answers.units[counted], len(log_scales)), places.shape[1], workers)
        objective = _objective(fit, shards, n_objects)
        found = lbfgs(objective, np.vstack([places, log_scales]), max_iter=MOST_STEPS, tol=LOOSE).embedding
    return _seen(found[:n_objects], np.exp(found[n_objects:]))


def _objective(fit: CrossFit, shards: ShardedTriplets, n_objects: int) -> Objective:
    """Mean loss + ridge + what unusual weights cost; the argument has the map first and below it the log weights."""
    loss = tete_loss(fit.maker.t, fit.maker.t_prime)

    def evaluate(both: Embedding) -> tuple[float, Embedding]:
        places, log_scales = both[:n_objects], both[n_objects:]
        scales = np.exp(np.clip(log_scales, -20.0, 20.0))
        total, slope = shards.total_loss(loss, _seen(places, scales))
        by_person = slope.reshape(len(scales), n_objects, -1)
        amount = shards.total_weight
        value = (
            total / amount + RIDGE / n_objects * np.sum(places**2) + np.sum(log_scales**2) / (2 * SPREAD**2 * amount)
        )
        in_places = np.einsum("pd,pid->id", scales, by_person) / amount + 2.0 * RIDGE / n_objects * places
        in_scales = scales * np.einsum("id,pid->pd", places, by_person) / amount + log_scales / (SPREAD**2 * amount)
        return float(value), np.vstack([in_places, in_scales])

    return evaluate


def _seen(places: Embedding, scales: Floats) -> Embedding:
    return np.ascontiguousarray((scales[:, None, :] * places).reshape(-1, places.shape[1]))


def _by_person(triplets: Triplets, people: NDArray[np.int64], n_people: int) -> Triplets:
    """The triplets about each person's own copies of the objects."""
    first = people * triplets.n_objects
    columns = {name: first + getattr(triplets, name) for name in ("anchor", "near", "far")}
    return replace(triplets, **columns, groups=None, names=None, n_objects=n_people * triplets.n_objects)


def _margins(tested: UnitAnswers, seen: Embedding, known: NDArray[np.bool_]) -> Floats:
    """Of the tested answers on the places as their people see them; 0 where an object is not known."""
    own = _by_person(tested.triplets, tested.units, tested.n_units)
    found = distance_margins(seen, own.anchor, own.near, own.far)
    columns = (tested.triplets.anchor, tested.triplets.near, tested.triplets.far)
    return np.where(np.logical_and.reduce([known[column] for column in columns]), found, 0.0)
