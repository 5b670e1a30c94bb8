"""Tables in JSON: a list of records, each with the names of its columns."""

import json
from functools import partial
from typing import Any

import numpy as np

from tete.exceptions import InvalidFileError
from tete.io.encodings import NO_CHARACTER
from tete.io.list_cells import Cell, Unfolds, cells_of, lists_of, never, nth_of_values
from tete.io.sources import DamageError, Source
from tete.io.tables import Coded, LocatedRows, Table, refuse_equal_names, text_of

__all__ = ["json_table"]

JSON = "JSON"


def json_table(source: Source, *, unfolds: Unfolds = never) -> Table:
    """All records of a JSON file; what a record does not have is empty. Lists that it `unfolds` become columns."""
    with source.reading(JSON) as stream:
        content = stream.read()
        try:
            records = json.loads(content, object_pairs_hook=_without_repeats)
        except json.JSONDecodeError as error:
            raise DamageError(str(error)) from error
    if not (isinstance(records, list) and records and all(isinstance(record, dict) for record in records)):
        raise InvalidFileError(f"{source.name}: expected a list of objects such as {{'object': 'a', 'x': 0, 'y': 1}}.")
    columns = tuple(dict.fromkeys(name for record in records for name in record))
    if not columns or any(map(NO_CHARACTER.search, columns)):
        raise InvalidFileError(
            f"{source.name}: expected names of columns, got {', '.join(map(repr, columns)) or 'none'}."
        )
    cells = cells_of(source, columns, _longest_lists(list(filter(unfolds, columns)), records))
    names = tuple(cell.name for cell in cells)
    refuse_equal_names(LocatedRows(source, names, ()))
    read_column = partial(_coded, source, cells, records)
    return Table(source, names, range(len(records)), read_column=read_column, lists=lists_of(cells))


def _longest_lists(columns: list[str], records: list[dict[str, Any]]) -> dict[str, int]:
    found = {name: [len(record[name]) for record in records if isinstance(record.get(name), list)] for name in columns}
    return {name: max(lengths) for name, lengths in found.items() if lengths}


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise DamageError(f"{repeated!r} occurs twice in one record")
    return found


def _coded(source: Source, cells: list[Cell], records: list[dict[str, Any]], position: int) -> Coded:
    shown, name, place = cells[position]
    number_of: dict[str, int] = {}
    codes = np.empty(len(records), dtype=np.int64)
    for row, record in enumerate(records):
        value = record.get(name) if place is None else nth_of_values(record.get(name), place)
        if isinstance(value, (dict, list)):
            raise InvalidFileError(
                f"{source.name}, row {row}, column {shown!r}: expected a text or a number, got {type(value).__name__}."
            )
        with source.blamed(JSON):
            codes[row] = number_of.setdefault(text_of(value), len(number_of))
    return Coded(codes, list(number_of))
