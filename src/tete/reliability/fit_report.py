"""Fit a map and say honestly how good it is: accuracy on answers held out, suspicious answers and annotators."""

import warnings
from collections.abc import Hashable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from sklearn.base import clone

from tete.comparisons.alike import alike_names, alike_rows
from tete.comparisons.by_people import By, check_by, too_few_people
from tete.comparisons.triplets import Triplets
from tete.core.printing import counted, rows_under, table_lines, whole_counts
from tete.core.randomness import RandomState
from tete.embedding.estimators import TETE
from tete.embedding.fitted_map import FittedMap
from tete.embedding.packed import Answers, PackedAnswers
from tete.embedding.temperatures import Temperatures
from tete.exceptions import InvalidTripletsError
from tete.io.sources import AnyPath
from tete.metrics.satisfaction import satisfied
from tete.reliability.held_out import HeldOutAnswers, held_out_answers, held_out_sample
from tete.reliability.lapses import vagueness
from tete.reliability.people_errors import PeopleErrors, errors_of_people, held_out_people
from tete.reliability.trust_report import TrustReport, report_on

__all__ = ["FitReport", "OtherView", "SuspiciousAnnotator", "SuspiciousAnswer", "fit_and_report"]

Estimator = TypeVar("Estimator", bound=FittedMap)
_HeldOut: TypeAlias = tuple[HeldOutAnswers | None, TrustReport | None, str | None]
FEWEST_SAMPLED = 10_000  # triplets of packed answers that are looked at where too few can be held out


@dataclass(frozen=True)
class SuspiciousAnswer:
    """An answer, "anchor is more like near than like far", and the probability that it is wrong.

    Where nobody knows who answered, the same answer is listed once; `n_given` says how often it was given.
    """

    row: int
    anchor: Hashable
    near: Hashable
    far: Hashable
    wrong: float
    annotator: Hashable | None
    n_given: int = 1

    def __str__(self) -> str:
        by = "" if self.annotator is None else f" (by {self.annotator})"
        times = "" if self.n_given == 1 else f" (given {self.n_given:,} times)"
        return f"{self.anchor}: more like {self.near} than like {self.far}?{by}{times} wrong at {self.wrong:.0%}"


@dataclass(frozen=True)
class SuspiciousAnnotator:
    """An annotator who answers at chance or the wrong way round, and how far they agree with the map."""

    annotator: Hashable
    n_answers: int
    agreement: float
    expected: float
    behavior: str

    def __str__(self) -> str:
        return (
            f"{self.annotator}: {self.behavior}, {self.agreement:.0%} of {counted(self.n_answers, 'answer')} agree "
            f"where {self.expected:.0%} are expected"
        )


@dataclass(frozen=True)
class OtherView:
    """An annotator who is consistent in another way than the map, and how well another map predicts the answers."""

    annotator: Hashable
    n_answers: int
    agreement: float
    with_other_map: float
    verdict: str

    def __str__(self) -> str:
        return (
            f"{self.annotator}: {self.verdict}; the map agrees with {self.agreement:.0%} of "
            f"{counted(self.n_answers, 'answer')}, another one with {self.with_other_map:.0%}"
        )


