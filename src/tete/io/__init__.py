"""Read answers and features, read and write maps: CSV, TSV, Parquet, npz, npy, JSON, never pickle."""

from tete.io.answers import read_answers, write_answers
from tete.io.features import FeatureTable, read_feature_table
from tete.io.maps import Map, read_columns, read_map, write_map
from tete.io.writing import atomic_write, check_output

__all__ = [
    "FeatureTable",
    "Map",
    "atomic_write",
    "check_output",
    "read_answers",
    "read_columns",
    "read_feature_table",
    "read_map",
    "write_answers",
    "write_map",
]
