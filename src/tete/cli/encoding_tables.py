"""Tables of features that are not all numbers, on their way into a command and into its model file."""

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tete.io import FeatureTable
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.feature_map import FeatureMap

__all__ = ["encoded", "parts_of", "with_encoder"]


def encoded(features: "FeatureTable", standardize: bool) -> tuple["TableEncoder | None", "FeatureTable"]:
    """The encoder that a table needs, if it does, and the table as numbers.

    Columns of different kinds have no common unit and are made to weigh alike. Columns that are left out are kept
    beside the map.
    """
    import pandas as pd  # noqa: PLC0415

    if not isinstance(features.matrix, pd.DataFrame):
        return None, features
    from tete.reduction.encoding.table_encoder import TableEncoder  # noqa: PLC0415

    frame = features.matrix
    plain = all(pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes)
    encoder = TableEncoder(standardize=standardize or not plain)
    return encoder, _as_numbers(features, encoder, encoder.fit_transform(frame))


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
    from tete.io.object_tables import as_column  # noqa: PLC0415

    left_out = [code.name for code in encoder.columns_ if code.kind == "left out" and code.reason != "empty"]
    texts = {name: ["" if cell is None else cell for cell in features.matrix[name].tolist()] for name in left_out}
    beside = {name: as_column(cells) for name, cells in texts.items() if name not in features.columns}
    names = tuple(str(name) for name in encoder.get_feature_names_out())
    return dataclasses.replace(features, matrix=numbers, feature_names=names, columns={**features.columns, **beside})
