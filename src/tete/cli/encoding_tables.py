"""Tables of features that are not all numbers, on their way into a command and into its model file."""

import dataclasses
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tete.io import FeatureTable
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.feature_map import FeatureMap

__all__ = ["encoded", "is_mixed", "parts_of", "with_encoder"]

ROWS_AT_ONCE = 4096  # looked at for gaps


def encoded(
    features: "FeatureTable", *, metric: Any, standardize: bool | None, ordered: "Sequence[str] | None"
) -> tuple["TableEncoder | None", "FeatureTable"]:
    """The encoder that a table needs, if it does, and the table as numbers; distances are as they are.

    Where it is not said whether to `standardize`, columns of different kinds, which have no common unit, are made to
    weigh alike. Columns that are left out are kept beside the map. Columns whose values are `ordered`, as
    size=small,medium,large, are texts.
    """
    table, orders = features.matrix, _orders(ordered or [])
    if orders and not is_mixed(table):
        raise typer.BadParameter(
            f"--ordered is for columns of texts, and the table has none, got {next(iter(orders))}."
        )
    if metric == "precomputed" or not (is_mixed(table) or _has_gaps(table)):
        return None, features
    from tete.reduction.encoding.table_encoder import TableEncoder  # noqa: PLC0415

    encoder = TableEncoder(standardize="auto" if standardize is None else standardize, ordered=orders or None)
    return encoder, _as_numbers(features, encoder, encoder.fit_transform(features.X))


def _orders(ordered: "Sequence[str]") -> dict[str, list[str]]:
    """Columns with their values in order, from options."""
    orders = {}
    for option in ordered:
        name, equals, values = option.rpartition("=")
        if not (name and equals and values):
            raise typer.BadParameter(f"--ordered must be like size=small,medium,large, got {option!r}.")
        orders[name] = [value.strip() for value in values.split(",")]
    return orders


def is_mixed(table: Any) -> bool:
    """Whether a table that was read is a data frame, of texts, gaps and the like."""
    import pandas as pd  # noqa: PLC0415

    return isinstance(table, pd.DataFrame)


def _has_gaps(table: Any) -> bool:
    """Whether an array has gaps; it may be on the disk and larger than the memory."""
    import numpy as np  # noqa: PLC0415

    from tete.core.threads import row_slices  # noqa: PLC0415

    if not isinstance(table, np.ndarray) or table.dtype.kind != "f":
        return False
    return any(np.isnan(table[rows]).any() for rows in row_slices(len(table), size=ROWS_AT_ONCE))


def with_encoder(encoder: "TableEncoder | None", estimator: "FeatureMap") -> Any:
    """What a model file holds."""
    if encoder is None:
        return estimator
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    return make_pipeline(encoder, estimator)


def parts_of(model: Any) -> tuple["TableEncoder | None", "FeatureMap"]:
    """The encoder of a loaded model, if it has one, and the estimator."""
    from sklearn.pipeline import Pipeline  # noqa: PLC0415

    return (model[0], model[1]) if isinstance(model, Pipeline) else (None, model)


def _as_numbers(features: "FeatureTable", encoder: "TableEncoder", numbers: Any) -> "FeatureTable":
    columns = dict(features.columns)
    if is_mixed(features.matrix):
        columns |= _left_out(features, encoder)
    names = tuple(str(name) for name in encoder.get_feature_names_out())
    return dataclasses.replace(features, matrix=numbers, feature_names=names, columns=columns)


def _left_out(features: "FeatureTable", encoder: "TableEncoder") -> dict[str, Any]:
    """The columns that are no features, unless they are empty."""
    from tete.io.object_tables import as_column  # noqa: PLC0415

    left_out = [code.name for code in encoder.columns_ if code.kind == "left out" and code.reason != "empty"]
    texts = {name: ["" if cell is None else cell for cell in features.matrix[name].tolist()] for name in left_out}
    return {name: as_column(cells) for name, cells in texts.items() if name not in features.columns}
