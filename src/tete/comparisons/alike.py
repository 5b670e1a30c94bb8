"""Names that look alike: different objects to the computer, perhaps one to whoever wrote them.

Nothing is merged: "1" and "1.0", or two spellings of one accent, may be two objects. They are listed, so that people
see them.
"""

import unicodedata
from collections.abc import Hashable, Sequence

from tete.core.printing import rows_under

__all__ = ["alike_names", "alike_rows"]


def alike_names(names: Sequence[Hashable] | None) -> tuple[tuple[str, ...], ...]:
    """Groups of names that differ only by case, blanks, invisible letters, or how an accent or a number is spelled."""
    groups: dict[str, list[str]] = {}
    for name in names or ():
        groups.setdefault(_appearance(str(name)), []).append(str(name))
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def alike_rows(groups: Sequence[Sequence[str]], *, most: int = 5) -> list[tuple[str, str]]:
    """Rows of a table for people to read, in which the names of a group can be told apart."""
    texts = [" and ".join(_told_apart(group)) for group in groups[:most]]
    if len(groups) > most:
        texts.append(f"({len(groups):,} such groups of names in all)")
    return rows_under("look alike", texts)


def _told_apart(group: Sequence[str]) -> list[str]:
    """Names in Python's spelling; all that is not ASCII is escaped where they would still look alike."""
    shown = {unicodedata.normalize("NFC", repr(name)) for name in group}
    return [repr(name) if len(shown) == len(group) else ascii(name) for name in group]


def _appearance(name: str) -> str:
    """The same text for names that look the same."""
    if name.isascii():
        visible = name
    else:
        composed = unicodedata.normalize("NFKC", name)
        visible = "".join(letter for letter in composed if unicodedata.category(letter) != "Cf")
    plain = " ".join(visible.casefold().split())
    try:
        return repr(float(plain)) if any(letter.isdecimal() for letter in plain) and "_" not in plain else plain
    except ValueError:
        return plain
