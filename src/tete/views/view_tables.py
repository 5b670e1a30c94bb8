"""Tables of people and of views: see `multiview.MultiViewTETE` for the columns."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tete.embedding.answer_model import Floats
from tete.views.cross_fitting import Solution
from tete.views.own_maps import ENOUGH_ALONE, OwnMap, agreement_of, answers_per_object, own_map
from tete.views.unit_answers import UnitAnswers

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AT_CHANCE", "NO_VIEW", "OTHER_VIEW", "OWN_VIEW", "REVERSED", "TOO_FEW", "people_table", "view_numbers"]

LEVEL = 0.05  # of tests of maps of people's own, all of them together
SURE, LIKELY = 0.95, 0.5  # probabilities from which a verdict is given: where it accuses or sets apart, and else
RELIABLE = 0.2  # kinds above this answer as a view does
NO_VIEW = -1  # of people at chance, as scikit-learn's clusterings number what is in no cluster
OTHER_VIEW, OWN_VIEW = "consistent, but another view", "consistent, but a view of their own"
AT_CHANCE, REVERSED, UNCLEAR = "at chance", "reversed", "unclear"
TOO_FEW = "random or another view: too few answers to tell"


def view_numbers(found: Solution) -> NDArray[np.int64]:
    """For each unit its likeliest view, or -1 for those that rather toss coins."""
    members = found.memberships
    return np.where(members.at_chance > LIKELY, NO_VIEW, np.argmax(members.views, axis=1))


def people_table(answers: UnitAnswers, found: Solution, n_components: int) -> "pd.DataFrame":
    """One row a person."""
    import pandas as pd  # noqa: PLC0415

    verdicts, alone = _verdicts(answers, found, n_components)
    numbers, members = view_numbers(found), found.memberships
    agreement = np.column_stack([_agreement(answers, margins) for margins in found.margins])
    rows = np.arange(answers.n_units)
    return pd.DataFrame(
        {
            "answers": np.bincount(answers.units, weights=answers.counts, minlength=answers.n_units),
            "view": numbers,
            "probability": members.views[rows, np.argmax(members.views, axis=1)],
            "reliability": members.reliabilities,
            "agreement": agreement[rows, np.argmax(members.views, axis=1)],
            "with_largest": agreement[:, 0],
            "with_own_map": [np.nan if each is None else each.agreement for each in alone],
            "verdict": verdicts,
        },
        index=pd.Index(answers.labels, name="annotator"),
    )


def _agreement(answers: UnitAnswers, margins: Floats) -> Floats:
    """For each unit the share of its answers that maps made without them agree with."""
    amounts = answers.by_unit(np.ones(len(margins)))
    return np.asarray(answers.by_unit(agreement_of(margins)) / amounts)


def _verdicts(answers: UnitAnswers, found: Solution, n_components: int) -> tuple[list[str], list[OwnMap | None]]:
    """Of each person; those at chance are tested on a map of their own."""
    members = found.memberships
    steady = members.probabilities[:, :, members.kinds.reliability > RELIABLE].sum(axis=2)
    kinds = np.full(answers.n_units, UNCLEAR, dtype=object)
    kinds[steady[:, 0] > LIKELY] = "ordinary"
    kinds[steady[:, 1:].sum(axis=1) > SURE] = OTHER_VIEW
    kinds[members.at_chance > LIKELY] = AT_CHANCE
    kinds[members.reversed > SURE] = REVERSED
    alone: list[OwnMap | None] = [None] * answers.n_units
    for unit in np.flatnonzero(kinds == AT_CHANCE):
        alone[unit] = tested = own_map(answers, int(unit), n_components)
        if tested is not None and tested.chance < LEVEL / answers.n_units:
            kinds[unit] = OWN_VIEW
        elif answers_per_object(answers, np.arange(answers.n_units) == unit) < ENOUGH_ALONE:
            kinds[unit] = TOO_FEW
    return kinds.tolist(), alone
