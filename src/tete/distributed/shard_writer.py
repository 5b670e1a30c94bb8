"""Fill a folder with shards of equal size; what is known of all answers is counted from the finished shards."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.summary import joined_parts
from tete.distributed.manifest import Manifest, digest_of, write_json
from tete.distributed.shard_files import Columns, Shard, write_shard
from tete.embedding.objective import ROWS_IN_A_BLOCK, blocks_of_rows, sum_weights
from tete.exceptions import InvalidTripletsError

__all__ = ["ROWS_IN_A_SHARD", "ShardWriter"]

ROWS_IN_A_SHARD = 2**22  # a multiple of the rows of a block


@dataclass
class ShardWriter:
    """Takes columns of any length and writes shards of `n_rows` triplets; the last one may be smaller."""

    folder: Path
    n_rows: int = ROWS_IN_A_SHARD
    shards: list[Shard] = field(default_factory=list)
    _waiting: list[Columns] = field(default_factory=list, init=False)
    _n_waiting: int = field(default=0, init=False)

    @property
    def is_even(self) -> bool:
        """Whether all that was taken is in shards."""
        return not self._waiting

    def stops(self, start: int, length: int) -> list[int]:
        """Where to cut rows that come next, so that no piece goes beyond the end of a shard."""
        first = start + self.n_rows - self._n_waiting
        return [*range(first, length, self.n_rows), length] if start < length else []

    def append(self, columns: Columns) -> None:
        """Take some triplets, and write the shards that they fill."""
        start, length = 0, len(columns["anchor"])
        for stop in self.stops(0, length):
            self._waiting.append({name: np.array(values[start:stop]) for name, values in columns.items()})
            self._n_waiting += stop - start
            if self._n_waiting == self.n_rows:
                self.flush()
            start = stop

    def flush(self) -> None:
        """Write what waits as a shard."""
        if self._waiting:
            whole = {name: np.concatenate([part[name] for part in self._waiting]) for name in self._waiting[0]}
            self.shards.append(write_shard(self.folder / f"{len(self.shards):06}.shard", whole))
            self._waiting, self._n_waiting = [], 0

    def finish(
        self, n_objects: int, names: Sequence[Hashable] | None, annotators: Sequence[Hashable] | None
    ) -> Manifest:
        """Write the rest, the counts, the names and at last the manifest."""
        self.flush()
        if not self.shards:
            raise InvalidTripletsError("At least one triplet is needed, got 0.")
        counts = _Counts(n_objects, 0 if annotators is None else len(annotators))
        for shard in self.shards:
            counts.add(shard.read())
        np.save(self.folder / "mentions.npy", counts.mentions)
        np.save(self.folder / "parts.npy", np.unique(counts.parts, return_inverse=True)[1])
        write_json(self.folder / "names.json", None if names is None else list(names))
        people = None if annotators is None else {"labels": list(annotators), "answers": counts.of_annotators.tolist()}
        write_json(self.folder / "annotators.json", people)
        files = ("mentions.npy", "parts.npy", "names.json", "annotators.json")
        n_triplets = sum(shard.n_rows for shard in self.shards)
        weighted = "weights" in self.shards[0].columns
        manifest = Manifest(
            n_triplets=n_triplets,
            n_objects=n_objects,
            n_answers=counts.n_answers,
            total_weight=sum_weights(self._weights(1)) if weighted else float(n_triplets),
            squared_weight=sum_weights(self._weights(2)) if weighted else float(n_triplets),
            columns=self.shards[0].columns,
            shards=tuple((shard.path.name, shard.n_rows, shard.digest) for shard in self.shards),
            files={name: digest_of(self.folder / name) for name in files},
        )
        manifest.write(self.folder)
        return manifest

    def _weights(self, power: int) -> Iterator[NDArray[np.float64]]:
        """Powers of the weights in blocks of rows that do not depend on where shards end."""
        rest = np.zeros(0)
        for shard in self.shards:
            rest = np.concatenate([rest, shard.read()["weights"]])
            whole = len(rest) - len(rest) % ROWS_IN_A_BLOCK
            yield from (rest[rows] ** power for rows in blocks_of_rows(slice(0, whole)))
            rest = rest[whole:]
        if len(rest):
            yield rest**power


class _Counts:
    """What is counted in one pass over the shards."""

    def __init__(self, n_objects: int, n_annotators: int) -> None:
        self.mentions = np.zeros(n_objects, dtype=np.int64)
        self.parts: NDArray[np.int64] = np.arange(n_objects)
        self.of_annotators = np.zeros(n_annotators, dtype=np.int64)
        self.n_answers = 0
        self._last_answer: Any = None

    def add(self, columns: Columns) -> None:
        for rows in blocks_of_rows(slice(0, len(columns["anchor"]))):
            objects = [columns[name][rows] for name in ("anchor", "near", "far")]
            for numbers in objects:
                self.mentions += np.bincount(numbers, minlength=len(self.mentions))
            self.parts = joined_parts(self.parts, *objects)
            first = self._first_triplets(columns, rows)
            self.n_answers += int(first.sum())
            if "annotators" in columns:
                people = columns["annotators"][rows][first]
                self.of_annotators += np.bincount(people, minlength=len(self.of_annotators))

    def _first_triplets(self, columns: Columns, rows: slice) -> NDArray[np.bool_]:
        """Which triplets begin an answer: those whose answer is another one than that of the triplet before."""
        if "answers" not in columns:
            return np.ones(rows.stop - rows.start, dtype=bool)
        answers = columns["answers"][rows]
        first = np.concatenate([[answers[0] != self._last_answer], answers[1:] != answers[:-1]])
        self._last_answer = answers[-1]
        return np.asarray(first, dtype=bool)
