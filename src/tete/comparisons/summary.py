"""What a set of triplets contains, before anything is fitted."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tete.comparisons.alike import alike_names, alike_rows
from tete.comparisons.checks import refuse_zero_weights
from tete.core.distinct import distinct
from tete.core.printing import Printed, counted, listed, table_lines, whole_counts
from tete.core.validation import check_whole

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["LABEL_WIDTH", "TripletSummary", "cancel_out", "components", "joined_parts", "summarize", "triplet_keys"]

LABEL_WIDTH = 18  # of what `tete check` prints, to which `agreement` adds lines


@dataclass(frozen=True)
class TripletSummary(Printed):
    """The counts people check first, weights counted as repeats. Printing it gives a short table.

    Attributes
    ----------
    n_objects : int
        Number of objects.
    n_triplets : int
        Number of triplets.
    n_answers : int
        Number of answers; an answer may give several triplets.
    n_repeats : int
        Triplets that occurred before; undecided ones, which count in parts, repeat each other.
    n_contradictions : int
        Questions that were answered both ways: a triplet and its reverse both occur. Undecided answers do not
        contradict.
    unmentioned : tuple
        Names (or numbers) of objects in no triplet.
    hardly_mentioned : tuple
        Names (or numbers) of objects in fewer than `few` triplets.
    few : int
        What counts as few.
    component_sizes : tuple of int
        Numbers of objects in parts that answers connect, largest first, objects in no triplet left out. More than one
        part means that nothing relates the parts.
    answers_per_annotator : dict or None
        For each annotator the number of answers.
    alike_names : tuple of tuples of str
        Groups of names that differ only by the spelling of accents, case, invisible letters, blanks or the spelling of
        a number, such as 1 and 1.0. They stay different objects.
    """

    n_objects: int
    n_triplets: int
    n_answers: int
    n_repeats: int
    n_contradictions: int
    unmentioned: tuple[Hashable, ...]
    hardly_mentioned: tuple[Hashable, ...]
    few: int
    component_sizes: tuple[int, ...]
    answers_per_annotator: dict[Hashable, int] | None
    alike_names: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        rows = [
            ("objects", f"{self.n_objects:,}"),
            ("triplets", f"{self.n_triplets:,} from {counted(self.n_answers, 'answer')}"),
            ("repeats", f"{self.n_repeats:,}"),
            ("contradictions", f"{counted(self.n_contradictions, 'question')} answered both ways"),
            ("never mentioned", listed(self.unmentioned)),
            (f"in fewer than {self.few}", listed(self.hardly_mentioned)),
            ("connected parts", f"{len(self.component_sizes):,} of sizes {listed(self.component_sizes)}"),
        ]
        rows += alike_rows(self.alike_names)
        if self.answers_per_annotator is not None:
            counts = np.array(list(self.answers_per_annotator.values()))
            spread = f"{counts.min():,} / {int(np.median(counts)):,} / {counts.max():,}"
            rows.append(("annotators", f"{len(counts):,} with {spread} answers (least / median / most)"))
        return "\n".join(table_lines(rows, width=LABEL_WIDTH))


def summarize(triplets: "Triplets", *, few: int = 5) -> TripletSummary:
    """Count what `TripletSummary` describes; objects in fewer than `few` triplets are hardly mentioned."""
    check_whole("few", few, least=1)
    if triplets.weights is not None:
        refuse_zero_weights(triplets.weights)
        triplets = triplets.select(triplets.weights > 0.0)
    counts = triplets.counts()
    different, n_undecided = _different(triplets, counts)
    n_triplets = round(float(counts.sum()))
    mentions: NDArray[np.float64] = np.sum(
        [
            np.bincount(column, weights=counts, minlength=triplets.n_objects)
            for column in (triplets.anchor, triplets.near, triplets.far)
        ],
        axis=0,
    )
    parts = components(triplets)
    sizes = np.sort(np.bincount(parts[mentions > 0]))[::-1]
    return TripletSummary(
        n_objects=triplets.n_objects,
        n_triplets=n_triplets,
        n_answers=triplets.n_answers,
        n_repeats=max(round(float(counts.sum()) - len(different) - n_undecided), 0),
        n_contradictions=len(different) - len(distinct(different // 2)),
        unmentioned=_names(triplets, mentions == 0),
        hardly_mentioned=_names(triplets, (mentions > 0) & (mentions < few)),
        few=few,
        component_sizes=tuple(int(size) for size in sizes[sizes > 0]),
        answers_per_annotator=_answers_per_annotator(triplets),
        alike_names=alike_names(triplets.names),
    )


def _different(triplets: "Triplets", counts: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """The keys of all different decided triplets, and how many triplets the different undecided ones are.

    Parts of undecided answers to one question say the same, whichever way they go. Together they are one triplet or,
    where more than two objects were to choose from, less.
    """
    keys = triplet_keys(triplets)
    if triplets.ties is None:
        return distinct(keys), 0.0
    undecided = np.bincount(keys[triplets.ties] // 2, weights=counts[triplets.ties])
    return distinct(keys[~triplets.ties]), float(np.minimum(undecided, 1.0).sum())


def triplet_keys(triplets: "Triplets") -> NDArray[np.int64]:
    """One number for each triplet, equal for equal triplets; a triplet and its reverse differ in the last bit."""
    low, high = np.minimum(triplets.near, triplets.far), np.maximum(triplets.near, triplets.far)
    # Renumbering the pairs first keeps the products within 64 bits for any number of objects.
    pairs = np.unique(triplets.anchor.astype(np.int64) * triplets.n_objects + low, return_inverse=True)[1]
    questions = np.unique(pairs * triplets.n_objects + high, return_inverse=True)[1]
    return 2 * questions + (triplets.near > triplets.far)


def cancel_out(triplets: "Triplets") -> bool:
    """Whether every triplet's weight is met by an equal weight of its reverse."""
    keys = triplet_keys(triplets)
    signed = np.where(keys % 2 == 0, 1.0, -1.0) * triplets.weights_or_ones()
    return bool(np.allclose(np.bincount(keys // 2, weights=signed), 0.0))


def components(triplets: "Triplets", chunk: int = 2**16) -> NDArray[np.int64]:
    """For each object the number of the part it belongs to; answers connect the three objects they compare.

    Works through the triplets in chunks and merges the parts found so far, so that memory does not grow with them.
    """
    parts: NDArray[np.int64] = np.arange(triplets.n_objects)
    for start in range(0, len(triplets), chunk):
        rows = slice(start, start + chunk)
        parts = joined_parts(parts, triplets.anchor[rows], triplets.near[rows], triplets.far[rows])
    return np.unique(parts, return_inverse=True)[1]


def joined_parts(
    parts: NDArray[np.int64], anchor: NDArray[Any], near: NDArray[Any], far: NDArray[Any]
) -> NDArray[np.int64]:
    """The parts that objects belong to, after some more answers have connected the objects they compare."""
    anchors, ends = np.tile(parts[anchor], 2), np.concatenate([parts[near], parts[far]])
    if np.array_equal(anchors, ends):  # as from some answer on, where they hang together
        return parts
    edges = coo_array((np.ones(len(ends), dtype=np.int8), (anchors, ends)), shape=(len(parts), len(parts)))
    joined: NDArray[np.int64] = connected_components(edges, directed=False)[1].astype(np.int64)[parts]
    return joined


def _names(triplets: "Triplets", mask: NDArray[np.bool_]) -> tuple[Hashable, ...]:
    return tuple(triplets.name_of(int(number)) for number in np.flatnonzero(mask))


def _answers_per_annotator(triplets: "Triplets") -> dict[Hashable, int] | None:
    if triplets.annotators is None:
        return None
    labels, codes = np.unique(triplets.annotators, return_inverse=True)
    first = np.unique(triplets.answer_numbers(), return_index=True)[1]  # an answer of several triplets counts once
    counts = np.bincount(codes[first], weights=triplets.answer_counts(), minlength=len(labels))
    return dict(zip(labels.tolist(), whole_counts(counts).tolist(), strict=True))
