"""The score of maps of one kind on the answers held out, added up over folds, and comparisons of such scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.core.types import Embedding
from tete.embedding.distance_margins import distance_margins
from tete.embedding.temperature_choice import log_probabilities

__all__ = ["FoldScores", "best_of_each_dimension"]


class FoldScores:
    """Weight of held-out triplets that maps of one kind agree with, for each unit, added up over folds.

    By `likelihood`, the weighted sum of log P under the answer model, maps are compared: it tells more than agreement.

    `copies` are the numbers of equal units, independent of each other, that each unit stands for.
    """

    def __init__(self, copies: NDArray[np.float64]) -> None:
        self.agreed, self.likelihood, self.weight = (np.zeros(len(copies)) for _ in range(3))
        self.copies = copies
        self.scores: dict[int, float] = {}
        self.likelihoods: dict[int, float] = {}  # means, fold by fold

    def add(
        self, fold: int, embedding: Embedding, known: NDArray[np.bool_], test: Triplets, units: NDArray[np.int64]
    ) -> None:
        """Test a map; triplets about objects that it was not told of do not count."""
        tested = known[test.anchor] & known[test.near] & known[test.far]
        weights = test.weights_or_ones() * tested
        margins = distance_margins(embedding, test.anchor, test.near, test.far)
        agreed, likelihood = weights * (margins > 0.0), np.zeros(len(test))
        if weights.any():
            counted = weights > 0.0
            likelihood[counted] = weights[counted] * log_probabilities(margins[counted], weights[counted])
        self.likelihood += np.bincount(units, weights=likelihood, minlength=len(self.agreed))
        self.agreed += np.bincount(units, weights=agreed, minlength=len(self.agreed))
        self.weight += np.bincount(units, weights=weights, minlength=len(self.weight))
        for means, values in ((self.scores, agreed), (self.likelihoods, likelihood)):
            means[fold] = float(values.sum() / weights.sum()) if weights.any() else np.nan

    @property
    def score(self) -> float:
        """Share of the held-out weight that the maps agree with."""
        return float(self.agreed.sum() / self.weight.sum()) if self.weight.any() else np.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the score, units being independent draws."""
        return _standard_error(self.agreed, self.weight, self.copies)

    @property
    def mean_likelihood(self) -> float:
        """Mean of log P, by weight."""
        return float(self.likelihood.sum() / self.weight.sum()) if self.weight.any() else np.nan

    @property
    def likelihood_error(self) -> float:
        """Its standard error, units being independent draws."""
        return _standard_error(self.likelihood, self.weight, self.copies)

    def clearly_below(self, other: "FoldScores", n_errors: float) -> bool:
        """Whether the likelihood is below the other's by more than so many standard errors of their difference.

        Only units that both were tested on count; on these the difference is known far better than either one.
        """
        both = (self.weight > 0) & (other.weight > 0)
        gain = (other.likelihood - self.likelihood)[both]
        weight = self.weight[both]
        return bool(gain.sum() > n_errors * _standard_error(gain, weight, self.copies[both]) * weight.sum())


def best_of_each_dimension(results: dict[str, Any], chosen: dict[str, Any]) -> list[int]:
    """Places in `cv_results_` of the chosen candidate and, of every other dimension, of the best one."""
    best: dict[int, int] = {}
    n_folds = np.sum([~np.isnan(column) for name, column in results.items() if name.startswith("split")], axis=0)
    for index in np.lexsort(
        (results["comparable_likelihood"], n_folds)
    ):  # the best of those that all folds have tested
        best[int(results["param_n_components"][index])] = int(index)
    best[chosen["n_components"]] = results["params"].index(chosen)
    return [best[n_components] for n_components in sorted(best)]


def _standard_error(values: NDArray[np.float64], weight: NDArray[np.float64], copies: NDArray[np.float64]) -> float:
    """Of a ratio of two sums over units, each unit being the sum of so many equal ones."""
    total = weight.sum()
    if total == 0.0:
        return np.nan
    squares = (values - weight * (values.sum() / total)) ** 2
    return float(np.sqrt(np.sum(np.divide(squares, copies, out=np.zeros(len(copies)), where=copies > 0.0))) / total)
