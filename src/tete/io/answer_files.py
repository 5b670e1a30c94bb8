"""Files of answers to `Triplets` and back."""

from collections.abc import Collection, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.comparisons.checks import check_rows, whole_numbers
from tete.comparisons.object_ids import numbers_of_ids
from tete.comparisons.triplets import Triplets
from tete.core.printing import counted
from tete.core.validation import check_choice
from tete.exceptions import InvalidFileError, InvalidParameterError, InvalidTripletsError, Parameter
from tete.io.answer_layouts import Ties, triplets_of
from tete.io.array_files import read_array, read_arrays
from tete.io.headers import (
    DETAILS,
    column_position,
    column_positions,
    layout_of,
    may_hold_screens,
    refuse_contradiction,
    refuse_unranked,
    roles_of,
    shown_roles,
)
from tete.io.json_tables import json_table
from tete.io.parquet_files import parquet_table
from tete.io.records import AnswerRecords, warn_dropped
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.tables import Table
from tete.io.text_files import TextFile
from tete.io.text_tables import read_text_table
from tete.io.writing import atomic_write, write_frame

__all__ = ["columns_to_use", "read_answers", "write_answers"]

KINDS = {"biuf": "numbers", "biufU": "numbers or texts"}
# Fields of triplets in files: what kinds of values an array may hold, and the column's name.
FIELDS = {
    "weights": ("biuf", "weight"),
    "annotators": ("biufU", "annotator"),
    "answers": ("biufU", "answer"),
    "groups": ("biufU", "group"),
    "times": ("biuf", "ms"),
    "ties": ("biuf", "tie"),
}
BYTES_OF_AN_OBJECT = 64  # that is numbered without being mentioned, in counts and places


