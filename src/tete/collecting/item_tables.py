"""Tables of items: a line for each, with its name, a text or a file, and a label."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from tete.exceptions import InvalidFileError

__all__ = ["TableLine", "read_lines"]

COLUMNS = ("name", "text", "file", "label")
SEPARATORS = ",;\t|"
LARGEST = 50_000_000  # bytes of a table


@dataclass(frozen=True)
class TableLine:
    """What a table says of an item; empty where it says nothing."""

    number: int
    name: str = ""
    text: str = ""
    file: str = ""
    label: str = ""


def read_lines(path: Path) -> Iterator[TableLine]:
    """The lines of a CSV or TSV table with a header, without empty ones; other columns are none of our business."""
    if path.stat().st_size > LARGEST:
        raise InvalidFileError(f"{path}: a table of items must have at most {LARGEST:,} bytes.")
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFileError(f"{path}: a table of items must be text in UTF-8.") from None
    header_line = content.partition("\n")[0]
    separator = max(SEPARATORS, key=header_line.count)
    rows = csv.reader(StringIO(content, newline=""), delimiter=separator, strict=True)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        _check_header(path, header)
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield _line(path, rows.line_num, header, cells)
    except csv.Error as error:
        raise InvalidFileError(f"{path}, line {rows.line_num}: {error}.") from None


def _check_header(path: Path, header: list[str]) -> None:
    known = [column for column in header if column in COLUMNS]
    if not {"name", "text", "file"} & set(known) or len(set(known)) < len(known):
        raise InvalidFileError(
            f"{path}: the first line must name the columns name, text or file, and label, each once, got {header}."
        )


def _line(path: Path, number: int, header: list[str], cells: list[str]) -> TableLine:
    if len(cells) > len(header):
        raise InvalidFileError(f"{path}, line {number}: must have at most {len(header)} cells, got {len(cells)}.")
    given = {column: cell.strip() for column, cell in zip(header, cells, strict=False) if column in COLUMNS}
    if given.get("text") and given.get("file"):
        raise InvalidFileError(f"{path}, line {number}: an item must be a text or a file, got both.")
    if not any(given.get(column) for column in ("name", "text", "file")):
        raise InvalidFileError(f"{path}, line {number}: an item must have a name, a text or a file, got none.")
    return TableLine(number, **given)
