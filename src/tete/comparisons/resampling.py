"""Answers drawn anew, as if other people had been asked: with replacement, or as a map would answer.

Equal answers are drawn together, by what they say. So answers that are repeated, and one answer that counts as often,
are drawn alike by the same generator, in whatever order they come. The parts of an undecided answer are drawn together.
"""

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.same_question import answer_contents, question_numbers
from tete.comparisons.triplets import Triplets

__all__ = ["EqualAnswers"]

Floats = NDArray[np.float64]

MOST = 10**9  # answers to draw; weights beyond are no numbers of answers that anybody gave


class EqualAnswers:
    """Triplets, for each the number of what its answer says, and how many answers say so."""

    def __init__(self, triplets: Triplets) -> None:
        answers, contents = triplets.answer_numbers(), _contents(triplets)
        self.triplets, self.numbers = triplets, contents[answers]
        self.counts: Floats = np.bincount(contents, weights=triplets.answer_counts()).astype(np.float64)

    def drawn(self, rng: np.random.Generator) -> Floats:
        """As many answers as there are, drawn with replacement: by what factor each triplet's weight changes."""
        shares = self.counts / self.counts.sum()
        times = rng.multinomial(min(max(round(float(self.counts.sum())), 1), MOST), shares)
        factors = np.divide(times / times.sum(), shares, out=np.zeros(len(times)), where=shares > 0.0)
        return np.asarray(factors[self.numbers])

    def answered(self, probability: Floats, rng: np.random.Generator) -> Triplets:
        """The same questions, each triplet staying as it is with its probability; an answer's triplets turn together.

        Of an answer that counts several times, some may turn and some not: it is there both ways then.
        """
        times = np.clip(np.rint(self.counts), 1.0, MOST)[self.numbers]
        luck = rng.random(len(self.counts))[self.numbers]
        share = (luck > probability).astype(np.float64)
        several = times > 1.0
        if not several.any():
            return self.triplets.flip_where(share > 0.0)
        from scipy.stats import binom  # noqa: PLC0415  (takes long to import)

        share[several] = binom.ppf(luck[several], times[several], 1.0 - probability[several]) / times[several]
        both = Triplets.concatenate([self.triplets, self.triplets.reverse()])
        return both.with_weights(np.concatenate([1.0 - share, share]))


def _contents(triplets: Triplets) -> NDArray[np.int64]:
    """For each answer the number of what it says; all undecided ones to a question say the same."""
    contents = answer_contents(triplets)
    if triplets.ties is None or not triplets.ties.any():
        return contents
    answers = triplets.answer_numbers()
    is_tied, questions = np.zeros(len(contents), dtype=bool), np.empty_like(contents)
    is_tied[answers[triplets.ties]] = True
    questions[answers] = question_numbers(triplets)
    said = np.where(is_tied, contents.max() + 1 + questions, contents)
    return np.unique(said, return_inverse=True)[1]
