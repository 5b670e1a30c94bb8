"""Triplets from whatever people have: one way in for every function that takes answers."""

from collections.abc import Hashable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from tete.comparisons.triplets import Triplets
from tete.core.any_frame import as_pandas
from tete.core.printing import counted
from tete.exceptions import InvalidTripletsError

__all__ = ["as_triplets"]


def as_triplets(
    X: Any,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    names: Sequence[Hashable] | None = None,
    n_objects: int | None = None,
) -> Triplets:
    """Triplets from whatever people have.

    Parameters
    ----------
    X : Triplets, array of shape (n, 3) or data frame with columns anchor, near and far
        Rows say that anchor is more like near than like far. The data frame may be of pandas, polars, pyarrow, modin
        or another library that narwhals knows; its whole numbers are ids where 0 is not among them, as in files, and
        it may have a column weight (count, votes, ...), annotator, ...: see `Triplets.from_frame`.
    y : array of n answers, optional
        Then rows are questions: +1 where the anchor is more like the second column, -1 where it is more like the
        third, 0 where undecided; or booleans. As in cblearn, zeros and ones without any -1 count as booleans.
    sample_weight : array of n non-negative numbers, optional
        How much each row counts.
    names : sequence, optional
        Names of an existing map, so that names keep their numbers.
    n_objects : int, optional
        Number of objects, where it is more than the largest object number in an array tells.

    Returns
    -------
    Triplets
        The answers.
    """
    if isinstance(X, Triplets):
        triplets = X
        if names is not None and X.names is not None and X.names != tuple(names):
            raise InvalidTripletsError(
                "The triplets number their names differently than the map does: give them the map's `names`."
            )
    else:
        table = as_pandas(X)
        named = hasattr(table, "columns") and any(isinstance(label, str) for label in table.columns)
        make = Triplets.from_frame if named else Triplets.from_array
        triplets = make(table, names=names, n_objects=n_objects)
    if n_objects is not None and triplets.n_objects > n_objects:
        raise InvalidTripletsError(f"The map has {counted(n_objects, 'object')}, got triplets of {triplets.n_objects}.")
    if sample_weight is not None:
        triplets = triplets.with_weights(sample_weight)
    return triplets if y is None else triplets.with_answers(y)
