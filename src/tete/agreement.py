"""How far people agree with each other and with themselves, where a question was asked more than once."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tete.summary import triplet_keys
from tete.triplets import Triplets

__all__ = ["Agreement", "agreement"]


@dataclass(frozen=True)
class Agreement:
    """Agreement on questions asked more than once.

    Attributes
    ----------
    n_repeated : int
        Questions (an anchor and two objects) that were asked more than once.
    share : float or None
        Share of pairs of answers to the same question that agree; None where no question was asked twice.
    by_annotator : dict or None
        For each annotator the share of other people's answers to the same questions that agree with theirs, and the
        number of those answers, least agreement first; None without annotators.
    """

    n_repeated: int
    share: float | None
    by_annotator: dict[Hashable, tuple[float, int]] | None

    def __str__(self) -> str:
        if self.share is None:
            return f"{'agreement':<18}unknown: no question was asked twice"
        lines = [
            f"{'agreement':<18}{self.share:.1%} of pairs of answers to the same question ({self.n_repeated:,} asked)"
        ]
        for place, (label, (share, count)) in enumerate(list((self.by_annotator or {}).items())[:5]):
            first = "least with others" if place == 0 else ""
            lines.append(f"{first:<18}{label}: {share:.0%} of {count:,} answers of others")
        return "\n".join(lines)


def agreement(triplets: Triplets) -> Agreement:
    """Compare all answers to the same question with each other."""
    keys = triplet_keys(triplets)
    questions, reversed_ = keys // 2, keys % 2
    counts = np.zeros((int(questions.max()) + 1, 2), dtype=np.int64)
    np.add.at(counts, (questions, reversed_), 1)
    agreeing, pairs = int(_pairs(counts).sum()), int(_pairs(counts.sum(axis=1)).sum())
    return Agreement(
        n_repeated=int(np.sum(counts.sum(axis=1) > 1)),
        share=agreeing / pairs if pairs else None,
        by_annotator=_by_annotator(triplets.annotators, keys, counts),
    )


def _pairs(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return counts * (counts - 1) // 2


def _by_annotator(
    annotators: NDArray[np.generic] | None, keys: NDArray[np.int64], counts: NDArray[np.int64]
) -> dict[Hashable, tuple[float, int]] | None:
    if annotators is None:
        return None
    labels, codes = np.unique(annotators, return_inverse=True)
    # What the annotator said to the same question is no one else's opinion.
    own = codes.astype(np.int64) * (2 * len(counts))
    same = np.bincount(codes, weights=counts[keys // 2, keys % 2] - _occurrences(own + keys, own + keys))
    other = np.bincount(codes, weights=counts[keys // 2, 1 - keys % 2] - _occurrences(own + (keys ^ 1), own + keys))
    shares = {
        label: (float(agree / (agree + differ)), int(agree + differ))
        for label, agree, differ in zip(labels.tolist(), same, other, strict=True)
        if agree + differ > 0
    }
    return dict(sorted(shares.items(), key=lambda item: item[1][0]))


def _occurrences(wanted: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each wanted number is among the values."""
    ordered = np.sort(values)
    return np.searchsorted(ordered, wanted, side="right") - np.searchsorted(ordered, wanted, side="left")
