"""What an encoder fills in of new rows, in one line: gaps, and values that the fitted table does not have."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tete.core.printing import counted
from tete.reduction.encoding.cell_kinds import value_texts
from tete.reduction.encoding.column_codes import LEFT_OUT, ColumnCode, encode
from tete.reduction.encoding.table_encoder import TableEncoder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["filled_cells"]

MOST_COLUMNS_NAMED = 8


def filled_cells(encoder: TableEncoder, frame: "pd.DataFrame") -> str:
    """How many gaps there are in rows of the encoder's columns, and in which columns unseen values."""
    n_gaps, unseen = 0, []
    for position, code in enumerate(encoder.columns_):
        if code.kind != LEFT_OUT:
            found = _unseen(code, frame.iloc[:, position])
            n_gaps += int(np.isnan(encode(code, frame.iloc[:, position])[:, 0]).sum()) - len(found)
            if found:
                unseen.append(f"{code.name!r} ({counted(len(found), 'row')}, first {found[0]!r:.40})")
    parts = [f"{counted(n_gaps, 'gap')} filled in"] if n_gaps else []
    if unseen:
        more = f", and {len(unseen) - MOST_COLUMNS_NAMED} more" if len(unseen) > MOST_COLUMNS_NAMED else ""
        parts.append(f"unseen values filled in: {', '.join(unseen[:MOST_COLUMNS_NAMED])}{more}")
    return "; ".join(parts) or "no gaps, no unseen values"


def _unseen(code: ColumnCode, column: "pd.Series[Any]") -> list[str]:
    """The values, row by row, that count as gaps."""
    if code.kind not in {"ordered", "category"} or code.rest:
        return []
    texts = [text for text in value_texts(code.name, column) if text is not None]
    return [text for text in texts if text not in code.values]  # noqa: PD011  (no data frame)
