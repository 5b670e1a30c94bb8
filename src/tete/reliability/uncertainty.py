"""How sure the places on a map are: maps of resampled answers, laid over the map as well as possible.

Whole answers, or people with all their answers, are drawn with replacement, each resampled set is fitted from the map
on, and the result is moved, turned, mirrored and resized to lie on the map (Procrustes). The spread about the map, not
about the replicates' own mean, counts: so it includes the shift that resampling itself causes. The way in which a loss
bends distances, which more answers do not cure, is seen by taking the map for the truth: answers to the same questions
are drawn from it (`answer_model`), and how far their maps are off on average, the drift, is counted too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import f as f_distribution

from tete.comparisons.by_people import By, check_by, numbers_of_people
from tete.comparisons.reading import as_triplets
from tete.comparisons.resampling import EqualAnswers
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.geometry import principal_axes
from tete.core.randomness import RandomState, make_generator
from tete.core.types import Embedding
from tete.core.validation import check_interval, check_map, check_whole
from tete.embedding.fitted_map import FittedMap
from tete.exceptions import InvalidParameterError, SmallEllipsesWarning, warn
from tete.metrics.alignment import procrustes_align

__all__ = ["Uncertainty", "position_uncertainty"]

FEWEST_REPLICATES = 10  # with 10, ellipses in a plane are a fifth wider than if covariances were known; with 5, a half
# Share of the drift's square: its direction at the map is not quite its direction at the truth. Chosen on 12 draws of
# their own; without it 0.82 to 0.87 instead of 0.90 were inside in a plane with most answers (docs/method.md).
SIDEWAYS = 0.1
LARGEST_T_PRIME = 1.5  # at t = 2 in space: 0.55 to 0.88 inside beyond, 0.88 to 0.96 at it (docs/method.md)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Uncertainty of the places on a map.

    Attributes
    ----------
    covariances : array of shape (n_objects, n_components, n_components)
        Covariance of each object's place about the true one, drift included; NaN for objects without answers,
        and for those that fewer than half of the resampled sets of answers mention.
    stability : float
        Share of the map's spread that maps of resampled answers reproduce: 1 is a map that further answers of the same
        kind would not change, 0 one that says nothing.
    n_replicates : int
        Number of resampled maps.
    n_people : int or None
        Number of people who were drawn, each with all their answers; None where answers were drawn one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from tete import Uncertainty
    >>> sureness = Uncertainty(0.01 * np.ones((3, 1, 1)) * np.eye(2), stability=0.98, n_replicates=40)
    >>> sureness.ellipses([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])[:, :2].round(2).tolist()  # widths and heights
    [[0.45, 0.45], [0.45, 0.45], [0.45, 0.45]]
    >>> sureness.by, round(sureness.radius(), 2)
    ('answers', 2.24)
    """

    covariances: NDArray[np.float64]
    stability: float
    n_replicates: int
    n_people: int | None = None

    @property
    def by(self) -> By:
        """What was drawn.

        Returns
        -------
        str
            "answers" or "annotators".
        """
        return "answers" if self.n_people is None else "annotators"

    def radius(self, level: float = 0.9) -> float:
        """Standard deviations that a region reaches to hold the true place with this probability.

        From Hotelling's distribution, because the covariances are themselves estimated from few replicates, and the
        replicates from few people.

        Parameters
        ----------
        level : float in (0, 1), default=0.9
            The probability.

        Returns
        -------
        float
            The radius.
        """
        check_interval("level", level, 0.0, 1.0, closed=False)
        size, freedom = self.covariances.shape[1], self.n_replicates
        if self.n_people is not None:
            freedom = min(freedom, self.n_people - 1)
        quantile = float(f_distribution.ppf(level, size, freedom - size + 1))
        return float(np.sqrt(size * freedom / (freedom - size + 1) * quantile))

    def ellipses(self, embedding: ArrayLike, level: float = 0.9) -> NDArray[np.float64]:
        """Width, height and angle (anticlockwise, in radians) of each object's ellipse as the map is drawn.

        Beyond two dimensions that is on the first two principal axes. Without answers there is no ellipse: zeros.

        Parameters
        ----------
        embedding : array of shape (n_objects, n_components)
            The fitted map.
        level : float in (0, 1), default=0.9
            The probability.

        Returns
        -------
        array of shape (n_objects, 3)
            Widths, heights and angles.

        Raises
        ------
        InvalidParameterError
            If the map is not of the shape of the fitted one.
        """
        places = check_map("embedding", embedding)
        if places.shape != self.covariances.shape[:2]:
            raise InvalidParameterError(
                f"`embedding` must have the shape {self.covariances.shape[:2]} of the fitted map, got {places.shape}."
            )
        onto = np.eye(places.shape[1], 2)
        if places.shape[1] > 2:
            centred = places - places.mean(axis=0)
            onto = np.linalg.lstsq(centred, principal_axes(places, 2))[0]
        variances, axes = np.linalg.eigh(onto.T @ np.nan_to_num(self.covariances) @ onto)
        lengths = 2.0 * self.radius(level) * np.sqrt(np.maximum(variances[:, ::-1], 0.0))
        return np.column_stack([lengths, np.arctan2(axes[:, 1, 1], axes[:, 0, 1])])


