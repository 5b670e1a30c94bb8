"""Placing a data set of rows, part by part, on threads or on a Dask cluster, and going on after a stop."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from tete.core.threads import threads
from tete.core.validation import check_n_jobs
from tete.distributed.cluster import checked_workers, refuse_lost
from tete.distributed.manifest import read_json, write_json
from tete.distributed.part_placing import PartDone, PlacingTask, check_model, model_digest, place_part
from tete.distributed.placed_files import note_of, require_parquet
from tete.distributed.row_parts import RowPart, RowSource, row_parts
from tete.exceptions import ClusterError, InvalidFileError, OutputExistsError, Parameter
from tete.io.feature_columns import Wanted
from tete.reduction.model_files import save_model

if TYPE_CHECKING:
    from distributed import Client
    from tete.reduction.feature_map import FeatureMap

__all__ = ["MODEL", "PlacedRows", "check_folder", "place_dataset", "placed_manifest", "write_placed_manifest"]

# Readers of folders of Parquet files look over names that begin so.
MANIFEST, FORMAT, VERSION = "_placed.json", "tete placed rows", 1
MODEL = "_model.npz"  # where a model is kept that has no file yet
TASKS_OF_A_THREAD = 2  # of a worker: one that it works on, and one that waits

Report: TypeAlias = Callable[[RowPart, PartDone], None]


@dataclass(frozen=True)
class PlacedRows:
    """What a run has done.

    Attributes
    ----------
    folder : path
        Where the files are.
    n_rows : int
        Rows of the data set.
    n_parts, n_kept : int
        Its parts, and how many of them were there already.
    n_unlike : int
        Rows placed in this run that hardly belong to the map: their novelty is above 3.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tete.distributed import PlacedRows
    >>> done = PlacedRows(Path("places"), n_rows=1_000_000, n_parts=4, n_kept=3, n_unlike=12)
    >>> done.n_parts - done.n_kept  # parts placed in this run; the others were there already
    1
    """

    folder: Path
    n_rows: int
    n_parts: int
    n_kept: int
    n_unlike: int


def place_dataset(
    model: "str | Path | FeatureMap | Any",
    source: RowSource,
    out: str | Path,
    *,
    client: "Client | None" = None,
    id_column: str | None = None,
    labels: Sequence[str] = (),
    drop: Sequence[str] = (),
    n_jobs: int | None = -1,
    verbose: bool = False,
    force: bool = False,
) -> PlacedRows:
    """Place the rows of a data set that need not fit into memory on a finished map.

    Each part of it becomes a Parquet file of ids or row numbers, places, other columns and novelty, which appears when
    it is whole. A run that was stopped goes on with the parts that are missing when it is called again. A part whose
    rows have changed is placed again.

    Parameters
    ----------
    model : path or fitted estimator
        What `save_model` has written, or the estimator (or pipeline) itself, which is then kept in the folder.
    source : path, sequence of paths, or array
        Parquet and npy files, or anything that has a shape and takes slices of rows, such as a zarr or HDF5 array.
    out : path
        The folder to write to.
    client : distributed.Client, optional
        Of a Dask cluster to work on; model, files and folder must be at the same paths on all its machines.
    id_column : column name, optional
        What names the rows of Parquet files; as in `read_features`.
    labels, drop : sequences of column names, default=()
        Columns that are no features, and columns to leave out; of a model with names, all others are kept.
    n_jobs : int or None, default=-1
        Threads without a cluster; -1 means all cores. Places are the same to the last bit for any number.
    verbose : bool, default=False
        Whether to show a progress bar.
    force : bool, default=False
        Whether to place all parts again, and may replace those of another model.

    Returns
    -------
    PlacedRows
        How many rows and parts there are.

    Raises
    ------
    InvalidFileError
        If a file cannot be used; the message has the row and the column.
    OutputExistsError
        If the folder has rows that another model has placed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from tete import WeightedTETE
    >>> from tete.distributed import draw_landmarks, place_dataset
    >>> rows = np.random.default_rng(0).normal(size=(500, 4))
    >>> model = WeightedTETE(max_iter=5, random_state=0).fit(draw_landmarks(rows, 100).X)
    >>> with TemporaryDirectory() as folder:
    ...     placed = place_dataset(model, rows, folder)
    ...     files = sorted(path.name for path in Path(folder).glob("*.parquet"))
    >>> placed.n_rows, files
    (500, ['rows.parquet'])
    """
    check_n_jobs(n_jobs)
    require_parquet()
    folder = Path(out)
    parts = row_parts(source)
    check_folder(folder, source)
    path = _model_file(model, folder, force=force)
    wanted = Wanted(id_column, tuple(labels), tuple(drop))
    task = PlacingTask(str(path.absolute()), model_digest(path), str(folder.absolute()), wanted)
    check_model(task)
    missing = [part for part in parts if _is_missing(task, part) or force]  # looked at, so that no other is replaced
    manifest = _begun(folder, task, force=force)
    total, kept = sum(part.n_rows for part in parts), len(parts) - len(missing)
    n_unlike = 0
    with _bar(total, total - sum(part.n_rows for part in missing), shown=verbose) as advance:

        def report(part: RowPart, done: PartDone) -> None:
            nonlocal n_unlike
            n_unlike += done.n_unlike
            advance(done.n_rows)

        if client is None:
            _on_threads(task, missing, n_jobs, report)
        else:
            _on_cluster(client, task, missing, report)
    done = {part.name: part.n_rows for part in parts}
    write_json(folder / MANIFEST, manifest | {"parts": manifest["parts"] | done})
    return PlacedRows(folder, total, len(parts), kept, n_unlike)


# The folder ----------------------------------------------------------------------------------------------------------


def check_folder(folder: Path, source: RowSource) -> None:
    """Make the folder, but never among the rows themselves."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(20, "Is a file, expected a folder", str(folder))
    paths = [] if hasattr(source, "shape") else [source] if isinstance(source, (str, Path)) else list(source)
    inside = [path for path in paths if Path(path).resolve().parent == folder.resolve()]
    if inside:
        raise InvalidFileError(f"{folder} has the rows themselves ({Path(inside[0]).name}): take another folder.")
    folder.mkdir(exist_ok=True)


