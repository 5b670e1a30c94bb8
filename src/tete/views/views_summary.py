"""What the search for views found, in words."""

from dataclasses import asdict, dataclass
from typing import Any

from tete.core.printing import Printed, listed, rows_under, table_lines
from tete.views.view_search import LEAST_AGREEMENT, LEAST_GAIN, Step

__all__ = ["ANSWERS_PER_OBJECT", "ViewFound", "ViewsSummary"]

ANSWERS_PER_OBJECT = 15  # that the people of a view must have given for it to be found (benchmarks/results/views.md)


@dataclass(frozen=True)
class ViewFound:
    """A view: who has it, and how well maps predict answers of these people that they have not seen.

    Attributes
    ----------
    n_units : int
        People, or with ``by="answers"`` answers, whose likeliest view it is.
    share : float
        Of all people or answers, each counting in its views by probability.
    accuracy : float or None
        Share of their unseen answers that the view's map agrees with; None for single answers, which are in the view
        that agrees with them.
    with_largest, with_one_map : float or None
        The same for the map of the largest view, and for one map of everybody's answers.
    """

    n_units: int
    share: float
    accuracy: float | None = None
    with_largest: float | None = None
    with_one_map: float | None = None


@dataclass(frozen=True)
class ViewsSummary(Printed):
    """What was found. Printing it gives a short table.

    Attributes
    ----------
    by : str
        "annotators" or "answers".
    n_objects, n_units : int
        Objects, and people or different answers.
    n_answers : float
        A weight counts as repeats.
    n_views : int
        Number of views.
    chosen : bool
        Whether their number was chosen, not given.
    gain : float
        By how much the views raise the log-likelihood of unseen answers above that of one map.
    steps : tuple of Step
        What one view more brought each time.
    views : tuple of ViewFound
        The largest first.
    axis_gain, n_axes : float or None, int or None
        By how much one map whose axes people weigh differently is likelier than the views, and how many axes it has.
    verdicts : dict
        For each verdict but "ordinary" the people.
    """

    by: str
    n_objects: int
    n_units: int
    n_answers: float
    n_views: int
    chosen: bool
    gain: float
    steps: tuple[Step, ...]
    views: tuple[ViewFound, ...]
    axis_gain: float | None
    n_axes: int | None
    verdicts: dict[str, list[Any]]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self) | {
            "needed": self.needed,
            "found": self.found,
            "reading": self.reading,
            "limits": self.limits,
        }

    @property
    def needed(self) -> int:
        """How many answers the people of a view must have given for it to be found."""
        return ANSWERS_PER_OBJECT * self.n_objects

    @property
    def found(self) -> str:
        """How many views there are, and why so many."""
        if not self.chosen:
            return f"{self.n_views}, as asked for"
        last = self.steps[-1] if self.steps else None
        if last is None or self.n_views > 1:
            step = next(step for step in reversed(self.steps) if step.accepted)
            return f"{self.n_views}: the last one raises the log-likelihood of unseen answers by {_numbers(step.gains)}"
        if min(last.gains) >= LEAST_GAIN:
            units = "people" if self.by == "annotators" else "answers"
            return (
                f"1: {units} differ beyond chance (a second view gains {_numbers(last.gains)}), but there are no "
                f"stable groups (two searches agree by {last.agreement:.2f}, {LEAST_AGREEMENT} is asked for)"
            )
        return f"1: a second one gains {min(last.gains):z.1f} of log-likelihood, and chance may bring {LEAST_GAIN:g}"

    @property
    def reading(self) -> str | None:
        """What else the views may be."""
        if self.axis_gain is None:
            return "views, or ends of a continuum" if self.n_views > 1 else None
        rival = f"one map of {self.n_axes} axes that each person weighs differently"
        if self.n_views == 1:
            fits = "fits better" if self.axis_gain > LEAST_GAIN else "fits no better"
            return f"{rival} {fits} (log-likelihood {self.axis_gain:+z,.0f})"
        verdict = "so rather ends of a continuum" if self.axis_gain > 0.0 else "so rather views"
        return (
            f"views, or ends of a continuum: {rival} changes the log-likelihood by {self.axis_gain:+z,.0f}, {verdict}"
        )

    @property
    def limits(self) -> str:
        """Which views these answers could not have shown."""
        its = "answers of its people" if self.by == "annotators" else "answers"
        needed = f"a view needs about {self.needed:,} {its} to be found"
        if self.n_answers < 2 * self.needed:
            return f"{needed}: these {self.n_answers:,.0f} answers are too few to show a second one"
        return f"{needed}, {self.needed / self.n_answers:.0%} of all here: smaller minorities would not be seen"

    def __str__(self) -> str:
        units = "people" if self.by == "annotators" else "different answers"
        rows = [("objects", f"{self.n_objects:,}"), (units, f"{self.n_units:,}")]
        rows += [("answers", f"{self.n_answers:,.0f}"), ("views", self.found)]
        for number, view in enumerate(self.views if self.n_views > 1 else ()):
            rows.append((f"view {number}", self._described(number, view)))
        agreement = [step.agreement for step in self.steps if step.accepted and step.agreement is not None]
        if agreement:
            of_people = f"two searches put people together alike (adjusted Rand index {agreement[-1]:.2f})"
            of_maps = f"maps of two searches answer {agreement[-1]:.0%} of the questions alike"
            rows.append(("stability", of_people if self.by == "annotators" else of_maps))
        if self.reading is not None:
            rows.append(("reading", self.reading))
        people = [f"{verdict}: {listed(those)}" for verdict, those in self.verdicts.items()]
        rows += rows_under("people", people)
        rows.append(("limits", self.limits))
        return "\n".join(table_lines(rows))

    def _described(self, number: int, view: ViewFound) -> str:
        if view.accuracy is None:
            return f"{view.share:.0%} of the answers"
        others = "" if number == 0 else f" (that of view 0: {view.with_largest:.1%})"
        return f"{view.n_units:,} people; its map predicts {view.accuracy:.1%} of their unseen answers{others}"


def _numbers(values: tuple[float, ...]) -> str:
    return " and ".join(f"{value:z,.0f}" for value in values)
