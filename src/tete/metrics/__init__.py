"""How good a map is: by answers, by labels, by another map, by the features it was made of.

Answers are in `satisfaction`, labels in `classes`, another map in `alignment`. Features: `ranks` finds where a row's
neighbours on the map come among its nearest in the features, `neighborhoods` makes measures of that, and `quality`
takes all of them in one pass over a table of any size.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tete.core.lazy import lazy_names as _lazy_names

if _TYPE_CHECKING:
    from tete.metrics.alignment import distance_agreement, procrustes_align, procrustes_distance
    from tete.metrics.classes import nearest_neighbor_error, neighborhood_accuracy
    from tete.metrics.neighborhoods import global_score, neighborhood_recall, random_triplet_accuracy, trustworthiness
    from tete.metrics.quality import MapQuality, map_quality
    from tete.metrics.satisfaction import triplet_error

__all__ = [
    "MapQuality",
    "distance_agreement",
    "global_score",
    "map_quality",
    "nearest_neighbor_error",
    "neighborhood_accuracy",
    "neighborhood_recall",
    "procrustes_align",
    "procrustes_distance",
    "random_triplet_accuracy",
    "triplet_error",
    "trustworthiness",
]

_HOMES = {
    **dict.fromkeys(("distance_agreement", "procrustes_align", "procrustes_distance"), "tete.metrics.alignment"),
    **dict.fromkeys(("nearest_neighbor_error", "neighborhood_accuracy"), "tete.metrics.classes"),
    **dict.fromkeys(
        ("global_score", "neighborhood_recall", "random_triplet_accuracy", "trustworthiness"),
        "tete.metrics.neighborhoods",
    ),
    **dict.fromkeys(("MapQuality", "map_quality"), "tete.metrics.quality"),
    "triplet_error": "tete.metrics.satisfaction",
}

__getattr__, __dir__ = _lazy_names(__name__, _HOMES)
