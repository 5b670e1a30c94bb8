"""Answers in a folder on disk: as many as there is room for, read a block at a time."""

import copy
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.same_question import code_hashes, question_hashes
from tete.comparisons.triplets import Triplets
from tete.core.printing import counted
from tete.distributed.columns import columns_of
from tete.distributed.dask_frames import pack_frame
from tete.distributed.folders import new_folder
from tete.distributed.manifest import Manifest, digest_of, read_array, read_json
from tete.distributed.shard_files import Columns
from tete.distributed.shard_writer import ROWS_IN_A_SHARD, ShardWriter
from tete.distributed.streaming import summed
from tete.embedding.objective import TripletSum, blocks_of_rows
from tete.embedding.packed import HeldOutSample
from tete.exceptions import InvalidFileError
from tete.io.sources import AnyPath

if TYPE_CHECKING:
    import dask.dataframe as dd

__all__ = ["TripletShards"]

SAMPLED_TRIPLETS = 120_000  # from which temperatures and dimensions are chosen; a choice looks at 100,000 questions
MOST_HELD_OUT = 100_000
BLOCKS_MAPPED = 16  # of rows, at most
OBJECTS = ("anchor", "near", "far")


class TripletShards:
    """Answers that were packed into a folder; estimators are fitted to them as to `Triplets`.

    The folder has shards of equal size, mapped into memory while they are read, so that a fit takes no more memory than
    a shard for each thread and the map. When a shard is first read, its digest tells whether it is what was written.

    Parameters
    ----------
    path : str or path
        The folder.

    Attributes
    ----------
    n_triplets, n_answers, n_objects : int
        How many there are.
    names : tuple or None
        Names of the objects.
    total_weight, squared_weight : float
        Sums of the weights and of their squares.
    answers_per_annotator : dict or None
        For each annotator the number of answers.
    digest : str
        Names the content.

    Raises
    ------
    InvalidFileError
        If the folder is damaged or was not finished.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tete import TETE, Triplets
    >>> from tete.distributed import TripletShards
    >>> with TemporaryDirectory() as folder:
    ...     shards = TripletShards.write(f"{folder}/answers.tete", Triplets.from_array([(0, 1, 2), (2, 1, 0)]))
    ...     TETE(t=2, t_prime=2).fit(shards).embedding_.shape
    (3, 2)
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = Path(path)
        manifest = Manifest.read(self.path)
        for name, digest in manifest.files.items():
            if not (self.path / name).is_file() or digest_of(self.path / name) != digest:
                raise InvalidFileError(f"{self.path} is damaged: {name} is missing or has changed.")
        names, people = read_json(self.path / "names.json"), read_json(self.path / "annotators.json")
        self.names: tuple[Hashable, ...] | None = None if names is None else tuple(names)
        self.n_triplets, self.n_answers, self.n_objects = manifest.n_triplets, manifest.n_answers, manifest.n_objects
        self.total_weight, self.squared_weight = manifest.total_weight, manifest.squared_weight
        self.answers_per_annotator: dict[Hashable, int] | None = None
        if people is not None:
            self.answers_per_annotator = dict(zip(people["labels"], people["answers"], strict=True))
        self.digest = manifest.digest
        self.leave_out_below(0)
        self.columns = manifest.columns
        self._mentions = read_array(self.path / "mentions.npy", self.n_objects)
        self._shards = manifest.shards_in(self.path)
        self._first_rows = np.cumsum([0, *(shard.n_rows for shard in self._shards)])
        self._verified: set[int] = set()
        self._locks = [Lock() for _ in self._shards]

    # Constructors ------------------------------------------------------------------------------------------------

    @classmethod
    def write(
        cls, path: AnyPath, triplets: Triplets, *, rows_in_a_shard: int = ROWS_IN_A_SHARD, force: bool = False
    ) -> Self:
        """Pack triplets that are in memory.

        Parameters
        ----------
        path : str or path
            The folder to make.
        triplets : Triplets
            The answers; those of weight 0 are left out.
        rows_in_a_shard : int, default=4194304
            Triplets of a shard.
        force : bool, default=False
            Whether to replace a folder that is there.

        Returns
        -------
        TripletShards
            The folder.
        """
        labels = None if triplets.annotators is None else np.unique(triplets.annotators).tolist()
        with new_folder(Path(path), force=force) as folder:
            writer = ShardWriter(folder, rows_in_a_shard)
            writer.append(columns_of(triplets, None if labels is None else {each: n for n, each in enumerate(labels)}))
            writer.finish(triplets.n_objects, triplets.names, labels)
        return cls(path)

    @classmethod
    def from_dask(cls, frame: "dd.DataFrame", path: AnyPath, *, force: bool = False) -> Self:
        """Pack a Dask data frame, a partition at a time.

        Parameters
        ----------
        frame : dask.dataframe.DataFrame
            With columns anchor, near, far and optionally weight, annotator, answer and group, as in
            `Triplets.from_frame`.
        path : str or path
            The folder to make.
        force : bool, default=False
            Whether to replace a folder that is there.

        Returns
        -------
        TripletShards
            The folder.
        """
        pack_frame(frame, Path(path), force=force)
        return cls(path)

    # What is there ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.n_triplets

    def __repr__(self) -> str:
        extras: list[str] = [name for name in ("weights", "annotators", "answers", "groups") if name in self.columns]
        extras += [] if self.names is None else ["names"]
        described = f", with {', '.join(extras)}" if extras else ""
        return f"TripletShards({counted(self.n_triplets, 'triplet')} of {counted(self.n_objects, 'object')}{described})"

    def name_of(self, number: int) -> Hashable:
        """The object's name, or its number where there are no names.

        Parameters
        ----------
        number : int
            The object's number.

        Returns
        -------
        hashable
            The name.
        """
        return int(number) if self.names is None else self.names[number]

    def with_names(self, names: tuple[Hashable, ...]) -> Self:
        """The same answers about objects that are called otherwise.

        Parameters
        ----------
        names : tuple of n_objects names
            The names.

        Returns
        -------
        TripletShards
            The same folder.
        """
        renamed = copy.copy(self)
        renamed.names = names
        return renamed

    def mentions(self) -> NDArray[np.int64]:
        """How many triplets mention each object.

        Returns
        -------
        array of n_objects numbers
            Zero for objects about which nothing is known.
        """
        return self._mentions

    def parts(self) -> NDArray[np.int64]:
        """For each object the number of the part it belongs to; answers connect the objects they compare.

        Returns
        -------
        array of n_objects numbers
            Parts are numbered from 0.
        """
        return read_array(self.path / "parts.npy", self.n_objects)

    # Reading -----------------------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """Triplets in the folder, with those that are held out."""
        return int(self._first_rows[-1])

    def blocks(self, rows: slice) -> Iterator[Columns]:
        """Some rows in blocks, whole columns of numbers, without what is held out; each shard is checked when new."""
        opened: dict[int, Columns] = {}
        for number, block in enumerate(blocks_of_rows(rows)):
            if number % BLOCKS_MAPPED == 0:
                opened.clear()  # what was looked at counts as memory of this process while it is mapped
            columns = self._read(block, opened)
            yield self._without_sample(block, columns) if self.left_out else columns

    def _without_sample(self, rows: slice, columns: Columns) -> Columns:
        """A block's columns without what is held out, which is looked for once: to hash costs as much as to sum."""
        place = (rows.start, rows.stop)
        held_out = self._held_out.get(place)
        if held_out is None:
            held_out = np.flatnonzero(self._hashes()(columns) < np.uint64(self.left_out)).astype(np.uint16)
            self._held_out[place] = held_out
        kept = np.ones(rows.stop - rows.start, dtype=bool)
        kept[held_out] = False
        return {name: values[kept] for name, values in columns.items()}

    def _read(self, rows: slice, opened: dict[int, Columns]) -> Columns:
        """Columns of rows of one shard or of neighbouring ones; the last shard stays open."""
        first = int(np.searchsorted(self._first_rows, rows.start, side="right")) - 1
        last = int(np.searchsorted(self._first_rows, rows.stop, side="left"))
        pieces = []
        for number in range(first, last):
            if number not in opened:
                opened.clear()
                opened[number] = self._opened(number)
            start = int(self._first_rows[number])
            inside = slice(max(rows.start - start, 0), rows.stop - start)
            pieces.append({name: values[inside] for name, values in opened[number].items()})
        if len(pieces) == 1:
            return pieces[0]
        joined = {name: np.concatenate([piece[name] for piece in pieces]) for name in self.columns}
        for values in joined.values():
            values.setflags(write=False)  # as what is mapped: compiled code has one version for both
        return joined

    def _opened(self, number: int) -> Columns:
        with self._locks[number]:
            if number not in self._verified:
                self._shards[number].verify(self.n_objects)
                self._verified.add(number)
        return self._shards[number].read()

    def triplets_at(self, rows: NDArray[np.int64]) -> Triplets:
        """The triplets at these rows.

        Parameters
        ----------
        rows : array of row numbers
            Which ones; the numbers rise.

        Returns
        -------
        Triplets
            With all that is known of them; answers and groups are called by numbers.
        """
        found: dict[str, list[NDArray[Any]]] = {name: [] for name in self.columns}
        for number, start in enumerate(self._first_rows[:-1]):
            inside = rows[(rows >= start) & (rows < self._first_rows[number + 1])] - start
            if len(inside):
                columns = self._opened(number)
                for name, values in columns.items():
                    found[name].append(values[inside])
        return self._as_triplets({name: np.concatenate(parts) for name, parts in found.items()})

    def _as_triplets(self, columns: Columns) -> Triplets:
        details: dict[str, Any] = dict(columns)
        if self.answers_per_annotator is not None and "annotators" in details:
            details["annotators"] = np.array(list(self.answers_per_annotator))[details["annotators"]]
        return Triplets(**details, names=self.names, n_objects=self.n_objects)

    # Samples -----------------------------------------------------------------------------------------------------

    def sample(self, most: int = SAMPLED_TRIPLETS) -> Triplets:
        """Some of the triplets, the same ones each time.

        A question is drawn by a hash of what it asks, so that all answers to it are in the sample or none is; where
        triplets say which answer or group they are of, that is hashed instead.

        Parameters
        ----------
        most : int, default=120000
            About so many triplets; all if there are no more.

        Returns
        -------
        Triplets
            The sample.
        """
        return self._below(None if most >= self.n_triplets else _threshold(most / self.n_triplets))

    def hold_out(self, most: int = MOST_HELD_OUT) -> HeldOutSample:
        """Leave a sample out, to test maps of the others.

        Parameters
        ----------
        most : int, default=100000
            About so many triplets are left out, and at most a tenth of all.

        Returns
        -------
        HeldOutSample
            With `others`, these answers without the sample, and `sample`.
        """
        limit = _threshold(min(most / self.n_triplets, 0.1))
        sample = self._below(limit)
        others = copy.copy(self)
        others._leave_out(limit, sample)
        return HeldOutSample(others, sample)

    def leave_out_below(self, limit: int) -> None:
        """Leave out, from now on, what has a hash below a limit when it is read; nothing is counted anew.

        Parameters
        ----------
        limit : int
            Of 64 bits.
        """
        self.left_out = limit
        self._held_out: dict[tuple[int, int], NDArray[np.uint16]] = {}  # for each block the rows that are

    def _leave_out(self, limit: int, sample: Triplets) -> None:
        self.leave_out_below(limit)
        self.digest = f"{self.digest}-{limit:x}"
        self.n_triplets -= len(sample)
        self.n_answers -= sample.n_answers
        self.total_weight -= float(sample.weights_or_ones().sum())
        self.squared_weight -= float((sample.weights_or_ones() ** 2).sum())
        self._mentions = self._mentions - sample.mentions()

    def _below(self, limit: int | None) -> Triplets:
        """The triplets whose hash is below a limit."""
        hashes = self._hashes()
        parts: list[Columns] = []
        for columns in self.blocks(slice(0, self.n_rows)):
            drawn = slice(None) if limit is None else hashes(columns) < np.uint64(limit)
            parts.append({name: np.array(values[drawn]) for name, values in columns.items()})
        return self._as_triplets({name: np.concatenate([part[name] for part in parts]) for name in self.columns})

    def _hashes(self) -> Any:
        """What gives each triplet 64 bits that are equal for all that is held out together."""
        for name in ("groups", "answers"):
            if name in self.columns:
                return lambda columns, name=name: code_hashes(columns[name])
        asked = question_hashes(self.n_objects)
        return lambda columns: asked(*(columns[name] for name in OBJECTS))

    # The sum -----------------------------------------------------------------------------------------------------

    def summed(self, n_components: int, n_jobs: int | None) -> AbstractContextManager[TripletSum]:
        """What a fit minimises: on the cluster of `tete.distributed.on`, or else from the disk on this machine.

        Parameters
        ----------
        n_components : int
            Dimensions of the map.
        n_jobs : int or None
            Threads on this machine; -1 means all cores.

        Returns
        -------
        context manager of a TripletSum
            The sum over the objects that are mentioned.
        """
        return summed(self, n_components, n_jobs)


def _threshold(share: float) -> int:
    """What about this share of all hashes is below."""
    return min(int(share * 2.0**64), 2**64 - 1)
