"""Read answers and features, read and write maps: CSV, TSV, Parquet, npz, npy, JSON, never pickle.

A file is a `sources.Source`. Text and Parquet become a table of `text_tables`, which can name the line of whatever is
wrong. `answer_files` finds the meaning of its columns (`headers`) and makes triplets of its `records`; `feature_files`
reads large tables in `pieces` and sorts their columns (`feature_columns`); `map_files` reads and writes maps.
`writing` makes files appear whole or not at all.
"""

from tete.io.answer_files import read_answers, write_answers
from tete.io.feature_files import FeatureTable, read_features
from tete.io.map_files import Map, read_map, write_map

__all__ = [
    "FeatureTable",
    "Map",
    "read_answers",
    "read_features",
    "read_map",
    "write_answers",
    "write_map",
]