def read_answers(
    path: AnyPath,
    *,
    columns: Sequence[str] | None = None,
    odd_one_out: bool = False,
    most_central: bool = False,
    picked: Sequence[str] | None = None,
    ranked: bool = False,
    ties: Ties = "drop",
    weight: str | None = None,
    annotator: str | None = None,
    answer: str | None = None,
    group: str | None = None,
    time: str | None = None,
    names: Sequence[Hashable] | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    skip_invalid: bool = False,
) -> Triplets:
    r"""Read answers from a CSV (also zipped), TSV, Parquet, JSON, npz or npy file, or from standard input.

    Whole numbers are object numbers if 0 is among them and they are not as sparse as ids are. Other whole numbers are
    ids, and anything else is a name. Space around a name does not count, nor in text files an apostrophe before =, +,
    -, @, a tab or a carriage return, which `write_answers` puts there so that spreadsheets compute nothing.

    Parameters
    ----------
    path : str or path
        The file; "-" reads text from standard input.
    columns : sequence of column names or numbers from 1, optional
        The columns of anchor, near and far, in this order. By default they are found by their header: anchor, near, far
        or Salmon's head, winner, loser; NEXT's center, left, right, answer; first, second[, third, ...], odd (or
        central); or anchor, choice1, choice2, ..., picked1, ..., or in Parquet and JSON files anchor, choices, picked
        with a list in each cell. Of an npz file: the name of the array of triplets.
    odd_one_out : bool, default=False
        Whether `columns` are three or more objects of which the last is the odd one out.
    most_central : bool, default=False
        Whether the last of the `columns` is the most central one.
    picked : sequence of column names or numbers, optional
        The columns of what was picked; `columns` are then the anchor and all that was shown. Cells may be empty, where
        screens showed less or less was picked.
    ranked : bool, default=False
        Whether the picks are in order, the most similar first.
    ties : "drop" or "half", default="drop"
        What becomes of undecided answers ("cannot say", 0, ...): they are left out and counted, or each counts in
        equal parts for every answer that was possible, half each way between two.
    weight : column name or number, optional
        How often each answer was given (weight, count, votes); by default found by its header.
    annotator : column name or number, optional
        Who gave the answer; by default found by its header.
    answer : column name or number, optional
        Which rows are one answer; by default found by its header (answer, answer_id), else each row is one.
    group : column name or number, optional
        Which rows are held out together (group, fold); by default found by its header, else all answers to a question.
    time : column name or number, optional
        Response times, in milliseconds unless their median is below 100, which then are seconds; or when the answer was
        given, which took as long as it came after the same person's one before. By default found by its header (ms, rt,
        response_time), where cells that are no time are not known; in a column that is named they are refused.
    names : sequence, optional
        Names of the objects of an existing map: numbers follow their order, and other names are an error.
    header : bool, optional
        Whether the first line has the names of the columns. By default it has, unless `columns` are numbers and the
        first line has objects in them: whole numbers, or a name that other lines have, too.
    encoding : str, default="utf-8"
        Of a text file; byte order marks are understood anyway.
    skip_invalid : bool, default=False
        Whether to leave out, with a warning, rows with an empty cell or with one object twice.

    Returns
    -------
    Triplets
        The answers, with weights, annotators, answers, groups, times, ties and names where the file has them, and the
        lines on which they are.

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
    Triplets(2 triplets of 4 objects, with lines, names)
    """
    check_choice("ties", ties, ("drop", "half"))
    if sum((odd_one_out, most_central, picked is not None)) > 1:
        raise InvalidParameterError("Only one of `odd_one_out`, `most_central` and `picked` can be said.")
    kind = kind_of(path, ("text", "parquet", "json", "npz", "npy"), packed=True)
    source = Source.of(path)
    if kind in {"npz", "npy"}:
        _refuse_layouts(source, odd_one_out=odd_one_out, most_central=most_central, picked=picked, ranked=ranked)
        return _read_arrays(source, columns, names, skip_invalid)
    if kind == "text":
        table = _text_answers(source, encoding, header, columns)
    else:
        unfolds = partial(may_hold_screens, named=(*(columns or ()), *(picked or ())))
        table = (parquet_table if kind == "parquet" else json_table)(source, unfolds=unfolds)
    wanted = zip(DETAILS, (weight, annotator, answer, group, time), strict=True)
    details = {role: column_position(table.head, table.columns, name) for role, name in wanted if name is not None}
    chosen = "odd" if odd_one_out else "central" if most_central else "triplets"
    roles, layout = columns_to_use(table, columns, chosen, picked, details)
    _refuse_objects_as_numbers(table, roles, details)
    if ranked:
        refuse_unranked(table.head, roles, layout)
    return triplets_of(AnswerRecords(table, roles, names, skip_invalid, details), layout, ranked, ties)


def write_answers(path: AnyPath, triplets: Triplets, *, force: bool = False) -> None:
    """Write triplets with all they know to a CSV, TSV, Parquet or npz file, which `read_answers` reads back.

    In CSV and TSV files, which spreadsheets open, names that begin with =, +, -, @, a tab or a carriage return and are
    no numbers get an apostrophe in front, so that nothing is computed; `read_answers` takes it away again.

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
    Triplets(2 triplets of 3 objects, with weights, lines)
    """
    kind = kind_of(path, ("text", "parquet", "npz"))
    rows = triplets.to_array()
    details = {name: values for name in FIELDS if (values := getattr(triplets, name)) is not None}
    if kind == "npz":
        if triplets.names is not None:
            details["names"] = np.array([str(name) for name in triplets.names])
        with atomic_write(path, force=force) as stream:
            np.savez_compressed(stream, triplets=rows, n_objects=triplets.n_objects, **details)
        return
    import pandas as pd  # noqa: PLC0415

    if triplets.ties is not None:
        details["ties"] = triplets.ties.astype(int)
    cells = rows if triplets.names is None else np.array([str(name) for name in triplets.names], dtype=object)[rows]
    frame = pd.DataFrame(cells, columns=["anchor", "near", "far"])
    write_frame(path, frame.assign(**{FIELDS[name][1]: values for name, values in details.items()}), force=force)


