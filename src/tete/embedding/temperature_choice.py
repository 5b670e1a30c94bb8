"""Choose the temperatures of a map by answers that it has not seen, for the price of two or three fits.

Questions are dealt into five folds, of which two are held out in turn. In each, t = t' = 2 is fitted from scratch, and
the other candidates go on from the nearest map of the same fold. These fits are quick ones: which map is better mostly
shows long before the last digit. The held-out answers are judged by the answer model, whose lapses keep a few wrong
ones from deciding. All maps are judged by the same margins, differences of distances, so that none wins by its own
kernel. Where answers are many, what is clearly worse on the first fold is not tried on the second. The candidate under
which the held-out answers are most likely is chosen; the final fit starts from scratch.
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
from tete.embedding.answer_model import (
    AnswerModel,
    Floats,
    UnseenAnswers,
    maximize,
    radius_of,
    size_of,
    some_rows,
    support,
)
from tete.embedding.distance_margins import distance_margins
from tete.embedding.objective import ShardedTriplets
from tete.embedding.temperatures import Temperatures

__all__ = [
    "QUICK_TOLERANCE",
    "Choice",
    "HeldOut",
    "choose_temperatures",
    "digest",
    "held_out_parts",
    "log_probabilities",
    "unseen_answers",
]

N_FOLDS, N_USED = 5, 2
FEWEST_QUESTIONS = 20  # as for all that holds answers out: of fewer, a fold has less than four
# Of more questions, a part is enough to choose by, but not so small a part that objects become hardly mentioned: few
# answers want other temperatures. With 10 of 100 answers an object the choice lost .028, with 25 nothing.
MOST_QUESTIONS, MOST_AN_OBJECT = 100_000, 25
# Standard errors of the difference, and how many answers of the first fold are enough to say so. With fewer, which
# local minimum a fit ends in decides as much: there dropping candidates cost up to .01 in a cell.
CLEARLY_WORSE, ENOUGH_TO_SAY_SO = 3.0, 5_000
# Tolerances of 1e-3, 1e-4 and 3e-5 chose no better or worse, and 3, 4 or 5 folds hardly better.
QUICK_TOLERANCE, MOST_ITERATIONS = 3e-4, 50
SUPPORT_POINTS = 512  # of the answer model, whose fit would cost more than a small map with thousands


class HeldOut(NamedTuple):
    """Answers to fit and answers to test by, with how much each of these counts; of all answers or of a part."""

    train: Triplets
    test: Triplets
    weights: Floats
    of_all: bool

    def log_likelihoods(self, embedding: Embedding) -> Floats:
        """Of the answers to test by, each times its weight, on a map of the others."""
        test = self.test
        margins = distance_margins(embedding, test.anchor, test.near, test.far)
        by_triplet = self.weights * log_probabilities(margins, self.weights)
        return np.asarray(np.bincount(test.answer_numbers(), weights=by_triplet))


class Choice(NamedTuple):
    """The log-likelihood of all held-out answers under each candidate, and each part's maps.

    Where a candidate was not tried on a part, it is taken to be as good there as the best one.
    """

    likelihoods: dict[Temperatures, float]
    maps: list[dict[Temperatures, Embedding]]

    @property
    def best(self) -> Temperatures:
        """The candidate under which the held-out answers are most likely."""
        return max(self.likelihoods, key=self.likelihoods.__getitem__)

    def best_maps(self, parts: Sequence[HeldOut]) -> list[tuple[HeldOut, Embedding]]:
        """The parts that the best one was tried on, with its maps."""
        return [(part, maps[self.best]) for part, maps in zip(parts, self.maps, strict=False) if self.best in maps]


def held_out_parts(triplets: Triplets) -> list[HeldOut]:
    """Two folds of whole questions, none of too few; of very many a part. Nothing is tested on unknown objects."""
    if triplets.weights is not None and not triplets.weights.all():
        triplets = triplets.select(triplets.weights > 0)
    questions = blocks_of(triplets, "answers")
    if int(questions.max()) + 1 < FEWEST_QUESTIONS:
        return []
    most = max(MOST_QUESTIONS, MOST_AN_OBJECT * triplets.n_objects)
    of_all = int(questions.max()) < most
    if not of_all:
        triplets = triplets.select(questions < most)  # they are numbered at random
        questions = blocks_of(triplets, "answers")
    answers = triplets.answer_numbers()
    shares = triplets.weights_or_ones() / np.bincount(answers)[answers]  # triplets of an answer share its weight
    parts = []
    for others, tested in islice(folds(N_FOLDS, questions, 0), N_USED):
        train = triplets.select(others)
        known = train.mentions() > 0
        told = known[triplets.anchor[tested]] & known[triplets.near[tested]] & known[triplets.far[tested]]
        if told.any():
            parts.append(HeldOut(train, triplets.select(tested[told]), shares[tested[told]], of_all))
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
    running, maps = list(candidates), []
    judged: list[dict[Temperatures, Floats]] = []
    for part in parts:
        first = first_map(part.train)
        fitted = {Temperatures("squared", 2.0, 2.0): first}
        shards = ShardedTriplets(part.train, first.shape[1], workers)
        for candidate in running:
            if candidate not in fitted:
                objective, start = shards.objective(candidate.loss, ridge), fitted[_nearest(candidate, list(fitted))]
                found = lbfgs(objective, start, max_iter=min(max_iter, MOST_ITERATIONS), tol=QUICK_TOLERANCE)
                fitted[candidate] = found.embedding
        maps.append(fitted)
        judged.append({candidate: part.log_likelihoods(fitted[candidate]) for candidate in running})
        running = _not_clearly_worse(judged[-1])
        if len(running) == 1:
            break
    best = max(judged[-1], key=lambda each: sum(part[each].sum() for part in judged))
    return Choice({each: _total(each, best, judged) for each in candidates}, maps)


def unseen_answers(tested: Sequence[tuple[HeldOut, Embedding]], embedding: Embedding) -> UnseenAnswers:
    """Some of the answers held out of maps like this one: margins on both, as if all maps were of one size."""
    found = []
    for part, places in tested:
        some = part.test.select(some_rows(len(part.test)))
        rows, scale = (some.anchor, some.near, some.far), radius_of(embedding) / radius_of(places)
        unseen, seen = distance_margins(places, *rows) * scale, distance_margins(embedding, *rows)
        found.append((unseen, seen, some.weights_or_ones()))
    return UnseenAnswers(*map(np.concatenate, zip(*found, strict=True)))


def log_probabilities(margins: Floats, weights: Floats) -> Floats:
    """Of held-out answers under the answer model that suits them best."""
    size = size_of(margins, weights)
    lapse, log_steepness = maximize(*support(margins / size, weights, most=SUPPORT_POINTS))
    probability = AnswerModel(lapse, float(np.exp(log_steepness))).probability(margins / size)
    return np.asarray(np.log(np.maximum(probability, 1e-300)))


def _not_clearly_worse(judged: dict[Temperatures, Floats]) -> list[Temperatures]:
    best = max(judged.values(), key=np.sum)
    if len(best) < ENOUGH_TO_SAY_SO:
        return list(judged)
    behind = {candidate: best - each for candidate, each in judged.items()}
    return [each for each, gap in behind.items() if gap.sum() <= CLEARLY_WORSE * np.sqrt(np.sum(gap**2))]


def _total(candidate: Temperatures, best: Temperatures, judged: Sequence[dict[Temperatures, Floats]]) -> float:
    return float(sum(part.get(candidate, part[best]).sum() for part in judged))


def digest(triplets: Triplets) -> bytes:
    """A short name of the answers that a map is made of, by which the same ones are known again."""
    name = hashlib.blake2b(digest_size=16)
    for column in (triplets.anchor, triplets.near, triplets.far, triplets.weights):
        name.update(b"" if column is None else np.ascontiguousarray(column).data)
    return name.digest()


def _nearest(wanted: Temperatures, fitted: Sequence[Temperatures]) -> Temperatures:
    """Of the fitted ones with the same kernel the nearest, or else the last one; the later one of equally near ones."""
    return min(reversed(fitted), key=wanted.away)
