"""Maps of answers drawn anew, laid over the map: how far its places move, and whereto they drift.

Answers, or people with all their answers, are drawn with replacement; or answers to the same questions are drawn from
the map itself (`answer_model`), which shows how far maps are off on average where the map is the truth.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.resampling import EqualAnswers
from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.embedding.fitted_map import FittedMap
from tete.metrics.alignment import procrustes_align

__all__ = ["covariances_of", "drawn_answers", "drawn_people", "drift_of", "drift_squares", "share_reproduced"]

Floats = NDArray[np.float64]

# Share of the drift's square: its direction at the map is not quite its direction at the truth. Chosen on 12 draws of
# their own; without it 0.82 to 0.87 instead of 0.90 were inside in a plane with most answers (docs/method.md).
SIDEWAYS = 0.1


def drawn_answers(equal: EqualAnswers, n_draws: int, rng: np.random.Generator) -> Iterator[Triplets]:
    """Each time as many answers as there are."""
    for _ in range(n_draws):
        yield equal.triplets.with_weights(equal.drawn(rng))


def drawn_people(
    triplets: Triplets, people: NDArray[np.int64], n_draws: int, rng: np.random.Generator
) -> Iterator[Triplets]:
    """Each time as many people as there are whose answers count, each with all their answers."""
    asked = np.unique(people[triplets.counts() > 0.0])
    for _ in range(n_draws):
        chosen = asked[rng.integers(len(asked), size=len(asked))]
        times = np.bincount(chosen, minlength=int(people.max()) + 1)
        yield triplets.with_weights(times[people])


def covariances_of(estimator: FittedMap, resampled: Iterable[Triplets]) -> Floats:
    """Of each place about the map's; NaN for objects that fewer than half of the resampled sets mention."""
    places = estimator.embedding_
    squares = np.zeros((*places.shape, places.shape[1]))
    counts, n_sets = np.zeros(len(places), dtype=np.int64), 0
    for answers in resampled:
        replicate, present = _replicate(estimator, answers)
        steps = replicate - places
        squares[present] += np.einsum("ni,nj->nij", steps, steps)[present]
        counts, n_sets = counts + present, n_sets + 1
    covariances = squares / np.maximum(counts, 1)[:, None, None]
    covariances[counts < max(n_sets // 2, 1)] = np.nan
    return covariances


def share_reproduced(places: Embedding, covariances: Floats, mentioned: NDArray[np.bool_]) -> float:
    """Share of the map's spread that the resampled maps have too."""
    spread = np.sum((places[mentioned] - places[mentioned].mean(axis=0)) ** 2)
    moved = float(np.nansum(np.trace(covariances, axis1=1, axis2=2)))
    return float(max(1.0 - (moved / spread if spread > 0.0 else 1.0), 0.0))


def drift_of(estimator: FittedMap, equal: EqualAnswers, n_draws: int, rng: np.random.Generator) -> Embedding:
    """Mean step from the map to maps of answers that the map itself would give to the same questions."""
    probability = estimator.answer_model().probability(estimator.margins(equal.triplets))
    total = np.zeros_like(estimator.embedding_)
    for _ in range(n_draws):
        total += _replicate(estimator, equal.answered(probability, rng))[0] - estimator.embedding_
    return total / n_draws


def drift_squares(drift: Embedding) -> Floats:
    """For each object the square of its drift, most of it along the drift, the rest shared by all directions.

    A line has no other direction. There the drift of the truth is not quite that of the map in that other objects have
    it: the mean square of all objects is added.
    """
    along = np.einsum("ni,nj->nij", drift, drift)
    if drift.shape[1] == 1:
        return np.asarray(along + np.mean(along, axis=0))
    around = np.mean(drift**2, axis=1)[:, None, None] * np.eye(drift.shape[1])
    return np.asarray((1.0 - SIDEWAYS) * along + SIDEWAYS * around)


def _replicate(estimator: FittedMap, resampled: Triplets) -> tuple[Embedding, NDArray[np.bool_]]:
    """A map of resampled answers laid over the map, and which objects the resampled answers mention."""
    places = estimator.embedding_
    present = resampled.select(resampled.weights_or_ones() > 0).mentions() > 0
    found = estimator.map_of(resampled, start=places)
    moved = places.copy()
    moved[present] = procrustes_align(places[present], found[present])
    return moved, present
