"""New objects on a finished map, from a handful of answers about them; the map itself does not move.

A handful of answers leaves much open, often several separate places, and a few of the answers are wrong. So a new
object is put at the mean of all places it may have, each weighted by the probability of its answers there
(`answer_model`) and by a normal prior with the spread of the map; their covariance is the uncertainty. With 20 answers
this is nearer to the truth than the place of least loss.

The mean is taken over draws, the first from the prior, the next from the normal distribution that fits the weighted
draws so far (adaptive importance sampling). Answers that compare new objects with each other are used in further
sweeps, in which each is placed again beside the others. The cost depends on the new objects and their answers alone.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.embedding.answer_model import AnswerModel
from tete.embedding.distance_margins import distance_margins
from tete.exceptions import InvalidTripletsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NewPlaces", "beside_map", "place_beside"]

# With these numbers the ellipses of benchmarks/results/selection.md were measured; others are not recorded as tried.
N_DRAWS = 500  # a round
N_ROUNDS = 6
N_SWEEPS = 3  # where new objects are compared with each other
FEWEST_EFFECTIVE_DRAWS = 50  # a tenth of a round: of fewer, the next round's covariance would be mostly chance


@dataclass(frozen=True)
class NewPlaces:
    """Where new objects are on a map, and how well that is known.

    Attributes
    ----------
    names : tuple
        Names of the new objects, or their numbers.
    embedding : array of shape (n_new, n_components)
        Their places.
    covariance : array of shape (n_new, n_components, n_components)
        Uncertainty of each place, the map being taken as certain.
    n_answers : array of n_new numbers
        How many triplets mention each.

    Examples
    --------
    >>> from tete import TETE
    >>> model = TETE(1).on_map([[0.0], [2.0], [4.0], [8.0]])
    >>> placed = model.place_new([(4, 3, 2), (4, 3, 1), (3, 4, 2)])  # object 4 is like object 3
    >>> placed.names, placed.n_answers.tolist(), bool(placed.embedding[0, 0] > 4)
    ((4,), [3], True)
    >>> placed.radii().shape, bool(placed.contains(placed.embedding)[0])
    ((1, 1), True)
    >>> list(placed.to_frame().columns)
    ['object', 'x1', 'radius1', 'n_answers']
    """

    names: tuple[Hashable, ...]
    embedding: Embedding
    covariance: NDArray[np.float64]
    n_answers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)

    def radii(self, level: float = 0.9) -> NDArray[np.float64]:
        """Half axes of the ellipses that contain the true place with this probability, the longest first.

        Parameters
        ----------
        level : float in (0, 1), default=0.9
            The probability.

        Returns
        -------
        array of shape (n_new, n_components)
            In units of the map.
        """
        spread = np.linalg.eigvalsh(self.covariance)[:, ::-1]
        return np.asarray(np.sqrt(np.maximum(spread, 0.0) * _chi_square(level, self.embedding.shape[1])))

    def contains(self, places: NDArray[np.float64], level: float = 0.9) -> NDArray[np.bool_]:
        """Whether each of these places is within the ellipse of its object.

        Parameters
        ----------
        places : array of shape (n_new, n_components)
            One place for each new object.
        level : float in (0, 1), default=0.9
            The probability.

        Returns
        -------
        array of n_new booleans
            True within the ellipse.
        """
        away = places - self.embedding
        inverse = np.linalg.inv(self.covariance)
        distance = np.einsum("ni,nij,nj->n", away, inverse, away)
        return np.asarray(distance <= _chi_square(level, self.embedding.shape[1]))

    def to_frame(self) -> "pd.DataFrame":
        """A table with the places, the half axes of the 90 % ellipses, and the numbers of answers.

        Returns
        -------
        DataFrame
            One row a new object: object, x1, ..., radius1, ..., n_answers.
        """
        import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

        n_components = self.embedding.shape[1]
        columns = {f"x{place + 1}": self.embedding[:, place] for place in range(n_components)}
        radii = {f"radius{place + 1}": column for place, column in enumerate(self.radii().T)}
        return pd.DataFrame({"object": list(self.names), **columns, **radii, "n_answers": self.n_answers})


def beside_map(triplets: Triplets, names: tuple[Hashable, ...] | None, n_objects: int) -> Triplets:
    """The triplets with the map's objects numbered as on the map and all others after them."""
    if triplets.names is None:
        new_names = None if names is None else (*names, *range(n_objects, max(triplets.n_objects, n_objects)))
        return replace(triplets, names=new_names, n_objects=max(triplets.n_objects, n_objects))
    if names is None and all(isinstance(name, int) for name in triplets.names):  # numbers without the map's object 0
        numbers = np.array(triplets.names)
        return beside_map(triplets.renumbered(numbers, int(numbers.max()) + 1), None, n_objects)
    if names is None:
        raise InvalidTripletsError("The triplets name their objects, but the map was fitted without names.")
    number_of = {name: number for number, name in enumerate(names)}
    mentioned = triplets.mentions() > 0
    new = [name for name, used in zip(triplets.names, mentioned, strict=True) if used and name not in number_of]
    number_of |= {name: n_objects + place for place, name in enumerate(new)}
    numbers = np.array([number_of.get(name, 0) for name in triplets.names])
    return replace(triplets.renumbered(numbers, n_objects + len(new)), names=(*names, *new))


