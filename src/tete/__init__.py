"""Maps that wrong answers and outliers hardly disturb, from comparisons (t-ETE) and from feature data.

>>> from tete import TETE
>>> TETE().fit_transform([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).shape
(3, 2)
"""

import gc as _gc
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from tete.embedding import CKL, GNMDS, STE, TETE, TSTE
    from tete.learning import LearningCurve, learning_curve
    from tete.model_files import load_model, save_model
    from tete.reduction import ListwiseTETE, WeightedTETE
    from tete.selection import TETECV
    from tete.triplets import Triplets
    from tete.trust_report import TrustReport, trust
    from tete.uncertainty import Uncertainty, position_uncertainty

__version__ = "0.1.0"

__all__ = [
    "CKL",
    "GNMDS",
    "STE",
    "TETE",
    "TETECV",
    "TSTE",
    "LearningCurve",
    "ListwiseTETE",
    "Triplets",
    "TrustReport",
    "Uncertainty",
    "WeightedTETE",
    "learning_curve",
    "load_model",
    "position_uncertainty",
    "save_model",
    "trust",
]

_HOMES = {
    **dict.fromkeys(("CKL", "GNMDS", "STE", "TETE", "TSTE"), "tete.embedding"),
    **dict.fromkeys(("ListwiseTETE", "WeightedTETE"), "tete.reduction"),
    **dict.fromkeys(("load_model", "save_model"), "tete.model_files"),
    "TETECV": "tete.selection",
    "Triplets": "tete.triplets",
    **dict.fromkeys(("TrustReport", "trust"), "tete.trust_report"),
    **dict.fromkeys(("LearningCurve", "learning_curve"), "tete.learning"),
    **dict.fromkeys(("Uncertainty", "position_uncertainty"), "tete.uncertainty"),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that the command line answers at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tete' has no attribute {name!r}")
    collecting = _gc.isenabled()
    _gc.disable()  # modules stay: looking for garbage among what they are made of takes a tenth of the time
    try:
        globals()[name] = value = getattr(_import_module(_HOMES[name]), name)
    finally:
        if not _gc.get_freeze_count():  # else these two would undo what someone else has frozen
            _gc.freeze()
            _gc.unfreeze()  # to the oldest generation, which is looked through last
        if collecting:
            _gc.enable()
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
