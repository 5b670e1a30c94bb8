"""What a fit needs of answers that are not in memory, and the one way from answers of either kind to their sum."""

from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.core.threads import threads
from tete.embedding.objective import ShardedTriplets, TripletSum

__all__ = ["Answers", "HeldOutSample", "PackedAnswers", "summed"]


class HeldOutSample(NamedTuple):
    """Answers without a sample of them, and the sample."""

    others: "PackedAnswers"
    sample: Triplets


@runtime_checkable
class PackedAnswers(Protocol):
    """Answers too many for memory, which can be summed and sampled; `tete.distributed.TripletShards` is one."""

    n_objects: int
    n_answers: int
    names: tuple[Hashable, ...] | None
    total_weight: float
    squared_weight: float
    digest: str

    def __len__(self) -> int:
        """Number of triplets."""

    def name_of(self, number: int) -> Hashable:
        """The object's name, or its number where there are no names."""

    def mentions(self) -> NDArray[np.int64]:
        """How many triplets mention each object."""

    def triplets_at(self, rows: NDArray[np.int64]) -> Triplets:
        """The triplets at these rows, which rise."""

    def sample(self, most: int = ...) -> Triplets:
        """About so many triplets, all if there are no more, drawn by what is asked in them."""

    def hold_out(self, most: int = ...) -> HeldOutSample:
        """The answers without about so many of them, at most a tenth, and these."""

    def summed(self, n_components: int, n_jobs: int | None) -> AbstractContextManager[TripletSum]:
        """The sum over the objects that are mentioned, which are numbered from 0."""

    def with_names(self, names: tuple[Hashable, ...]) -> Self:
        """The same answers about objects that are called otherwise."""


Answers = Triplets | PackedAnswers


@contextmanager
def summed(answers: Answers, n_components: int, n_jobs: int | None) -> Iterator[tuple[TripletSum, NDArray[np.bool_]]]:
    """The sum over the answers that count, and which objects they mention; the sum numbers only these."""
    if isinstance(answers, PackedAnswers):
        with answers.summed(n_components, n_jobs) as shards:
            yield shards, answers.mentions() > 0
        return
    used = answers
    if answers.weights is not None and not answers.weights.all():
        used = answers.select(answers.weights > 0)
    mentioned = used.mentions() > 0
    if not mentioned.all():
        used = used.renumbered(np.cumsum(mentioned) - 1, int(mentioned.sum()))
    with threads(n_jobs) as workers:
        yield ShardedTriplets(used, n_components, workers), mentioned
