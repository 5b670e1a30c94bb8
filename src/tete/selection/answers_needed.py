"""How much more answers would help: the held-out error at growing numbers of answers, and where it is heading.

error(n) = limit + amount * n^-exponent
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from tete.comparisons.by_people import By, check_by
from tete.comparisons.folds import blocks_of, units_of
from tete.comparisons.reading import as_triplets
from tete.comparisons.same_question import question_numbers
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.printing import Printed, counted, whole_counts
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_interval, check_whole
from tete.embedding.fitted_map import FittedMap, fitted_to
from tete.exceptions import InvalidTripletsError
from tete.metrics.clustered_errors import share_error
from tete.metrics.satisfaction import satisfied

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LearningCurve", "learning_curve"]

SHARES = (0.1, 0.16, 0.25, 0.4, 0.63, 1.0)  # of the training answers: equal steps of the logarithm, five to a decade
EXPONENTS = np.linspace(0.25, 1.5, 26)  # from slower than any estimate of a mean to faster than any map was seen
FEWEST_ANSWERS = 100  # of which the smallest part has eight: fewer make hardly a map
FARTHEST = 100.0  # times the answers there are: beyond, the curve says nothing


@dataclass(frozen=True, eq=False)
class LearningCurve(Printed):
    """Held-out error against the number of answers. Printing it says how much more answers would help.

    Attributes
    ----------
    points : DataFrame
        Columns answers, error (share of held-out answers that the map contradicts) and its standard error; by
        annotators also people, who gave these answers.
    limit : float
        Where the error is heading: the fitted curve is ``limit + amount * answers ** -exponent``.
    amount : float
        How much of the error answers can cure.
    exponent : float
        How fast they do.
    answers_needed : float
        The number of answers at which the error is within one point (0.01) of its limit; infinite if that is more than
        100 times the answers there are, where the curve says nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from tete import LearningCurve
    >>> points = pd.DataFrame({"answers": [100, 1000], "error": [0.3, 0.12], "standard_error": [0.01, 0.01]})
    >>> print(LearningCurve(points, limit=0.1, amount=20.0, exponent=1.0, answers_needed=2000.0))
    fitted curve: held-out error 12.0% with 1,000 answers, heading for 10.0%
    within one point of that with about 2,000 answers
    """

    points: "pd.DataFrame"
    limit: float
    amount: float
    exponent: float
    answers_needed: float

    def predict(self, n_answers: ArrayLike) -> NDArray[np.float64]:
        """The error expected with so many answers.

        Parameters
        ----------
        n_answers : array of numbers
            Numbers of answers.

        Returns
        -------
        array of numbers
            The errors, by the fitted curve.
        """
        return np.asarray(self.limit + self.amount * np.asarray(n_answers, dtype=np.float64) ** -self.exponent)

    def __str__(self) -> str:
        have = int(self.points["answers"].iloc[-1])
        error, told = float(self.predict(have)), counted(have, "answer")
        if "people" in self.points:
            told = f"{told} of {int(self.points['people'].iloc[-1]):,} people"
        lines = [f"fitted curve: held-out error {error:.1%} with {told}, heading for {self.limit:.1%}"]
        if self.answers_needed <= have:
            lines.append("more answers would lower it by less than one point")
        elif np.isinf(self.answers_needed):
            lines.append(f"within one point of that with more than {FARTHEST:.0f} times as many answers")
        else:
            lines.append(f"within one point of that with about {float(f'{self.answers_needed:.2g}'):,.0f} answers")
        return "\n".join(lines)


@filled_from(as_triplets)
def learning_curve(
    estimator: FittedMap,
    X: Any,
    y: ArrayLike | None = None,
    *,
    share: float = 0.2,
    n_repeats: int = 3,
    by: By = "answers",
    random_state: RandomState = 0,
) -> LearningCurve:
    """Fit growing parts of the answers and test each map on the same held-out answers.

    Answers that gave several triplets stay whole, and so do all answers to one question. Groups are held out whole;
    of the others, the parts have answers of all.

    Parameters
    ----------
    estimator : map, fitted or not
        `TETE`, a baseline or `TETECV`. It is left alone; maps of its kind are fitted from scratch. Where it is not
        fitted, a copy is fitted to all answers first. So `TETECV` chooses dimension and temperatures once, by all
        answers, and not for every part: the curve is that of the map it chose.
    share : float in (0, 1), default=0.2
        Share of the answers that is held out.
    n_repeats : int, default=3
        How often this is done, each time with other answers held out.
    by : "answers" or "annotators", default="answers"
        What is held out and told whole: "annotators" says what answers of more people would bring for people who were
        not asked; at least 15 are needed.
    random_state : int, generator or None, default=0
        Seed of the choice of answers; None takes another one each time.

    Returns
    -------
    LearningCurve
        The errors and where they are heading; printing it says how much more answers would help.

    Raises
    ------
    InvalidTripletsError
        If there are fewer than 100 answers, or one group.
    InvalidParameterError
        If `by` is "annotators" and there are fewer than 15.

    Examples
    --------
    >>> from tete import TETE, learning_curve
    >>> from tete.datasets import make_sphere, make_uniform_triplets
    >>> curve = learning_curve(TETE(3), make_uniform_triplets(make_sphere(20).data, 1000), n_repeats=1)
    >>> bool(curve.predict(4000) < curve.predict(100))
    True
    """
    import pandas as pd  # noqa: PLC0415

    check_interval("share", share, 0.0, 1.0, closed=False)
    check_whole("n_repeats", n_repeats, least=1)
    triplets = as_triplets(X, y)
    n_answers = triplets.n_answers
    if n_answers < FEWEST_ANSWERS:
        raise InvalidTripletsError(f"At least {FEWEST_ANSWERS} answers are needed for a curve, got {n_answers}.")
    check_by(by, triplets)
    rng = make_generator(random_state)
    fitted = fitted_to(estimator, triplets)
    counted = replace(triplets, weights=triplets.counts())
    counted = counted.select(counted.weights_or_ones() > 0.0)
    runs = np.array([_one_run(fitted, counted, share, by, rng) for _ in range(n_repeats)])
    people, sizes, errors, variances = runs.mean(axis=0).T
    points = pd.DataFrame(
        {"answers": whole_counts(sizes), "error": errors, "standard_error": np.sqrt(variances / n_repeats)}
    )
    if by == "annotators":
        points.insert(0, "people", whole_counts(people))
    limit, amount, exponent = _power_law(sizes, errors)
    needed = (amount / 0.01) ** (1.0 / exponent)
    return LearningCurve(points, limit, amount, exponent, needed if needed <= FARTHEST * n_answers else np.inf)


def _one_run(
    fitted: FittedMap, triplets: Triplets, share: float, by: By, rng: np.random.Generator
) -> list[tuple[float, float, float, float]]:
    """For each part of the training answers: of how many questions or people, their number, error and its variance."""
    train, test = triplets.split(share, by=by, random_state=rng)
    blocks = question_numbers(train) if by == "answers" else blocks_of(train, by)
    tested = units_of(test, by)
    n_blocks = int(blocks.max()) + 1
    rank = rng.permutation(n_blocks)[blocks]  # parts are nested, so that the curve is smooth
    counts = _counts(test)
    weights = np.bincount(tested, weights=counts).astype(np.float64)
    copies = weights if by == "answers" else None
    points = []
    for part in SHARES:
        n_told = max(round(part * n_blocks), 1)
        told = train.select(rank < n_told)
        missed = counts * ~satisfied(fitted.map_of(told), test)
        wrong = np.bincount(tested, weights=missed).astype(np.float64)
        error = float(wrong.sum() / weights.sum())
        points.append((float(n_told), float(_counts(told).sum()), error, share_error(wrong, weights, copies) ** 2))
    return points


def _counts(part: Triplets) -> NDArray[np.float64]:
    """How much each triplet counts: those of an answer share its weight."""
    answers = part.answer_numbers()
    return np.asarray(part.weights_or_ones() / np.bincount(answers)[answers])


def _power_law(sizes: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float, float]:
    """Limit, amount and exponent by least squares: for each exponent the other two are a non-negative linear fit."""
    fits = []
    for exponent in EXPONENTS:
        powers = (sizes / sizes[-1]) ** -exponent
        (limit, amount), misfit = nnls(np.column_stack([np.ones(len(sizes)), powers]), errors)
        fits.append((float(misfit), float(limit), float(amount * sizes[-1] ** exponent), float(exponent)))
    return min(fits)[1:]