def place_beside(model: AnswerModel, embedding: Embedding, triplets: Triplets) -> NewPlaces:
    """Place the objects of the triplets that come after those of the map; see `beside_map`."""
    n_known = len(embedding)
    about_new = (triplets.to_array() >= n_known).any(axis=1)
    if not about_new.any():
        raise InvalidTripletsError("At least one triplet must mention a new object, got none.")
    used = triplets.select(about_new)
    mentions = used.mentions()
    objects = np.flatnonzero(mentions)
    n_frozen = int(np.sum(objects < n_known))
    if not n_frozen:
        raise InvalidTripletsError(
            f"At least one triplet must compare a new object with those of the map, got none: "
            f"{triplets.name_of(int(objects[0]))!r} and all others are not on it."
        )
    local = used.renumbered(np.cumsum(mentions > 0) - 1, len(objects))
    newcomers = _Newcomers(model, _Normal.of(embedding), embedding[objects[:n_frozen]], local)
    newcomers.place_all()
    new = objects[n_frozen:]
    return NewPlaces(
        names=tuple(triplets.name_of(int(number)) for number in new),
        embedding=newcomers.places[n_frozen:],
        covariance=newcomers.covariance,
        n_answers=mentions[new],
    )


class _Normal(NamedTuple):
    """A normal distribution of places."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @classmethod
    def of(cls, places: Embedding, weights: NDArray[np.float64] | None = None) -> "_Normal":
        """The one that fits these places."""
        mean = np.average(places, axis=0, weights=weights)
        spread = np.atleast_2d(np.cov(places.T, aweights=weights, bias=True))
        floor = max(1e-9 * float(np.trace(spread)), np.finfo(float).tiny)
        return cls(mean, spread + floor * np.eye(len(mean)))

    def draws(self, standard: Embedding) -> Embedding:
        """Standard normal draws turned into this distribution's."""
        return np.asarray(self.mean + standard @ np.linalg.cholesky(self.covariance).T)

    def log_density(self, places: Embedding) -> NDArray[np.float64]:
        """Up to a constant that is the same for all normal distributions."""
        root = np.linalg.cholesky(self.covariance)
        scaled = np.linalg.solve(root, (places - self.mean).T)
        return np.asarray(-0.5 * np.sum(scaled**2, axis=0) - np.sum(np.log(np.diag(root))))


class _Newcomers:
    """Objects to be placed, numbered after the frozen ones that their answers mention."""

    def __init__(self, model: AnswerModel, prior: _Normal, frozen: Embedding, triplets: Triplets) -> None:
        self.model, self.prior, self.rows = model, prior, triplets.to_array()
        self.weights = triplets.weights_or_ones()
        self.new = range(len(frozen), triplets.n_objects)
        self.places = np.concatenate([frozen, np.tile(prior.mean, (len(self.new), 1))])
        self.covariance = np.tile(prior.covariance, (len(self.new), 1, 1))

    def place_all(self) -> None:
        """Each by itself, then, where answers compare new objects with each other, beside the others."""
        n_new_in_row = np.sum(self.rows >= self.new.start, axis=1)
        mine = {number: np.flatnonzero((self.rows == number).any(axis=1)) for number in self.new}
        for number, rows in mine.items():
            alone = rows[n_new_in_row[rows] == 1]
            if len(alone):
                self._place(number, alone)
        together = [number for number, rows in mine.items() if (n_new_in_row[rows] > 1).any()]
        for _ in range(N_SWEEPS):
            for number in together:
                self._place(number, mine[number])

    def _place(self, number: int, rows: NDArray[np.int64]) -> None:
        """Mean and covariance of the places that these answers leave open for one object."""
        n_components = self.places.shape[1]
        standard = np.random.default_rng(0).normal(size=(N_ROUNDS, N_DRAWS, n_components))  # the same for every object
        proposals, draws = [self.prior], np.empty((0, n_components))
        targets = np.empty(0)
        for place in range(N_ROUNDS):
            fresh = proposals[-1].draws(standard[place])
            draws = np.concatenate([draws, fresh])
            targets = np.concatenate(
                [targets, self.prior.log_density(fresh) + self._log_likelihood(number, rows, fresh)]
            )
            densities = np.logaddexp.reduce([proposal.log_density(draws) for proposal in proposals], axis=0)
            log_weights = targets - densities
            final = place == N_ROUNDS - 1
            proposals.append(_Normal.of(draws, _weights(log_weights, 0.0 if final else FEWEST_EFFECTIVE_DRAWS)))
        self.places[number], self.covariance[number - self.new.start] = proposals[-1]

    def _log_likelihood(self, number: int, rows: NDArray[np.int64], draws: Embedding) -> NDArray[np.float64]:
        """Of the answers, for each of the places that the object may have."""
        columns = np.repeat(self.rows[rows].astype(np.int32)[None], len(draws), axis=0)
        moved = np.arange(len(draws), dtype=np.int32)[:, None, None] + np.int32(len(self.places))
        columns = np.where(columns == number, moved, columns).reshape(-1, 3).T
        margins = distance_margins(np.concatenate([self.places, draws]), *np.ascontiguousarray(columns))
        surprise = np.log(self.model.probability(margins)).reshape(len(draws), len(rows))
        return np.asarray(surprise @ self.weights[rows])


def _chi_square(level: float, freedom: int) -> float:
    """The quantile of the chi-square distribution."""
    return float(2.0 * gammaincinv(freedom / 2.0, level))


def _weights(log_weights: NDArray[np.float64], fewest: float) -> NDArray[np.float64]:
    """Weights of draws, flattened until so many draws count: a few heavy ones would make the next round too narrow."""
    flat = 1.0
    while True:
        weights = np.exp(flat * (log_weights - log_weights.max()))
        weights /= weights.sum()
        if 1.0 / np.sum(weights**2) >= fewest:
            return np.asarray(weights)
        flat *= 0.7