def _text_answers(source: Source, encoding: str, header: bool | None, columns: Sequence[str] | None) -> Table:
    """The table in a text file; where columns are given by number, the first line may be an answer already."""
    file = TextFile.of(source, encoding=encoding, header=header is not False, least_columns=3)
    numbers = {str(position + 1): position for position in range(len(file.columns))}
    if header is None and columns and all(column in numbers for column in columns):
        headless = read_text_table(file.headless())
        if _begins_with_an_answer(headless, [numbers[column] for column in columns]):
            return headless
    return read_text_table(file)


def _begins_with_an_answer(table: Table, positions: list[int]) -> bool:
    """Whether the first row has objects: a name that others have, or a number as all others have."""
    first: set[str] = set()
    others: set[str] = set()
    for position in positions:
        column = table.column(position)
        names = column.names
        first.add(names[column.codes[0]])
        others.update(names[code] for code in np.unique(column.codes[1:]))
    return bool(first & others) or all(name.isdecimal() for name in first | others)


def columns_to_use(
    table: Table, columns: Sequence[str] | None, chosen: str, picked: Sequence[str] | None, details: dict[str, int]
) -> tuple[dict[str, int], str]:
    """The roles of the columns, by name, by header or, without one, by their order; and the layout they make."""
    has_header = table.file is None or table.file.header_line is not None
    if columns is None and picked is None and has_header:
        roles = roles_of(table.head, table.columns, left_out=details) | details
        layout = layout_of(table.head, table.columns, roles)
        refuse_contradiction(table.head, table.columns, roles, layout, chosen)
        if "answer" in roles and "answer_id" not in roles and layout != "questions" and "first" not in roles:
            roles["answer_id"] = roles["answer"]
        if layout == "questions" and len(shown_roles(roles)) > 2:  # then the answer is the one that was picked
            return roles | {"picked1": roles["answer"]}, "picks"
        return roles, layout
    roles, layout = _named_columns(table, columns, chosen, picked)
    if has_header:
        others = ["" if position in roles.values() else column for position, column in enumerate(table.columns)]
        found = roles_of(table.head, others, left_out=details)
        details = {role: position for role, position in found.items() if role in DETAILS} | details
    return details | roles, layout


def _refuse_objects_as_numbers(table: Table, roles: dict[str, int], named: Collection[str]) -> None:
    """Refuse a column of times or weights that has objects or people: their names may look like numbers."""
    for role in {"time", "weight"} & set(named):
        other = next((each for each in roles if each != role and roles[each] == roles[role]), None)
        if other is not None:
            raise InvalidFileError(
                f"{table.head}: column {table.columns[roles[role]]!r} is the {other} column and cannot be that of ",
                Parameter(role),
                " too.",
            )


def _named_columns(
    table: Table, columns: Sequence[str] | None, chosen: str, picked: Sequence[str] | None
) -> tuple[dict[str, int], str]:
    """Roles of columns that are given by name or number, in the order of their layout."""
    given = ("1", "2", "3") if columns is None else tuple(columns)
    wanted = _one_object_each(table, given)
    if len(wanted) < 3 or (len(wanted) > 3 and picked is None and chosen == "triplets"):
        raise InvalidFileError(f"`columns` must be three names or numbers, got {len(wanted)}: {', '.join(wanted)}.")
    named = column_positions(table.head, table.columns, wanted)
    if picked is not None:
        picks = column_positions(table.head, table.columns, _one_object_each(table, picked))
        shown = _numbered(["first", "second", "third"], "shown", named[1:])
        return {"anchor": named[0]} | shown | _numbered([], "picked", picks), "picks"
    if chosen == "triplets":
        return dict(zip(("anchor", "near", "far"), named, strict=True)), chosen
    return _numbered(["first", "second", "third"], "shown", named[:-1]) | {chosen: named[-1]}, chosen


