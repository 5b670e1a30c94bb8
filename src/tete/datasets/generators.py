"""Triplets made from points whose places are known, and the ways in which answers go wrong."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors

from tete.comparisons.triplets import Triplets
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_choice, check_interval, check_map, check_whole
from tete.exceptions import InvalidParameterError

__all__ = ["answer_by_distance", "assign_annotators", "make_triplets", "make_uniform_triplets"]

ANCHORS_AT_ONCE = 512  # all points are ordered by distance for each: memory against overhead


def make_triplets(
    X: ArrayLike,
    per_point: int = 100,
    *,
    n_neighbors: int = 20,
    far: Literal["half", "outside", "authors"] = "half",
    random_state: RandomState = 0,
) -> Triplets:
    """Triplets whose near object is a neighbour of the anchor and whose far object is far away, as in the paper.

    Parameters
    ----------
    X : array of shape (n_points, n_features)
        The points.
    per_point : int, default=100
        Triplets for each point as anchor.
    n_neighbors : int, default=20
        Near objects come from this many nearest neighbours.
    far : "half", "outside" or "authors", default="half"
        The paper draws far objects "from those that are located far away" (section 1) and does not say from where on.
        "half" draws uniformly among the farther half of all points, "outside" among all points but the neighbours,
        which is harder. "authors" is what the authors' own code does: with the anchor itself at rank 1, near has a rank
        drawn from 2, ..., `n_neighbors` and far has the rank min(n, rank of near + n/2 + a draw from 1, ..., n), so
        that about half of all far objects are the single farthest one.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Triplets
        Of the points' row numbers, all answered rightly.

    Raises
    ------
    InvalidParameterError
        If there are too few points for so many neighbours.

    Examples
    --------
    >>> from tete.datasets import make_sphere, make_triplets
    >>> make_triplets(make_sphere(100).data, 20)
    Triplets(2,000 triplets of 100 objects)
    """
    points = check_map("X", X)
    check_whole("per_point", per_point, least=1)
    check_choice("far", far, ("half", "outside", "authors"))
    check_whole("n_neighbors", n_neighbors, least=2 if far == "authors" else 1)
    n_points = len(points)
    if n_points < n_neighbors + 2:
        raise InvalidParameterError(
            f"`n_neighbors` must be at most {n_points - 2} for {n_points} points, got {n_neighbors}."
        )
    rng = make_generator(random_state)
    shape = (n_points, per_point)
    if far == "authors":
        near_rank = rng.integers(1, n_neighbors, size=shape)
        far_rank = np.minimum(n_points - 1, near_rank + n_points // 2 + rng.integers(1, n_points + 1, size=shape))
    else:
        near_rank = rng.integers(1, n_neighbors + 1, size=shape)
        nearest_far = n_neighbors + 1 if far == "outside" else max(n_neighbors + 1, n_points // 2)
        far_rank = rng.integers(nearest_far, n_points, size=shape)
    near, distant = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    for start in range(0, n_points, ANCHORS_AT_ONCE):
        rows = slice(start, start + ANCHORS_AT_ONCE)
        order = _others_by_distance(points, rows)
        near[rows] = np.take_along_axis(order, near_rank[rows], axis=1)
        distant[rows] = np.take_along_axis(order, far_rank[rows], axis=1)
    anchor = np.repeat(np.arange(n_points), per_point)
    return Triplets(anchor=anchor, near=near.ravel(), far=distant.ravel(), n_objects=n_points)


def make_uniform_triplets(X: ArrayLike, n_triplets: int, *, random_state: RandomState = 0) -> Triplets:
    """Triplets of three different points drawn uniformly, answered by their distances.

    Parameters
    ----------
    X : array of shape (n_points, n_features)
        The points, at least three.
    n_triplets : int
        How many.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Triplets
        Of the points' row numbers, all answered rightly.

    Examples
    --------
    >>> from tete.datasets import make_uniform_triplets
    >>> make_uniform_triplets([[0.0], [1.0], [5.0]], 3).to_array().tolist()
    [[2, 1, 0], [1, 0, 2], [1, 0, 2]]
    """
    points = check_map("X", X)
    check_whole("n_triplets", n_triplets, least=1)
    if len(points) < 3:
        raise InvalidParameterError(f"`X` must have at least 3 points, got {len(points)}.")
    rng = make_generator(random_state)
    n_points = len(points)
    anchor = rng.integers(n_points, size=n_triplets)
    one = (anchor + rng.integers(1, n_points, size=n_triplets)) % n_points
    # The third differs from both: draw among n - 2 and step over the two that are taken, the lower first.
    low, high = np.minimum(anchor, one), np.maximum(anchor, one)
    other = rng.integers(n_points - 2, size=n_triplets)
    other += other >= low
    other += other >= high
    triplets = Triplets(anchor=anchor, near=one, far=other, n_objects=n_points)
    return triplets.flip_where(_margins(points, triplets) < 0)


def answer_by_distance(
    X: ArrayLike, triplets: Triplets, *, sharpness: float = 1.0, random_state: RandomState = 0
) -> Triplets:
    """The same questions answered anew by chance: the smaller the difference of distances, the more often wrongly.

    The nearer object is chosen with probability ``1 / (1 + exp(-sharpness * difference / scale))``, the scale being the
    mean absolute difference over all triplets.

    Parameters
    ----------
    X : array of shape (n_points, n_features)
        The points, one for each object.
    triplets : Triplets
        The questions.
    sharpness : float, default=1.0
        How well people see differences; 0 is tossing coins.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Triplets
        The same questions with the new answers.

    Raises
    ------
    InvalidParameterError
        If an object has no point.

    Examples
    --------
    >>> from tete.datasets import answer_by_distance, make_sphere, make_uniform_triplets
    >>> from tete.metrics import triplet_error
    >>> points = make_sphere(50).data
    >>> answers = answer_by_distance(points, make_uniform_triplets(points, 2000), sharpness=3.0)
    >>> print(f"{triplet_error(points, answers):.0%} are wrong")
    14% are wrong
    """
    points = check_map("X", X)
    check_interval("sharpness", sharpness, 0.0, np.inf)
    if triplets.n_objects > len(points):
        raise InvalidParameterError(f"`X` must have a row for each of {triplets.n_objects} objects, got {len(points)}.")
    margins = _margins(points, triplets)
    scale = np.mean(np.abs(margins)) or 1.0
    wrong = 1.0 / (1.0 + np.exp(np.minimum(sharpness * np.abs(margins) / scale, 700.0)))
    is_wrong = make_generator(random_state).random(len(triplets)) < wrong
    return triplets.flip_where((margins < 0) ^ is_wrong)


def assign_annotators(
    triplets: Triplets,
    n_annotators: int,
    *,
    n_bad: int = 0,
    behavior: Literal["random", "reversed"] = "random",
    random_state: RandomState = 0,
) -> tuple[Triplets, NDArray[np.bool_]]:
    """Deal the answers to annotators of whom some are bad.

    Every annotator gets about the same number of whole answers. Bad ones answer at random or always the wrong way
    round; the triplets of an answer are flipped together.

    Parameters
    ----------
    triplets : Triplets
        The answers.
    n_annotators : int
        How many people there are.
    n_bad : int, default=0
        How many of them are bad.
    behavior : "random" or "reversed", default="random"
        What bad ones answer.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    triplets : Triplets
        The answers with `annotators`, those of bad ones changed.
    is_bad : array of n_annotators booleans
        Whether each annotator is a bad one.

    Raises
    ------
    InvalidParameterError
        If more annotators are bad than there are.

    Examples
    --------
    >>> from tete.datasets import assign_annotators, make_sphere, make_uniform_triplets
    >>> answers, is_bad = assign_annotators(make_uniform_triplets(make_sphere(50).data, 2000), 10, n_bad=3)
    >>> answers
    Triplets(2,000 triplets of 50 objects, with annotators)
    >>> int(is_bad.sum())
    3
    """
    check_whole("n_annotators", n_annotators, least=1)
    check_choice("behavior", behavior, ("random", "reversed"))
    check_whole("n_bad", n_bad, least=0)
    if n_bad > n_annotators:
        raise InvalidParameterError(f"`n_bad` must be in [0, {n_annotators}], got {n_bad}.")
    rng = make_generator(random_state)
    answers = triplets.answer_numbers()
    n_answers = int(answers.max()) + 1
    annotator = rng.permutation(np.arange(n_answers) % n_annotators)
    is_bad = np.zeros(n_annotators, dtype=bool)
    is_bad[rng.choice(n_annotators, size=n_bad, replace=False)] = True
    flipped = is_bad[annotator]
    if behavior == "random":
        flipped &= rng.random(n_answers) < 0.5
    return replace(triplets.flip_where(flipped[answers]), annotators=annotator[answers]), is_bad


def _others_by_distance(points: NDArray[np.float64], rows: slice) -> NDArray[np.int64]:
    """For some points, all points from near to far, the point itself first even among duplicates."""
    centred = points - points.mean(axis=0)  # distances far from the origin would lose their digits
    search = NearestNeighbors(n_neighbors=len(points), algorithm="brute").fit(centred)
    distances, order = search.kneighbors(centred[rows])
    own = np.arange(len(points))[rows, None]
    distances[order == own] = -1.0
    return np.take_along_axis(order, np.argsort(distances, axis=1, kind="stable"), axis=1)


def _margins(points: NDArray[np.float64], triplets: Triplets) -> NDArray[np.float64]:
    """Distance to far minus distance to near."""
    anchor = points[triplets.anchor]
    to_far = np.linalg.norm(anchor - points[triplets.far], axis=1)
    return np.asarray(to_far - np.linalg.norm(anchor - points[triplets.near], axis=1))
