"""Text tables that a spreadsheet can open without computing what is in them.

Excel, LibreOffice and others take a cell that begins with =, +, -, @, a tab or a carriage return for a formula, which
may fetch or run things. In the CSV and TSV files that we write, such texts get an apostrophe in front, which makes them
texts; reading takes it away again. So that this is so for every text, those that begin with apostrophes before such a
sign get one more. What is a number, like -1.5, is left as it is: it computes nothing, and other programs expect it.
"""

import re
from typing import TYPE_CHECKING, Any

from tete.io.number_texts import is_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["inert", "spreadsheet_text", "without_apostrophe"]

FORMULA, INERT = re.compile(r"'*[=+\-@\t\r]"), re.compile(r"'+[=+\-@\t\r]")


def spreadsheet_text(frame: "pd.DataFrame", separator: str) -> str:
    """The table as CSV or TSV, with what spreadsheets would compute made inert."""
    harmless = inert(frame)
    texts = [*harmless.columns, *(text for _, column in harmless.items() if _is_text(column) for text in column)]
    # A carriage return in a cell is put into quotes only where lines end with one, too.
    end = "\r\n" if any("\r" in str(text) for text in texts) else "\n"
    return str(harmless.to_csv(index=False, sep=separator, lineterminator=end))


def inert(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The table with an apostrophe before all texts, names of columns too, that a spreadsheet would compute."""
    texts = {
        position: [_with_apostrophe(value) for value in column]
        for position, (_, column) in enumerate(frame.items())
        if _is_text(column)
    }
    result = frame.copy(deep=False)
    for position, column in texts.items():
        result.isetitem(position, column)
    result.columns = [_with_apostrophe(name) for name in frame.columns]
    return result


def without_apostrophe(text: str) -> str:
    """The text that was written by `inert`."""
    return text[1:] if text[:1] == "'" and INERT.match(text) else text


def _is_text(column: "pd.Series[Any]") -> bool:
    return column.dtype.kind not in "biufcmM"


def _with_apostrophe(value: Any) -> Any:
    if isinstance(value, str) and FORMULA.match(value) and not is_number(value):
        return f"'{value}"
    return value