def _one_object_each(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns by name or number, those that a column of lists became in its place."""
    return tuple(name for column in columns for name in table.lists.get(column, (column,)))


def _numbered(first: list[str], further: str, positions: Sequence[int]) -> dict[str, int]:
    """Roles of columns that come one after the other: some have words, all others numbers."""
    numbered = [f"{further}{number}" for number in range(len(first) + 1, len(positions) + 1)]
    return dict(zip(first + numbered, positions, strict=False))


def _refuse_layouts(source: Source, **said: Any) -> None:
    """Arrays have triplets, whatever else is said."""
    for name, value in said.items():
        if value:
            raise InvalidFileError(f"{source.name}: an array has triplets, and ", Parameter(name), " is for tables.")


def _read_arrays(
    source: Source, columns: Sequence[str] | None, names: Sequence[Hashable] | None, skip_invalid: bool
) -> Triplets:
    """Triplets from NumPy's own formats: an (n, 3) array, in npz with weights, annotators, ... and names."""
    arrays = {"triplets": read_array(source)} if source.name.lower().endswith(".npy") else read_arrays(source)
    wanted = columns[0] if columns else ("triplets" if "triplets" in arrays else next(iter(arrays)))
    if wanted not in arrays:
        raise InvalidFileError(f"{source.name}: there is no array {wanted!r} among {', '.join(map(repr, arrays))}.")
    details: dict[str, Any] = {name: arrays[name] for name in FIELDS if name in arrays and name != wanted}
    place = f"{source.name}, array {wanted!r}"
    for name, (kinds, _) in ({wanted: ("biuf", "")} | FIELDS).items():
        if name in arrays and arrays[name].dtype.kind not in kinds:
            raise InvalidFileError(f"{source.name}, array {name!r}: expected {KINDS[kinds]}, got {arrays[name].dtype}.")
    try:
        rows = _without_repeats(place, check_rows(arrays[wanted], n_columns=3), details, skip_invalid)
        if names is not None or "names" in arrays:
            details["names"] = tuple(_names(arrays["names"]) if names is None else names)
        elif "n_objects" in arrays:
            details["n_objects"] = n_objects = int(whole_numbers("n_objects", arrays["n_objects"].reshape(1))[0])
            source.refuse_beyond_memory(f"{n_objects:,} objects", BYTES_OF_AN_OBJECT * n_objects)
        else:
            rows, details["names"] = numbers_of_ids(rows)
        return Triplets.from_array(rows, **details)
    except InvalidFileError:
        raise
    except ValueError as error:
        raise InvalidFileError(f"{place}: {error}") from error


def _names(array: NDArray[Any]) -> list[Hashable]:
    """The names of the objects, all there and plain."""
    if array.ndim != 1 or array.dtype.kind not in "biufU":
        raise InvalidTripletsError(f"`names` must be a list of names, got {array.dtype} of shape {array.shape}.")
    names: list[Hashable] = array.tolist()
    if "" in names:
        raise InvalidTripletsError(f"Row {names.index('')} of `names` is empty: every object needs a name.")
    return names


def _without_repeats(place: str, rows: NDArray[Any], details: dict[str, Any], skip_invalid: bool) -> NDArray[Any]:
    """The rows, and what is known about each, without those that have one object twice; or name the first of these."""
    kept = (rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])
    if kept.all():
        return rows
    reason = "an object cannot be compared with itself"
    if not skip_invalid:
        row, count = int(np.argmin(kept)), int((~kept).sum())
        shown = ", ".join(map(str, rows[row]))
        raise InvalidFileError(
            f"{place}, row {row} is ({shown}): {reason} ({counted(count, 'such row')}; ",
            Parameter("skip_invalid", True),
            " leaves them out).",
        )
    warn_dropped(kept, reason)
    details |= {name: values[kept] for name, values in details.items() if values.shape[:1] == kept.shape}
    return np.asarray(rows[kept])
