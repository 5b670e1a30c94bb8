"""Read and write answers and maps, read features: CSV, TSV, Parquet, npz, npy, JSON, never pickle."""

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
