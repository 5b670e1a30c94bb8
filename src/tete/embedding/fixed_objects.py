"""Fit a map of which some objects stay exactly where they are."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.comparisons.triplets import Triplets
from tete.core.optimization import Minimum, lbfgs
from tete.core.types import Callback, Embedding, Objective
from tete.embedding.answer_model import typical_model
from tete.embedding.new_objects import place_beside
from tete.exceptions import InvalidParameterError

__all__ = ["fixed_places", "minimize_beside", "newcomer_start"]


def fixed_places(fixed: Mapping[Hashable, ArrayLike] | ArrayLike, triplets: Triplets, n_components: int) -> Embedding:
    """Places of all objects, NaN for those that are free, from a mapping of names or numbers or from an array."""
    if isinstance(fixed, Mapping):
        places = np.full((triplets.n_objects, n_components), np.nan)
        for number, place in _numbered(fixed, triplets).items():
            places[number] = _numbers(place, (n_components,))
        if np.isnan(places).all(axis=1).sum() != triplets.n_objects - len(fixed):
            raise InvalidParameterError("`fixed` must hold finite places, got NaN among them.")
    else:
        places = _numbers(fixed, (triplets.n_objects, n_components))
    free = np.isnan(places).any(axis=1)
    if np.isinf(places).any() or not np.isnan(places[free]).all():
        raise InvalidParameterError("`fixed` must hold finite places, or NaN throughout for objects that may move.")
    if free.all() or not free.any():
        raise InvalidParameterError(
            f"`fixed` must keep some objects and leave others free, got {int((~free).sum())} of {len(free)} fixed."
        )
    return places


def newcomer_start(triplets: Triplets, places: Embedding, fixed: NDArray[np.bool_]) -> Embedding:
    """The fixed objects, and the others placed beside them as new ones are; in the middle where no answer says."""
    start = np.array(np.where(fixed[:, None], places, places[fixed].mean(axis=0)))
    order = np.argsort(~fixed, kind="stable")
    beside = triplets.renumbered(np.argsort(order, kind="stable"), len(order))
    placed = place_beside(typical_model(places[fixed]), places[fixed], beside)
    start[order[np.array(placed.names, dtype=np.int64)]] = placed.embedding
    return start


def minimize_beside(
    objective: Objective,
    places: Embedding,
    starts: Sequence[Embedding],
    *,
    max_iter: int,
    tol: float,
    callback: Callback | None,
) -> Minimum:
    """L-BFGS over the free objects alone, from each start; the best of the minima, as a whole map."""
    free = np.isnan(places).any(axis=1)

    def whole(moved: Embedding) -> Embedding:
        embedding = places.copy()
        embedding[free] = moved
        return embedding

    def of_free(moved: Embedding) -> tuple[float, Embedding]:
        value, gradient = objective(whole(moved))
        return value, gradient[free]

    def show(iteration: int, value: float, moved: Embedding) -> Any:
        return callback is not None and callback(iteration, value, whole(moved))

    minima = [lbfgs(of_free, start[free], max_iter=max_iter, tol=tol, callback=show) for start in starts]
    best = min(minima, key=lambda minimum: minimum.value)
    return Minimum(whole(best.embedding), best.value, best.history, best.stop_reason)


def _numbered(fixed: Mapping[Hashable, ArrayLike], triplets: Triplets) -> dict[int, ArrayLike]:
    """The mapping with object numbers for keys."""
    names = range(triplets.n_objects) if triplets.names is None else triplets.names
    number_of = {name: number for number, name in enumerate(names)}
    unknown = [name for name in fixed if name not in number_of]
    if unknown:
        raise InvalidParameterError(
            f"`fixed` must name objects of the triplets, got {unknown[0]!r} ({len(unknown)} unknown ones)."
        )
    return {number_of[name]: place for name, place in fixed.items()}


def _numbers(values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"`fixed` must hold numbers: {error}.") from None
    if array.shape != shape:
        raise InvalidParameterError(f"`fixed` must hold places of shape {shape}, got {array.shape}.")
    return array
