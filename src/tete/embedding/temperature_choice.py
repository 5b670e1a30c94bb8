"""Choose the temperatures of a map by answers that it has not seen, for the price of two or three fits.

Questions are dealt into five folds, of which two are held out in turn. In each, t = t' = 2 is fitted from scratch, and
the other candidates go on from the nearest map of the same fold. These fits are quick ones: which map is better mostly
shows long before the last digit. The held-out answers are judged by the answer model, whose lapses keep a few wrong
ones from deciding. All maps are judged by the same margins, differences of distances, so that none wins by its own
kernel. The candidate under which the held-out answers are most likely is chosen; the final fit starts from scratch.
"""

import hashlib
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from tete.comparisons.folds import blocks_of, folds
from tete.comparisons.triplets import Triplets
from tete.core.optimization import lbfgs
from tete.core.threads import Threads
from tete.core.types import Embedding
from tete.embedding.answer_model import Floats, log_likelihood, maximize, size_of, support
from tete.embedding.distance_margins import distance_margins
from tete.embedding.objective import ShardedTriplets
from tete.embedding.temperatures import Temperatures

__all__ = ["QUICK_TOLERANCE", "Choice", "HeldOut", "choose_temperatures", "digest", "held_out_parts"]

N_FOLDS, N_USED = 5, 2
FEWEST_QUESTIONS = 20  # as for all that holds answers out: of fewer, a fold has less than four
MOST_QUESTIONS = 100_000  # of more, a part is enough to choose by
# Tolerances of 1e-3, 1e-4 and 3e-5 chose no better or worse, and 3, 4 or 5 folds hardly better.
QUICK_TOLERANCE, MOST_ITERATIONS = 3e-4, 50
SUPPORT_POINTS = 512  # of the answer model, whose fit would cost more than a small map with thousands


class HeldOut(NamedTuple):
    """Answers to fit and answers to test by, with how much each of these counts."""

    train: Triplets
    test: Triplets
    weights: Floats


class Choice(NamedTuple):
    """The log-likelihood of all held-out answers under each candidate, and each part's maps."""

    likelihoods: dict[Temperatures, float]
    maps: list[dict[Temperatures, Embedding]]

    @property
    def best(self) -> Temperatures:
        """The candidate under which the held-out answers are most likely."""
        return max(self.likelihoods, key=self.likelihoods.__getitem__)


def held_out_parts(triplets: Triplets) -> list[HeldOut]:
    """Two folds of whole questions, none of too few; of very many a part. Nothing is tested on unknown objects."""
    if triplets.weights is not None and not triplets.weights.all():
        triplets = triplets.select(triplets.weights > 0)
    questions = blocks_of(triplets, "groups")
    if int(questions.max()) + 1 < FEWEST_QUESTIONS:
        return []
    if int(questions.max()) >= MOST_QUESTIONS:
        triplets = triplets.select(questions < MOST_QUESTIONS)  # they are numbered at random
        questions = blocks_of(triplets, "groups")
    answers = triplets.answer_numbers()
    shares = triplets.weights_or_ones() / np.bincount(answers)[answers]  # triplets of an answer share its weight
    parts = []
    for others, tested in islice(folds(N_FOLDS, questions, 0), N_USED):
        train = triplets.select(others)
        known = train.mentions() > 0
        told = known[triplets.anchor[tested]] & known[triplets.near[tested]] & known[triplets.far[tested]]
        if told.any():
            parts.append(HeldOut(train, triplets.select(tested[told]), shares[tested[told]]))
    return parts


def choose_temperatures(
    parts: Sequence[HeldOut],
    candidates: Sequence[Temperatures],
    first_map: Callable[[Triplets], Embedding],
    *,
    ridge: float,
    max_iter: int,
    workers: Threads,
) -> Choice:
    """Try the candidates on each part; `first_map` makes the map of t = t' = 2, from scratch."""
    margins: dict[Temperatures, list[Floats]] = {candidate: [] for candidate in candidates}
    maps: list[dict[Temperatures, Embedding]] = []
    for train, test, _ in parts:
        first = first_map(train)
        fitted = {Temperatures("squared", 2.0, 2.0): first}
        shards = ShardedTriplets(train, first.shape[1], workers)
        for candidate in candidates:
            if candidate not in fitted:
                objective, start = shards.objective(candidate.loss, ridge), fitted[_nearest(candidate, list(fitted))]
                found = lbfgs(objective, start, max_iter=min(max_iter, MOST_ITERATIONS), tol=QUICK_TOLERANCE)
                fitted[candidate] = found.embedding
            margins[candidate].append(distance_margins(fitted[candidate], test.anchor, test.near, test.far))
        maps.append(fitted)
    weights = np.concatenate([part.weights for part in parts])
    return Choice({each: _likelihood(np.concatenate(found), weights) for each, found in margins.items()}, maps)


def digest(triplets: Triplets) -> bytes:
    """A short name of the answers that a map is made of, by which the same ones are known again."""
    name = hashlib.blake2b(digest_size=16)
    for column in (triplets.anchor, triplets.near, triplets.far, triplets.weights):
        name.update(b"" if column is None else np.ascontiguousarray(column).data)
    return name.digest()


def _nearest(wanted: Temperatures, fitted: Sequence[Temperatures]) -> Temperatures:
    """Of the fitted ones with the same kernel the nearest, or else the last one; the later one of equally near ones."""

    def away(other: Temperatures) -> tuple[bool, float]:
        if other.kernel != wanted.kernel:
            return True, 0.0
        return False, abs(other.t - wanted.t) + abs((other.t_prime or 0.0) - (wanted.t_prime or 0.0))

    return min(reversed(fitted), key=away)


def _likelihood(margins: Floats, weights: Floats) -> float:
    """Of held-out answers under the answer model that suits them best."""
    points, masses = support(margins / size_of(margins, weights), weights, most=SUPPORT_POINTS)
    return log_likelihood(points, masses, *maximize(points, masses))
