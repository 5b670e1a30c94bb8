"""Maps of views and who belongs to them, in turn, so that no answer vouches for itself.

Answers are halved within each person. The maps of one half are scored on the other, the scores of both say who belongs
to which view (`mixture`), and that says how much each answer counts in the next maps.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tete.core.types import Embedding
from tete.embedding.answer_model import AnswerModel, Floats
from tete.embedding.distance_margins import distance_margins
from tete.embedding.estimators import TETE
from tete.exceptions import InvalidTripletsError, TeteError
from tete.views.mixture import HARDLY_ANY, Kinds, Memberships, fit_model, likelihoods, memberships
from tete.views.unit_answers import UnitAnswers

__all__ = ["CrossFit", "MapMaker", "Solution"]

LEAST_WEIGHT = 0.02  # units that count less in a view are left out of its map
FEW_STEPS = 20  # of L-BFGS, from the map of the round before
LOOSE = 1e-4  # tolerance of the maps inside
# Likelihoods count less in the first rounds, while maps are rough: else everybody stays where the start put them.
ANNEALING = (0.3, 0.6)
CLOSE_ENOUGH = 0.02  # rounds end when no probability changes by more


@dataclass(frozen=True)
class MapMaker:
    """How maps are made: in which dimension and at which temperatures."""

    n_components: int
    t: float
    t_prime: float
    n_jobs: int | None

    def make(
        self, answers: UnitAnswers, weights: Floats, start: Embedding | None = None, *, tol: float = LOOSE
    ) -> Embedding | None:
        """The map of the answers, each counting by its unit's weight, or None where they make none.

        From a start it takes few steps.
        """
        counted = weights[answers.units] > LEAST_WEIGHT
        amounts = (answers.counts * weights[answers.units])[counted]
        if amounts.sum() < HARDLY_ANY:
            return None
        chosen = replace(answers.triplets.select(counted), weights=amounts, groups=None)
        maker = TETE(self.n_components, t=self.t, t_prime=self.t_prime, tol=tol, n_jobs=self.n_jobs)
        if start is not None:
            maker.set_params(max_iter=FEW_STEPS)
        try:
            return maker.map_of(chosen, start=start)
        except TeteError:  # the answers cancel each other out or go in circles
            return None

    def margins(self, answers: UnitAnswers, places: Embedding | None, known: NDArray[np.bool_]) -> Floats:
        """By how much the map agrees with each triplet; 0, which says nothing, where it does not know the objects."""
        triplets = answers.triplets
        if places is None:
            return np.zeros(len(triplets))
        columns = (triplets.anchor, triplets.near, triplets.far)
        found = distance_margins(places, *columns)
        return np.where(np.logical_and.reduce([known[column] for column in columns]), found, 0.0)


class Solution(NamedTuple):
    """Views of the answers: maps of both halves (which are scored on the other), margins and memberships."""

    maps: list[list[Embedding | None]]
    margins: list[Floats]
    models: list[AnswerModel]
    memberships: Memberships
    n_rounds: int

    @property
    def n_views(self) -> int:
        """How many views there are."""
        return len(self.models)

    @property
    def total(self) -> float:
        """Log-likelihood of all answers on maps made without them."""
        return self.memberships.total

    def ordered(self, order: NDArray[np.int64]) -> "Solution":
        """The same with the views in another order."""
        members = self.memberships
        return self._replace(
            maps=[[of_half[view] for view in order] for of_half in self.maps],
            margins=[self.margins[view] for view in order],
            models=[self.models[view] for view in order],
            memberships=replace(
                members, probabilities=members.probabilities[:, order], view_shares=members.view_shares[order]
            ),
        )


class CrossFit:
    """Answers in two halves, and the rounds of fitting.

    `halves` are the answers of each half, `rows` their places among all, and `known` the objects that they mention.
    """

    def __init__(self, answers: UnitAnswers, maker: MapMaker, kinds: Kinds, rng: np.random.Generator) -> None:
        self.answers, self.maker, self.kinds, self.rng = answers, maker, kinds, rng
        second = answers.halves(rng)
        if second.all() or not second.any():
            raise InvalidTripletsError(
                f"The {answers.n_answers:g} answers are to too few questions for two halves that test each other."
            )
        self.rows = [np.flatnonzero(~second), np.flatnonzero(second)]
        self.halves = [answers.select(~second), answers.select(second)]
        self.known = [half.triplets.mentions() > 0 for half in self.halves]

    def run(
        self,
        weights: Floats,
        *,
        n_rounds: int,
        maps: list[list[Embedding | None]] | None = None,
        annealed: bool = True,
    ) -> Solution:
        """Rounds from these weights of units in views (and maps, if there are any) on."""
        n_views = weights.shape[1]
        maps = [[None] * n_views for _ in range(2)] if maps is None else maps
        view_shares, kind_shares = np.full(n_views, 1.0 / n_views), self.kinds.first_shares
        temper = ANNEALING if annealed and n_views > 1 else ()
        before = None
        for number in range(n_rounds):
            maps, margins = self._mapped(weights, maps)
            counts = self.answers.counts
            models = [fit_model(margins[view], counts * weights[self.answers.units, view]) for view in range(n_views)]
            likelihood = likelihoods(self.answers, margins, models, self.kinds)
            likelihood *= temper[number] if number < len(temper) else 1.0
            found = memberships(self.answers, likelihood, view_shares, kind_shares, self.kinds)
            view_shares, kind_shares, weights = found.view_shares, found.kind_shares, found.weights
            settled = before is not None and np.abs(found.probabilities - before).max() < CLOSE_ENOUGH
            if settled and number >= len(temper):
                break
            before = found.probabilities
        return Solution(maps, margins, models, found, number + 1)

    def _mapped(
        self, weights: Floats, maps: list[list[Embedding | None]]
    ) -> tuple[list[list[Embedding | None]], list[Floats]]:
        """Maps of both halves for each view, and the margins of each half on the other's maps."""
        new: list[list[Embedding | None]] = [[], []]
        margins = [np.empty(len(self.answers.units)) for _ in range(weights.shape[1])]
        for half in (0, 1):
            for view, of_view in enumerate(margins):
                places = self.maker.make(self.halves[half], weights[:, view], maps[half][view])
                new[half].append(places)
                tested = self.halves[1 - half]
                of_view[self.rows[1 - half]] = self.maker.margins(tested, places, self.known[half])
        return new, margins

    def scored(self, margins: Floats, weights: Floats) -> Memberships:
        """Who is how reliable, if there is one view with these margins: some rounds of models and memberships."""
        kind_shares, one = self.kinds.first_shares, np.ones(1)
        for _ in range(5):
            model = fit_model(margins, self.answers.counts * weights[self.answers.units])
            likelihood = likelihoods(self.answers, [margins], [model], self.kinds)
            found = memberships(self.answers, likelihood, one, kind_shares, self.kinds)
            kind_shares, weights = found.kind_shares, found.weights[:, 0]
        return found
