"""From triplets to the columns of a shard: labels become numbers, and what counts for nothing is left out."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.distributed.shard_files import Columns

__all__ = ["columns_of"]


def columns_of(triplets: Triplets, annotators: Mapping[Hashable, int] | None, first_answer: int = 0) -> Columns:
    """The columns of these triplets, without those of weight 0; answers that are only numbered go on from the first."""
    columns: dict[str, NDArray[Any]] = {name: getattr(triplets, name) for name in ("anchor", "near", "far")}
    if triplets.weights is not None:
        columns["weights"] = triplets.weights
    for name in ("answers", "groups"):
        labels = getattr(triplets, name)
        if labels is not None:
            columns[name] = codes_of(labels, first_answer)
    if annotators is not None and triplets.annotators is not None:
        labels, places = np.unique(triplets.annotators, return_inverse=True)
        columns["annotators"] = np.array([annotators[label] for label in labels.tolist()], dtype=np.int32)[places]
    if triplets.weights is None or triplets.weights.all():
        return columns
    return {name: values[triplets.weights > 0] for name, values in columns.items()}


def codes_of(labels: NDArray[Any], first: int) -> NDArray[np.int64]:
    """Whole numbers go on from the first; of other labels 63 bits that look random are enough to tell them apart.

    A list of all labels would take memory for every answer. Of a billion, less than one pair is expected to be taken
    for one answer.
    """
    if labels.dtype.kind in "iu":
        return labels.astype(np.int64) + first
    from pandas.util import hash_array  # noqa: PLC0415  (keeps `import tete` quick)

    different, places = np.unique(labels, return_inverse=True)
    hashes = hash_array(different.astype(object), categorize=False)
    codes: NDArray[np.int64] = (hashes >> np.uint64(1)).astype(np.int64)[places]
    return codes
