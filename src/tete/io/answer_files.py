"""Files of answers to `Triplets` and back."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.triplets import Triplets
from tete.exceptions import InvalidFileError, Parameter
from tete.io.headers import LAYOUTS, column_position, layout_of, roles_of
from tete.io.records import AnswerReader, warn_dropped
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.text_tables import Table, read_parquet_table, read_text_table
from tete.io.writing import atomic_write, write_frame

__all__ = ["read_answers", "write_answers"]


def read_answers(
    path: AnyPath,
    *,
    columns: Sequence[str] | None = None,
    odd_one_out: bool = False,
    weight: str | None = None,
    annotator: str | None = None,
    group: str | None = None,
    names: Sequence[Hashable] | None = None,
    header: bool = True,
    encoding: str = "utf-8",
    skip_invalid: bool = False,
) -> Triplets:
    r"""Read answers from a CSV, TSV, Parquet, npz or npy file, or from standard input.

    Whole numbers are object numbers from 0, unless they are as sparse as ids are; anything else is a name. Space around
    a name does not count.

    Parameters
    ----------
    path : str or path
        The file; "-" reads text from standard input.
    columns : sequence of three column names or numbers from 1, optional
        The columns of anchor, near and far, in this order. By default they are found by their header: anchor, near, far
        or Salmon's head, winner, loser; NEXT's center, left, right, answer; or first, second[, third], odd. Of an npz
        file: the name of the array of triplets.
    odd_one_out : bool, default=False
        Whether `columns` are three objects of which the last is the odd one out.
    weight : column name or number, optional
        How much each answer counts; by default found by its header.
    annotator : column name or number, optional
        Who gave the answer; by default found by its header.
    group : column name or number, optional
        Which rows belong to one answer; by default found by its header.
    names : sequence, optional
        Names of the objects of an existing map: numbers follow their order, and other names are an error.
    header : bool, default=True
        Whether the first line has the names of the columns.
    encoding : str, default="utf-8"
        Of a text file; byte order marks are understood anyway.
    skip_invalid : bool, default=False
        Whether to leave out, with a warning, rows with an empty cell or with one object twice.

    Returns
    -------
    Triplets
        The answers, with weights, annotators, groups and names where the file has them.

    Raises
    ------
    InvalidFileError
        If the file cannot be used; the message has the line and the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tete import read_answers
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.csv")
    ...     _ = path.write_text("anchor,near,far\nespresso,latte,tea\ntea,cocoa,latte\n")
    ...     read_answers(path)
    Triplets(2 triplets of 4 objects, with names)
    """
    kind = kind_of(path, ("text", "parquet", "npz", "npy"))
    source = Source.of(path)
    if kind in {"npz", "npy"}:
        return _read_arrays(source, columns, names, skip_invalid)
    if kind == "text":
        table = read_text_table(source, encoding=encoding, header=header, least_columns=3)
    else:
        table = read_parquet_table(source)
    roles, layout = _columns_to_use(table, columns, odd_one_out, header)
    for role, wanted in (("weight", weight), ("annotator", annotator), ("group", group)):
        if wanted is not None:
            roles[role] = column_position(source.name, table.columns, wanted)
    return AnswerReader(table, roles, layout, names, skip_invalid).triplets()


def write_answers(path: AnyPath, triplets: Triplets, *, force: bool = False) -> None:
    """Write triplets with all they know to a CSV, TSV, Parquet or npz file, which `read_answers` reads back.

    Parameters
    ----------
    path : str or path
        The file; its extension says how it is written.
    triplets : Triplets
        The answers.
    force : bool, default=False
        Whether to overwrite a file that is there.

    Raises
    ------
    OutputExistsError
        If the file is there and `force` is false.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tete import Triplets, read_answers, write_answers
    >>> with TemporaryDirectory() as folder:
    ...     write_answers(f"{folder}/answers.csv", Triplets.from_array([(0, 1, 2), (2, 1, 0)], weights=[1.0, 0.5]))
    ...     read_answers(f"{folder}/answers.csv")
    Triplets(2 triplets of 3 objects, with weights)
    """
    kind = kind_of(path, ("text", "parquet", "npz"))
    rows = triplets.to_array()
    details = {
        name: values for name in ("weights", "annotators", "groups") if (values := getattr(triplets, name)) is not None
    }
    if kind == "npz":
        if triplets.names is not None:
            details["names"] = np.array([str(name) for name in triplets.names])
        with atomic_write(path, force=force) as stream:
            np.savez_compressed(stream, triplets=rows, n_objects=triplets.n_objects, **details)
        return
    import pandas as pd  # noqa: PLC0415

    cells = rows if triplets.names is None else np.array([str(name) for name in triplets.names], dtype=object)[rows]
    frame = pd.DataFrame(cells, columns=["anchor", "near", "far"])
    write_frame(path, frame.assign(**{name.removesuffix("s"): values for name, values in details.items()}), force=force)


def _columns_to_use(
    table: Table, columns: Sequence[str] | None, odd_one_out: bool, header: bool
) -> tuple[dict[str, int], str]:
    """The roles of the columns, by name, by header or, without one, by their order; and the layout they make."""
    file = table.source.name
    if columns is None and header:
        roles = roles_of(file, table.columns)
        return roles, layout_of(file, table.columns, roles)
    wanted = ("1", "2", "3") if columns is None else tuple(columns)
    if len(wanted) != 3:
        raise InvalidFileError(f"`columns` must be three names or numbers, got {len(wanted)}: {', '.join(wanted)}.")
    layout = "odd" if odd_one_out else "triplets"
    known = {"weight", "annotator", "group"}
    roles = (
        {role: position for role, position in roles_of(file, table.columns).items() if role in known} if header else {}
    )
    return roles | {
        role: column_position(file, table.columns, name) for role, name in zip(LAYOUTS[layout], wanted, strict=True)
    }, layout


def _read_arrays(
    source: Source, columns: Sequence[str] | None, names: Sequence[Hashable] | None, skip_invalid: bool
) -> Triplets:
    """Triplets from NumPy's own formats: an (n, 3) array, in npz with weights, annotators, groups and names."""
    arrays = _load(source)
    wanted = columns[0] if columns else ("triplets" if "triplets" in arrays else next(iter(arrays)))
    if wanted not in arrays:
        raise InvalidFileError(f"{source.name}: there is no array {wanted!r} among {', '.join(map(repr, arrays))}.")
    details: dict[str, Any] = {
        name: arrays[name] for name in ("weights", "annotators", "groups") if name in arrays and name != wanted
    }
    rows = _without_repeats(f"{source.name}, array {wanted!r}", arrays[wanted], details, skip_invalid)
    known = arrays["names"].tolist() if "names" in arrays and names is None else names
    if known is not None:
        details["names"] = tuple(known)
    elif "n_objects" in arrays:
        details["n_objects"] = int(arrays["n_objects"])
    try:
        return Triplets.from_array(rows, **details)
    except ValueError as error:
        raise InvalidFileError(f"{source.name}, array {wanted!r}: {error}") from error


def _without_repeats(place: str, rows: NDArray[Any], details: dict[str, Any], skip_invalid: bool) -> NDArray[Any]:
    """The rows, and what is known about each, without those that have one object twice; or name the first of these."""
    if rows.ndim != 2 or rows.shape[1] != 3:
        return rows
    kept = (rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])
    if kept.all():
        return rows
    reason = "an object cannot be compared with itself"
    if not skip_invalid:
        row, count = int(np.argmin(kept)), int((~kept).sum())
        shown = ", ".join(map(str, rows[row]))
        raise InvalidFileError(
            f"{place}, row {row} is ({shown}): {reason} ({count} such rows; ",
            Parameter("skip_invalid", True),
            " leaves them out).",
        )
    warn_dropped(kept, reason)
    details |= {name: values[kept] for name, values in details.items() if len(values) == len(kept)}
    return np.asarray(rows[kept])


def _load(source: Source) -> dict[str, NDArray[Any]]:
    try:
        with source.open() as stream:
            loaded = np.load(stream, allow_pickle=False)
            return {"triplets": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    except (ValueError, EOFError, KeyError) as error:
        raise InvalidFileError(
            f"{source.name} is not an {Path(source.name).suffix[1:]} file of plain arrays."
        ) from error
