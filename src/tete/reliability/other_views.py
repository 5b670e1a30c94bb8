"""People who seem careless on the map of all, but are consistent in another way.

Whether people deviate from the map alike is seen from the margins alone (`shared_deviations`). Only where they do, and
answers are enough, views are looked for as `MultiViewTETE` does; their maps, too, are tested on answers that they have
not seen. People at chance whom no view predicts get a map of their own answers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.embedding.answer_model import fit_answer_model
from tete.reliability.held_out import HeldOutAnswers
from tete.views.cross_fitting import CrossFit, MapMaker
from tete.views.mixture import PERSON_KINDS
from tete.views.own_maps import verdict_alone
from tete.views.shared_deviations import is_deviation_shared
from tete.views.unit_answers import UnitAnswers
from tete.views.view_search import find_views
from tete.views.view_tables import AT_CHANCE, CONSISTENT, REVERSED, TOO_FEW, largest_first, people_table
from tete.views.views_summary import ANSWERS_PER_OBJECT

__all__ = ["people_columns"]

Flags = NDArray[np.bool_]

TEMPERATURES = (2.0, 1.5)  # as in `MultiViewTETE`


def people_columns(
    held_out: HeldOutAnswers, less: Flags, at_chance: Flags, is_reversed: Flags, n_components: int
) -> dict[str, Any]:
    """Columns of the table of annotators: reversed, at_chance, other_view, with_other_map and verdict.

    Parameters
    ----------
    held_out : HeldOutAnswers
        With annotators.
    less, at_chance, is_reversed : arrays of booleans, one for each annotator
        Whether they agree with the map clearly less than ordinary people, no better than a coin, and clearly worse.
    n_components : int
        Dimensions of the map.
    """
    answers = UnitAnswers.of(held_out.triplets)
    found = _by_views(held_out, answers, less & ~is_reversed, n_components)
    if found is None:
        verdict, agreement = np.full(len(less), "ordinary", dtype=object), np.full(len(less), np.nan)
        verdict[is_reversed] = REVERSED
        for unit in np.flatnonzero(at_chance):
            verdict[unit], agreement[unit] = verdict_alone(answers, int(unit), n_components)
    else:
        verdict, agreement = found
    other = np.isin(verdict, CONSISTENT)
    return {
        "reversed": verdict == REVERSED,
        "at_chance": np.isin(verdict, (AT_CHANCE, TOO_FEW)),
        "other_view": other,
        "with_other_map": agreement,
        "verdict": verdict,
    }


def _by_views(
    held_out: HeldOutAnswers, answers: UnitAnswers, deviating: Flags, n_components: int
) -> tuple[NDArray[np.object_], NDArray[np.float64]] | None:
    """Verdicts and how well other maps do, if there are several views; None if there is one, or none can be found."""
    needed = ANSWERS_PER_OBJECT * int(np.sum(answers.triplets.mentions() > 0))
    if answers.n_answers < 2 * needed:
        return None
    margins = np.nan_to_num(held_out.margins[answers.rows])
    model, rng = fit_answer_model(margins, answers.counts), np.random.default_rng(0)
    if not is_deviation_shared(answers, margins, model, deviating, rng):
        return None
    maker = MapMaker(n_components, *TEMPERATURES, n_jobs=1)
    views = find_views([CrossFit(answers, maker, PERSON_KINDS, stream) for stream in rng.spawn(2)], None).solution
    if views.n_views == 1:
        return None
    people = people_table(answers, largest_first(answers, views), n_components)
    agreement = people["agreement"].where(people["view"] > 0).fillna(people["with_own_map"])
    return people["verdict"].to_numpy(dtype=object), agreement.to_numpy()
