"""Folds that depend on what was asked alone: not on the order of the answers, nor on how often one was given.

An answer given twice is in one fold with its twin, so that it counts as one answer of weight 2 does, and no map is
tested on a question that it has been told the answer to.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["content_places"]


def content_places(triplets: "Triplets") -> NDArray[np.int64]:
    """For each triplet the place of its question in an order that is random but always the same, 0, 1, ...

    Triplets of one answer share a place, and so do those of all answers to the same question. ``place % n`` deals the
    questions into n folds of equal size.
    """
    asked = _scrambled(triplets.anchor, 1) + _scrambled(triplets.near, 2) + _scrambled(triplets.far, 2)
    keys = _scrambled(asked, 3)
    if triplets.groups is not None:
        answers = triplets.answer_numbers()
        sums = np.zeros(int(answers.max()) + 1, dtype=np.uint64)
        np.add.at(sums, answers, keys)  # in any order: whole numbers that wrap around
        keys = sums[answers]
    return np.unique(keys, return_inverse=True)[1]


def _scrambled(values: NDArray[np.integer], stream: int) -> NDArray[np.uint64]:
    """64 bits that look random, the same for equal values (the finaliser of SplitMix64)."""
    bits = values.astype(np.uint64) + np.uint64(stream) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
