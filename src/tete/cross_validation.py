"""Cross-validation on whole answers: folds that tear none apart, and the score of a map on the answers held out.

The unit is the answer, or the annotator on request. One odd-one-out answer gives two triplets: counted one by one, or
split between training and test, they would make every score look better and every standard error look smaller.
"""

import warnings
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from tete.arrays import Embedding
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.metrics import satisfied
from tete.randomness import RandomState, make_generator
from tete.triplets import Triplets
from tete.validation import check_whole

__all__ = ["HeldOut", "best_of_each_dimension", "folds", "units_of"]

Rows: TypeAlias = NDArray[np.int64]


def units_of(triplets: Triplets, by: Literal["groups", "annotators"]) -> NDArray[np.int64]:
    """For each triplet the number of its answer or of its annotator, 0, 1, ..."""
    if by == "groups":
        return triplets.answer_numbers()
    if triplets.annotators is None:
        raise InvalidParameterError("`by` must be 'groups' for triplets without annotators, got 'annotators'.")
    return np.unique(triplets.annotators, return_inverse=True)[1]


def folds(cv: Any, units: NDArray[np.int64], random_state: RandomState) -> Iterator[tuple[Rows, Rows]]:
    """Rows to fit and rows to test: `cv` shuffled folds of whole units, or what a splitter of scikit-learn yields."""
    if isinstance(cv, (int, np.integer)):
        check_whole("cv", cv, least=2)
        n_units = int(units.max()) + 1
        if n_units < cv:
            raise InvalidTripletsError(
                f"`cv` must be at most the number of answers or annotators, {n_units}, got {cv}."
            )
        fold_of_unit = make_generator(random_state).permutation(n_units) % cv
        for fold in range(cv):
            test = fold_of_unit[units] == fold
            yield np.flatnonzero(~test), np.flatnonzero(test)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a splitter that ignores groups is refused below if it matters
        splits = list(check_cv(cv).split(np.zeros((len(units), 1)), groups=units))
    for train, test in splits:
        torn = np.intersect1d(units[train], units[test])
        if len(torn):
            raise InvalidParameterError(
                f"`cv` must not split an answer or annotator between training and test, got {len(torn)} that it splits."
            )
        yield train, test


class HeldOut:
    """Weight of held-out triplets that maps of one kind agree with, for each unit, added up over folds."""

    def __init__(self, n_units: int) -> None:
        self.agreed, self.weight = np.zeros(n_units), np.zeros(n_units)
        self.scores: dict[int, float] = {}

    def add(
        self, fold: int, embedding: Embedding, known: NDArray[np.bool_], test: Triplets, units: NDArray[np.int64]
    ) -> None:
        """Test a map; triplets about objects that it was not told of do not count."""
        tested = known[test.anchor] & known[test.near] & known[test.far]
        weights = test.weights_or_ones() * tested
        agreed = weights * satisfied(embedding, test)
        self.agreed += np.bincount(units, weights=agreed, minlength=len(self.agreed))
        self.weight += np.bincount(units, weights=weights, minlength=len(self.weight))
        self.scores[fold] = float(agreed.sum() / weights.sum()) if weights.any() else np.nan

    @property
    def score(self) -> float:
        """Share of the held-out weight that the maps agree with."""
        return float(self.agreed.sum() / self.weight.sum()) if self.weight.any() else np.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the score, units being independent draws."""
        return _standard_error(self.agreed, self.weight)

    def clearly_below(self, other: "HeldOut", n_errors: float) -> bool:
        """Whether the score is below the other's by more than so many standard errors of their difference.

        Only units that both were tested on count; on these the difference is known far better than either score.
        """
        both = (self.weight > 0) & (other.weight > 0)
        gain = (other.agreed - self.agreed)[both]
        weight = self.weight[both]
        return bool(gain.sum() > n_errors * _standard_error(gain, weight) * weight.sum())


def best_of_each_dimension(results: dict[str, Any], chosen: dict[str, Any]) -> list[int]:
    """Places in `cv_results_` of the chosen candidate and, of every other dimension, of the best one."""
    best: dict[int, int] = {}
    n_folds = np.sum([~np.isnan(column) for name, column in results.items() if name.startswith("split")], axis=0)
    for index in np.lexsort((results["comparable_score"], n_folds)):  # the best of those that all folds have tested
        best[int(results["param_n_components"][index])] = int(index)
    best[chosen["n_components"]] = results["params"].index(chosen)
    return [best[n_components] for n_components in sorted(best)]


def _standard_error(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Of a ratio of two sums over units."""
    total = weight.sum()
    if total == 0.0:
        return np.nan
    return float(np.sqrt(np.sum((values - weight * (values.sum() / total)) ** 2)) / total)
