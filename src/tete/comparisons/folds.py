"""Folds that tear no answer apart, and deal questions by what they ask.

The unit is the answer, or the annotator on request. One odd-one-out answer gives two triplets: counted one by one, or
split between training and test, they would make every score look better and every standard error look smaller. All
answers to one question are held out together, so that a question that was asked ten times, or counts ten times, is in
the fold in which it would be if it had been asked once, whatever the order of the answers and, where objects have
names, of the objects. Groups say otherwise.
"""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.by_people import By
from tete.comparisons.same_question import question_numbers
from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_whole
from tete.exceptions import InvalidParameterError, InvalidTripletsError, Parameter

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["blocks_of", "folds", "kind_of_blocks", "units_of"]

N_FOLDS = 5  # unless another number is asked for
Rows: TypeAlias = NDArray[np.int64]


def units_of(triplets: "Triplets", by: By) -> NDArray[np.int64]:
    """For each triplet the number of its answer or of its annotator, 0, 1, ..."""
    if by == "answers":
        return triplets.answer_numbers()
    if triplets.annotators is None:
        raise InvalidParameterError("`by` must be 'answers' for triplets without annotators, got 'annotators'.")
    return np.unique(triplets.annotators, return_inverse=True)[1]


def blocks_of(triplets: "Triplets", by: By) -> NDArray[np.int64]:
    """For each triplet the number of what is held out together with it: its group or question, or its annotator."""
    if by == "annotators":
        return units_of(triplets, by)
    if triplets.groups is not None:
        return np.unique(triplets.groups, return_inverse=True)[1]
    return question_numbers(triplets)


def kind_of_blocks(triplets: "Triplets", by: By) -> str:
    """What `blocks_of` numbers, in a word for people."""
    return by if by == "annotators" else "questions" if triplets.groups is None else "groups"


def folds(
    cv: Any,
    blocks: NDArray[np.int64],
    random_state: RandomState,
    *,
    units: NDArray[np.int64] | None = None,
    name: str = "cv",
    kind: str = "questions",
) -> Iterator[tuple[Rows, Rows]]:
    """Rows to fit and rows to test: `cv` shuffled folds of whole blocks, or what a splitter of scikit-learn yields.

    Without `cv` five, or as many as there are groups: somebody made these, however few. A splitter is told the blocks
    and may tear them apart, but never one of the `units` (by default the blocks).
    `name` is what the caller calls `cv`, and `kind` what the blocks are.
    """
    if cv is None:
        cv = _n_folds_by_default(int(blocks.max()) + 1, kind)
    if isinstance(cv, (int, np.integer)):
        check_whole(name, cv, least=2)
        n_blocks = int(blocks.max()) + 1
        if n_blocks < cv:
            raise InvalidTripletsError(
                Parameter(name), f" must be at most the number of different {kind}, {n_blocks}, got {cv}."
            )
        fold_of_block = make_generator(random_state).permutation(n_blocks) % cv
        for fold in range(cv):
            test = fold_of_block[blocks] == fold
            yield np.flatnonzero(~test), np.flatnonzero(test)
        return
    units = blocks if units is None else units
    from sklearn.model_selection import check_cv  # noqa: PLC0415  (takes long to import)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a splitter that ignores groups is refused below if it matters
        splits = list(check_cv(cv).split(np.zeros((len(blocks), 1)), groups=blocks))
    for train, test in splits:
        torn = np.intersect1d(units[train], units[test])
        if len(torn):
            raise InvalidParameterError(
                f"`cv` must not split an answer or annotator between training and test, got {len(torn)} that it splits."
            )
        yield train, test


def _n_folds_by_default(n_blocks: int, kind: str) -> int:
    """Five, or one for each group."""
    fewest = 2 if kind == "groups" else N_FOLDS
    if n_blocks < fewest:
        raise InvalidTripletsError(f"At least {fewest} different {kind} are needed to hold some out, got {n_blocks}.")
    return min(N_FOLDS, n_blocks)
