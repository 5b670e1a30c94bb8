"""Which answers are to the same question, by what was asked: however often, in whatever order and by whomever.

A question is the objects that were shown and, where one of them was asked about, that one: "is a more like b or like
c?" has the anchor a; "which is the odd one out?" has none. So it does not matter how the question was answered.

Objects are known by their names, so that it does not matter how they are numbered; without names by their numbers.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.distinct import distinct

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["answer_contents", "code_hashes", "question_hashes", "question_numbers"]

Hashes: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.integer[Any]]


def question_numbers(triplets: "Triplets") -> NDArray[np.int64]:
    """For each triplet the number of its question, 0, 1, ...: an order that only the questions themselves decide."""
    if triplets.answers is None:
        single = _hashes_by(_keys_of(triplets))(triplets.anchor, triplets.near, triplets.far)
        return np.unique(single, return_inverse=True)[1]
    shown, asked = (_scrambled(_keys_of(triplets), stream) for stream in (0, 1))
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


def question_hashes(n_objects: int) -> Callable[[Numbers, Numbers, Numbers], Hashes]:
    """What gives each triplet, asked alone, 64 bits that look random and are equal for the same question.

    Objects are known by their numbers, which are those of a packed folder for good.
    """
    return _hashes_by(_own_keys(n_objects))


def _hashes_by(keys: Hashes) -> Callable[[Numbers, Numbers, Numbers], Hashes]:
    shown, asked = _scrambled(keys, 0), _scrambled(keys, 1)

    def hashes(anchor: Numbers, near: Numbers, far: Numbers) -> Hashes:
        found: Hashes = shown[anchor] + shown[near] + shown[far] + asked[anchor]
        return found

    return hashes


def code_hashes(codes: NDArray[np.int64]) -> Hashes:
    """For each number 64 bits that look random, equal for equal numbers."""
    return _finalised(codes.astype(np.uint64))


def answer_contents(triplets: "Triplets") -> NDArray[np.int64]:
    """For each answer a number, 0, 1, ..., equal for answers that say the same, in whatever order."""
    keys = np.zeros(int(triplets.answer_numbers().max()) + 1, dtype=np.uint64)
    roles = (_scrambled(_own_keys(triplets.n_objects), place << 33) for place in (1, 2, 3))
    columns = (triplets.anchor, triplets.near, triplets.far)
    said = sum((role[column] for role, column in zip(roles, columns, strict=True)), np.zeros(1, dtype=np.uint64))
    np.add.at(keys, triplets.answer_numbers(), _finalised(said))
    return np.unique(keys, return_inverse=True)[1]


def _different_pairs(
    answers: NDArray[np.int64], objects: NDArray[np.integer[Any]], n_objects: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different pairs of an answer and an object."""
    return np.divmod(distinct(answers * n_objects + objects), n_objects)


def _keys_of(triplets: "Triplets") -> Hashes:
    """For each object a number that its name decides, however the objects are numbered; else that of its number."""
    keys = _own_keys(triplets.n_objects)
    if triplets.names is None:
        return keys
    mentioned = np.flatnonzero(triplets.mentions())  # of packed answers' names a sample needs few
    texts = [str(triplets.names[number]) for number in mentioned]
    if len(set(texts)) == len(texts):  # 1 and "1" may be two objects
        digests = b"".join(blake2b(text.encode(errors="replace"), digest_size=8).digest() for text in texts)
        keys[mentioned] = np.frombuffer(digests, dtype="<u8")
    return keys


def _own_keys(count: int) -> Hashes:
    return np.arange(2, 2 * count + 2, 2, dtype=np.uint64)


def _scrambled(keys: Hashes, stream: int) -> Hashes:
    """For each key 64 bits that look random, so that sums tell apart."""
    return _finalised(keys + np.uint64(stream))


def _finalised(value: Hashes) -> Hashes:
    """Bits that look random: the last steps of splitmix64."""
    value = value * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
