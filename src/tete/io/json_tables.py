"""Tables in JSON: a list of records, each with the names of its columns."""

import json
from functools import partial
from typing import Any

import numpy as np

from tete.exceptions import InvalidFileError
from tete.io.encodings import NO_CHARACTER
from tete.io.sources import DamageError, Source
from tete.io.tables import Coded, Table, text_of

__all__ = ["json_table"]

JSON = "JSON"


def json_table(source: Source) -> Table:
    """All records of a JSON file; what a record does not have is empty."""
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
    return Table(source, columns, range(len(records)), read_column=partial(_coded, source, columns, records))


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise DamageError(f"{repeated!r} occurs twice in one record")
    return found


def _coded(source: Source, columns: tuple[str, ...], records: list[dict[str, Any]], position: int) -> Coded:
    name = columns[position]
    number_of: dict[str, int] = {}
    codes = np.empty(len(records), dtype=np.int64)
    for row, record in enumerate(records):
        value = record.get(name)
        if isinstance(value, (dict, list)):
            raise InvalidFileError(
                f"{source.name}, row {row}, column {name!r}: expected a text or a number, got {type(value).__name__}."
            )
        with source.blamed(JSON):
            codes[row] = number_of.setdefault(text_of(value), len(number_of))
    return Coded(codes, list(number_of))
