"""Tables of answers, annotators and objects from held-out margins: see `trust_report.TrustReport` for the columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from tete.comparisons.agreement import repeat_shares
from tete.comparisons.response_times import times_by_annotator
from tete.core.distinct import distinct
from tete.core.printing import whole_counts
from tete.reliability.evidence import (
    benjamini_hochberg,
    better_than_chance,
    holm,
    worse_than_chance,
    worse_than_expected,
)
from tete.reliability.held_out import HeldOutAnswers
from tete.reliability.lapses import LapseEstimate, fit_lapses
from tete.reliability.ordinary_people import probability_ordinary
from tete.reliability.other_views import people_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["JudgedAnswers", "annotator_table", "answer_table", "object_table"]

Floats = NDArray[np.float64]

LEVEL = 0.05  # of all tests, by habit
CERTAIN = (
    36.0  # log odds from which on a probability rounds to 1: there more is no more evidence, but could be infinite
)


@dataclass(frozen=True, eq=False)
class JudgedAnswers:
    """Held-out answers beside what ordinary ones would be: for each answer one entry, NaN where nothing is known."""

    held_out: HeldOutAnswers
    lapses: LapseEstimate

    @classmethod
    def of(cls, held_out: HeldOutAnswers, believed: Floats | None = None) -> Self:
        """With the answer model of all triplets, each counting by how much it is believed."""
        known, weights = held_out.known, held_out.shares_of_answers
        if believed is not None:
            weights = weights * believed[known]
        answers = held_out.answers[known]
        return cls(held_out, fit_lapses(held_out.margins[known], answers, weights, copies=held_out.counts[answers]))

    @cached_property
    def probability_wrong(self) -> Floats:
        """For each triplet the probability that it is wrong; nothing is known of a part of an undecided answer."""
        model, ties = self.lapses.model, self.held_out.triplets.ties
        found = model.probability_wrong(self.held_out.margins)
        return found if ties is None else np.where(ties, model.lapse, found)

    @cached_property
    def expected(self) -> Floats:
        """Agreement of ordinary answers to the same question."""
        return self.held_out.by_answer(self.lapses.probability_of_map(self.held_out.margins))

    @cached_property
    def evidence(self) -> Floats:
        """Log odds of the map's side, positive where the answer takes it."""
        margins = self.held_out.margins
        with np.errstate(divide="ignore"):
            odds = np.minimum(logit(self.lapses.probability_of_map(margins)), CERTAIN)
        return self.held_out.by_answer(np.sign(margins) * odds)


def answer_table(judged: JudgedAnswers, annotators: "pd.DataFrame | None") -> "pd.DataFrame":
    """One row an answer, in the order in which the answers came; the table of annotators says who has another view."""
    import pandas as pd  # noqa: PLC0415

    held_out, model = judged.held_out, judged.lapses.model
    order = np.argsort(held_out.first_rows, kind="stable")
    triplets, rows = held_out.triplets, held_out.first_rows[order]
    names = np.arange(triplets.n_objects) if triplets.names is None else np.array(triplets.names, dtype=object)
    columns: dict[str, Any] = {"row": rows}
    if triplets.lines is not None:
        columns["line"] = triplets.lines[rows]
    for role in ("anchor", "near", "far"):
        columns[role] = names[getattr(triplets, role)[rows]]
    if triplets.annotators is not None:
        columns["annotator"] = triplets.annotators[rows]
    if triplets.weights is not None:
        columns["weight"] = held_out.counts[order]
    if triplets.times is not None:
        columns["ms"] = triplets.times[rows]
    columns["triplets"] = np.bincount(held_out.answers)[order]
    columns["agrees"] = held_out.agreement[order]
    wrong = held_out.by_answer(judged.probability_wrong)[order]
    columns["wrong"] = np.where(np.isnan(wrong), model.lapse, wrong)
    if annotators is not None:
        columns["other_view"] = annotators.loc[columns["annotator"], "other_view"].to_numpy()
    labels = None if triplets.answers is None else pd.Index(triplets.answers[rows], name="answer")
    return pd.DataFrame(columns, index=labels)


