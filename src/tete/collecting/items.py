"""What is shown to people: pictures, sounds, films and texts, from a folder or a table.

A folder has one kind of them, sorted by name. A table has a line for each: its name, a text or a file, and what screen
readers say of it. Whatever is shown lies inside the folder, also behind links.
"""

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from tete.collecting.item_tables import read_lines
from tete.collecting.study import QuestionKind
from tete.exceptions import InvalidFileError, LeftOutFilesWarning, warn

__all__ = ["Item", "in_order_of", "read_items"]

Kind: TypeAlias = Literal["image", "sound", "film", "text"]

MEDIA_TYPES: dict[str, tuple[Kind, str]] = {
    ".png": ("image", "image/png"),
    ".jpg": ("image", "image/jpeg"),
    ".jpeg": ("image", "image/jpeg"),
    ".gif": ("image", "image/gif"),
    ".webp": ("image", "image/webp"),
    ".avif": ("image", "image/avif"),
    ".bmp": ("image", "image/bmp"),
    ".svg": ("image", "image/svg+xml"),
    ".mp3": ("sound", "audio/mpeg"),
    ".wav": ("sound", "audio/wav"),
    ".ogg": ("sound", "audio/ogg"),
    ".oga": ("sound", "audio/ogg"),
    ".opus": ("sound", "audio/ogg"),
    ".m4a": ("sound", "audio/mp4"),
    ".flac": ("sound", "audio/flac"),
    ".mp4": ("film", "video/mp4"),
    ".m4v": ("film", "video/mp4"),
    ".webm": ("film", "video/webm"),
    ".ogv": ("film", "video/ogg"),
    ".txt": ("text", ""),
}
OF_THE_STUDY = (".toml", ".md", ".db", ".db-lock", ".db-shm", ".db-wal")  # may lie among the items, and are none
FEWEST = 3  # objects that can be compared
LONGEST_NAME = 200  # characters
LONGEST_TEXT = 4000  # characters; several of them are on one screen
MOST_NAMED = 5  # files in a warning


@dataclass(frozen=True)
class Item:
    """One thing to compare.

    Attributes
    ----------
    number : int
        From 0, in the order of the table or of the sorted file names.
    name : str
        The object's name in the answers.
    kind : "image", "sound", "film" or "text"
        How it is shown.
    text : str
        What a text says; empty for the others.
    label : str
        What screen readers say of it; its name where nothing else is given.
    file : Path or None
        Where a picture, sound or film is, resolved inside the folder of the items.
    media_type : str
        Such as image/png; empty for texts.
    """

    number: int
    name: str
    kind: Literal["image", "sound", "film", "text"]
    text: str
    label: str
    file: Path | None
    media_type: str


def read_items(source: str | Path, question: QuestionKind) -> tuple[Item, ...]:
    """The items of a folder or of a CSV table, enough of them for the question."""
    path = Path(source)
    if path.is_dir():
        found = _of_folder(path)
    elif path.suffix.lower() in {".csv", ".tsv"}:
        found = _of_table(path)
    elif path.exists():
        raise InvalidFileError(f"{path}: items must be a folder or a table (.csv, .tsv), got a file {path.suffix!r}.")
    else:
        raise FileNotFoundError(2, "No such folder or table of items", str(path))
    least = max(FEWEST, question.n_shown)
    if len(found) < least:
        raise InvalidFileError(
            f"{path} must have at least {least} items for the question {question}, got {len(found)}."
        )
    return tuple(replace(item, number=number) for number, item in enumerate(found))


def in_order_of(names: Iterable[str], items: Iterable[Item]) -> tuple[Item, ...]:
    """The items in the order of the names that are known already, and after them the new ones."""
    place = {name: number for number, name in enumerate(names)}
    ordered = sorted(items, key=lambda item: (place.get(item.name, len(place)), item.number))
    return tuple(replace(item, number=number) for number, item in enumerate(ordered))


def _of_folder(folder: Path) -> list[Item]:
    """What lies in the folder itself, sorted by name; hidden ones and the study's own are ignored, others named."""
    shelf = _Shelf(folder)
    found, left_out = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.lower().endswith(OF_THE_STUDY):
                continue
            if _is_known(entry.name) and not entry.is_dir():
                found.append(shelf.item(entry.name, f"{folder}"))
            else:
                left_out.append(entry.name + "/" * entry.is_dir())
    if left_out:
        more = f" and {len(left_out) - MOST_NAMED:,} more" if len(left_out) > MOST_NAMED else ""
        named = ", ".join(map(repr, sorted(left_out)[:MOST_NAMED]))
        warn(f"{folder}: left out {named}{more}: no picture, sound, film or .txt file.", LeftOutFilesWarning)
    _refuse_several_kinds(folder, found)
    found.sort(key=lambda item: item.name)
    for one, other in pairwise(found):
        if one.name == other.name:
            raise InvalidFileError(f"{folder}: the names of items must differ, got two files called {one.name!r}.")
    return found


