"""Tables of people and of views: see `multiview.MultiViewTETE` for the columns."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tete.core.printing import whole_counts
from tete.embedding.answer_model import Floats
from tete.views.cross_fitting import Solution
from tete.views.own_maps import AT_CHANCE, LEVEL, OWN_VIEW, TOO_FEW, agreement_of, chance_of, verdict_alone
from tete.views.unit_answers import UnitAnswers

if TYPE_CHECKING:
    import pandas as pd

    from tete.comparisons.triplets import Triplets

__all__ = [
    "AT_CHANCE",
    "CONSISTENT",
    "OTHER_VIEW",
    "REVERSED",
    "TOO_FEW",
    "answers_table",
    "largest_first",
    "people_table",
    "view_numbers",
]

SURE, LIKELY = 0.95, 0.5  # probabilities from which a verdict is given: where it accuses or sets apart, and else
RELIABLE, HALF = 0.2, 0.5  # kinds above the first answer as a view does, those below the second less than ordinarily
NO_VIEW = -1  # as scikit-learn's clusterings number what is in no cluster
OTHER_VIEW, REVERSED, UNCLEAR = "consistent, but another view", "reversed", "unclear"
CONSISTENT = (OTHER_VIEW, OWN_VIEW)
OF_NO_VIEW = (AT_CHANCE, TOO_FEW, REVERSED, OWN_VIEW)


def view_numbers(found: Solution) -> NDArray[np.int64]:
    """For each unit its likeliest view, or -1 for those that rather toss coins.

    That is all that is known of an answer; `people_table` says more of people.
    """
    members = found.memberships
    return np.where(members.at_chance > LIKELY, NO_VIEW, np.argmax(members.views, axis=1))


def largest_first(answers: UnitAnswers, found: Solution) -> Solution:
    """The views in the order of how much reliable people, or answers, there are of each."""
    return found.ordered(np.argsort(-(answers.repeats @ found.memberships.weights), kind="stable"))


def people_table(answers: UnitAnswers, found: Solution, n_components: int) -> "pd.DataFrame":
    """One row a person."""
    import pandas as pd  # noqa: PLC0415

    verdicts, alone = _verdicts(answers, found, n_components)
    members = found.memberships
    numbers = np.where(np.isin(verdicts, OF_NO_VIEW), NO_VIEW, np.argmax(members.views, axis=1))
    agreement = np.column_stack([_agreement(answers, margins) for margins in found.margins])
    rows = np.arange(answers.n_units)
    return pd.DataFrame(
        {
            "answers": whole_counts(np.bincount(answers.units, weights=answers.counts, minlength=answers.n_units)),
            "view": numbers,
            "probability": np.minimum(members.views[rows, np.argmax(members.views, axis=1)], 1.0),
            "reliability": members.reliabilities,
            "agreement": agreement[rows, np.argmax(members.views, axis=1)],
            "with_largest": agreement[:, 0],
            "with_own_map": alone,
            "verdict": verdicts,
        },
        index=pd.Index(answers.labels, name="annotator"),
    )


def answers_table(
    triplets: "Triplets", rows: NDArray[np.int64], units: NDArray[np.int64], found: Solution
) -> "pd.DataFrame":
    """One row an answer, in the order in which they came; `rows` are their first triplets, `units` their numbers."""
    import pandas as pd  # noqa: PLC0415

    order = np.argsort(rows, kind="stable")
    rows, units, members = rows[order], units[order], found.memberships
    columns: dict[str, Any] = {"row": rows}
    if triplets.lines is not None:
        columns["line"] = triplets.lines[rows]
    for role in ("anchor", "near", "far"):
        columns[role] = [triplets.name_of(number) for number in getattr(triplets, role)[rows]]
    if triplets.annotators is not None:
        columns["annotator"] = triplets.annotators[rows]
    columns["view"] = view_numbers(found)[units]
    columns["probability"] = np.minimum(members.views.max(axis=1)[units], 1.0)
    columns["reliability"] = members.reliabilities[units]
    labels = rows if triplets.answers is None else triplets.answers[rows]
    return pd.DataFrame(columns, index=pd.Index(labels, name="answer"))


def _agreement(answers: UnitAnswers, margins: Floats) -> Floats:
    """For each unit the share of its answers that maps made without them agree with."""
    amounts = answers.by_unit(np.ones(len(margins)))
    return np.asarray(answers.by_unit(agreement_of(margins)) / amounts)


def _shows_no_sign(answers: UnitAnswers, found: Solution) -> NDArray[np.bool_]:
    """Who agrees with no view more clearly than one of so many coins may."""
    amounts = answers.by_unit(np.ones(len(answers.units)))
    agreeing = np.max([answers.by_unit(agreement_of(margins)) for margins in found.margins], axis=0)
    chances = [chance_of(*both) for both in zip(agreeing, amounts, strict=True)]
    return np.asarray(np.array(chances) >= LEVEL / answers.n_units)


def _verdicts(answers: UnitAnswers, found: Solution, n_components: int) -> tuple[list[str], Floats]:
    """Of each person, and for those at chance how well a map of their own does."""
    members = found.memberships
    steady = members.probabilities[:, :, members.kinds.reliability > RELIABLE].sum(axis=2)
    ordinarily = members.probabilities[:, :, members.kinds.reliability > HALF].sum(axis=(1, 2))
    is_coin_like = _shows_no_sign(answers, found)
    verdicts = np.full(answers.n_units, UNCLEAR, dtype=object)
    # Few answers show no sign of anybody; who is likely to answer less than ordinarily must show one.
    verdicts[(steady[:, 0] > LIKELY) & ~(is_coin_like & (ordinarily < LIKELY))] = "ordinary"
    verdicts[steady[:, 1:].sum(axis=1) > SURE] = OTHER_VIEW
    verdicts[(members.at_chance > LIKELY) | (is_coin_like & (ordinarily < 1.0 - SURE))] = AT_CHANCE
    verdicts[members.reversed > SURE] = REVERSED
    alone = np.full(answers.n_units, np.nan)
    for unit in np.flatnonzero(verdicts == AT_CHANCE):
        verdicts[unit], alone[unit] = verdict_alone(answers, int(unit), n_components)
    return verdicts.tolist(), alone
