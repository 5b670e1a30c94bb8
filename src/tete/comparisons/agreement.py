"""How far people agree with each other and with themselves, where a question was asked more than once."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.summary import LABEL_WIDTH, triplet_keys
from tete.comparisons.triplets import Triplets
from tete.core.printing import rows_under, table_lines

__all__ = ["Agreement", "RepeatShares", "agreement", "repeat_shares"]


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
            text = "unknown: no question was asked twice"
        else:
            text = f"{self.share:.1%} of pairs of answers to the same question ({self.n_repeated:,} asked)"
        least = [
            f"{label}: {share:.0%} of {count:,} answers of others"
            for label, (share, count) in list((self.by_annotator or {}).items())[:5]
        ]
        rows = [("agreement", text), *rows_under("least with others", least)]
        return "\n".join(table_lines(rows, width=LABEL_WIDTH))


def agreement(triplets: Triplets) -> Agreement:
    """Compare all answers to the same question with each other."""
    counts = _counts(triplet_keys(triplets))
    agreeing, pairs = int(_pairs(counts).sum()), int(_pairs(counts.sum(axis=1)).sum())
    return Agreement(
        n_repeated=int(np.sum(counts.sum(axis=1) > 1)),
        share=agreeing / pairs if pairs else None,
        by_annotator=_by_annotator(triplets),
    )


@dataclass(frozen=True)
class RepeatShares:
    """For each annotator, in sorted order, agreement on repeated questions; NaN where there was none.

    Attributes
    ----------
    with_others, n_others : arrays
        Share of other people's answers to the same questions that agree, and the number of comparisons.
    with_self : array
        Share of pairs of the annotator's own answers to the same question that agree.
    """

    with_others: NDArray[np.float64]
    n_others: NDArray[np.int64]
    with_self: NDArray[np.float64]


def repeat_shares(triplets: Triplets) -> RepeatShares:
    """Compare each annotator's answers with those of others, and with their own, to the same questions."""
    assert triplets.annotators is not None
    keys = triplet_keys(triplets)
    counts = _counts(keys)
    codes = np.unique(triplets.annotators, return_inverse=True)[1]
    own = codes.astype(np.int64) * (2 * len(counts))
    own_same, own_other = _occurrences(own + keys, own + keys), _occurrences(own + (keys ^ 1), own + keys)
    # What the annotator said to the same question is no one else's opinion.
    same = np.bincount(codes, weights=counts[keys // 2, keys % 2] - own_same)
    other = np.bincount(codes, weights=counts[keys // 2, 1 - keys % 2] - own_other)
    self_same, self_other = np.bincount(codes, weights=own_same - 1), np.bincount(codes, weights=own_other)
    with np.errstate(invalid="ignore"):
        return RepeatShares(
            same / (same + other), (same + other).astype(np.int64), self_same / (self_same + self_other)
        )


def _counts(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each question was answered in each of the two ways."""
    counts = np.zeros((int(keys.max()) // 2 + 1, 2), dtype=np.int64)
    np.add.at(counts, (keys // 2, keys % 2), 1)
    return counts


def _pairs(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return counts * (counts - 1) // 2


def _by_annotator(triplets: Triplets) -> dict[Hashable, tuple[float, int]] | None:
    if triplets.annotators is None:
        return None
    found = repeat_shares(triplets)
    labels = np.unique(triplets.annotators).tolist()
    shares = {
        label: (float(share), int(count))
        for label, share, count in zip(labels, found.with_others, found.n_others, strict=True)
        if count > 0
    }
    return dict(sorted(shares.items(), key=lambda item: item[1][0]))


def _occurrences(wanted: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each wanted number is among the values."""
    ordered = np.sort(values)
    return np.searchsorted(ordered, wanted, side="right") - np.searchsorted(ordered, wanted, side="left")