def _is_known(file: str) -> bool:
    return os.path.splitext(file)[1].lower() in MEDIA_TYPES


def _refuse_several_kinds(folder: Path, found: list[Item]) -> None:
    """A forgotten note among the pictures would be shown to people."""
    counts = Counter(item.kind for item in found)
    if len(counts) > 1:
        rarest = min(counts, key=lambda kind: (counts[kind], kind))
        name = min(item.name for item in found if item.kind == rarest)
        kinds = " and ".join(f"{count:,} {kind}{'s' * (count > 1)}" for kind, count in counts.most_common())
        raise InvalidFileError(
            f"{folder} must have items of one kind, got {kinds} (such as {name!r}): a table can list several kinds."
        )


def _of_table(path: Path) -> list[Item]:
    """An item for each line of the table, in its order."""
    shelf = _Shelf(path.parent)
    line_of: dict[str, int] = {}
    found = []
    for line in read_lines(path):
        where = f"{path}, line {line.number}"
        item = shelf.item(line.file, where) if line.file else _of_text(line.text or line.name, line.name, where)
        name = _checked_name(line.name, where) if line.name else item.name
        if name in line_of:
            raise InvalidFileError(f"{where}: names of items must differ, got {name!r} as in line {line_of[name]}.")
        line_of[name] = line.number
        label = _checked_name(line.label, where, what="label") if line.label else name
        found.append(replace(item, name=name, label=label))
    return found


def _of_text(text: str, name: str, where: str) -> Item:
    """A text, named by itself where it has no other name."""
    text = unicodedata.normalize("NFC", text.strip())
    if not 1 <= len(text) <= LONGEST_TEXT or "\0" in text:
        raise InvalidFileError(
            f"{where}: a text must have 1 to {LONGEST_TEXT:,} characters and no zero byte, got {len(text):,}."
        )
    name = _checked_name(name or text, where)
    return Item(0, name, "text", text, name, None, "")


def _checked_name(name: str, where: str, *, what: str = "name") -> str:
    """A name as it can be stored, written and shown; composed letters, because systems write accents differently."""
    name = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidFileError(f"{where}: a {what} must have 1 to {LONGEST_NAME} characters, got {len(name):,}.")
    if not name.isprintable() and any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in name):
        raise InvalidFileError(f"{where}: a {what} must not have control characters or broken letters, got {name!a}.")
    return name


class _Shelf:
    """A folder that items must not lead out of. Where its folders really are is asked for once, not for each file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._root = os.path.realpath(folder)
        self._real: dict[str, str] = {}

    def item(self, file: str, where: str) -> Item:
        """The item that a file is, named after it."""
        if not _is_known(file):
            raise InvalidFileError(f"{where}: a file must end in one of {', '.join(MEDIA_TYPES)}, got {file!r}.")
        stem, extension = os.path.splitext(os.path.basename(file))
        path = self._resolved(file, where)
        kind, media_type = MEDIA_TYPES[extension.lower()]
        if kind == "text":
            return _of_text(_content(path, file, where), stem, f"{where}: {file!r}")
        name = _checked_name(stem, where)
        return Item(0, name, kind, "", name, path, media_type)

    def _resolved(self, file: str, where: str) -> Path:
        """Where the file really is: inside the folder, and with something in it."""
        parent, last = os.path.split(os.path.join(self._root, file))
        try:
            if parent not in self._real:
                self._real[parent] = os.path.realpath(parent)
            path = os.path.join(self._real[parent], last)
            if stat.S_ISLNK(os.lstat(path).st_mode):
                path = os.path.realpath(path)
            about = os.stat(path)
        except (OSError, ValueError):  # ValueError: a zero byte in the name
            raise InvalidFileError(f"{where}: there must be a file {file!r}, got none.") from None
        if os.path.commonpath([self._root, path]) != self._root:
            raise InvalidFileError(
                f"{where}: files must lie inside {self._folder}, got {file!r}, which leads out of it."
            )
        if not stat.S_ISREG(about.st_mode) or about.st_size == 0:
            raise InvalidFileError(f"{where}: {file!r} must be a file with something in it.")
        return Path(path)


def _content(path: Path, file: str, where: str) -> str:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return stream.read(4 * LONGEST_TEXT)
    except UnicodeDecodeError:
        raise InvalidFileError(f"{where}: {file!r} must be text in UTF-8.") from None
