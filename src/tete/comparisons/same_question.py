"""Which answers are to the same question, by what was asked: however often, in whatever order and by whomever.

A question is the objects that were shown and, where one of them was asked about, that one: "is a more like b or like
c?" has the anchor a; "which is the odd one out?" has none. So it does not matter how the question was answered.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["answer_contents", "question_numbers"]

Hashes: TypeAlias = NDArray[np.uint64]


def question_numbers(triplets: "Triplets") -> NDArray[np.int64]:
    """For each triplet the number of its question, 0, 1, ...: an order that only the questions themselves decide."""
    shown, asked = _scrambled(triplets.n_objects, 0), _scrambled(triplets.n_objects, 1)
    if triplets.answers is None:
        single: Hashes = shown[triplets.anchor] + shown[triplets.near] + shown[triplets.far] + asked[triplets.anchor]
        return np.unique(single, return_inverse=True)[1]
    answers = triplets.answer_numbers()
    n_answers = int(answers.max()) + 1
    keys = np.zeros(n_answers, dtype=np.uint64)
    columns = (triplets.anchor, triplets.near, triplets.far)
    of_answer, objects = _different_pairs(np.concatenate([answers] * 3), np.concatenate(columns), triplets.n_objects)
    np.add.at(keys, of_answer, shown[objects])
    of_answer, anchors = _different_pairs(answers, triplets.anchor, triplets.n_objects)
    about_one = np.bincount(of_answer, minlength=n_answers)[of_answer] == 1
    keys[of_answer[about_one]] += asked[anchors[about_one]]
    numbers: NDArray[np.int64] = np.unique(keys, return_inverse=True)[1]
    return numbers[answers]


def answer_contents(triplets: "Triplets") -> NDArray[np.int64]:
    """For each answer a number, 0, 1, ..., equal for answers that say the same, in whatever order."""
    keys = np.zeros(int(triplets.answer_numbers().max()) + 1, dtype=np.uint64)
    roles = (_scrambled(triplets.n_objects, place << 33) for place in (1, 2, 3))
    columns = (triplets.anchor, triplets.near, triplets.far)
    said = sum((role[column] for role, column in zip(roles, columns, strict=True)), np.zeros(1, dtype=np.uint64))
    np.add.at(keys, triplets.answer_numbers(), _finalised(said))
    return np.unique(keys, return_inverse=True)[1]


def _different_pairs(
    answers: NDArray[np.int64], objects: NDArray[np.integer[Any]], n_objects: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different pairs of an answer and an object."""
    return np.divmod(np.unique(answers * n_objects + objects), n_objects)


def _scrambled(count: int, stream: int) -> Hashes:
    """For each of the first numbers 64 bits that look random, so that sums tell apart."""
    return _finalised(np.arange(2, 2 * count + 2, 2, dtype=np.uint64) + np.uint64(stream))


def _finalised(value: Hashes) -> Hashes:
    """Bits that look random: the last steps of splitmix64."""
    value = value * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
