"""What packed answers contain: counts of all of them, and of a sample what would need all at once."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tete.comparisons.agreement import agreement
from tete.comparisons.alike import alike_names
from tete.comparisons.summary import TripletSummary
from tete.distributed.triplet_shards import TripletShards

__all__ = ["SummaryOfShards", "summary_of_shards"]

FEW = 5  # triplets of an object that is hardly mentioned, as in `Triplets.summary`


@dataclass(frozen=True)
class SummaryOfShards:
    """A summary, in which repeats and contradictions are those of a sample, and the agreement in the sample."""

    summary: TripletSummary
    agreement: Any
    n_sampled: int

    def __str__(self) -> str:
        said = f"Repeats, contradictions and agreement are those of a sample of {self.n_sampled:,} triplets,"
        return f"{self.summary}\n{self.agreement}\n{said}\nin which every question has all its answers."


def summary_of_shards(answers: TripletShards) -> SummaryOfShards:
    """Count what can be counted, after every shard has been read and found whole."""
    sample = answers.sample()
    mentions, parts = answers.mentions(), answers.parts()
    sizes = np.sort(np.bincount(parts[mentions > 0]))[::-1]
    summary = replace(
        sample.summary(few=FEW),
        n_triplets=len(answers),
        n_answers=answers.n_answers,
        unmentioned=tuple(answers.name_of(int(number)) for number in np.flatnonzero(mentions == 0)),
        hardly_mentioned=tuple(answers.name_of(int(n)) for n in np.flatnonzero((mentions > 0) & (mentions < FEW))),
        component_sizes=tuple(int(size) for size in sizes[sizes > 0]),
        answers_per_annotator=answers.answers_per_annotator,
        alike_names=alike_names(answers.names),
    )
    return SummaryOfShards(summary, agreement(sample), len(sample))
