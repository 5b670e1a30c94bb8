"""The rows about the study itself: made with it, checked when it is opened, and changed with an event that says so."""

import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, inspect, select, update

from tete.collecting import schema
from tete.collecting.items import Item
from tete.collecting.people import add_event
from tete.collecting.schema import SCHEMA_VERSION, TABLES, milliseconds_now
from tete.collecting.study import Study
from tete.exceptions import InvalidFileError, InvalidParameterError

__all__ = ["create_study", "has_study", "read_items", "read_settings", "store_setting", "update_study"]


def has_study(connection: Connection, name: str) -> bool:
    """Whether the database is a study; False if it is empty, and an error if it is something else or too new."""
    tables = set(inspect(connection).get_table_names())
    version = None
    if "study" in tables and {"key", "value"} <= {each["name"] for each in inspect(connection).get_columns("study")}:
        version = read_settings(connection).get("schema_version", "")
    if version is None or not version.isdecimal():
        strange = tables if connection.dialect.name == "sqlite" else tables & set(TABLES.tables)
        if strange:
            raise InvalidFileError(f"{name} is a database, but not a study: another program made it.")
        return False
    if int(version) > SCHEMA_VERSION:
        raise InvalidFileError(
            f"{name} was made by a newer tete: its tables have version {version}, and this one knows up to "
            f"{SCHEMA_VERSION}."
        )
    return True


def read_settings(connection: Connection) -> dict[str, str]:
    """All settings by their keys."""
    return {row.key: row.value for row in connection.execute(select(schema.study))}


def store_setting(connection: Connection, key: str, value: str) -> None:
    """A setting, new or changed."""
    table = schema.study
    if not connection.execute(update(table).where(table.c.key == key).values(value=value)).rowcount:
        connection.execute(insert(table), {"key": key, "value": value})


def create_study(connection: Connection, study: Study, items: Sequence[Item], folder: Path | None) -> None:
    """The tables, and all that is known before anybody answers."""
    TABLES.create_all(connection)
    settings = {
        "schema_version": str(SCHEMA_VERSION),
        "study_id": secrets.token_hex(8),
        "created": str(milliseconds_now()),
        "settings": _json(study.to_json()),
        "secret": secrets.token_hex(32),
        "state": "open",
        "media": _media(items, folder),
    }
    connection.execute(insert(schema.study), [{"key": key, "value": value} for key, value in settings.items()])
    _add_items(connection, items)


def update_study(connection: Connection, study: Study, items: Sequence[Item], folder: Path | None, name: str) -> None:
    """Take over what may change between two runs, and refuse what answers that are stored depend on."""
    settings = read_settings(connection)
    before, after = json.loads(settings["settings"]), json.loads(_json(study.to_json()))
    if before["question"] != after["question"]:
        raise InvalidParameterError(f"`question` must be {before['question']} as in {name}, got {after['question']}.")
    stored = read_items(connection, folder)
    _refuse_other_items(stored, items, name)
    changes = _differences(before, after)
    for old, new in zip(stored, items, strict=False):
        shown = _differences(_item_row(old), _item_row(new))
        if shown:
            changes.setdefault("items", {})[new.name] = shown
            connection.execute(update(schema.items).where(schema.items.c.number == new.number).values(**_item_row(new)))
    added = items[len(stored) :]
    _add_items(connection, added)
    if added:
        changes["added items"] = [item.name for item in added]
    if changes:
        store_setting(connection, "settings", _json(after))
        add_event(connection, "settings changed", detail=changes)
    media = _media(items, folder)
    if media != settings["media"]:
        store_setting(connection, "media", media)


def read_items(connection: Connection, folder: Path | None) -> tuple[Item, ...]:
    """All items in the order of their numbers, with their files as far as these are found."""
    media = json.loads(read_settings(connection)["media"])
    rows = connection.execute(select(schema.items).order_by(schema.items.c.number))
    return tuple(
        Item(row.number, row.name, row.kind, row.text, row.label, _found(file, folder), media_type)
        for row, (file, media_type) in zip(rows, media, strict=True)
    )


def _refuse_other_items(stored: Sequence[Item], items: Sequence[Item], name: str) -> None:
    for old, new in zip(stored, items, strict=False):
        if old.name != new.name:
            raise InvalidParameterError(
                f"`items` must begin with those of {name}: item {old.number} is {old.name!r} there, got {new.name!r}."
            )
    if len(items) < len(stored):
        raise InvalidParameterError(
            f"`items` must have all {len(stored)} of {name}: {stored[len(items)].name!r} is missing."
        )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {key: [before.get(key), after[key]] for key in after if before.get(key) != after[key]}


def _item_row(item: Item) -> dict[str, str]:
    return {"kind": item.kind, "text": item.text, "label": item.label}


def _add_items(connection: Connection, items: Sequence[Item]) -> None:
    if items:
        rows = [{"number": item.number, "name": item.name, **_item_row(item)} for item in items]
        connection.execute(insert(schema.items), rows)


def _media(items: Sequence[Item], folder: Path | None) -> str:
    """For each item its file, relative to the database where it is beside it, and its type."""
    return _json([[_beside(item.file, folder), item.media_type] for item in items])


def _beside(file: Path | None, folder: Path | None) -> str | None:
    if file is None:
        return None
    inside = folder is not None and file.is_relative_to(folder)
    return str(file.relative_to(folder) if inside and folder is not None else file)


def _found(file: str | None, folder: Path | None) -> Path | None:
    if file is None:
        return None
    path = Path(file) if folder is None else folder / file
    return path if path.is_file() else None


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))  # in ASCII: names of files may be no text at all
