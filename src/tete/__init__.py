"""Maps that wrong answers and outliers hardly disturb, from comparisons (t-ETE) and from feature data.

    >>> from tete import TETE
    >>> TETE().fit_transform([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).shape
    (3, 2)

What maps feature data is loaded when it is first asked for, because it needs more of scikit-learn, and faiss.
"""

from typing import TYPE_CHECKING, Any

from tete.embedding import CKL, GNMDS, STE, TETE, TSTE
from tete.triplets import Triplets

if TYPE_CHECKING:
    from tete.reduction import ListwiseTETE, WeightedTETE

__version__ = "0.1.0"

__all__ = ["CKL", "GNMDS", "STE", "TETE", "TSTE", "ListwiseTETE", "Triplets", "WeightedTETE"]


def __getattr__(name: str) -> Any:
    if name in {"ListwiseTETE", "WeightedTETE"}:
        from tete import reduction  # noqa: PLC0415

        return getattr(reduction, name)
    raise AttributeError(f"module 'tete' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
