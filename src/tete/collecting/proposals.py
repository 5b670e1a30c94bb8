"""From answers to the questions that would teach most: a map, kept and refitted, and what `suggest` says of it."""

import time
import warnings
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tete.collecting.study import QuestionKind, Shown
from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.embedding.estimators import TETE
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.selection.suggestion import suggest

__all__ = ["FEWEST_ANSWERS", "Proposer", "fitted_map", "n_answers_of", "sample_of"]

FEWEST_ANSWERS = 20  # before which a map says nothing
MOST_TRIPLETS = 200_000  # of which a committee of 16 maps takes a few seconds; of more, a sample is taken
MOST_ITERATIONS = 500
LONGEST_FIT = 60.0  # seconds
# A refit from the last map takes a tenth of the time of a fit from nothing, but stays in the valley where it began. So
# there is one from nothing each time that there are half as many answers again.
GROWTH = 1.5
CANDIDATES = 20  # for each suggestion that goes into a question of several choices
JITTER = 1e-3  # of the map's size, for objects that had no place: those at one place would stay together


class Proposer:
    """Keeps the map that chooses questions.

    Attributes
    ----------
    model : TETE or None
        The latest map of the answers that it was told.
    placed : array of n_items booleans
        The items that these answers mention.
    """

    def __init__(self, kind: QuestionKind, dims: int) -> None:
        self._kind, self._dims = kind, dims
        self._started_with = 0
        self.model: TETE | None = None
        self.placed: NDArray[np.bool_] = np.zeros(0, dtype=bool)

    def refit(self, told: Triplets) -> TETE:
        """The map of these answers, from the last one on; from nothing where it has grown old."""
        told = sample_of(told, MOST_TRIPLETS)
        start = None if self.model is None else self.model.embedding_
        if start is None or len(told) >= GROWTH * self._started_with or len(told) < self._started_with:
            start, self._started_with = None, len(told)
        like = None if start is None else self.model
        self.model, self.placed = fitted_map(told, self._dims, start, like), told.mentions() > 0
        return self.model

    def propose(self, told: Triplets, n_questions: int, seed: int) -> list[Shown]:
        """Questions for `Asker.propose`, best first, after a refit; none where few items were asked everything."""
        model, told = self.refit(told), sample_of(told, MOST_TRIPLETS)
        if self._kind.name == "pick":
            return self._propose_picks(model, told, n_questions, seed)
        rows = [tuple(row) for row in _suggested(model, told, n_questions, None, seed).tolist()]
        if self._kind.name == "odd-one-out":
            # Where two objects are a close call for the third, it is one which of the three is odd.
            rows = list(dict.fromkeys(tuple(sorted(row)) for row in rows))
        return rows

    def _propose_picks(self, model: TETE, told: Triplets, n_questions: int, seed: int) -> list[Shown]:
        """Of some anchors, whose suggestions are many enough to fill questions of several choices."""
        rng = np.random.default_rng(seed)
        n_wanted = n_questions * -(-self._kind.n_choices // 2)  # a suggestion has two choices
        anchors = rng.permutation(told.n_objects)[:n_questions]
        candidates = rng.integers(told.n_objects, size=(CANDIDATES * n_wanted, 3))
        candidates[:, 0] = anchors[candidates[:, 0] % len(anchors)]
        differ = (candidates != np.roll(candidates, 1, axis=1)).all(axis=1)
        rows = _suggested(model, told, n_wanted, candidates[differ], seed)
        return _picks(rows, self._kind.n_choices, told.mentions(), rng)[:n_questions]


def _suggested(
    model: TETE, told: Triplets, count: int, candidates: NDArray[np.int64] | None, seed: int
) -> NDArray[np.int64]:
    """Rows (anchor, one, other), best first."""
    try:
        found = suggest(model, told, n_questions=count, candidates=candidates, random_state=seed)
    except (InvalidParameterError, InvalidTripletsError):  # every question was asked already
        return np.zeros((0, 3), dtype=np.int64)
    return np.asarray(found[["center", "left", "right"]].to_numpy(dtype=np.int64))


def fitted_map(triplets: Triplets, dims: int, start: Embedding | None = None, like: TETE | None = None) -> TETE:
    """A map of these answers, in bounded time and on one core, so that whoever serves people has the other.

    Temperatures are chosen by the answers, or are those of the map that this one shall be `like`.
    """
    end = time.monotonic() + LONGEST_FIT
    model = TETE(dims) if like is None else like.settled()
    model.set_params(max_iter=MOST_ITERATIONS, n_jobs=1, callback=lambda *_: time.monotonic() > end)
    if start is not None:
        model.set_params(init=_jittered(start))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # objects without answers are ordinary while answers come in
        model.fit(triplets)
    # Maps of parts of the answers, which others make with this estimator, must not begin where all answers led to.
    model.set_params(init="spectral", callback=None)
    return model


def n_answers_of(triplets: Triplets) -> int:
    """How many answers gave these triplets."""
    return int(triplets.answer_numbers().max()) + 1


def sample_of(triplets: Triplets, most: int) -> Triplets:
    """At most about so many triplets: whole answers, the same ones each time, as far as they are the same."""
    if len(triplets) <= most:
        return triplets
    share = most / len(triplets)
    assert triplets.answers is not None
    scattered = (triplets.answers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return triplets.select(scattered < share * 2**24)


def _jittered(start: Embedding) -> Embedding:
    size = float(start.std()) or 1.0
    return np.asarray(start + np.random.default_rng(0).normal(scale=JITTER * size, size=start.shape))


def _picks(
    rows: NDArray[np.int64], n_choices: int, mentions: NDArray[np.int64], rng: np.random.Generator
) -> list[Shown]:
    """For each anchor the objects of its best suggestions, until a question is full; then its next question.

    What is missing to the last question of an anchor are the objects with fewest mentions, in random order where they
    have equally many.
    """
    full: list[Shown] = []
    begun: dict[int, dict[int, None]] = {}  # objects in the order in which they came, by anchor
    for anchor, *others in rows.tolist():
        choices = begun.setdefault(anchor, {})
        choices.update(dict.fromkeys(others))
        if len(choices) >= n_choices:
            full.append((anchor, *list(choices)[:n_choices]))
            del begun[anchor]
    rare = np.lexsort((rng.random(len(mentions)), mentions)).tolist()
    for place, (anchor, choices) in enumerate(begun.items()):
        # Each question goes on in the row where the last one stopped.
        following = (rare[(place * n_choices + step) % len(rare)] for step in range(len(rare)))
        others = (each for each in following if each != anchor and each not in choices)
        full.append((anchor, *choices, *islice(others, n_choices - len(choices))))
    return full
