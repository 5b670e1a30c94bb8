"""The settings of a study as somebody wrote them, made values: each has its rule, and each mistake its sentence."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from reprlib import Repr
from typing import Any, NoReturn
from urllib.parse import urlsplit

from tete.collecting.database_address import is_postgres
from tete.collecting.page_texts import texts_of
from tete.exceptions import InvalidFileError, InvalidParameterError, Parameter

__all__ = ["Writing", "read_toml", "settle"]

LARGEST = 200_000  # bytes of a file that people write by hand
LONGEST = 1_000  # characters of a line
SHORT = Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 60


@dataclass(frozen=True)
class Writing:
    """Where settings are written: in a file, or nowhere but in the call. Their paths begin at the folder."""

    folder: Path
    file: str | None = None

    def refuse(self, name: str, rule: str, value: Any) -> NoReturn:
        """Say which setting breaks which rule, and where."""
        sentence = f" must {rule}, got {SHORT.repr(value)}."
        if self.file is not None:
            raise InvalidFileError(f"{self.file}: `{name}`{sentence}")
        raise InvalidParameterError(Parameter(name), sentence)


def settle(written: Mapping[str, Any], writing: Writing) -> dict[str, Any]:
    """The values of settings; unknown ones are refused."""
    values: dict[str, Any] = {}
    for key, value in written.items():
        name = key.replace("-", "_")
        if name not in RULES:
            close = get_close_matches(name, RULES, n=1)
            hint = f"`{close[0]}`" if close else f"one of {', '.join(RULES)}"
            writing.refuse(SHORT.repr(key)[1:-1], f"be the name of a setting, perhaps {hint}", value)
        if name in values:
            writing.refuse(name, "be there once, with - or with _", value)
        values[name] = RULES[name](writing, name, value)
        if isinstance(values[name], list):
            values |= {f"known_{name}": values[name], name: len(values[name])}
    return values


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file, which anybody may have written."""
    content = _content(path)
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise InvalidFileError(f"{path} must be TOML: {error}.") from None
    except (RecursionError, ValueError):  # ten thousand brackets, or digits
        raise InvalidFileError(f"{path} must have settings of ordinary depth and size.") from None


def _content(path: Path) -> str:
    """What a file says, if it is text and of a size that people write."""
    with path.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InvalidFileError(f"{path} must have at most {LARGEST:,} bytes.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InvalidFileError(f"{path} must be text in UTF-8.") from None


def _line(writing: Writing, name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST or not value.strip().isprintable():
        writing.refuse(name, f"be a line of 1 to {LONGEST:,} letters", value)
    return value.strip()


def _whole(writing: Writing, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**53:
        writing.refuse(name, "be a whole number", value)
    return value


def _number(writing: Writing, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        writing.refuse(name, "be a number", value)
    return float(value)


def _port(writing: Writing, name: str, value: Any) -> int:
    if not 0 <= _whole(writing, name, value) <= 65535:
        writing.refuse(name, "be in [0, 65535]", value)
    return int(value)


def _path(writing: Writing, name: str, value: Any) -> str:
    return str(writing.folder / Path(_line(writing, name, value)).expanduser())


def _database(writing: Writing, name: str, value: Any) -> str:
    """A file, or an address, which has no place in a folder."""
    return value.strip() if isinstance(value, str) and is_postgres(value) else _path(writing, name, value)


def _text(writing: Writing, name: str, value: Any) -> str:
    """What the file says that is named."""
    text = _content(Path(_path(writing, name, value))).strip()
    if not text or "\0" in text:
        writing.refuse(name, "name a text that says something", value)
    return text


def _link(writing: Writing, name: str, value: Any) -> str:
    """An address of the web: nothing that would run in the browser."""
    link = _line(writing, name, value)
    try:
        good = urlsplit(link).scheme in ("http", "https") and bool(urlsplit(link).hostname) and " " not in link
    except ValueError:
        good = False
    if not good:
        writing.refuse(name, "be an address that begins with https:// or http://", value)
    return link


def _page_texts(writing: Writing, name: str, value: Any) -> dict[str, str]:
    """Words of the page, here or in the file that is named."""
    if isinstance(value, str):
        path = Path(_path(writing, name, value))
        writing, value = Writing(path.parent, str(path)), read_toml(path)
        value = value.get("texts", value)
    if not isinstance(value, dict):
        writing.refuse(name, "be a table of texts, or name a file with one", value)
    try:
        texts_of(value)
    except InvalidParameterError as error:
        if writing.file is None:
            raise
        raise InvalidFileError(f"{writing.file}: {error}") from None
    return dict(value)


def _questions(writing: Writing, name: str, value: Any) -> int | list[dict[str, Any]]:
    """How many, or the questions themselves, which `known_questions` understands."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        writing.refuse(name, f"be a whole number, or questions in sections [[{name}]]", value)
    return value


RULES: dict[str, Callable[[Writing, str, Any], Any]] = {
    "items": _path,
    "database": _database,
    "question": _line,
    "title": _line,
    "per_person": _whole,
    "practice": _questions,
    "catch": _questions,
    "repeat": _whole,
    "test": _number,
    "adaptive": _number,
    "mentions": _whole,
    "break_every": _whole,
    "dims": _whole,
    "consent": _text,
    "instructions": _text,
    "completion_code": _line,
    "completion_link": _link,
    "texts": _page_texts,
    "seed": _whole,
    "host": _line,
    "port": _port,
    "public_url": _link,
}
