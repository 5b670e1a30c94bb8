"""Read answers and features, read and write maps: CSV, TSV, Parquet, npz, npy, JSON, never pickle.

A file is a `sources.Source`, which refuses what is no plain file and turns whatever a library says of damaged bytes
into one sentence. Each kind is opened in one place, which checks what the file claims before memory is taken:
`text_files` (with `encodings`), `parquet_files`, `json_tables` and `array_files` (with `sparse_tables`). The first
three become `tables` (`text_tables`), which can name the line of whatever is wrong.

`answer_files` finds the meaning of columns (`headers`) and makes triplets of `records` (`object_numbers`);
`feature_files` reads large tables in `pieces` and sorts their columns (`feature_columns`), `parquet_parts` those that
are larger than memory, by row groups; `map_files` reads and writes maps (`coordinates`) and knows what `object_tables`
say of objects. `number_texts` says what a number is, `spreadsheets` what must not be computed, and `writing` makes
files appear whole or not at all, by way of `temporary_files`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tete.core.lazy import lazy_names as _lazy_names

if _TYPE_CHECKING:
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

_HOMES = {
    **dict.fromkeys(("read_answers", "write_answers"), "tete.io.answer_files"),
    **dict.fromkeys(("FeatureTable", "read_features"), "tete.io.feature_files"),
    **dict.fromkeys(("Map", "read_map", "write_map"), "tete.io.map_files"),
}

__getattr__, __dir__ = _lazy_names(__name__, _HOMES)