def _model_file(model: Any, folder: Path, *, force: bool) -> Path:
    """The file of the model; an estimator gets one in the folder, unless it is there already."""
    if isinstance(model, (str, Path)):
        return Path(model)
    path = folder / MODEL
    if not path.exists() or force:
        save_model(path, model, force=force)
        return path
    with TemporaryDirectory() as elsewhere:
        save_model(Path(elsewhere) / MODEL, model)
        new = model_digest(Path(elsewhere) / MODEL)
    if new != model_digest(path):
        raise OutputExistsError(f"{path} is another model: ", Parameter("force", True), " replaces it and its rows.")
    return path


def placed_manifest(folder: Path) -> dict[str, Any] | None:
    """What a folder of placed rows says of itself; None if it says nothing yet."""
    if not (folder / MANIFEST).is_file():
        return None
    found = read_json(folder / MANIFEST)
    sound = isinstance(found, dict) and found.get("format") == FORMAT and isinstance(found.get("parts"), dict)
    if not sound or found.get("version") != VERSION:
        raise InvalidFileError(f"{folder} is damaged: {MANIFEST} is not of version {VERSION} of its format.")
    return dict(found)


def write_placed_manifest(folder: Path, digest: str, made_from: str | None = None) -> dict[str, Any]:
    """Say which model places the rows of a folder, and what it was fitted to; return all of it."""
    manifest = {"format": FORMAT, "version": VERSION, "model": digest, "made_from": made_from, "parts": {}}
    write_json(folder / MANIFEST, manifest)
    return manifest


def _begun(folder: Path, task: PlacingTask, *, force: bool) -> dict[str, Any]:
    """The manifest of an earlier run with this model, or a new one; rows of another model are not mixed in."""
    found = placed_manifest(folder)
    if found is not None and found["model"] == task.digest:
        return found
    if found is not None and not force:
        raise OutputExistsError(
            f"{folder} has rows that another model has placed: ", Parameter("force", True), " places them again."
        )
    return write_placed_manifest(folder, task.digest)


def _is_missing(task: PlacingTask, part: RowPart) -> bool:
    """Whether a part was not placed, or from other rows or other columns; rows of another model are refused later."""
    return note_of(task.target(part)) != task.note(part)


# The work ------------------------------------------------------------------------------------------------------------


def _on_threads(task: PlacingTask, parts: Sequence[RowPart], n_jobs: int | None, report: Report) -> None:
    """A part for each thread, or all threads for one part where there are few; the first error ends the run."""
    lock = Lock()
    with threads(n_jobs) as workers:
        own = replace(task, n_jobs=1 if len(parts) >= workers.n_jobs else n_jobs)
        failed: list[BaseException] = []

        def work(number: int) -> None:
            if failed:
                return
            try:
                done = place_part(own, parts[number])
            except BaseException as error:
                failed.append(error)
                raise
            with lock:
                report(parts[number], done)

        workers.run(work, len(parts))


def _on_cluster(client: "Client", task: PlacingTask, parts: Sequence[RowPart], report: Report) -> None:
    """Parts on the workers, so many at once that none of them waits; lost ones are placed by others."""
    from distributed import KilledWorker, as_completed  # noqa: PLC0415

    waiting, sent = deque(parts), {}
    running = as_completed()

    def send() -> None:
        part = waiting.popleft()
        future = client.submit(place_part, task, part.loaded(), pure=False)
        sent[future.key] = part
        running.add(future)

    for _ in range(min(TASKS_OF_A_THREAD * sum(checked_workers(client).values()), len(waiting))):
        send()
    for future in running:
        part = sent.pop(future.key)
        try:
            done = future.result()
        except KilledWorker as error:
            raise ClusterError(f"All workers that were given {part.name} were lost.") from error
        except (CancelledError, OSError, TimeoutError) as error:
            if not isinstance(error, ClusterError):
                refuse_lost(client)
            raise
        report(part, done)
        if waiting:
            send()


@contextmanager
def _bar(total: int, done: int, *, shown: bool) -> Iterator[Callable[[int], object]]:
    """What moves a bar that shows rows a second."""
    if not shown:
        yield lambda n_rows: None
        return
    from tqdm.auto import tqdm  # noqa: PLC0415  (takes long to import)

    with tqdm(total=total, initial=done, desc="placing", unit="rows", unit_scale=True) as bar:
        yield bar.update
