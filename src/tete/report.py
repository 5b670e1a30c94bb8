"""Fit a map and say honestly how good it is: accuracy on answers held out, suspicious answers and annotators."""

import warnings
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tete.base import TripletEmbedding
from tete.metrics import satisfied
from tete.randomness import RandomState
from tete.triplets import Triplets

__all__ = ["FitReport", "SuspiciousAnnotator", "SuspiciousAnswer", "fit_and_report"]

FEWEST_ANSWERS = 20  # with fewer, the accuracy of the held-out ones says nothing
FEWEST_OF_ANNOTATOR = 5

Estimator = TypeVar("Estimator", bound=TripletEmbedding)


@dataclass(frozen=True)
class SuspiciousAnswer:
    """An answer that the map contradicts: "anchor is more like near than like far", which has this probability."""

    row: int
    anchor: Hashable
    near: Hashable
    far: Hashable
    probability: float
    annotator: Hashable | None

    def __str__(self) -> str:
        by = "" if self.annotator is None else f" (by {self.annotator})"
        return f"{self.anchor}: more like {self.near} than like {self.far}?{by}"


@dataclass(frozen=True)
class SuspiciousAnnotator:
    """An annotator, how many triplets they gave, and the share of those that the map contradicts."""

    annotator: Hashable
    n_triplets: int
    contradicted: float

    def __str__(self) -> str:
        return f"{self.annotator}: {self.contradicted:.0%} of {self.n_triplets:,} contradicted"


@dataclass(frozen=True)
class FitReport:
    """What a fit found. Printing it gives a short table.

    Attributes
    ----------
    n_objects, n_triplets, n_answers : int
    accuracy : float
        Share of all triplets that agree with the final map.
    held_out_accuracy, held_out_error : float or None
        The same for answers that a first fit had not seen, and its standard error; None with fewer than 20 answers.
        Of an answer that gave several triplets, the share that agrees counts.
    n_held_out : int
        How many answers that were.
    suspicious_answers, suspicious_annotators : tuples
        Those that the final map contradicts most, the worst first.
    typical_contradicted : float or None
        Median over annotators of the share of contradicted triplets.
    warnings : tuple of str
        What the final fit warned of.
    """

    n_objects: int
    n_triplets: int
    n_answers: int
    accuracy: float
    held_out_accuracy: float | None
    held_out_error: float | None
    n_held_out: int
    suspicious_answers: tuple[SuspiciousAnswer, ...]
    suspicious_annotators: tuple[SuspiciousAnnotator, ...]
    typical_contradicted: float | None
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [("objects", f"{self.n_objects:,}"), ("answers", f"{self.n_answers:,}")]
        if self.n_triplets != self.n_answers:
            lines.append(("triplets", f"{self.n_triplets:,}"))
        lines.append(("held-out accuracy", self._held_out()))
        lines.append(("final accuracy", f"{self.accuracy:.1%} of all answers agree with the map"))
        lines += _listed("suspicious answers", self.suspicious_answers)
        lines += _listed("annotators", self.suspicious_annotators)
        if self.suspicious_annotators:
            lines.append(("", f"(typical annotator: {self.typical_contradicted:.0%})"))
        return "\n".join(f"{label:<20}{value}" for label, value in lines)

    def _held_out(self) -> str:
        if self.held_out_accuracy is None:
            return "unknown: too few answers to hold some out"
        return f"{self.held_out_accuracy:.1%} ± {self.held_out_error:.1%} ({self.n_held_out:,} answers not fitted)"


