"""A fitted encoder as plain arrays and back, for model files: JSON for the columns, arrays for the numbers."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete.core.checked_arrays import CheckedArrays
from tete.exceptions import InvalidFileError
from tete.reduction.encoding.column_codes import KINDS, LEFT_OUT, ColumnCode
from tete.reduction.encoding.gap_filling import GapFiller
from tete.reduction.encoding.table_encoder import TableEncoder

__all__ = ["ENCODER_ARRAYS", "encoder_from_arrays", "encoder_to_arrays"]

ENCODER_ARRAYS = (
    "encoder",
    "encoder_center",
    "encoder_spread",
    "encoder_divisor",
    "encoder_mean",
    "encoder_covariance",
    "encoder_share",
    "encoder_donors",
    "encoder_known",
)
ENTRIES = {"columns", "standardize", "named", "n_gaps"}
COLUMN_ENTRIES = {"name", "kind", "values", "rest", "reason"}


def encoder_to_arrays(encoder: TableEncoder) -> dict[str, NDArray[Any]]:
    """All that a fitted encoder needs for new rows."""
    header = {
        "columns": [
            {
                "name": code.name,
                "kind": code.kind,
                "values": list(code.values),
                "rest": code.rest,
                "reason": code.reason,
            }
            for code in encoder.columns_
        ],
        "standardize": encoder.standardized_,
        "named": hasattr(encoder, "feature_names_in_"),
        "n_gaps": int(encoder.n_gaps_),
    }
    numbers = {
        "encoder_center": encoder.center_,
        "encoder_spread": encoder.spread_,
        "encoder_divisor": encoder.divisor_,
    }
    return {"encoder": np.array(json.dumps(header)), **numbers, **encoder.gaps_.to_arrays()}


def encoder_from_arrays(arrays: CheckedArrays) -> TableEncoder:
    """The same encoder again; anything that is wrong is refused by name."""
    header = _header(arrays)
    columns = tuple(_column(entry) for entry in header["columns"])
    width = sum(len(code.outputs) for code in columns)
    if width == 0 or len({code.name for code in columns}) < len(columns):
        raise InvalidFileError("`encoder` must have columns of different names, and one that is used.")
    tiny = float(np.finfo(float).smallest_subnormal)
    encoder = TableEncoder(standardize=header["standardize"])
    encoder.columns_, encoder.standardized_ = columns, header["standardize"]
    encoder.center_ = arrays.numbers("encoder_center", "f8", (width,))
    encoder.spread_ = arrays.numbers("encoder_spread", "f8", (width,), least=tiny)
    encoder.divisor_ = arrays.numbers("encoder_divisor", "f8", (width,), least=tiny)
    encoder.gaps_ = GapFiller.from_arrays(arrays, width)
    encoder.n_gaps_ = header["n_gaps"]
    encoder.n_features_in_ = len(columns)
    if header["named"]:
        encoder.feature_names_in_ = np.array([code.name for code in columns], dtype=object)
    return encoder


def _header(arrays: CheckedArrays) -> dict[str, Any]:
    text = arrays.one_text("encoder")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.keys() != ENTRIES or not isinstance(header["columns"], list):
        raise InvalidFileError(f"`encoder` must be a table of {', '.join(sorted(ENTRIES))}.")
    plain = isinstance(header["standardize"], bool) and isinstance(header["named"], bool)
    if not plain or type(header["n_gaps"]) is not int:
        raise InvalidFileError("`encoder` must say true or false for `standardize` and `named`, and count its gaps.")
    return header


def _column(entry: Any) -> ColumnCode:
    right = isinstance(entry, dict) and entry.keys() == COLUMN_ENTRIES
    if right:
        texts = [entry["name"], entry["kind"], entry["reason"]]
        right = all(isinstance(text, str) for text in texts) and isinstance(entry["rest"], bool)
        right = right and isinstance(entry["values"], list) and all(isinstance(each, str) for each in entry["values"])
    if not right or entry["kind"] not in KINDS:
        raise InvalidFileError(f"`encoder` must describe each column by its name, kind and values, got {entry!r:.80}.")
    values = tuple(entry["values"])
    has_values = entry["kind"] in {"ordered", "category"}
    if len(set(values)) < len(values) or bool(values) != has_values or (entry["rest"] and entry["kind"] != "category"):
        raise InvalidFileError(f"`encoder` must list different values of categories alone, got {entry['name']!r:.80}.")
    reason = entry["reason"] if entry["kind"] == LEFT_OUT else ""
    return ColumnCode(entry["name"], entry["kind"], values, entry["rest"], reason)
