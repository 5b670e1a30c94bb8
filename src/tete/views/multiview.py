"""The estimator of several maps."""

from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tete.comparisons.checks import refuse_zero_weights
from tete.comparisons.reading import as_triplets
from tete.comparisons.triplets import Triplets
from tete.core.docstrings import filled_from
from tete.core.geometry import aligned
from tete.core.randomness import RandomState, make_generator
from tete.core.showing import ExploredMap
from tete.core.types import Embedding
from tete.core.validation import check_choice, check_interval, check_n_jobs, check_whole
from tete.embedding.estimators import TETE
from tete.exceptions import InvalidTripletsError
from tete.metrics.satisfaction import satisfied
from tete.views.axis_weights import fit_axis_weights
from tete.views.cross_fitting import CrossFit, MapMaker, Solution
from tete.views.mixture import ANSWER_KINDS, PERSON_KINDS
from tete.views.own_maps import agreement_of
from tete.views.unit_answers import UnitAnswers
from tete.views.view_search import FoundViews, find_views
from tete.views.view_tables import answers_table, largest_first, people_table, view_numbers
from tete.views.views_summary import ViewFound, ViewsSummary

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MultiViewTETE"]

EXACT = 1e-6  # tolerance of the final maps, as in `TETE`


@dataclass(eq=False, repr=False)
class MultiViewTETE(ExploredMap, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Several maps of the same objects, for people who see them in different ways.

    Some judge faces by emotion, others by identity: one map cannot satisfy both, and makes the smaller group look
    careless. Here each person belongs to one of several views, or to several by shares, and each view has a map.
    People who answer at random or the wrong way round are told from those who are consistent in another way.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of each map.
    n_views : "auto" or int, default="auto"
        Number of views. "auto" adds one while held-out answers gain by it clearly, in two searches with other halves of
        the answers, and both put the same people together.
    by : "annotators" or "answers", default="annotators"
        What belongs to a view: a person with all answers, or each answer by itself, as in multiview triplet embedding
        (Amid & Ukkonen 2015), where nobody is known or people change their view.
    t : float in [1, 2], default=2.0
        Temperature of the logarithm of all maps.
    t_prime : float in [1, 2], default=1.5
        Temperature of the kernel.
    random_state : int, generator or None, default=None
        Seed of the halves and of one start; None always takes the same.
    n_jobs : int or None, default=-1
        Number of threads; -1 for all cores. The result does not depend on it.

    Attributes
    ----------
    n_views_ : int
        Number of views.
    embeddings_ : array of shape (n_views, n_objects, n_components)
        The maps, that of the largest view first, the others turned to lie over it as well as they can.
    object_names_ : tuple or None
        Names of the objects, where the answers had names.
    view_of_ : Series
        For each annotator the number of the likeliest view, 0 for the largest, -1 for people in none (at chance,
        reversed, of a view of their own); with ``by="answers"`` for each answer.
    responsibilities_ : DataFrame
        For each annotator (or answer) the probability of each view.
    reliabilities_ : Series
        For each annotator how far answers follow the view: 1 as those of ordinary people, 0 at chance, -1 reversed.
    people_ : DataFrame or None
        One row an annotator: answers; view; its probability; reliability; agreement of unseen answers with the view's
        map, with_largest with that of the largest view, and with_own_map with a map of the person's own (only tested
        for people at chance); verdict, one of "ordinary", "consistent, but another view", "consistent, but a view of
        their own", "at chance", "reversed", "random or another view: too few answers to tell" and "unclear".
    answers_ : DataFrame or None
        With ``by="answers"`` one row an answer: row of its first triplet; its line, where it was read from a file; the
        objects of that triplet; annotator, where known; view; its probability; reliability.
    gain_ : float
        By how much the views raise the log-likelihood of unseen answers above that of one map.
    axis_gain_ : float or None
        By how much one map whose axes each person weighs differently (INDSCAL's model) is likelier than the views.
        Where this is positive, the views are rather ends of a continuum.
    n_features_in_ : int
        3: anchor, near and far.

    Examples
    --------
    >>> import numpy as np
    >>> from tete import MultiViewTETE, Triplets
    >>> from tete.datasets import make_uniform_triplets
    >>> rng = np.random.default_rng(0)
    >>> parts = [make_uniform_triplets(rng.normal(size=(12, 2)), 600, random_state=view) for view in range(2)]
    >>> people = np.repeat(["ann", "ben", "cem", "dan", "eve", "flo"], 200)
    >>> rows = np.concatenate([part.to_array() for part in parts])
    >>> model = MultiViewTETE().fit(Triplets.from_array(rows, annotators=people))
    >>> model.n_views_, bool(model.view_of_["ann"] == model.view_of_["cem"] != model.view_of_["dan"])
    (2, True)
    >>> model.view(1).embedding_.shape  # the map of the smaller view, as a fitted `TETE`
    (12, 2)
    """

    n_components: int = 2
    _: KW_ONLY
    n_views: Literal["auto"] | int = "auto"
    by: Literal["annotators", "answers"] = "annotators"
    t: float = 2.0
    t_prime: float = 1.5
    random_state: RandomState = None
    n_jobs: int | None = -1

    @filled_from(as_triplets)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_objects: int | None = None,
    ) -> Self:
        """Find the views and their maps.

        Returns
        -------
        self : estimator
            With the maps in `embeddings_`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidTripletsError
            If the answers cannot be used, or have no annotators with ``by="annotators"``.
        """
        self._check_parameters()
        triplets = as_triplets(X, y, sample_weight, n_objects=n_objects)
        refuse_zero_weights(triplets.weights)
        answers = UnitAnswers.of(triplets, self.by)
        if not isinstance(self.n_views, str):
            check_whole("n_views", self.n_views, least=1, most=answers.n_units)
        maker = MapMaker(self.n_components, float(self.t), float(self.t_prime), self.n_jobs)
        kinds = PERSON_KINDS if self.by == "annotators" else ANSWER_KINDS
        rng = make_generator(0 if self.random_state is None else self.random_state)
        fits = [CrossFit(answers, maker, kinds, stream) for stream in rng.spawn(2)]
        found = find_views(fits, None if self.n_views == "auto" else int(self.n_views))
        return self._learn(triplets, fits[0], found)

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, least=1)
        check_choice("by", self.by, ("annotators", "answers"))
        check_interval("t", self.t, 1.0, 2.0)
        check_interval("t_prime", self.t_prime, 1.0, 2.0)
        check_n_jobs(self.n_jobs)
        if isinstance(self.n_views, str):
            check_choice("n_views", self.n_views, ("auto",))
        else:
            check_whole("n_views", self.n_views, least=1)

    def _learn(self, triplets: Triplets, fit: CrossFit, found: FoundViews) -> Self:
        """Keep the maps and all that is known of people and views."""
        answers, solution = fit.answers, largest_first(fit.answers, found.solution)
        self.n_views_ = solution.n_views
        self.embeddings_ = self._final_maps(fit, solution)
        self.object_names_: tuple[Hashable, ...] | None = triplets.names
        self.n_features_in_ = 3
        self.gain_ = solution.total - found.one.total
        rival = None
        if self.by == "annotators":
            several = [each for each in (found.solution, found.larger) if each is not None and each.n_views > 1]
            rival = fit_axis_weights(fit, found.one, *several[:1])
        self.axis_gain_ = None if rival is None else rival.total - solution.total
        numbers = self._keep_memberships(triplets, answers, solution)
        self._summary = ViewsSummary(
            by=self.by,
            n_objects=int(np.sum(answers.triplets.mentions() > 0)),
            n_units=answers.n_units,
            n_answers=answers.n_answers,
            n_views=self.n_views_,
            chosen=self.n_views == "auto",
            gain=self.gain_,
            steps=found.steps,
            views=_views(answers, numbers, solution, found.one),
            axis_gain=self.axis_gain_,
            n_axes=None if rival is None else rival.n_axes,
            verdicts=_verdicts(self.people_),
        )
        return self

    def _final_maps(self, fit: CrossFit, solution: Solution) -> NDArray[np.float64]:
        maps: list[Embedding] = []
        for weights in solution.memberships.weights.T:
            places = fit.maker.make(fit.answers, weights, tol=EXACT)
            if places is None:
                views = "a map" if solution.n_views == 1 else f"maps of {solution.n_views} views"
                raise InvalidTripletsError(f"The {fit.answers.n_answers:g} answers are too few for {views}.")
            maps.append(places if not maps else aligned(maps[0], places, scale=False))
        return np.array(maps)

    def _keep_memberships(self, triplets: Triplets, answers: UnitAnswers, solution: Solution) -> NDArray[np.int64]:
        """Keep who, or which answer, is of which view, and return the numbers of these views."""
        import pandas as pd  # noqa: PLC0415

        labels, units = pd.Index(answers.labels, name="annotator"), np.arange(answers.n_units)
        if self.by == "answers":
            given = answers.unit_of_row >= 0
            numbers = triplets.answer_numbers()[given]
            first = np.unique(numbers, return_index=True)[1]
            rows = np.flatnonzero(given)[first]
            units = answers.unit_of_row[rows]
            labels = pd.Index(rows if triplets.answers is None else triplets.answers[rows], name="answer")
        members, people = solution.memberships, self.by == "annotators"
        self.people_ = people_table(answers, solution, self.n_components) if people else None
        self.answers_ = None if people else answers_table(triplets, rows, units, solution)
        numbers = view_numbers(solution) if self.people_ is None else self.people_["view"].to_numpy()
        self.view_of_ = pd.Series(numbers[units], index=labels, name="view")
        self.responsibilities_ = pd.DataFrame(members.views[units], index=labels)
        self.reliabilities_ = pd.Series(members.reliabilities[units], index=labels, name="reliability")
        return numbers

    # What users ask of the views ------------------------------------------------------------------------------------

    def summary(self) -> ViewsSummary:
        """What was found, in words and numbers.

        Returns
        -------
        ViewsSummary
            Printing it gives a short table; `as_dict` has plain values.
        """
        check_is_fitted(self, "embeddings_")
        return self._summary

    def view(self, number: int = 0) -> TETE:
        """The map of one view as a fitted `TETE`, to predict, place new objects or score with.

        Parameters
        ----------
        number : int, default=0
            The view, 0 for the largest.

        Returns
        -------
        TETE
            With the map in `embedding_`.
        """
        check_is_fitted(self, "embeddings_")
        check_whole("number", number, least=0, most=self.n_views_ - 1)
        estimator = TETE(self.n_components, t=self.t, t_prime=self.t_prime, n_jobs=self.n_jobs)
        return estimator.on_map(self.embeddings_[number], self.object_names_)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """For each row, whether its first object is nearer to the second than to the third for who is asked.

        Parameters
        ----------
        X : Triplets, array of shape (n, 3) or data frame
            Rows of three objects; with annotators, each row is about that person's view, else, and for people who are
            not known or in no view, about the largest.

        Returns
        -------
        array of n booleans
            True where it is nearer to the second.
        """
        return self._satisfied(self.view().read(X))

    @filled_from(as_triplets)
    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Share of answers that agree with the map of their annotator's view: see `predict`.

        Returns
        -------
        float
            From 0 to 1.
        """
        triplets = self.view().read(X, y, sample_weight)
        return float(np.average(self._satisfied(triplets), weights=triplets.weights))

    def _maps(self) -> Mapping[str, Any]:
        check_is_fitted(self, "embeddings_")
        return {f"view {number}": places for number, places in enumerate(self.embeddings_)}

    def _satisfied(self, triplets: Triplets) -> NDArray[np.bool_]:
        views = np.zeros(len(triplets), dtype=np.int64)
        if triplets.annotators is not None and self.by == "annotators":
            known = self.view_of_.reindex(triplets.annotators, fill_value=0).to_numpy()
            views = np.maximum(known, 0)
        agree = np.stack([satisfied(places, triplets) for places in self.embeddings_])
        return np.asarray(agree[views, np.arange(len(triplets))])


def _views(
    answers: UnitAnswers, numbers: NDArray[np.int64], solution: Solution, one: Solution
) -> tuple[ViewFound, ...]:
    amounts = answers.counts
    shares = answers.repeats @ solution.memberships.views / answers.repeats.sum()

    found = []
    for view, margins in enumerate(solution.margins):
        counted = (numbers == view)[answers.units]
        of_people = len(solution.memberships.kinds.reliability) > 1
        tested = (margins, solution.margins[0], one.margins[0]) if of_people and counted.any() else ()
        measured = [float(np.average(agreement_of(each)[counted], weights=amounts[counted])) for each in tested]
        found.append(ViewFound(int(answers.repeats[numbers == view].sum()), float(shares[view]), *measured))
    return tuple(found)


def _verdicts(people: "pd.DataFrame | None") -> dict[str, list[Any]]:
    if people is None:
        return {}
    odd = people[people["verdict"] != "ordinary"]
    return {str(verdict): those.index.tolist() for verdict, those in odd.groupby("verdict", sort=True)}
