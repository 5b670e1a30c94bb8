"""Folds that tear no answer apart.

The unit is the answer, or the annotator on request. One odd-one-out answer gives two triplets: counted one by one, or
split between training and test, they would make every score look better and every standard error look smaller.
"""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_whole
from tete.exceptions import InvalidParameterError, InvalidTripletsError

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["folds", "units_of"]

Rows: TypeAlias = NDArray[np.int64]


def units_of(triplets: "Triplets", by: Literal["groups", "annotators"]) -> NDArray[np.int64]:
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
    from sklearn.model_selection import check_cv  # noqa: PLC0415  (takes long to import)

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
