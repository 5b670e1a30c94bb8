"""Whether someone whom no map predicts is consistent after all: a map of their own answers, tested on others of theirs.

The map is made at t = 1, t' = 1.75, which is best where answers are few.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from tete.comparisons.folds import folds
from tete.embedding.answer_model import Floats
from tete.embedding.estimators import TETE
from tete.embedding.losses import log_ratios, tete_loss
from tete.exceptions import TeteError
from tete.views.unit_answers import UnitAnswers

__all__ = ["ENOUGH_ALONE", "OwnMap", "answers_per_object", "chance_of", "own_map"]

TEMPERATURES = (1.0, 1.75)
N_FOLDS = 5
ENOUGH_ALONE = 5.0  # answers an object, below which a map of one person's own predicts nothing even if they are careful


class OwnMap(NamedTuple):
    """How many of a person's unseen answers a map of their other ones predicts, and how easily a coin would."""

    agreement: float
    chance: float


def own_map(answers: UnitAnswers, unit: int, n_components: int) -> OwnMap | None:
    """Test a person's answers on maps of the person's other answers; None where that cannot be done."""
    mine = answers.select(answers.units == unit)
    blocks = np.unique(mine.questions, return_inverse=True)[1]
    if blocks.max() + 1 < 2 * N_FOLDS:
        return None
    margins = np.zeros(len(blocks))
    maker = TETE(n_components, t=TEMPERATURES[0], t_prime=TEMPERATURES[1], tol=1e-4, n_jobs=1)
    for others, tested in folds(N_FOLDS, blocks, 0):
        train, test = mine.triplets.select(others), mine.triplets.select(tested)
        try:
            places = maker.map_of(train.with_weights(mine.counts[others]))
        except TeteError:  # the answers cancel each other out or go in circles
            continue
        known = train.mentions() > 0
        columns = (test.anchor, test.near, test.far)
        found = -log_ratios(tete_loss(*TEMPERATURES), np.ascontiguousarray(places), *columns)
        margins[tested] = np.where(np.logical_and.reduce([known[column] for column in columns]), found, 0.0)
    amount = float(mine.counts.sum())
    agreeing = float(mine.counts @ agreement_of(margins))
    return OwnMap(agreeing / amount, chance_of(agreeing, amount))


def agreement_of(margins: Floats) -> Floats:
    """1 where the map agrees, 0 where it does not, 1/2 where it says nothing."""
    return np.asarray(0.5 + 0.5 * np.sign(margins))


def chance_of(agreeing: float, amount: float) -> float:
    """Probability that as many of so many fair coins agree; the amounts need not be whole."""
    return float(betainc(agreeing, amount - agreeing + 1.0, 0.5)) if agreeing > 0.0 else 1.0


def answers_per_object(answers: UnitAnswers, units: NDArray[np.bool_]) -> float:
    """How many answers these units gave to each object that anybody mentions."""
    n_objects = int(np.sum(answers.triplets.mentions() > 0))
    return float(answers.counts[units[answers.units]].sum()) / n_objects
