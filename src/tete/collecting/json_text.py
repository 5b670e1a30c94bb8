"""JSON as it comes from people, read with suspicion, and as it is sent to them."""

import json
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from tete.collecting.refusals import RefusedError

__all__ = ["dump", "read_object", "take_flag", "take_number", "take_object", "take_places", "take_text", "take_whole"]

MOST = 2**53  # beyond it a whole number is not exact in a browser


def dump(value: object) -> str:
    """Short text. Letters as they are; NaN is never written."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_object(body: bytes, known: Collection[str]) -> dict[str, Any]:
    """The object in a body, which has no other fields than the known ones."""
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):  # UnicodeDecodeError and numbers of thousands of digits are ValueErrors
        raise RefusedError(400, "The body must be JSON.") from None
    if not isinstance(value, dict):
        raise RefusedError(400, "The body must be a JSON object.")
    for name in value:
        if name not in known:
            raise RefusedError(400, f"The fields are {', '.join(sorted(known))}; got {name[:100]!r}.")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def take_whole(body: Mapping[str, Any], name: str, default: int | None = None, least: int = 0) -> int:
    """A whole number."""
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise RefusedError(400, f"`{name}` must be a whole number >= {least}, got {_short(value)}.")
    return value


def take_number(body: Mapping[str, Any], name: str) -> float | None:
    """A finite number >= 0, or null."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST:
        raise RefusedError(400, f"`{name}` must be null or a number >= 0, got {_short(value)}.")
    return float(value)


def take_flag(body: Mapping[str, Any], name: str) -> bool:
    """True or false; false where it is left out."""
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise RefusedError(400, f"`{name}` must be true or false, got {_short(value)}.")
    return value


def take_text(body: Mapping[str, Any], name: str, default: str | None = None, most: int = 200) -> str:
    """A text of at most so many characters, all of which can be stored."""
    value = body.get(name, default)
    if not isinstance(value, str) or len(value) > most or not _storable(value):
        raise RefusedError(400, f"`{name}` must be a text of at most {most} characters, got {_short(value)}.")
    return value


def take_places(body: Mapping[str, Any], name: str) -> tuple[int, ...] | None:
    """A list of whole numbers, or null."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or any(isinstance(each, bool) or not isinstance(each, int) for each in value):
        raise RefusedError(400, f"`{name}` must be null or a list of places, got {_short(value)}.")
    return tuple(value)


def take_object(body: Mapping[str, Any], name: str, most: int = 1_000) -> dict[str, Any]:
    """An object of at most so many characters; an empty one where it is left out."""
    value = body.get(name, {})
    if not isinstance(value, dict) or len(text := json.dumps(value)) > most or "\\u0000" in text:
        raise RefusedError(400, f"`{name}` must be an object of at most {most} characters, got {_short(value)}.")
    return value


def _storable(text: str) -> bool:
    """Neither a NUL, which PostgreSQL refuses, nor half a character, which nobody can encode."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _short(value: object) -> str:
    return repr(value)[:100]
