"""Read answers, read and write maps: CSV, TSV, Parquet, npz, npy and JSON. Nothing here reads or writes pickles."""

from tete.io.answers import read_answers, write_answers
from tete.io.maps import Map, read_columns, read_map, write_map
from tete.io.writing import atomic_write, check_output

__all__ = [
    "Map",
    "atomic_write",
    "check_output",
    "read_answers",
    "read_columns",
    "read_map",
    "write_answers",
    "write_map",
]
