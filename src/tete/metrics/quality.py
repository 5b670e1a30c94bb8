"""How good a map of feature data is, from one pass over the features: for tables of any size and every metric.

`neighborhoods` has the measures one by one. Here a few hundred rows are sampled for all of them, so that tables larger
than memory will do.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tete.core.any_frame import as_pandas
from tete.core.matrices import as_dense, is_sparse
from tete.core.printing import Printed, counted, table_lines
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_map, check_whole
from tete.exceptions import InvalidParameterError
from tete.metrics.classes import neighborhood_accuracy
from tete.metrics.neighborhoods import N_TRIPLETS, global_score, order_kept, recall_of_ranks, trust_of_ranks
from tete.metrics.ranks import (
    NUMBERS_AT_ONCE,
    all_distances,
    feature_ranks,
    map_neighbors,
    moderate,
    sample_rows,
    unit_rows,
)

__all__ = ["MapQuality", "map_quality"]

FEWEST_ROWS = 6  # of fewer rows, shares of neighbours have a handful of values and say nothing
GLOBAL_ROWS = 1000  # whose distances among each other are all computed
CLASS_ROWS = 10_000  # for a standard error of at most .005
CLASS_NEIGHBORS = 10  # as in benchmarks/reduction.py, so that numbers can be compared


@dataclass(frozen=True)
class MapQuality(Printed):
    """Measures of a map, None where there are too few rows, or no labels or distances. Printing gives a short table.

    Attributes
    ----------
    n_rows : int
        Rows of the map.
    n_neighbors : int
        Neighbours per row.
    n_samples : int
        Rows whose neighbours were looked at.
    recall : float or None
        Share of a row's nearest rows in the features that are its nearest ones on the map too.
    recall_error : float or None
        Standard error of the recall.
    trustworthiness : float or None
        Venna and Kaski's; 1 if all neighbours on the map are neighbours in the features.
    accuracy : float or None
        Share of rows whose class is the commonest among their ten nearest on the map.
    random_triplets : float or None
        Share of random triplets of rows whose order of distances is kept; 0.5 is chance.
    global_score : float or None
        1 if the map is as good an overview as principal components are.
    all_equal : bool
        Whether all rows are equal, so that there is nothing to measure.

    Examples
    --------
    >>> from tete import map_quality
    >>> from tete.datasets import make_sphere
    >>> points = make_sphere(300).data
    >>> quality = map_quality(points, points[:, :2])  # the sphere seen from above
    >>> print(f"{quality.recall:.0%} of the neighbours are kept")
    52% of the neighbours are kept
    >>> quality.as_dict()["n_rows"]
    300
    """

    n_rows: int
    n_neighbors: int
    n_samples: int
    recall: float | None = None
    recall_error: float | None = None
    trustworthiness: float | None = None
    accuracy: float | None = None
    random_triplets: float | None = None
    global_score: float | None = None
    all_equal: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON.

        Returns
        -------
        dict
            The attributes by name.
        """
        return asdict(self)

    def __str__(self) -> str:
        rows = []
        if self.recall is not None:
            kept = f"{self.recall:.1%} ± {self.recall_error:.1%} of the {self.n_neighbors} nearest rows stay nearest"
            rows.append(("neighbours kept", f"{kept} ({counted(self.n_samples, 'row')} looked at)"))
        if self.trustworthiness is not None:
            rows.append(("trustworthiness", f"{self.trustworthiness:.3f}"))
        if self.accuracy is not None:
            rows.append(("classes", f"{self.accuracy:.1%} are in the class of most of their 10 nearest on the map"))
        if self.random_triplets is not None:
            rows.append(("random triplets", f"{self.random_triplets:.1%} keep their order (chance: 50 %)"))
        if self.global_score is not None:
            rows.append(("global score", f"{self.global_score:.3f} (principal components: 1)"))
        reason = "nothing to measure: all rows are equal" if self.all_equal else "unknown: too few rows"
        return "\n".join(table_lines(rows or [("quality", reason)]))


