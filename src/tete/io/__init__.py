"""Read answers and features, read and write maps: CSV, TSV, Parquet, npz, npy, JSON, never pickle."""

from tete.io.answer_files import read_answers, write_answers
from tete.io.feature_files import FeatureTable, read_features
from tete.io.map_files import Map, read_columns, read_map, write_map
from tete.io.writing import atomic_write, check_output

__all__ = [
    "FeatureTable",
    "Map",
    "atomic_write",
    "check_output",
    "read_answers",
    "read_columns",
    "read_features",
    "read_map",
    "write_answers",
    "write_map",
]
