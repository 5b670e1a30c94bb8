"""From a Dask data frame to packed answers, a partition at a time: once for the names, once for the triplets."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tete.comparisons.triplets import Triplets
from tete.distributed.columns import columns_of
from tete.distributed.folders import new_folder
from tete.distributed.shard_writer import ShardWriter

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd

__all__ = ["pack_frame"]


def pack_frame(frame: "dd.DataFrame", path: Path, *, force: bool) -> None:
    """Pack the rows of the frame; numbers are object numbers, anything else is a name, as in `Triplets.from_frame`."""
    names: set[Hashable] = set()
    people: set[Hashable] = set()
    largest = -1
    for part in _partitions(frame):
        objects = part[["anchor", "near", "far"]]
        if all(kind.kind in "iu" for kind in objects.dtypes):
            largest = max(largest, int(objects.to_numpy().max()))
        else:
            names.update(np.unique(objects.to_numpy(object).ravel()).tolist())
        if "annotator" in part:
            people.update(part["annotator"].unique().tolist())
    known = sorted(names, key=str) if names else None
    labels = [str(each) if not isinstance(each, (int, str)) else each for each in sorted(people, key=str)]
    numbers: dict[Hashable, int] | None = {label: number for number, label in enumerate(labels)} if people else None
    n_objects = largest + 1 if known is None else len(known)
    with new_folder(path, force=force) as folder:
        writer = ShardWriter(folder)
        for part in _partitions(frame):
            triplets = Triplets.from_frame(part, names=known, n_objects=n_objects)
            writer.append(columns_of(triplets, numbers))
        writer.finish(n_objects, known, labels if people else None)


def _partitions(frame: "dd.DataFrame") -> "Iterator[pd.DataFrame]":
    """The partitions that have rows, each computed when it is asked for."""
    for number in range(frame.npartitions):
        part: Any = frame.partitions[number].compute()
        if len(part):
            yield part