def annotator_table(held_out: HeldOutAnswers, n_components: int = 2) -> "pd.DataFrame | None":
    """One row an annotator, compared with ordinary ones; other views are looked for on maps of so many dimensions."""
    import pandas as pd  # noqa: PLC0415

    triplets = held_out.triplets
    if triplets.annotators is None:
        return None
    labels, units = np.unique(triplets.annotators, return_inverse=True)
    known = held_out.known
    believed = probability_ordinary(held_out.margins[known], held_out.shares_of_answers, units[known], len(labels))
    ordinary = JudgedAnswers.of(held_out, believed[units])
    table = _agreement_columns(ordinary, units[held_out.first_rows], np.arange(len(held_out.first_rows)), len(labels))
    repeats = repeat_shares(triplets)
    table |= {"with_others": repeats.with_others, "with_self": repeats.with_self}
    if triplets.times is not None:
        table["median_ms"], table["too_fast"] = times_by_annotator(triplets)
    table |= _flags(ordinary, units, len(labels), n_components)
    return pd.DataFrame(table, index=pd.Index(labels, name="annotator"))


def _flags(judged: JudgedAnswers, units: NDArray[np.int64], n_units: int, n_components: int) -> dict[str, Any]:
    """For each annotator, whether the answers are worse than coin tossing, not clearly better, or of another view."""
    known = judged.held_out.known_answers
    evidence, units = judged.evidence[known], units[judged.held_out.first_rows[known]]
    counts = judged.held_out.counts[known]
    is_less, is_reversed = (
        holm(test(evidence, units, n_units, counts)) < LEVEL for test in (worse_than_expected, worse_than_chance)
    )
    # Of many coin tossers some look better than a coin, so the sign must be as clear as the number of people asks for.
    is_better = better_than_chance(evidence, units, n_units, counts) < LEVEL / n_units
    at_chance = is_less & ~is_better & ~is_reversed
    return people_columns(judged.held_out, is_less, at_chance, is_reversed, n_components)


def object_table(judged: JudgedAnswers, *, few: int) -> "pd.DataFrame":
    """One row an object."""
    import pandas as pd  # noqa: PLC0415

    held_out, triplets = judged.held_out, judged.held_out.triplets
    n_objects = triplets.n_objects
    columns = (triplets.anchor, triplets.near, triplets.far)
    pairs = distinct(np.concatenate([held_out.answers * n_objects + column for column in columns]))
    answers, units = np.divmod(pairs, n_objects)
    table = _agreement_columns(judged, units, answers, n_objects)
    known = held_out.known_answers[answers]
    units, answers = units[known], answers[known]
    evidence = np.nan_to_num(judged.evidence)  # of unknown answers, which are not among these
    enough = table["answers"] >= few
    table["hardly_mentioned"] = ~enough
    table["badly_placed"] = enough & (better_than_chance(evidence, units, n_objects, held_out.counts, answers) >= LEVEL)
    p_values = worse_than_expected(evidence, units, n_objects, held_out.counts, answers)
    table["contradicted"] = benjamini_hochberg(p_values) < LEVEL
    labels = range(n_objects) if triplets.names is None else list(triplets.names)
    return pd.DataFrame(table, index=pd.Index(labels, name="object"))


def _agreement_columns(
    judged: JudgedAnswers, units: NDArray[np.int64], answers: NDArray[np.int64], n_units: int
) -> dict[str, Any]:
    """Numbers of answers, and means of observed and expected agreement over those with a known margin."""
    known, weights = judged.held_out.known_answers[answers], judged.held_out.counts[answers]
    counts = np.bincount(units[known], weights=weights[known], minlength=n_units)
    n_answers = whole_counts(np.bincount(units, weights=weights, minlength=n_units))
    columns: dict[str, Any] = {"answers": n_answers}
    for name, values in (("agreement", judged.held_out.agreement), ("expected", judged.expected)):
        sums = np.bincount(units[known], weights=weights[known] * values[answers[known]], minlength=n_units)
        columns[name] = np.divide(sums, counts, out=np.full(n_units, np.nan), where=counts > 0)
    return columns