def fit_and_report(
    estimator: Estimator, triplets: Triplets, *, share: float = 0.1, n_listed: int = 5, random_state: RandomState = 0
) -> tuple[Estimator, FitReport]:
    """Fit once without a share of the answers, to test, and then with all of them.

    The estimator itself is left alone; the fitted copy and the report are returned.
    """
    held_out = _held_out_agreement(estimator, triplets, share, random_state)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = clone(estimator).fit(triplets)
    agrees = satisfied(fitted.embedding_, triplets)
    annotators, typical = _suspicious_annotators(triplets, agrees, n_listed)
    accuracy, error = _mean_and_error(held_out)
    return fitted, FitReport(
        n_objects=triplets.n_objects,
        n_triplets=len(triplets),
        n_answers=len(np.unique(triplets.answer_numbers())),
        accuracy=float(np.average(agrees, weights=triplets.weights)),
        held_out_accuracy=accuracy,
        held_out_error=error,
        n_held_out=0 if held_out is None else len(held_out),
        suspicious_answers=_suspicious_answers(fitted, triplets, n_listed),
        suspicious_annotators=annotators,
        typical_contradicted=typical,
        warnings=tuple(dict.fromkeys(str(warning.message) for warning in caught)),
    )


def _held_out_agreement(
    estimator: TripletEmbedding, triplets: Triplets, share: float, random_state: RandomState
) -> NDArray[np.float64] | None:
    """How far held-out answers agree with a map made without them; those about objects new to it do not count."""
    if len(np.unique(triplets.answer_numbers())) < FEWEST_ANSWERS:
        return None
    train, test = triplets.split(share, random_state=random_state)
    known = train.mentions() > 0
    rows = known[test.anchor] & known[test.near] & known[test.far]
    if not rows.any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the final fit warns of what matters
        fitted = clone(estimator).fit(train)
    answers = np.unique(test.answer_numbers()[rows], return_inverse=True)[1]
    agrees = satisfied(fitted.embedding_, test.select(rows))
    return np.asarray(np.bincount(answers, weights=agrees) / np.bincount(answers))


def _mean_and_error(agrees: NDArray[np.float64] | None) -> tuple[float | None, float | None]:
    if agrees is None:
        return None, None
    return float(agrees.mean()), float(agrees.std() / np.sqrt(len(agrees)))


def _suspicious_answers(fitted: TripletEmbedding, triplets: Triplets, most: int) -> tuple[SuspiciousAnswer, ...]:
    probability = _probability(fitted, triplets)
    first = np.argsort(probability, kind="stable")[:most]
    return tuple(
        SuspiciousAnswer(
            row=int(row),
            anchor=triplets.name_of(int(triplets.anchor[row])),
            near=triplets.name_of(int(triplets.near[row])),
            far=triplets.name_of(int(triplets.far[row])),
            probability=float(probability[row]),
            annotator=None if triplets.annotators is None else triplets.annotators[row].item(),
        )
        for row in first
        if probability[row] < 0.5
    )


def _probability(fitted: TripletEmbedding, triplets: Triplets) -> NDArray[np.float64]:
    """Of each answer under the fitted model, or, where the model has none, the far object's share of the distances."""
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(triplets)[:, 1])
    anchor = fitted.embedding_[triplets.anchor]
    to_near, to_far = (
        np.linalg.norm(anchor - fitted.embedding_[others], axis=1) for others in (triplets.near, triplets.far)
    )
    return np.asarray(to_far / np.maximum(to_near + to_far, np.finfo(float).tiny))


def _suspicious_annotators(
    triplets: Triplets, agrees: NDArray[np.bool_], most: int
) -> tuple[tuple[SuspiciousAnnotator, ...], float | None]:
    """The annotators whom the map contradicts most, and the median share of contradicted triplets."""
    if triplets.annotators is None:
        return (), None
    labels, codes = np.unique(triplets.annotators, return_inverse=True)
    counts = np.bincount(codes)
    shares = np.bincount(codes, weights=~agrees) / counts
    typical = float(np.median(shares))
    suspicious = (shares > typical) & (counts >= FEWEST_OF_ANNOTATOR)
    worst = [code for code in np.argsort(-shares, kind="stable") if suspicious[code]][:most]
    return tuple(
        SuspiciousAnnotator(labels[code].item(), int(counts[code]), float(shares[code])) for code in worst
    ), typical


def _listed(label: str, values: tuple[Any, ...]) -> list[tuple[str, str]]:
    return [(label if place == 0 else "", str(value)) for place, value in enumerate(values)]