def map_quality(
    X: Any,
    embedding: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    metric: str = "euclidean",
    n_neighbors: int = 15,
    n_samples: int = 200,
    random_state: RandomState = 0,
) -> MapQuality:
    """Measure a map of the rows of `X`.

    Parameters
    ----------
    X : array (also memory-mapped), data frame or sparse matrix of shape (n_rows, n_columns)
        Finite features, or distances for ``metric="precomputed"``.
    embedding : array of shape (n_rows, n_components)
        The map of the rows.
    labels : array of n_rows classes, optional
        The class of each row; rows whose class is "" do not count.
    metric : str, default="euclidean"
        What the features are compared by, as in the estimators.
    n_neighbors : int, default=15
        How many nearest neighbours; lowered where there are fewer than twice as many rows.
    n_samples : int, default=200
        How many rows' neighbours are looked at. The standard error of the recall falls with its root.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    MapQuality
        The measures; printing it gives a short table.

    Raises
    ------
    InvalidParameterError
        If the numbers of rows differ.

    Examples
    --------
    >>> from tete import map_quality
    >>> from tete.datasets import make_sphere
    >>> points = make_sphere(300).data
    >>> print(map_quality(points, points[:, :2], labels=points[:, 2] > 0))  # the sphere seen from above
    neighbours kept     51.5% ± 0.9% of the 15 nearest rows stay nearest (200 rows looked at)
    trustworthiness     0.843
    classes             57.0% are in the class of most of their 10 nearest on the map
    random triplets     80.6% keep their order (chance: 50 %)
    global score        0.938 (principal components: 1)
    """
    places, rng = check_map("embedding", embedding), make_generator(random_state)
    check_whole("n_neighbors", n_neighbors, least=1)
    check_whole("n_samples", n_samples, least=1)
    table = as_pandas(X)
    table = table.to_numpy() if hasattr(table, "to_numpy") else table
    n_rows = len(places)
    if table.shape[0] != n_rows:
        raise InvalidParameterError(f"`embedding` must have {counted(table.shape[0], 'row')} like `X`, got {n_rows}.")
    rows, count = sample_rows(n_rows, n_samples, rng), min(n_neighbors, (n_rows - 1) // 2)
    if n_rows >= FEWEST_ROWS and _all_equal(table):
        return MapQuality(n_rows, count, len(rows), all_equal=True)
    measures: dict[str, Any] = {"accuracy": _class_accuracy(places, labels, rng)}
    if n_rows >= FEWEST_ROWS and not (metric == "precomputed" and is_sparse(table)):
        measures |= _neighborhoods(feature_ranks(table, rows, map_neighbors(places, rows, count), metric), n_rows)
        some = sample_rows(n_rows, GLOBAL_ROWS, rng)
        measures["random_triplets"] = _random_triplets(table, places, some, metric, rng)
        if metric != "precomputed":
            sample = moderate(as_dense(table[some]), metric)
            measures["global_score"] = global_score(unit_rows(sample, metric), places[some])
    return MapQuality(n_rows, count, len(rows), **measures)


def _all_equal(table: Any) -> bool:
    """Whether each row is the first one; of most tables a few rows tell that it is not."""
    first = as_dense(table[:1])
    size = max(NUMBERS_AT_ONCE // table.shape[1], 1)
    return all(bool((as_dense(table[start : start + size]) == first).all()) for start in range(0, table.shape[0], size))


def _class_accuracy(places: NDArray[np.float64], labels: ArrayLike | None, rng: np.random.Generator) -> float | None:
    if labels is None:
        return None
    codes = np.unique(np.asarray(labels).astype(str), return_inverse=True)
    if len(codes[1]) != len(places):
        raise InvalidParameterError(
            f"`labels` must have one entry for each of {len(places)} rows, got {len(codes[1])}."
        )
    known = codes[0][codes[1]] != ""
    if known.sum() <= CLASS_NEIGHBORS:
        return None
    return neighborhood_accuracy(
        places[known], codes[1][known], n_neighbors=CLASS_NEIGHBORS, n_samples=CLASS_ROWS, random_state=rng
    )


def _neighborhoods(ranks: NDArray[np.int64], n_rows: int) -> dict[str, float | None]:
    """Recall, its standard error, and trustworthiness of the sampled rows."""
    recall = recall_of_ranks(ranks)
    return {
        "recall": float(recall.mean()),
        "recall_error": float(recall.std() / np.sqrt(len(recall))),
        "trustworthiness": trust_of_ranks(ranks, n_rows),
    }


def _random_triplets(
    table: Any, places: NDArray[np.float64], rows: NDArray[np.int64], metric: str, rng: np.random.Generator
) -> float:
    """Share of random triplets of these rows whose order is the same in the features and on the map."""
    sample = (
        np.asarray(table[np.ix_(rows, rows)]) if metric == "precomputed" else moderate(as_dense(table[rows]), metric)
    )
    shown = places[rows]
    in_features, on_map = all_distances(sample, sample, metric), all_distances(shown, shown, "euclidean")

    def between(distances: NDArray[Any]) -> Callable[[Any, Any], NDArray[Any]]:
        return lambda first, second: distances[first, second]

    return order_kept(between(in_features), between(on_map), len(rows), N_TRIPLETS, rng)
