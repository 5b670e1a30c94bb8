"""Which answers and annotators to distrust, and which objects the map places badly.

held-out margins (`held_out`) -> answer model (`lapses`) -> tables (`trust_tables`) of answers, annotators and objects
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tete.comparisons.by_people import By, check_by
from tete.comparisons.checks import refuse_zero_weights
from tete.comparisons.reading import as_triplets
from tete.core.docstrings import filled_from
from tete.core.printing import Printed, counted, listed, table_lines
from tete.core.randomness import RandomState
from tete.core.validation import check_whole
from tete.embedding.answer_model import AnswerModel
from tete.embedding.fitted_map import FittedMap, fitted_to
from tete.exceptions import InvalidTripletsError
from tete.reliability.held_out import HeldOutAnswers, held_out_answers
from tete.reliability.lapses import vagueness
from tete.reliability.people_errors import errors_of_people, held_out_people
from tete.reliability.trust_tables import JudgedAnswers, annotator_table, answer_table, object_table
from tete.views.own_maps import TOO_FEW

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TrustReport", "report_on", "trust"]

Estimator = TypeVar("Estimator", bound=FittedMap)


@dataclass(frozen=True, eq=False)
class TrustReport(Printed):
    """What held-out answers say about answers, people and objects. Printing it gives a short table.

    Attributes
    ----------
    model : AnswerModel
        With `lapse`, the estimated share of wrong answers, and `steepness`, how fast answers become reliable with the
        margin by which the map agrees.
    wrong_interval : pair of float
        95 % interval of the share of wrong answers.
    accuracy : float
        Share of held-out answers that agree with the map. What is missing to 1 is wrong answers, close calls, and the
        map's own errors.
    accuracy_error : float
        Its standard error.
    n_held_out : int
        How many answers that were; the others mention an object that no other answer mentions.
    probability_wrong : array, one number for each triplet
        Probability that it is wrong beyond a close call; parts of undecided answers, of which neither is wrong, have
        the overall share.
    answers : DataFrame, one row an answer
        In the order in which they came. Columns row (of its first triplet), line (of its file), anchor, near, far (of
        that triplet), annotator, weight, ms (response time), triplets, agrees (share of its triplets that the held-out
        map agrees with), wrong (probability), other_view (whether the annotator is of another view, so that an answer
        that seems wrong need not be).
    annotators : DataFrame or None, one row an annotator
        Columns answers; agreement with the map; expected (of ordinary people, on the same questions); with_others and
        with_self (agreement on questions asked again; NaN where none was); reversed (more wrong answers than coin
        tossing gives); at_chance (fewer right answers than ordinary people give, no clear sign of being better than
        coin tossing, and none of another view); other_view (fewer right answers than ordinary people give, but a map of
        such people, or of the person alone, predicts unseen answers of theirs); with_other_map (the share that it
        predicts; NaN where none was made); verdict ("ordinary", "at chance", "reversed", "consistent, but another
        view", "consistent, but a view of their own", "random or another view: too few answers to tell", or, between
        several views, "unclear"). The flags are adjusted so that with 95 % probability nobody is flagged who is as good
        as ordinary people. Someone between these and a coin may be, the more easily the fewer the answers: see the
        agreement.
    objects : DataFrame, one row an object
        Columns answers that mention it; agreement; expected; hardly_mentioned (in fewer than 5); badly_placed (the map
        predicts answers about it no better than chance); contradicted (more answers about it go against the map than
        expected; Benjamini-Hochberg at 5 %: this is a list of places to look at, of which a few may be false).
    by : "answers" or "annotators"
        What was held out and counted. By annotators, `accuracy_error` and `wrong_interval` are those for other people.

    Examples
    --------
    >>> from tete import TETE, trust
    >>> from tete.datasets import assign_annotators, make_sphere, make_uniform_triplets
    >>> answers = make_uniform_triplets(make_sphere(30).data[:, :2], 3000)
    >>> answers, is_bad = assign_annotators(answers, 10, n_bad=1, behavior="reversed")
    >>> report = trust(TETE(), answers)
    >>> report.annotators.index[report.annotators["reversed"]].tolist() == is_bad.nonzero()[0].tolist()
    True
    >>> report.n_distrusted > 0, bool(report.annotator_weights().min() == 0), bool(report.wrong_share < 0.2)
    (True, True, True)
    >>> report.n_distrusted_of_other_views  # nobody here has another view
    0
    >>> bool(report.refit(TETE(), answers).score(answers) > 0.85)
    True
    """

    model: AnswerModel
    wrong_interval: tuple[float, float]
    accuracy: float
    accuracy_error: float
    n_held_out: int
    probability_wrong: NDArray[np.float64]
    answers: "pd.DataFrame"
    annotators: "pd.DataFrame | None"
    objects: "pd.DataFrame"
    by: By = "answers"

    @property
    def wrong_share(self) -> float:
        """Estimated share of wrong answers.

        Returns
        -------
        float
            From 0 to 0.5.
        """
        return self.model.lapse

    @property
    def n_distrusted(self) -> int:
        """How many answers are more likely wrong than right, weights counted as repeats.

        Returns
        -------
        int
            The number.
        """
        return _number_of(self.answers[self.answers["wrong"] > 0.5])

    @property
    def n_distrusted_of_other_views(self) -> int:
        """How many of the distrusted answers are by people of another view, and need not be wrong.

        Returns
        -------
        int
            The number; 0 where annotators are not known.
        """
        if self.annotators is None:
            return 0
        return _number_of(self.answers[(self.answers["wrong"] > 0.5) & self.answers["other_view"]])

    def __str__(self) -> str:
        low, high = self.wrong_interval
        theirs = self.n_distrusted_of_other_views
        of_others = f", {theirs:,} of them by people of another view" if theirs else ""
        held_out = counted(self.n_held_out, "answer") + (", errors by people" if self.by == "annotators" else "")
        rows = [
            ("held-out accuracy", f"{self.accuracy:.1%} ± {self.accuracy_error:.1%} ({held_out})"),
            ("wrong answers", f"{self.wrong_share:.1%} ({low:.1%} to {high:.1%}){vagueness(low, high)}"),
            ("distrusted answers", f"{self.n_distrusted:,} are more likely wrong than right{of_others}"),
        ]
        if self.annotators is not None:
            rows += _flagged("annotators", self.annotators, ("at_chance", "reversed", "other_view"))
            n_unsure = int((self.annotators["verdict"] == TOO_FEW).sum())
            if n_unsure:
                rows.append(("", f"{n_unsure:,} of those at chance may have another view: too few answers to tell"))
        rows += _flagged("objects", self.objects, ("hardly_mentioned", "badly_placed", "contradicted"))
        return "\n".join(table_lines(rows, width=26))

    def annotator_weights(self) -> "pd.Series[float]":
        """For each annotator clip((.5 - v) / (.5 - median v), 0, 1), v the share of contradicted answers.

        People of another view are consistent, so they keep the weight 1; `MultiViewTETE` gives them a map. People at
        chance hardly count, also those of whom too few answers tell whether they have another view: see their verdicts.

        Returns
        -------
        Series
            Weights by annotator.

        Raises
        ------
        InvalidTripletsError
            If the answers have no annotators.
        """
        if self.annotators is None:
            raise InvalidTripletsError("The answers must have annotators to be weighted by them, got none.")
        reliability = self.annotators["agreement"].fillna(0.5) - 0.5
        typical = max(float(reliability.median()), np.finfo(float).tiny)
        return (reliability / typical).clip(0.0, 1.0).mask(self.annotators["other_view"], 1.0)

    def refit(self, estimator: Estimator, X: Any) -> Estimator:
        """A copy of the estimator fitted to the answers, each weighted by its annotator's reliability.

        Parameters
        ----------
        estimator : triplet embedding
            `TETE`, a baseline or `TETECV`: what to fit. It is left alone.
        X : Triplets, array of shape (n, 3) or data frame with columns anchor, near and far
            The answers, with annotators.

        Returns
        -------
        estimator
            The fitted copy.

        Raises
        ------
        InvalidTripletsError
            If the answers have no annotators, or some that the report does not know.
        """
        triplets = as_triplets(X)
        weights = self.annotator_weights()
        if triplets.annotators is None:
            raise InvalidTripletsError("The answers must have annotators to be weighted by them, got none.")
        unknown = ~np.isin(triplets.annotators, weights.index)
        if unknown.any():
            raise InvalidTripletsError(
                f"Row {int(np.argmax(unknown))} is by {triplets.annotators[unknown][0]!r}, of whom the report knows "
                f"nothing ({counted(int(unknown.sum()), 'such row')})."
            )
        refitted: Estimator = clone(estimator).fit(triplets.with_weights(weights.loc[triplets.annotators].to_numpy()))
        return refitted


@filled_from(as_triplets)
def trust(
    estimator: FittedMap,
    X: Any,
    y: ArrayLike | None = None,
    *,
    n_folds: int | None = None,
    by: By = "answers",
    few: int = 5,
    random_state: RandomState = 0,
) -> TrustReport:
    """Say which answers and annotators to distrust, and which objects are badly placed.

    Each answer is compared with a map made without it (`n_folds` fits to a part of the answers), so that no answer
    vouches for itself. Where objects are in fewer than 50 triplets on average, or people are held out, up to 20,000
    answers are dealt into such parts three times, and the mean margins of the three maps count: single maps of a part
    err more than the map of all.

    Parameters
    ----------
    estimator : fitted map, or one that is not fitted yet
        `TETE`, a baseline or `TETECV`. It is left alone. Where it is not fitted, a copy is fitted to all answers first;
        `TETECV` then chooses once, for all the maps that answers are tested on.
    n_folds : int, optional
        Number of parts that are held out in turn; by default 5, or as many as there are groups.
    by : "answers" or "annotators", default="answers"
        What is held out together and counted as one independent draw. "annotators" says how far the numbers would move
        with other people; at least 15 are needed.
    few : int, default=5
        Objects in fewer answers are hardly mentioned.
    random_state : int, generator or None, default=0
        Seed of the folds; None takes another one each time. Beside it only what the questions ask decides, by the names
        of the objects, or by their numbers where they have none.

    Returns
    -------
    TrustReport
        Tables of answers, annotators and objects; printing it gives a short one.

    Raises
    ------
    UnpredictableAnswersError
        If the maps predict hardly more than half of the held-out answers: then nothing can be said.
    InvalidParameterError
        If `by` is "annotators" and there are fewer than 15.

    Examples
    --------
    >>> import numpy as np
    >>> from tete import TETE, trust
    >>> from tete.datasets import make_uniform_triplets
    >>> points = np.random.default_rng(0).normal(size=(30, 2))
    >>> answers = make_uniform_triplets(points, 4000).flip(0.1)
    >>> report = trust(TETE(), answers)
    >>> report.wrong_interval[0] < 0.1 < report.wrong_interval[1]
    True
    """
    check_whole("few", few, least=1)
    triplets = estimator.read(X, y) if hasattr(estimator, "embedding_") else as_triplets(X, y)
    refuse_zero_weights(triplets.weights)
    unit = check_by(by, triplets)
    fitted = fitted_to(estimator, triplets)
    if unit == "annotators":
        held_out = held_out_people(fitted, triplets, n_folds=n_folds, random_state=random_state)
    else:
        held_out = held_out_answers(fitted, triplets, n_folds=n_folds, random_state=random_state)
    return report_on(held_out, few=few, by=unit, n_components=fitted.embedding_.shape[1])


def report_on(held_out: HeldOutAnswers, *, few: int = 5, by: By = "answers", n_components: int = 2) -> TrustReport:
    """The report on answers whose held-out margins are known, on maps of so many dimensions."""
    if not held_out.n_known:
        raise InvalidTripletsError("No object of a held-out answer occurs in another answer: nothing can be compared.")
    judged, annotators = JudgedAnswers.of(held_out), annotator_table(held_out, n_components)
    error, interval = held_out.accuracy_error, (judged.lapses.low, judged.lapses.high)
    if by == "annotators":
        of_people = errors_of_people(held_out)
        error, interval = of_people.accuracy_error, of_people.wrong_interval or interval
    return TrustReport(
        model=judged.lapses.model,
        wrong_interval=interval,
        accuracy=held_out.accuracy,
        accuracy_error=error,
        n_held_out=held_out.n_known,
        probability_wrong=judged.probability_wrong,
        answers=answer_table(judged, annotators),
        annotators=annotators,
        objects=object_table(judged, few=few),
        by=by,
    )


def _number_of(answers: "pd.DataFrame") -> int:
    """How many, weights counted as repeats."""
    return len(answers) if "weight" not in answers else round(float(answers["weight"].sum()))


def _flagged(kind: str, table: "pd.DataFrame", flags: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(f"{kind} {flag.replace('_', ' ')}", listed(table.index[table[flag]].tolist())) for flag in flags]
