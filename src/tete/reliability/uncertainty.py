"""How sure the places on a map are: maps of resampled answers, laid over the map as well as possible.

Whole answers, or people with all their answers, are drawn with replacement (`resampled_maps`), each resampled set is
fitted from the map on, and the result is moved, turned, mirrored and resized to lie on the map (Procrustes). The spread
about the map, not about the replicates' own mean, counts: so it includes the shift that resampling itself causes. The
way in which a loss bends distances, which more answers do not cure, is seen by taking the map for the truth: answers to
the same questions are drawn from it (`answer_model`), and how far their maps are off on average, the drift, is counted
too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri

from tete.comparisons.by_people import By, check_by, numbers_of_people
from tete.comparisons.reading import as_triplets
from tete.comparisons.resampling import EqualAnswers
from tete.core.docstrings import filled_from
from tete.core.geometry import principal_axes
from tete.core.printing import Printed, counted
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_interval, check_map, check_whole
from tete.embedding.fitted_map import FittedMap
from tete.exceptions import InvalidParameterError, SmallEllipsesWarning, warn
from tete.reliability.held_out import FEWEST_ANSWERS
from tete.reliability.resampled_maps import (
    covariances_of,
    drawn_answers,
    drawn_people,
    drift_of,
    drift_squares,
    share_reproduced,
)

__all__ = ["Uncertainty", "position_uncertainty"]

FEWEST_REPLICATES = 10  # with 10, ellipses in a plane are a fifth wider than if covariances were known; with 5, a half
LARGEST_T_PRIME = 1.5  # at t = 2 in space: 0.55 to 0.88 inside beyond, 0.88 to 0.96 at it (docs/method.md)


@dataclass(frozen=True, eq=False)
class Uncertainty(Printed):
    """Uncertainty of the places on a map.

    Attributes
    ----------
    covariances : array of shape (n_objects, n_components, n_components)
        Covariance of each object's place about the true one, drift included; NaN for objects without answers,
        and for those that fewer than half of the resampled sets of answers mention.
    stability : float or None
        Share of the map's spread that maps of resampled answers (or of resampled people's) reproduce: 1 is a map that
        further answers of the same kind would not change, 0 one that says nothing. None where it is not known.
    n_replicates : int
        Number of resampled maps.
    n_people : int or None
        Number of people who were drawn, each with all their answers; None where answers were drawn one by one.
    stability_by_answers : float or None
        Where people were drawn, the stability if answers are drawn one by one, from ten maps: with other answers of the
        same people the map would move less than with other people.
    no_stability : str or None
        Why the stability is not known: there are fewer than 20 answers, or fewer than coordinates to find.

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
    stability: float | None
    n_replicates: int
    n_people: int | None = None
    stability_by_answers: float | None = None
    no_stability: str | None = None

    def __str__(self) -> str:
        if self.stability is None:
            return f"unknown: {self.no_stability}"
        drawn = "other answers" if self.n_people is None else f"{self.n_people:,} other people"
        text = f"{self.stability:.1%} of the map's spread is reproduced by {drawn}"
        if self.stability_by_answers is None:
            return text
        return f"{text}, {self.stability_by_answers:.1%} by other answers ({FEWEST_REPLICATES} draws)"

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
        quantile = float(fdtri(size, freedom - size + 1, level))
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
            onto = np.linalg.lstsq(centred, principal_axes(places, 2), rcond=None)[0]
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
        move with other people. None takes people where there are at least 15, else answers. Where people are drawn, the
        stability is also told by answers, for ten maps more.
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
    triplets, places = estimator.read(X, y), estimator.embedding_
    _warn_of_flat_maps(estimator)
    check_whole("n_replicates", n_replicates, least=max(FEWEST_REPLICATES, 2 * places.shape[1]))
    rng = make_generator(random_state)
    people = numbers_of_people(triplets) if check_by(by, triplets) == "annotators" else None
    equal, counts = EqualAnswers(triplets), triplets.counts() > 0.0
    mentioned = triplets.select(counts).mentions() > 0
    if people is None:
        resampled = drawn_answers(equal, n_replicates, rng)
    else:
        resampled = drawn_people(triplets, people, n_replicates, rng)
    covariances = covariances_of(estimator, resampled)
    covariances[~mentioned] = np.nan
    drift = drift_squares(drift_of(estimator, equal, n_replicates // 2, rng))
    reason = _too_few_answers(triplets.n_answers, int(mentioned.sum()) * places.shape[1])
    by_answers = None
    if people is not None and reason is None:
        moved = covariances_of(estimator, drawn_answers(equal, FEWEST_REPLICATES, rng))
        by_answers = share_reproduced(places, moved, mentioned)
    return Uncertainty(
        covariances + drift,
        None if reason is not None else share_reproduced(places, covariances, mentioned),
        n_replicates,
        None if people is None else len(np.unique(people[counts])),
        stability_by_answers=by_answers,
        no_stability=reason,
    )


def _too_few_answers(n_answers: int, n_coordinates: int) -> str | None:
    """Why resampling cannot tell how stable a map is, where it cannot.

    Places that hardly any answer holds stay where the search for a resampled map starts. Measured on points in a plane:
    with half as many answers as coordinates resampled maps reproduced 44 to 60 % of the map, more than with as many
    answers as coordinates, and maps of independent answers 5 to 8 %.
    """
    needed = max(FEWEST_ANSWERS, n_coordinates)
    if n_answers >= needed:
        return None
    return f"{counted(n_answers, 'answer')} for {counted(n_coordinates, 'coordinate')}, {needed} are needed"


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
