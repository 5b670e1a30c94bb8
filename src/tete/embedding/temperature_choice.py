"""Choose the temperatures of a map by answers that it has not seen, for the price of two or three fits.

Questions are dealt into five folds, of which two are held out in turn. In each, t = t' = 2 is fitted from scratch, and
the other candidates go on from the nearest map of the same fold. These fits are quick ones: which map is better mostly
shows long before the last digit. The held-out answers are judged by the answer model, whose lapses keep a few wrong
ones from deciding. All maps are judged by the same margins, differences of distances, so that none wins by its own
kernel. Where answers are many, what is clearly worse on the first fold is not tried on the second. Where they are few,
two folds may leave candidates within the noise of what is held out: these are tried on the other folds too. The
candidate under which the held-out answers are most likely is chosen; the final fit starts from scratch.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.folds import blocks_of, folds, kind_of_blocks
from tete.comparisons.same_question import question_numbers
from tete.comparisons.triplets import Triplets
from tete.core.optimization import lbfgs
from tete.core.threads import Threads
from tete.core.types import Embedding
from tete.embedding.answer_model import (
    AnswerModel,
    Floats,
    UnseenAnswers,
    radius_of,
    size_of,
    some_rows,
    support,
)
from tete.embedding.distance_margins import distance_margins
from tete.embedding.likeliest import maximize
from tete.embedding.objective import ShardedTriplets
from tete.embedding.spectral_start import brought_back
from tete.embedding.temperatures import Temperatures

__all__ = [
    "QUICK_TOLERANCE",
    "Choice",
    "HeldOut",
    "Look",
    "choose_temperatures",
    "digest",
    "held_out_parts",
    "log_probabilities",
    "unseen_answers",
]

N_USED = 2  # folds where these leave no near tie
FEWEST_QUESTIONS = 20  # as for all that holds answers out: of fewer, a fold has less than four
# Of more questions, a part is enough to choose by, but not so small a part that objects become hardly mentioned: few
# answers want other temperatures. With 10 of 100 answers an object the choice lost .028, with 25 nothing.
MOST_QUESTIONS, MOST_AN_OBJECT = 100_000, 25
# Standard errors of the difference, and how many questions of the first fold are enough to say so. With fewer, which
# local minimum a fit ends in decides as much: there dropping candidates cost up to .01 in a cell.
CLEARLY_WORSE, ENOUGH_TO_SAY_SO = 3.0, 5_000
# Also in standard errors. Over 270 sets of 50 points that are in no table, all five folds for everybody halved the mean
# regret of two (.0018 to .0010); five for near ties alone do the same with one error, .0014 with half of one.
NEAR_TIE = 1.0
QUICK_TOLERANCE, MOST_ITERATIONS = 3e-4, 50  # tolerances of 1e-3, 1e-4 and 3e-5 chose no better or worse
SUPPORT_POINTS = 512  # of the answer model, whose fit would cost more than a small map with thousands


class HeldOut(NamedTuple):
    """Answers to fit and answers to test by, with how much each of these counts; of all answers or of a part.

    `questions` numbers what the answers to test by were asked, or their groups.
    """

    train: Triplets
    test: Triplets
    weights: Floats
    questions: NDArray[np.int64]
    of_all: bool

    def log_likelihoods(self, embedding: Embedding) -> Floats:
        """Of the answers to each question, each times its weight, on a map of the others."""
        test = self.test
        margins = distance_margins(embedding, test.anchor, test.near, test.far)
        by_triplet = self.weights * log_probabilities(margins, self.weights)
        return np.asarray(np.bincount(self.questions, weights=by_triplet))


class Look(NamedTuple):
    """A part, and the maps of its answers to fit."""

    part: HeldOut
    maps: dict[Temperatures, Embedding]


class Choice(NamedTuple):
    """The log-likelihood of all held-out answers under each candidate, and what was looked at.

    Where a candidate was not tried on a part, it is taken to be as good there as the best one.
    """

    likelihoods: dict[Temperatures, float]
    looks: list[Look]

    @property
    def best(self) -> Temperatures:
        """The candidate under which the held-out answers are most likely."""
        return max(self.likelihoods, key=self.likelihoods.__getitem__)

    @property
    def best_looks(self) -> list[tuple[HeldOut, Embedding]]:
        """The parts with the maps of the best one."""
        return [(look.part, look.maps[self.best]) for look in self.looks]


def held_out_parts(triplets: Triplets) -> Iterator[HeldOut]:
    """Folds of whole questions, none of too few; of very many a part. Nothing is tested on unknown objects."""
    if triplets.weights is not None and not triplets.weights.all():
        triplets = triplets.select(triplets.weights > 0)
    questions = question_numbers(triplets)
    if int(questions.max()) + 1 < FEWEST_QUESTIONS:
        return
    most = max(MOST_QUESTIONS, MOST_AN_OBJECT * triplets.n_objects)
    of_all = int(questions.max()) < most
    if not of_all:
        triplets = triplets.select(questions < most)  # they are numbered at random
    blocks = blocks_of(triplets, "answers")
    if not blocks.any():  # one group
        return
    answers = triplets.answer_numbers()
    shares = triplets.weights_or_ones() / np.bincount(answers)[answers]  # triplets of an answer share its weight
    for others, tested in folds(None, blocks, 0, kind=kind_of_blocks(triplets, "answers")):
        train = triplets.select(others)
        known = train.mentions() > 0
        told = tested[known[triplets.anchor[tested]] & known[triplets.near[tested]] & known[triplets.far[tested]]]
        if len(told):
            asked = np.unique(blocks[told], return_inverse=True)[1]
            yield HeldOut(train, triplets.select(told), shares[told], asked, of_all)


def choose_temperatures(
    parts: Iterable[HeldOut],
    candidates: Sequence[Temperatures],
    first_map: Callable[[Triplets], Embedding],
    *,
    ridge: float,
    max_iter: int,
    workers: Threads,
) -> Choice | None:
    """Try the candidates on the parts; `first_map` makes the map of t = t' = 2, from scratch. None without a part."""
    running = list(candidates)
    looks: list[Look] = []
    judged: list[dict[Temperatures, Floats]] = []
    for part in parts:
        maps = {Temperatures("squared", 2.0, 2.0): first_map(part.train)}
        _fit_on(maps, running, part.train, ridge=ridge, max_iter=max_iter, workers=workers)
        looks.append(Look(part, maps))
        judged.append({candidate: part.log_likelihoods(maps[candidate]) for candidate in running})
        running = _to_be_tried(judged)
        if len(running) == 1:
            break
    if not looks:
        return None
    best = max(judged[-1], key=lambda each: sum(part[each].sum() for part in judged))
    return Choice({each: _total(each, best, judged) for each in candidates}, looks)


