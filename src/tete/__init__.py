"""Maps that wrong answers and outliers hardly disturb, from comparisons (t-ETE) and from feature data.

>>> from tete import TETE
>>> TETE().fit_transform([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).shape
(3, 2)
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tete.core.lazy import lazy_names as _lazy_names

if _TYPE_CHECKING:
    from tete.collecting.study_answers import read_study
    from tete.comparisons.triplets import Triplets
    from tete.drawing.curves import plot_choice, plot_convergence, plot_learning_curve, plot_noise_curves
    from tete.drawing.figures import save_picture
    from tete.drawing.map_picture import plot_map
    from tete.embedding.estimators import CKL, GNMDS, SOE, STE, TETE, TSTE
    from tete.embedding.fitted_map import FittedMap
    from tete.embedding.new_objects import NewPlaces
    from tete.io.answer_files import read_answers, write_answers
    from tete.io.feature_files import FeatureTable, read_features
    from tete.io.map_files import Map, read_map, write_map
    from tete.metrics.quality import MapQuality, map_quality
    from tete.page.document import make_page, write_page
    from tete.page.notebook import MapPage
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.estimators import ListwiseTETE, WeightedTETE
    from tete.reduction.model_files import load_model, save_model
    from tete.reliability.trust_report import TrustReport, trust
    from tete.reliability.uncertainty import Uncertainty, position_uncertainty
    from tete.selection.answers_needed import LearningCurve, learning_curve
    from tete.selection.suggestion import suggest
    from tete.selection.tetecv import TETECV
    from tete.views.multiview import MultiViewTETE

__version__ = "0.2.0"

__all__ = [
    "CKL",
    "GNMDS",
    "SOE",
    "STE",
    "TETE",
    "TETECV",
    "TSTE",
    "FeatureTable",
    "FittedMap",
    "LearningCurve",
    "ListwiseTETE",
    "Map",
    "MapPage",
    "MapQuality",
    "MultiViewTETE",
    "NewPlaces",
    "TableEncoder",
    "Triplets",
    "TrustReport",
    "Uncertainty",
    "WeightedTETE",
    "learning_curve",
    "load_model",
    "make_page",
    "map_quality",
    "plot_choice",
    "plot_convergence",
    "plot_learning_curve",
    "plot_map",
    "plot_noise_curves",
    "position_uncertainty",
    "read_answers",
    "read_features",
    "read_map",
    "read_study",
    "save_model",
    "save_picture",
    "suggest",
    "trust",
    "write_answers",
    "write_map",
    "write_page",
]

_HOMES = {
    "read_study": "tete.collecting.study_answers",
    "Triplets": "tete.comparisons.triplets",
    **dict.fromkeys(
        ("plot_choice", "plot_convergence", "plot_learning_curve", "plot_noise_curves"), "tete.drawing.curves"
    ),
    "save_picture": "tete.drawing.figures",
    "plot_map": "tete.drawing.map_picture",
    **dict.fromkeys(("CKL", "GNMDS", "SOE", "STE", "TETE", "TSTE"), "tete.embedding.estimators"),
    "FittedMap": "tete.embedding.fitted_map",
    "NewPlaces": "tete.embedding.new_objects",
    **dict.fromkeys(("read_answers", "write_answers"), "tete.io.answer_files"),
    **dict.fromkeys(("FeatureTable", "read_features"), "tete.io.feature_files"),
    **dict.fromkeys(("Map", "read_map", "write_map"), "tete.io.map_files"),
    **dict.fromkeys(("MapQuality", "map_quality"), "tete.metrics.quality"),
    **dict.fromkeys(("make_page", "write_page"), "tete.page.document"),
    "MapPage": "tete.page.notebook",
    "TableEncoder": "tete.reduction.encoding.table_encoder",
    **dict.fromkeys(("ListwiseTETE", "WeightedTETE"), "tete.reduction.estimators"),
    **dict.fromkeys(("load_model", "save_model"), "tete.reduction.model_files"),
    **dict.fromkeys(("TrustReport", "trust"), "tete.reliability.trust_report"),
    **dict.fromkeys(("Uncertainty", "position_uncertainty"), "tete.reliability.uncertainty"),
    **dict.fromkeys(("LearningCurve", "learning_curve"), "tete.selection.answers_needed"),
    "suggest": "tete.selection.suggestion",
    "TETECV": "tete.selection.tetecv",
    "MultiViewTETE": "tete.views.multiview",
}

__getattr__, __dir__ = _lazy_names(
    __name__, _HOMES, ("anndata", "datasets", "distributed", "exceptions", "io", "metrics", "tempered")
)
