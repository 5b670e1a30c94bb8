"""The command place: new rows onto a finished map of features."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.arguments import read_table
from tete.cli.messages import one_sentence, print_result, said_of
from tete.cli.outputs import Outputs, map_of
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.io import FeatureTable
    from tete.reduction.feature_map import FeatureMap

__all__ = ["place"]

MAPS = (".csv", ".tsv", ".parquet", ".json", ".npy")  # files of maps, which are no models


@one_sentence
def place(
    model: Annotated[Path, typer.Argument(help="What tete reduce --model has written.")],
    table: options.Table,
    output: options.MapOutput = None,
    plot: options.Plot = None,
    page: options.Page = None,
    id_column: options.IdColumn = None,
    label: options.Labels = None,
    drop: options.Drop = None,
    array: options.Array = None,
    theme: options.Theme = "light",
    no_header: options.NoHeader = False,
    encoding: options.Encoding = "utf-8",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Place new rows on a finished map of features.

    Each row is placed by itself; the map stays as it is. Columns that the model does not know are kept as labels.
    New objects are placed on a map from answers, by answers about them, with: tete embed new.csv --fixed map.csv

    Example: tete place model.npz new.csv -o new_map.csv
    """
    outputs = Outputs(output, plot, page, theme=theme, force=force)
    outputs.check()
    _refuse_maps(model, table)
    from tete.reduction.model_files import load_model, saved_classes  # noqa: PLC0415

    estimator = load_model(model)
    known = getattr(estimator, "feature_names_in_", None)
    names = None if known is None else list(known)
    features = read_table(table, id_column, label, drop, array, no_header, encoding, features=names)
    _check_columns(table, features, estimator, model)
    with said_of(table):
        found = map_of(features, estimator.transform(_named(features, names)))
    outputs.write_map(found)
    shown = next(iter(features.columns)) if label else None  # what was asked for comes first
    outputs.draw(found, None, shown, Path(table).stem, classes=saved_classes(model))
    summary = [*table_lines([("rows placed", f"{len(found):,}")]), *outputs.written_lines]
    print_result({"n_rows": len(found), "written": outputs.written}, "\n".join(summary), as_json, quiet)


def _refuse_maps(model: Path, table: str) -> None:
    """Say how new objects are placed on a map that was made from answers."""
    if model.suffix.lower() in MAPS:
        raise typer.BadParameter(
            f"{model} is a map, and a model of features (.npz, by tete reduce --model) is needed; new objects are "
            f"placed on a map by answers about them: tete embed {table} --fixed {model} -o both.csv"
        )


def _check_columns(table: str, features: "FeatureTable", estimator: "FeatureMap", model: Path) -> None:
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    found, expected = features.matrix.shape[1], estimator.n_features_in_
    if found != expected:
        raise InvalidFileError(f"{table} has {found} columns of features, expected {expected} as {model} has.")


def _named(features: "FeatureTable", names: Any) -> Any:
    """The values under the names that the model knows."""
    return dataclasses.replace(features, feature_names=None if names is None else tuple(names)).X
