"""Tables of answers, annotators and objects from held-out margins: see `trust_report.TrustReport` for the columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from tete.comparisons.agreement import repeat_shares
from tete.comparisons.triplets import Triplets
from tete.reliability.evidence import (
    benjamini_hochberg,
    better_than_chance,
    holm,
    worse_than_chance,
    worse_than_expected,
)
from tete.reliability.lapses import LapseModel, fit_lapse
from tete.reliability.ordinary_people import probability_ordinary

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HeldOutAnswers", "annotator_table", "answer_table", "object_table"]

Floats = NDArray[np.float64]

LEVEL = 0.05


def triplet_weights(triplets: Triplets, margins: Floats) -> Floats:
    """How much each triplet with a known margin counts: those of an answer share its weight."""
    known = np.isfinite(margins)
    answers = triplets.answer_numbers()[known]
    return np.asarray(triplets.weights_or_ones()[known] / np.bincount(answers)[answers])


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Triplets with their held-out margins, summed up by answer: one entry for each, NaN where nothing is known."""

    triplets: Triplets
    margins: Floats
    model: LapseModel

    @classmethod
    def of(cls, triplets: Triplets, margins: Floats, trusted: Floats | None = None) -> Self:
        """With the lapse model of all triplets, each counting by how much it is trusted."""
        known, weights = np.isfinite(margins), triplet_weights(triplets, margins)
        if trusted is not None:
            weights *= trusted[known]
        return cls(triplets, margins, fit_lapse(margins[known], triplets.answer_numbers()[known], weights))

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """For each triplet the number of its answer."""
        return self.triplets.answer_numbers()

    @cached_property
    def first_rows(self) -> NDArray[np.int64]:
        """For each answer its first triplet."""
        return np.unique(self.answers, return_index=True)[1]

    def by_answer(self, values: Floats) -> Floats:
        """For each answer the mean over its triplets with a known margin."""
        known = np.isfinite(self.margins)
        n_answers = len(self.first_rows)
        sums = np.bincount(self.answers[known], weights=values[known], minlength=n_answers)
        counts = np.bincount(self.answers[known], minlength=n_answers)
        return _ratio(sums, counts)

    @cached_property
    def agreement(self) -> Floats:
        """Share of the answer's triplets that the map agrees with."""
        return self.by_answer((self.margins > 0.0).astype(np.float64))

    @cached_property
    def known_answers(self) -> NDArray[np.bool_]:
        """Which answers have a known margin."""
        return np.isfinite(self.agreement)

    @cached_property
    def expected(self) -> Floats:
        """Agreement of ordinary answers to the same question."""
        return self.by_answer(self.model.probability_of_map(self.margins))

    @cached_property
    def evidence(self) -> Floats:
        """Log odds of the map's side, positive where the answer takes it."""
        return self.by_answer(np.sign(self.margins) * logit(self.model.probability_of_map(self.margins)))


def answer_table(held_out: HeldOutAnswers) -> "pd.DataFrame":
    """One row an answer."""
    import pandas as pd  # noqa: PLC0415

    triplets, rows = held_out.triplets, held_out.first_rows
    names = np.arange(triplets.n_objects) if triplets.names is None else np.array(triplets.names, dtype=object)
    columns: dict[str, Any] = {"row": rows}
    for role in ("anchor", "near", "far"):
        columns[role] = names[getattr(triplets, role)[rows]]
    if triplets.annotators is not None:
        columns["annotator"] = triplets.annotators[rows]
    columns["triplets"] = np.bincount(held_out.answers)
    columns["agrees"] = held_out.agreement
    wrong = held_out.by_answer(held_out.model.probability_wrong(held_out.margins))
    columns["wrong"] = np.where(np.isnan(wrong), held_out.model.share, wrong)
    labels = None if triplets.groups is None else pd.Index(triplets.groups[rows], name="group")
    return pd.DataFrame(columns, index=labels)


def annotator_table(held_out: HeldOutAnswers) -> "pd.DataFrame | None":
    """One row an annotator, compared with ordinary ones."""
    import pandas as pd  # noqa: PLC0415

    triplets = held_out.triplets
    if triplets.annotators is None:
        return None
    labels, units = np.unique(triplets.annotators, return_inverse=True)
    known, weights = np.isfinite(held_out.margins), triplet_weights(triplets, held_out.margins)
    trusted = probability_ordinary(held_out.margins[known], weights, units[known], len(labels))
    ordinary = HeldOutAnswers.of(triplets, held_out.margins, trusted[units])
    table = _agreement_columns(ordinary, units[held_out.first_rows], np.arange(len(held_out.first_rows)), len(labels))
    repeats = repeat_shares(triplets)
    table |= {"with_others": repeats.with_others, "with_self": repeats.with_self}
    table |= _flags(ordinary, units, len(labels))
    return pd.DataFrame(table, index=pd.Index(labels, name="annotator"))


def _flags(held_out: HeldOutAnswers, units: NDArray[np.int64], n_units: int) -> dict[str, NDArray[np.bool_]]:
    """For each annotator, whether the answers are worse than coin tossing, or not clearly better than it."""
    known = held_out.known_answers
    evidence, units = held_out.evidence[known], units[held_out.first_rows[known]]
    is_less, is_reversed = (
        holm(test(evidence, units, n_units)) < LEVEL for test in (worse_than_expected, worse_than_chance)
    )
    # Of many coin tossers some look better than a coin, so the sign must be as clear as the number of people asks for.
    is_better = better_than_chance(evidence, units, n_units) < LEVEL / n_units
    return {"reversed": is_reversed, "at_chance": is_less & ~is_better & ~is_reversed}


def object_table(held_out: HeldOutAnswers, *, few: int) -> "pd.DataFrame":
    """One row an object."""
    import pandas as pd  # noqa: PLC0415

    triplets = held_out.triplets
    n_objects = triplets.n_objects
    columns = (triplets.anchor, triplets.near, triplets.far)
    pairs = np.unique(np.concatenate([held_out.answers * n_objects + column for column in columns]))
    answers, units = np.divmod(pairs, n_objects)
    table = _agreement_columns(held_out, units, answers, n_objects)
    known = held_out.known_answers[answers]
    evidence, units = held_out.evidence[answers[known]], units[known]
    enough = table["answers"] >= few
    table["hardly_mentioned"] = ~enough
    table["badly_placed"] = enough & (better_than_chance(evidence, units, n_objects) >= LEVEL)
    table["contradicted"] = benjamini_hochberg(worse_than_expected(evidence, units, n_objects)) < LEVEL
    labels = range(n_objects) if triplets.names is None else list(triplets.names)
    return pd.DataFrame(table, index=pd.Index(labels, name="object"))


def _agreement_columns(
    held_out: HeldOutAnswers, units: NDArray[np.int64], answers: NDArray[np.int64], n_units: int
) -> dict[str, Any]:
    """Numbers of answers, and means of observed and expected agreement over those with a known margin."""
    known = held_out.known_answers[answers]
    counts = np.bincount(units[known], minlength=n_units)
    columns: dict[str, Any] = {"answers": np.bincount(units, minlength=n_units)}
    for name in ("agreement", "expected"):
        sums = np.bincount(units[known], weights=getattr(held_out, name)[answers[known]], minlength=n_units)
        columns[name] = _ratio(sums, counts)
    return columns


def _ratio(sums: NDArray[Any], counts: NDArray[np.int64]) -> Floats:
    return np.asarray(np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0))
