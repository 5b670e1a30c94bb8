"""How long people took to answer: who answers faster than anybody can look has not looked."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.summary import LABEL_WIDTH
from tete.comparisons.triplets import Triplets
from tete.core.printing import Printed, counted, rows_under, table_lines

__all__ = ["TOO_FAST", "ResponseTimes", "response_times", "times_by_annotator"]

TOO_FAST = 200.0  # milliseconds; a simple reaction to a light takes as long


@dataclass(frozen=True)
class ResponseTimes(Printed):
    """Response times in milliseconds.

    Attributes
    ----------
    median : float
        Of all answers whose time is known.
    too_fast : float
        Share of these below 200 ms.
    n_known : int
        How many these are.
    by_annotator : dict or None
        For each annotator median and share, the largest share first; None without annotators.
    """

    median: float
    too_fast: float
    n_known: int
    by_annotator: dict[Hashable, tuple[float, float]] | None

    def __str__(self) -> str:
        known = counted(self.n_known, "answer")
        text = f"median {self.median:,.0f} ms, {self.too_fast:.1%} below {TOO_FAST:.0f} ms ({known})"
        fastest = [
            f"{label}: median {median:,.0f} ms, {share:.0%} below {TOO_FAST:.0f} ms"
            for label, (median, share) in list((self.by_annotator or {}).items())[:5]
        ]
        return "\n".join(table_lines([("response times", text), *rows_under("fastest", fastest)], width=LABEL_WIDTH))


def response_times(triplets: Triplets) -> ResponseTimes | None:
    """Times of whole answers; None where none is known."""
    times, counts, first = _times_of_answers(triplets)
    if not len(times):
        return None
    by_annotator: dict[Hashable, tuple[float, float]] | None = None
    if triplets.annotators is not None:
        labels = np.unique(triplets.annotators)
        medians, shares = times_by_annotator(triplets)
        known = np.isin(labels, triplets.annotators[first])
        rows = zip(labels[known].tolist(), medians[known].tolist(), shares[known].tolist(), strict=True)
        ordered = sorted(rows, key=lambda row: (-row[2], row[1]))
        by_annotator = {label: (median, share) for label, median, share in ordered}
    return ResponseTimes(
        _median(times, counts),
        float(np.average(times < TOO_FAST, weights=counts)),
        round(float(counts.sum())),
        by_annotator,
    )


def times_by_annotator(triplets: Triplets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each annotator, in sorted order, the median time and the share of answers that came too fast; or NaN."""
    assert triplets.annotators is not None
    labels, codes = np.unique(triplets.annotators, return_inverse=True)
    times, counts, first = _times_of_answers(triplets)
    people = codes[first]
    medians, shares = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    for person in np.unique(people):
        mine = people == person
        medians[person] = _median(times[mine], counts[mine])
        shares[person] = np.average(times[mine] < TOO_FAST, weights=counts[mine])
    return medians, shares


def _times_of_answers(triplets: Triplets) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Times, counts and first triplets of the answers whose time is known."""
    first = np.unique(triplets.answer_numbers(), return_index=True)[1]
    if triplets.times is None:
        return np.empty(0), np.empty(0), first[:0]
    times, counts = triplets.times[first], triplets.answer_counts()
    known = np.isfinite(times) & (counts > 0.0)
    return times[known], counts[known], first[known]


def _median(times: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """Half of the answers, repeats counted, took at most so long."""
    order = np.argsort(times, kind="stable")
    passed = np.cumsum(counts[order])
    return float(times[order][np.searchsorted(passed, passed[-1] / 2.0)])
