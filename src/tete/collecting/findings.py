"""What the dashboard says about the answers so far.

How good the map is on answers that it was not told, how many are wrong, who answers at chance or reversed, and whether
more answers would help.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from tete.collecting.proposals import fitted_map, n_answers_of, sample_of
from tete.comparisons.by_people import FEWEST_PEOPLE, check_by
from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.exceptions import InvalidTripletsError
from tete.metrics.clustered_errors import share_error, share_interval
from tete.metrics.satisfaction import satisfied
from tete.reliability.trust_report import TrustReport, trust
from tete.selection.answers_needed import LearningCurve, learning_curve

__all__ = [
    "Trust",
    "accuracy_interval",
    "curve_findings",
    "gain_of_more",
    "held_out_findings",
    "people_findings",
    "trust_findings",
    "wrong_share",
]

FEWEST_TESTED = 20  # answers, before which an interval says nothing
FEWEST_OF_PERSON = 10  # answers, before which nothing is said of a person
FEWEST_FOR_CURVE = 100
MOST_TRIPLETS = 200_000  # for what takes several fits; of more, a sample is taken
MORE = 1_000  # answers, of which the curve says what they would bring, or
MORE_SHARE = 0.1  # of the answers there are, if that is more
LITTLE = 0.2  # points; who gains less from more answers has enough,
SURE = 1.0  # if the standard error of the error itself is not above this, in points


def held_out_findings(
    embedding: Embedding, placed: NDArray[np.bool_], tested: Triplets | None
) -> dict[str, Any] | None:
    """Accuracy of a map on answers to random questions that it was not told, with a 95 % interval.

    Only answers about objects that it has `placed` are tested.
    An answer of several triplets counts as the share of them that the map agrees with. Answers of one person may be
    alike, so the interval is that of a mean over people where there are enough; else Wilson's.
    """
    if tested is None:
        return None
    can_be_tested = placed[tested.to_array()].all(axis=1)
    if not can_be_tested.any():
        return None
    tested = tested.select(can_be_tested)
    answers = tested.answer_numbers()
    first = np.unique(answers, return_index=True)[1]
    agreement = np.bincount(answers, weights=satisfied(embedding, tested)) / np.bincount(answers)
    if len(agreement) < FEWEST_TESTED:
        return None
    assert tested.annotators is not None
    low, high = accuracy_interval(agreement, tested.annotators[first])
    return {"accuracy": float(agreement.mean()), "low": low, "high": high, "n": len(agreement)}


def accuracy_interval(agreement: NDArray[np.float64], people: NDArray[Any]) -> tuple[float, float]:
    """95 % interval of the mean of shares from 0 to 1, clustered by people where there are enough of them."""
    mean, count = float(agreement.mean()), len(agreement)
    _, units = np.unique(people, return_inverse=True)
    n_people = int(units.max()) + 1
    if n_people >= FEWEST_PEOPLE:
        agreed, weights = (np.bincount(units, weights=each).astype(np.float64) for each in (agreement, np.ones(count)))
        error = share_error(agreed, weights)
        if error > 0.0:
            return share_interval(mean, error, n_people)
    z = float(norm.ppf(0.975))
    center = (mean + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * float(np.sqrt(mean * (1 - mean) / count + (z / (2 * count)) ** 2))
    return max(center - reach, 0.0), min(center + reach, 1.0)


@dataclass(frozen=True)
class Trust:
    """What is known of wrong answers and of people; the report is None where answers cannot be predicted."""

    report: TrustReport | None
    n_triplets: int


def trust_findings(everything: Triplets, dims: int) -> Trust:
    """Each answer compared with a map made without it, and without its annotator where there are enough people."""
    used = sample_of(everything, MOST_TRIPLETS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Trust(trust(fitted_map(used, dims), used, by=check_by(None, used)), len(used))
    except InvalidTripletsError:
        return Trust(None, len(used))


def people_findings(trusted: Trust) -> dict[str, dict[str, Any]]:
    """A verdict for each person, by number: a flag to look at, never a reason to reject by itself."""
    if trusted.report is None or trusted.report.annotators is None:
        return {}
    return {
        str(record["annotator"]): {
            "verdict": _verdict(record),
            "agreement": _number(record["agreement"]),
            "expected": _number(record["expected"]),
        }
        for record in trusted.report.annotators.reset_index().to_dict("records")
    }


def _verdict(record: dict[Any, Any]) -> str:
    if record["reversed"]:
        return "reversed"
    if record["at_chance"]:
        return "at chance"
    if record["other_view"]:
        return "another view"
    known = record["answers"] >= FEWEST_OF_PERSON and np.isfinite(record["agreement"])
    return "ordinary" if known else "unclear"


def _number(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def wrong_share(trusted: Trust) -> dict[str, float] | None:
    """The estimated share of wrong answers with its 95 % interval."""
    if trusted.report is None:
        return None
    low, high = trusted.report.wrong_interval
    return {"share": trusted.report.wrong_share, "low": low, "high": high}


def curve_findings(random: Triplets | None, n_answers: int, dims: int) -> dict[str, Any] | None:
    """The learning curve of answers to questions that nobody chose, and what more of them would bring.

    Chosen questions are close calls, by which the error would look too large.
    """
    if random is None or n_answers_of(random) < FEWEST_FOR_CURVE:
        return None
    used = sample_of(random, MOST_TRIPLETS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = learning_curve(fitted_map(used, dims), used)
    return {"points": curve.points.to_dict("records"), **gain_of_more(curve, n_answers)}


def gain_of_more(curve: LearningCurve, n_answers: int) -> dict[str, Any]:
    """What more answers would bring in a sentence, and whether that is too little to go on."""
    more = max(MORE, 100 * round(MORE_SHARE * n_answers / 100))
    now, then = curve.predict([n_answers, n_answers + more])
    gain = 100.0 * float(now - then)
    is_sure = 100.0 * float(curve.points["standard_error"].iloc[-1]) <= SURE
    return {"sentence": f"{more:,} more answers: about +{gain:.1f} points", "enough": bool(is_sure and gain < LITTLE)}
