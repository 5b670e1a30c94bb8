"""From files of answers to a folder, in two passes: the first finds all names, the second writes numbers.

Both read some ten thousand rows at a time, so memory grows with the objects and people, not with the answers. A run
that was stopped is taken up where it was: names that were found are kept, files that were done are not read again.
"""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tete.comparisons.triplets import Triplets
from tete.core.printing import counted, were
from tete.distributed.columns import columns_of
from tete.distributed.folders import new_folder
from tete.distributed.manifest import Manifest, read_json, write_json
from tete.distributed.shard_files import Shard
from tete.distributed.shard_writer import ROWS_IN_A_SHARD, ShardWriter
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, InvalidParameterError, warn
from tete.io.answer_pieces import AnswerPieces
from tete.io.object_numbers import numbers_of_texts
from tete.io.sources import AnyPath

__all__ = ["pack_answers"]

PROGRESS = "progress.json"


@dataclass(frozen=True)
class _Found:
    """What the first pass found: for each number of an object its text, the names if there are any, and people."""

    texts: list[str]
    names: list[Hashable] | None
    annotators: list[str] | None


def pack_answers(
    paths: Sequence[AnyPath],
    folder: AnyPath,
    *,
    rows_in_a_shard: int = ROWS_IN_A_SHARD,
    force: bool = False,
    **reading: Any,
) -> Manifest:
    r"""Pack the answers of CSV, TSV and Parquet files into a folder that `TripletShards` opens.

    Parameters
    ----------
    paths : sequence of str or path
        The files, all with the same columns.
    folder : str or path
        The folder to make; it appears when it is whole. A run that was stopped goes on when it is called again.
    rows_in_a_shard : int, default=4194304
        Triplets of a shard.
    force : bool, default=False
        Whether to replace a folder that is there.
    **reading : options
        What the columns mean, as in `read_answers`: columns, odd_one_out, most_central, picked, ranked, weight,
        annotator, answer, group, encoding, skip_invalid; and header, which is true unless it is said to be false.
        Answers of weight 0 and undecided ones are left out.

    Returns
    -------
    Manifest
        What is in the folder.

    Raises
    ------
    InvalidFileError
        If a file cannot be used; the message has the line and the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tete.distributed import TripletShards, pack_answers
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "monday.csv").write_text("anchor,near,far\ntea,mate,wine\n")
    >>> _ = (folder / "friday.csv").write_text("anchor,near,far\nwine,beer,tea\nbeer,wine,mate\n")
    >>> manifest = pack_answers([folder / "monday.csv", folder / "friday.csv"], folder / "answers.tete")
    >>> len(TripletShards(folder / "answers.tete"))
    3
    """
    if not paths:
        raise InvalidParameterError("`paths` must name at least one file, got none.")
    files = [AnswerPieces(path, **reading) for path in paths]
    with new_folder(Path(folder), force=force, keep=True) as unfinished:
        progress = _progress_of(unfinished, files, rows_in_a_shard)
        if progress["found"] is None:
            progress["found"] = asdict(_first_pass(files))
            write_json(unfinished / PROGRESS, progress)
        found = _Found(**progress["found"])
        writer = _second_pass(unfinished, files, found, progress, rows_in_a_shard)
        manifest = writer.finish(len(found.texts), found.names, found.annotators)
        (unfinished / PROGRESS).unlink()
    return manifest


def _progress_of(unfinished: Path, files: Sequence[AnswerPieces], rows_in_a_shard: int) -> dict[str, Any]:
    """Where an earlier run of the same files stood, or the beginning."""
    inputs = [[{**asdict(file), "path": str(file.path)}, *_state_of(file.path)] for file in files]
    key = repr((inputs, rows_in_a_shard))
    if (unfinished / PROGRESS).is_file():
        progress: dict[str, Any] = read_json(unfinished / PROGRESS)
        if progress.get("key") == key:
            return progress
    for old in unfinished.iterdir():
        old.unlink()
    return {"key": key, "found": None, "shards": [], "file": 0, "piece": 0, "row": 0, "answers": 0}


def _state_of(path: AnyPath) -> tuple[int, int]:
    state = Path(path).stat()
    return state.st_size, state.st_mtime_ns


def _first_pass(files: Sequence[AnswerPieces]) -> _Found:
    """All names of objects and people."""
    texts: set[str] = set()
    people: set[str] = set()
    kinds: set[frozenset[str]] = set()
    for file in files:
        file.refuse_ambiguous_answers()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedAnswersWarning)  # the second pass says it
            for _, triplets in file.triplets(None):
                mentioned = np.flatnonzero(triplets.mentions())
                texts.update(str(triplets.name_of(int(number))) for number in mentioned)
                if triplets.annotators is not None:
                    people.update(np.unique(triplets.annotators).tolist())
                kinds.add(frozenset(_details_of(triplets)))
    if len(kinds) > 1:
        different = sorted(frozenset.union(*kinds) - frozenset.intersection(*kinds))
        raise InvalidFileError(f"Some of the {len(files)} files have {', '.join(different)} and others do not.")
    if not kinds:
        raise InvalidFileError(f"{files[0].path} and the others have no answers: expected one a row.")
    number_of, names = numbers_of_texts(texts, None)
    in_order = [f"\x00{number}" for number in range(max(number_of.values()) + 1)]  # what no file can say
    for text, number in number_of.items():
        in_order[number] = text
    return _Found(in_order, None if names is None else list(names), sorted(people) if people else None)


def _details_of(triplets: Triplets) -> list[str]:
    return [name for name in ("weights", "annotators", "answers", "groups") if getattr(triplets, name) is not None]


def _second_pass(
    unfinished: Path, files: Sequence[AnswerPieces], found: _Found, progress: dict[str, Any], rows_in_a_shard: int
) -> ShardWriter:
    """Write the shards; after each, where it ends in the files is written down."""
    done = [
        Shard(unfinished / name, n_rows, digest, tuple(names)) for name, n_rows, digest, names in progress["shards"]
    ]
    writer = ShardWriter(unfinished, rows_in_a_shard, done)
    people: dict[Hashable, int] | None = None
    if found.annotators is not None:
        people = {label: number for number, label in enumerate(found.annotators)}
    first_answer, n_unweighted = progress["answers"], 0
    for number in range(progress["file"], len(files)):
        resumed = number == progress["file"]
        for piece, triplets in files[number].triplets(found.texts, skip=progress["piece"] if resumed else 0):
            columns = columns_of(triplets, people, first_answer)
            n_unweighted += len(triplets) - len(columns["anchor"])
            start = progress["row"] if resumed and piece == progress["piece"] else 0
            for stop in writer.stops(start, len(columns["anchor"])):
                writer.append({name: values[start:stop] for name, values in columns.items()})
                start = stop
                if writer.is_even:
                    shards = [[each.path.name, each.n_rows, each.digest, each.columns] for each in writer.shards]
                    place = {"file": number, "piece": piece, "row": stop, "answers": first_answer}
                    write_json(unfinished / PROGRESS, progress | {"shards": shards} | place)
            first_answer += len(triplets)
    if n_unweighted:
        said = f"{counted(n_unweighted, 'triplet')} {were(n_unweighted)} left out: of weight 0."
        warn(said, DroppedAnswersWarning)
    return writer