def _fit_on(
    maps: dict[Temperatures, Embedding],
    candidates: Sequence[Temperatures],
    train: Triplets,
    *,
    ridge: float,
    max_iter: int,
    workers: Threads,
) -> None:
    """Add the candidates' maps, each going on from the nearest one."""
    shards = ShardedTriplets(train, next(iter(maps.values())).shape[1], workers)
    for candidate in candidates:
        if candidate not in maps:
            objective = shards.objective(candidate.loss, ridge)
            start = brought_back(maps[_nearest(candidate, list(maps))], objective)
            found = lbfgs(objective, start, max_iter=min(max_iter, MOST_ITERATIONS), tol=QUICK_TOLERANCE)
            maps[candidate] = found.embedding


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


def _to_be_tried(judged: Sequence[dict[Temperatures, Floats]]) -> list[Temperatures]:
    """Those worth trying on the next part; the best one alone where that is clear, or would matter little."""
    are_many = len(next(iter(judged[0].values()))) >= ENOUGH_TO_SAY_SO
    if len(judged) < N_USED:
        return _within(CLEARLY_WORSE, judged) if are_many else list(judged[-1])
    return _within(0.0 if are_many else NEAR_TIE, judged)


def _within(errors: float, judged: Sequence[dict[Temperatures, Floats]]) -> list[Temperatures]:
    """Those whose distance from the best is at most so many standard errors, and whatever is better than one of these.

    So nothing that is left out can turn out to be better than what the other parts choose.
    """
    found = {each: np.concatenate([part[each] for part in judged]) for each in judged[-1]}
    best = max(found.values(), key=np.sum)
    behind = {each: best - likelihoods for each, likelihoods in found.items()}
    farthest = max(gap.sum() for gap in behind.values() if gap.sum() <= errors * np.sqrt(np.sum(gap**2)))
    return [each for each, gap in behind.items() if gap.sum() <= farthest]


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
