"""What is a number in a file: digits with a decimal point or comma, never with separators of thousands.

Python would read 1_000 and digits of other scripts, others would take 1,000 for one; here these are no numbers.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DECIMAL_COMMA", "NO_VALUE", "has_decimal_commas", "is_number", "numbers_of"]

NUMBER = re.compile(r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf|nan)", flags=re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"\s*[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?\s*")
DECIMAL_POINT = re.compile(r"\s*[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?\s*")
NO_VALUE = frozenset({"", "nan", "na", "n/a", "null", "none", "<na>", "nat", "?"})  # how a missing cell is written
OTHER_THAN_NUMBERS = re.compile(r"[^0-9eE.+\- ]")


def is_number(text: str) -> bool:
    """Whether a text is a number; infinity and not-a-number are, too."""
    return NUMBER.fullmatch(text.strip()) is not None


def numbers_of(texts: Sequence[str] | NDArray[Any], *, decimal: str = ".") -> NDArray[np.float64]:
    """The number that each text is, exact to the last bit; not a number where it is none."""
    plain = texts if decimal == "." else [t.replace(",", ".") if DECIMAL_COMMA.fullmatch(t) else t for t in texts]
    if not OTHER_THAN_NUMBERS.search("".join(plain)):
        try:
            return np.array([float(text) for text in plain], dtype=np.float64)
        except ValueError:
            pass  # some are none: look at each
    return np.array([float(text.strip()) if is_number(text) else np.nan for text in plain], dtype=np.float64)


def has_decimal_commas(texts: Sequence[str] | NDArray[Any]) -> bool:
    """Whether there are numbers with decimal commas and none with a decimal point."""
    return any(map(DECIMAL_COMMA.fullmatch, texts)) and not any(map(DECIMAL_POINT.fullmatch, texts))
