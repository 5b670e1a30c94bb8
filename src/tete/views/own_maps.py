"""Whether someone whom no map predicts is consistent after all: a map of their own answers, tested on others of theirs.

The map is made at t = 1, t' = 1.75, which is best where answers are few.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from tete.comparisons.folds import folds
from tete.embedding.answer_model import Floats
from tete.embedding.distance_margins import distance_margins
from tete.embedding.estimators import TETE
from tete.exceptions import TeteError
from tete.views.unit_answers import UnitAnswers

__all__ = [
    "AT_CHANCE",
    "LEVEL",
    "OWN_VIEW",
    "TOO_FEW",
    "OwnMap",
    "agreement_of",
    "chance_of",
    "own_map",
    "verdict_alone",
]

TEMPERATURES = (1.0, 1.75)
N_FOLDS = 5
# Of two answers that go together each helps to predict the other, so that a coin's agreement varies more than that of
# so many independent answers: up to 1.6 times in 300 draws. Twice is what symmetric ties could bring at most.
TIED = 2.0
LEVEL = 0.05  # of the tests of all people together
OWN_VIEW = "consistent, but a view of their own"
AT_CHANCE, TOO_FEW = "at chance", "random or another view: too few answers to tell"
ENOUGH_ALONE = 6.0  # answers an object, below which a map of one person's own predicts nothing even if they are careful


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
        found = distance_margins(places, *columns)
        margins[tested] = np.where(np.logical_and.reduce([known[column] for column in columns]), found, 0.0)
    amount = float(mine.counts.sum())
    agreeing = float(mine.counts @ agreement_of(margins))
    return OwnMap(agreeing / amount, chance_of(agreeing / TIED, amount / TIED))


def agreement_of(margins: Floats) -> Floats:
    """1 where the map agrees, 0 where it does not, 1/2 where it says nothing."""
    return np.asarray(0.5 + 0.5 * np.sign(margins))


def chance_of(agreeing: float, amount: float) -> float:
    """Probability that as many of so many fair coins agree; the amounts need not be whole."""
    return float(betainc(agreeing, amount - agreeing + 1.0, 0.5)) if agreeing > 0.0 else 1.0


def verdict_alone(answers: UnitAnswers, unit: int, n_components: int) -> tuple[str, float]:
    """The verdict on a person whom no other map predicts, and how well a map of their own does."""
    tested = own_map(answers, unit, n_components)
    agreement = np.nan if tested is None else tested.agreement
    if tested is not None and tested.chance < LEVEL / answers.n_units:
        return OWN_VIEW, agreement
    given = answers.counts[answers.units == unit].sum()
    few = given < ENOUGH_ALONE * np.sum(answers.triplets.mentions() > 0)
    return TOO_FEW if few else AT_CHANCE, agreement