@dataclass(frozen=True)
class FitReport:
    """What a fit found. Printing it gives a short table.

    Attributes
    ----------
    n_objects, n_triplets, n_answers : int
    temperatures : dict or None
        Kernel, t and t_prime of the map, and how many such were tried to choose them; None for methods without any.
    accuracy : float
        Share of all triplets that agree with the final map.
    held_out_accuracy, held_out_error : float or None
        Share of answers that agree with maps made without them, and its standard error; None where none can be
        held out. Of an answer that gave several triplets, the share that agrees counts.
    n_held_out : int
        How many answers that were.
    no_held_out : str or None
        Why there are none: answers, questions or groups are too few.
    wrong_share : float or None
        Estimated share of wrong answers, beyond close calls; None where held-out answers cannot be predicted.
    wrong_interval : pair of floats or None
        Its 95 % interval.
    people : PeopleErrors or None
        The same with people as the unit: for new people, every answer tested on a map made without its annotator.
    no_people : str or None
        Why that is missing, where it is: the answers do not say who gave them, or people are too few, or it was not
        asked for.
    suspicious_answers, suspicious_annotators : tuples
        Answers that are more likely wrong than right, the worst first, and annotators at chance or reversed.
    other_views : tuple
        Annotators who are consistent, but in another way than the map.
    n_suspicious_answers, n_annotators : int
        How many such answers there are, and how many annotators.
    alike_names : tuple of tuples of str
        Groups of names that look alike and still are different objects.
    warnings : tuple of str
        What the final fit warned of.
    trust : TrustReport or None
        All about every answer, annotator and object.
    n_sampled : int or None
        For packed answers, of how many triplets everything beyond the counts is said.
    """

    n_objects: int
    n_triplets: int
    n_answers: int
    temperatures: dict[str, Any] | None
    accuracy: float
    held_out_accuracy: float | None
    held_out_error: float | None
    n_held_out: int
    no_held_out: str | None
    wrong_share: float | None
    wrong_interval: tuple[float, float] | None
    people: PeopleErrors | None
    no_people: str | None
    suspicious_answers: tuple[SuspiciousAnswer, ...]
    n_suspicious_answers: int
    suspicious_annotators: tuple[SuspiciousAnnotator, ...]
    other_views: tuple[OtherView, ...]
    n_annotators: int
    alike_names: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...]
    trust: TrustReport | None
    n_sampled: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Everything but the tables of `trust` as plain values, for JSON."""
        plain = asdict(replace(self, trust=None))
        del plain["trust"]
        return plain

    def __str__(self) -> str:
        rows = [("objects", f"{self.n_objects:,}"), ("answers", f"{self.n_answers:,}")]
        if self.n_triplets != self.n_answers:
            rows.append(("triplets", f"{self.n_triplets:,}"))
        if self.temperatures is not None:
            rows.append(("temperatures", self._temperatures(**self.temperatures)))
        rows.append(("held-out accuracy", self._held_out()))
        rows += self._of_people()
        of_which = "all answers" if self.n_sampled is None else f"a sample of {self.n_sampled:,} triplets"
        rows.append(("final accuracy", f"{self.accuracy:.1%} of {of_which} agree with the map"))
        rows.append(("wrong answers", self._wrong()))
        rows += _first_of("suspicious answers", self.suspicious_answers, self.n_suspicious_answers)
        if self.n_annotators and self.trust is not None:
            rows.append(("annotators", f"{len(self.suspicious_annotators):,} of {self.n_annotators:,} are suspicious"))
            rows += _first_of("", self.suspicious_annotators[:5], len(self.suspicious_annotators))
        if self.other_views:
            rows += _first_of("other views", self.other_views[:5], len(self.other_views))
            rows.append(("", "tete views makes maps of them; here their answers count among all, and as wrong ones"))
        rows += alike_rows(self.alike_names)
        return "\n".join(table_lines(rows))

    @staticmethod
    def _temperatures(n_tried: int, **chosen: Any) -> str:
        how = f" (chosen from {n_tried} by answers held out)" if n_tried > 1 else ""
        return f"{Temperatures(**chosen)}{how}"

    def _held_out(self) -> str:
        if self.held_out_accuracy is None:
            return f"unknown: {self.no_held_out}"
        share = f"{self.held_out_accuracy:.1%} ± {self.held_out_error:.1%}"
        return f"{share} ({counted(self.n_held_out, 'answer')} not fitted)"

    def _of_people(self) -> list[tuple[str, str]]:
        if self.people is not None:
            people, (low, high) = self.people, self.people.accuracy_interval
            share = f"{people.accuracy:.1%} ± {people.accuracy_error:.1%}"
            return [("for new people", f"{share} ({low:.1%} to {high:.1%}, {people.n_people:,} people held out)")]
        return [("for new people", f"unknown: {self.no_people}")] if self.n_annotators and self.no_people else []

    def _wrong(self) -> str:
        if self.no_held_out is not None:
            return "unknown: no answer could be held out"
        if self.wrong_share is None or self.wrong_interval is None:
            return "unknown: held-out answers cannot be predicted"
        low, high = self.wrong_interval
        text = f"{self.wrong_share:.1%} ({low:.1%} to {high:.1%}), apart from close calls{vagueness(low, high)}"
        if self.people is None or self.people.wrong_interval is None:
            return text
        low, high = self.people.wrong_interval
        return f"{text}; by people {low:.1%} to {high:.1%}"


def fit_and_report(
    estimator: Estimator,
    triplets: Answers,
    *,
    n_folds: int | None = None,
    by: By | None = None,
    n_listed: int = 5,
    random_state: RandomState = 0,
    checkpoint: AnyPath | None = None,
) -> tuple[Estimator, FitReport]:
    """Fit to all answers, and test every answer on a map made without it, and on one made without its annotator.

    The estimator itself is left alone; the fitted copy and the report are returned. The latter test is left out with
    ``by="answers"``, and where people are too few, which ``by="annotators"`` refuses. Of packed answers a sample is
    tested, on one map made without it.
    """
    packed = isinstance(triplets, PackedAnswers)
    if by is not None:
        check_by(by, triplets.sample() if isinstance(triplets, PackedAnswers) else triplets)
    options = {} if checkpoint is None else {"checkpoint": checkpoint}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = clone(estimator).fit(triplets, **options)
    if isinstance(triplets, PackedAnswers):
        try:
            held_out, trusted, no_held_out = _held_out_sample(fitted, triplets)
        except BaseException:  # a lost cluster, an interrupt: the map that was found is not lost with it
            if checkpoint is not None:
                fitted.leave_checkpoint(checkpoint, triplets)
            raise
        tested = triplets.sample(FEWEST_SAMPLED) if held_out is None else held_out.triplets
        people: PeopleErrors | None = None
        no_people: str | None = "packed answers are held out by what they ask"
    else:
        held_out, trusted, no_held_out = _held_out(fitted, triplets, n_folds, random_state)
        tested = triplets
        people, no_people = _people(fitted, triplets, n_folds, by, random_state)
    n_held_out = 0 if held_out is None else held_out.n_known
    return fitted, FitReport(
        n_objects=triplets.n_objects,
        n_triplets=len(triplets) if packed else round(float(tested.counts().sum())),
        n_answers=triplets.n_answers,
        temperatures=_temperatures_of(fitted),
        accuracy=float(np.average(satisfied(fitted.embedding_, tested), weights=tested.weights)),
        n_sampled=len(tested) if packed else None,
        held_out_accuracy=held_out.accuracy if held_out is not None and n_held_out else None,
        held_out_error=held_out.accuracy_error if held_out is not None and n_held_out else None,
        n_held_out=n_held_out,
        no_held_out=no_held_out,
        people=people,
        no_people=no_people,
        n_annotators=0 if tested.annotators is None else len(np.unique(tested.annotators)),
        alike_names=alike_names(triplets.names),
        warnings=tuple(dict.fromkeys(str(warning.message) for warning in caught)),
        **_of_trust(trusted, n_listed),
    )


def _of_trust(trusted: TrustReport | None, n_listed: int) -> dict[str, Any]:
    """What the report says of single answers and annotators."""
    return {
        "trust": trusted,
        "wrong_share": None if trusted is None else trusted.wrong_share,
        "wrong_interval": None if trusted is None else trusted.wrong_interval,
        "suspicious_answers": _suspicious_answers(trusted, n_listed),
        "n_suspicious_answers": 0 if trusted is None else trusted.n_distrusted - trusted.n_distrusted_of_other_views,
        "suspicious_annotators": _suspicious_annotators(trusted),
        "other_views": _other_views(trusted),
    }


def _temperatures_of(fitted: FittedMap) -> dict[str, Any] | None:
    chosen = fitted.best_estimator_ if hasattr(fitted, "best_estimator_") else fitted
    if not isinstance(chosen, TETE):
        return None
    names = Temperatures(chosen.kernel_, chosen.t_, chosen.t_prime_)._asdict()
    return {**names, "n_tried": len(chosen.temperature_scores_ or ())}


def _held_out(fitted: FittedMap, triplets: Triplets, n_folds: int | None, random_state: RandomState) -> _HeldOut:
    """The held-out answers (None if there are none), the report where one is possible, and why there are none."""
    try:
        held_out = held_out_answers(fitted, triplets, n_folds=n_folds, random_state=random_state)
    except InvalidTripletsError as error:
        return None, None, str(error)
    return _reported(fitted, held_out)


def _held_out_sample(fitted: FittedMap, answers: PackedAnswers) -> _HeldOut:
    """The same of packed answers: a sample of them on one map made without it."""
    try:
        return _reported(fitted, held_out_sample(fitted, answers))
    except InvalidTripletsError as error:
        return None, None, str(error)


def _reported(fitted: FittedMap, held_out: HeldOutAnswers) -> _HeldOut:
    reason = None if held_out.n_known else "No object of a held-out answer occurs in another answer."
    try:
        return held_out, report_on(held_out, n_components=fitted.embedding_.shape[1]), reason
    except InvalidTripletsError:
        return held_out, None, reason


def _people(
    fitted: FittedMap, triplets: Triplets, n_folds: int | None, by: By | None, random_state: RandomState
) -> tuple[PeopleErrors | None, str | None]:
    """Errors by people, or why there are none, which is a mistake where they were asked for."""
    reason = "only answers were asked for" if by == "answers" else too_few_people(triplets)
    if reason is not None:
        return None, reason
    try:
        held_out = held_out_people(fitted, triplets, n_folds=n_folds, random_state=random_state)
    except InvalidTripletsError as error:
        if by == "annotators":
            raise
        return None, str(error)
    return errors_of_people(held_out), None


def _suspicious_answers(trusted: TrustReport | None, most: int) -> tuple[SuspiciousAnswer, ...]:
    if trusted is None:
        return ()
    table = trusted.answers[trusted.answers["wrong"] > 0.5]
    if "other_view" in table:
        table = table[~table["other_view"]]
    table = table.assign(n_given=table.get("weight", 1.0))
    if "annotator" not in table and (table["triplets"] == 1).all():
        same = table.groupby(["anchor", "near", "far"], sort=False)["n_given"]
        table = table.assign(n_given=same.transform("sum")).loc[same.cumcount() == 0]
    worst = table.sort_values("wrong", ascending=False, kind="stable").head(most)
    return tuple(
        SuspiciousAnswer(
            row=record["row"],
            anchor=record["anchor"],
            near=record["near"],
            far=record["far"],
            wrong=record["wrong"],
            annotator=record.get("annotator"),
            n_given=max(int(whole_counts(record["n_given"])), 1),
        )
        for record in worst.to_dict("records")
    )


def _suspicious_annotators(trusted: TrustReport | None) -> tuple[SuspiciousAnnotator, ...]:
    if trusted is None or trusted.annotators is None:
        return ()
    table = trusted.annotators
    flagged = table[table["at_chance"] | table["reversed"]].sort_values("agreement", kind="stable")
    return tuple(
        SuspiciousAnnotator(
            annotator=record["annotator"],
            n_answers=record["answers"],
            agreement=record["agreement"],
            expected=record["expected"],
            behavior=record["verdict"],
        )
        for record in flagged.reset_index().to_dict("records")
    )


def _other_views(trusted: TrustReport | None) -> tuple[OtherView, ...]:
    if trusted is None or trusted.annotators is None:
        return ()
    table = trusted.annotators
    return tuple(
        OtherView(
            annotator=record["annotator"],
            n_answers=record["answers"],
            agreement=record["agreement"],
            with_other_map=record["with_other_map"],
            verdict=record["verdict"],
        )
        for record in table[table["other_view"]].reset_index().to_dict("records")
    )


def _first_of(label: str, values: tuple[Any, ...], total: int) -> list[tuple[str, str]]:
    """One row for each value, and below them how many there are if these are not all."""
    rows = rows_under(label, map(str, values))
    return rows if total <= len(values) else [*rows, ("", f"({total:,} in all)")]
