"""Whether a file is text, all of it, and in which encoding."""

import codecs
import re
from io import IncrementalNewlineDecoder

from tete.exceptions import InvalidFileError, Parameter
from tete.io.sources import Source

__all__ = ["NO_CHARACTER", "checked_encoding"]

BLOCK = 2**20  # bytes decoded at a time
# Byte order marks and what they say; those of four bytes begin like those of two.
MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
# What these decode is always whole; and how they are called where no mark is to be written.
WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
NO_CHARACTER = re.compile("[\\x00\\ud800-\\udfff]")


def checked_encoding(source: Source, encoding: str) -> str:
    """The encoding to use, once the whole file has proved to be text in it, without NUL."""
    with source.open() as stream:
        head = stream.read(4)
    found = next((said for mark, said in MARKS if head.startswith(mark)), encoding)
    found = "utf-8-sig" if found.lower().replace("_", "-") in {"utf-8", "utf8"} else found
    decoder = IncrementalNewlineDecoder(_decoder(found, encoding), translate=True)
    line, n_bytes = 1, 0  # the line that is read, and how much of it was in blocks before
    with source.open() as stream:
        block = b"\n"
        while block:
            block = stream.read(BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError as error:
                held_back = "\n" if decoder.getstate()[1] & 1 else ""  # a carriage return that ended the last block
                raise _not_in_encoding(source, found, error, line, n_bytes, held_back) from error
            wrong = text.find("\x00") if found in WITHOUT_MARK else _no_character(text)
            if wrong >= 0:
                line += text.count("\n", 0, wrong)
                raise _not_a_text(source, line, text[wrong])
            n_lines, unfinished = text.count("\n"), len(text) - text.rfind("\n") - 1
            last = text[len(text) - unfinished :]
            line, n_bytes = line + n_lines, _width(last, found) + (n_bytes if n_lines == 0 else 0)
    return found


def _decoder(found: str, asked: str) -> codecs.IncrementalDecoder:
    try:
        "a".encode(found)  # says whether it is an encoding of text at all
        return codecs.getincrementaldecoder(found)()
    except (LookupError, ValueError, TypeError) as error:
        raise InvalidFileError(f"`encoding` must be one Python knows, got {asked!r}.") from error


def _no_character(text: str) -> int:
    """The place of the first NUL or half of a pair of UTF-16, which some encodings can write alone; -1: none."""
    found = NO_CHARACTER.search(text)
    return found.start() if found else -1


def _width(text: str, encoding: str) -> int:
    """Bytes that a text takes, without a byte order mark."""
    try:
        return len(text.encode(WITHOUT_MARK.get(encoding, encoding), "replace"))
    except UnicodeError:  # an encoding that replaces nothing
        return len(text)


def _not_a_text(source: Source, line: int, character: str) -> InvalidFileError:
    return InvalidFileError(
        f"{source.name} is not a text file: line {line} holds {character!r}, which is no character of a text; "
        "expected comma- or tab-separated text."
    )


def _not_in_encoding(
    source: Source, encoding: str, error: UnicodeError, line: int, n_bytes: int, held_back: str
) -> InvalidFileError:
    """Where the text ends to be text: line, and byte of the line."""
    where = source.name
    if isinstance(error, UnicodeDecodeError):
        before = held_back + error.object[: error.start].decode(error.encoding, "replace")
        if "\x00" in before:
            return _not_a_text(source, line + before.count("\n", 0, before.index("\x00")), "\x00")
        lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        byte = _width(lines[-1], encoding) + (n_bytes if len(lines) == 1 else 0) + 1
        where = f"{source.name}, line {line + len(lines) - 1}: byte {byte}"
    return InvalidFileError(
        f"{where} is not {encoding.removesuffix('-sig')} text; save the file as UTF-8, or name its ",
        Parameter("encoding"),
        " (cp1252 for most older Windows files).",
    )