@filled_from(as_triplets)
def position_uncertainty(
    estimator: FittedMap,
    X: Any,
    y: ArrayLike | None = None,
    *,
    n_replicates: int = 40,
    by: By | None = None,
    random_state: RandomState = 0,
) -> Uncertainty:
    """Resample the answers a fitted map was made from, and say how far its places move.

    From three dimensions on, t = 2 with t' above 1.5 flattens maps, which resampling does not see: a warning says so.

    Parameters
    ----------
    estimator : triplet embedding, fitted
        `TETE`, a baseline or `TETECV`, with its map. It is left alone.
    n_replicates : int, default=40
        Number of resampled maps, at least 10 and enough for the dimensions of the map.
    by : "answers", "annotators" or None, default=None
        What is drawn again and again: whole answers, or people with all their answers, which tells how far places would
        move with other people. None takes people where there are at least 15, else answers.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Uncertainty
        Covariances of the places, and how stable the map is.

    Examples
    --------
    >>> from tete import TETE, position_uncertainty
    >>> from tete.datasets import make_sphere, make_uniform_triplets
    >>> answers = make_uniform_triplets(make_sphere(20).data[:, :2], 1000)
    >>> sureness = position_uncertainty(TETE().fit(answers), answers, n_replicates=10)
    >>> sureness.covariances.shape, bool(sureness.stability > 0.9)
    ((20, 2, 2), True)
    """
    triplets = estimator.read(X, y)
    places = estimator.embedding_
    _warn_of_flat_maps(estimator)
    n_components = places.shape[1]
    check_whole("n_replicates", n_replicates, least=max(FEWEST_REPLICATES, 2 * n_components))
    rng = make_generator(random_state)
    people = numbers_of_people(triplets) if check_by(by, triplets) == "annotators" else None
    equal, counted = EqualAnswers(triplets), triplets.select(triplets.counts() > 0.0)
    mentioned = counted.mentions() > 0
    drawn_people = None if people is None else np.unique(people[triplets.counts() > 0.0])
    squares = np.zeros((len(places), n_components, n_components))
    counts = np.zeros(len(places), dtype=np.int64)
    for _ in range(n_replicates):
        factors = equal.drawn(rng) if drawn_people is None else _times_drawn(drawn_people, rng)[people]
        replicate, present = _replicate(estimator, triplets.with_weights(factors))
        steps = replicate - places
        squares[present] += np.einsum("ni,nj->nij", steps, steps)[present]
        counts += present
    covariances = squares / np.maximum(counts, 1)[:, None, None]
    covariances[~mentioned | (counts < n_replicates // 2)] = np.nan
    spread = np.sum((places[mentioned] - places[mentioned].mean(axis=0)) ** 2)
    moved = float(np.nansum(np.trace(covariances, axis1=1, axis2=2)))
    moved_share = moved / spread if spread > 0.0 else 1.0
    covariances += _drift_squares(_drift(estimator, equal, n_replicates // 2, rng))
    n_people = None if drawn_people is None else len(drawn_people)
    return Uncertainty(covariances, float(max(1.0 - moved_share, 0.0)), n_replicates, n_people)


def _times_drawn(people: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each is among as many people as there are, drawn with replacement."""
    return np.bincount(people[rng.integers(len(people), size=len(people))], minlength=int(people.max()) + 1)


def _warn_of_flat_maps(estimator: FittedMap) -> None:
    """Say where ellipses are known to be too small."""
    chosen = getattr(estimator, "best_estimator_", estimator)
    t, t_prime = getattr(chosen, "t_", None), getattr(chosen, "t_prime_", None)
    n_components = estimator.embedding_.shape[1]
    if n_components >= 3 and t is not None and t_prime is not None and t > 1.5 and t_prime > LARGEST_T_PRIME:
        warn(
            f"Ellipses in {n_components} dimensions are too small at t = {t:g}, t' = {t_prime:g}: 90 % ellipses held "
            f"55 to 88 % of the true places. At t' = {LARGEST_T_PRIME:g} they hold.",
            SmallEllipsesWarning,
        )


def _drift(estimator: FittedMap, equal: EqualAnswers, n_draws: int, rng: np.random.Generator) -> Embedding:
    """Mean step from the map to maps of answers that the map itself would give to the same questions."""
    probability = estimator.answer_model().probability(estimator.margins(equal.triplets))
    total = np.zeros_like(estimator.embedding_)
    for _ in range(n_draws):
        total += _replicate(estimator, equal.answered(probability, rng))[0] - estimator.embedding_
    return total / n_draws


def _drift_squares(drift: Embedding) -> NDArray[np.float64]:
    """For each object the square of its drift, most of it along the drift, the rest shared by all directions.

    A line has no other direction. There the drift of the truth is not quite that of the map in that other objects have
    it: the mean square of all objects is added.
    """
    along = np.einsum("ni,nj->nij", drift, drift)
    if drift.shape[1] == 1:
        return np.asarray(along + np.mean(along, axis=0))
    around = np.mean(drift**2, axis=1)[:, None, None] * np.eye(drift.shape[1])
    return np.asarray((1.0 - SIDEWAYS) * along + SIDEWAYS * around)


def _replicate(estimator: FittedMap, resampled: Triplets) -> tuple[Embedding, NDArray[np.bool_]]:
    """A map of resampled answers laid over the map, and which objects the resampled answers mention."""
    places = estimator.embedding_
    present = resampled.select(resampled.weights_or_ones() > 0).mentions() > 0
    found = estimator.map_of(resampled, start=places)
    moved = places.copy()
    moved[present] = procrustes_align(places[present], found[present])
    return moved, present
