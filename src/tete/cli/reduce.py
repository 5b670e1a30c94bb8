"""Commands about features: reduce and place."""

import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli.messages import lines, one_sentence, print_result
from tete.cli.options import (
    Array,
    Drop,
    Encoding,
    Force,
    IdColumn,
    Json,
    Labels,
    MapOutput,
    NoHeader,
    Page,
    Plot,
    Quiet,
    Standardize,
    Theme,
)
from tete.cli.outputs import Outputs

if TYPE_CHECKING:
    from tete.io import FeatureTable, Map
    from tete.reduction.feature_map import FeatureMap

__all__ = ["class_label", "place", "reduce"]

Table = Annotated[
    str, typer.Argument(help="Features: CSV, TSV, Parquet, npy or npz (also sparse); - reads CSV from a pipe.")
]
SPREAD_ROWS = 2_000  # looked at for a hint
UNLIKE = 100.0  # times as wide


@one_sentence
def reduce(
    table: Table,
    output: MapOutput = None,
    plot: Plot = None,
    page: Page = None,
    model: Annotated[Path | None, typer.Option(help="Keep the model, for tete place: .npz.")] = None,
    method: Annotated[
        Literal["listwise", "weighted"],
        typer.Option(help="listwise: neighbourhoods and classes; weighted: surfaces and the shape of the whole."),
    ] = "listwise",
    quality: Annotated[
        Literal["fast", "default", "high"] | None, typer.Option(help="Speed against quality, of listwise.")
    ] = None,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    neighbors: Annotated[int | None, typer.Option(min=1, help="Neighbours of a row that shall stay near.")] = None,
    metric: Annotated[
        str, typer.Option(help="euclidean, cosine, manhattan, ...; or precomputed: the table has distances.")
    ] = "euclidean",
    standardize: Standardize = False,
    id_column: IdColumn = None,
    label: Labels = None,
    drop: Drop = None,
    array: Array = None,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
    theme: Theme = "light",
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a map of a table of features, and say how good it is.

    Ids and labels are columns of the map, and its rows are in the order of the table.

    Example: tete reduce table.csv -o map.csv --label species --plot map.png
    """
    given = {"metric": metric, "n_neighbors": neighbors, "quality": quality}
    estimator = _estimator(method, {name: value for name, value in given.items() if value is not None})
    estimator.set_params(
        n_components=dims,
        standardize=standardize,
        random_state=seed,
        verbose=sys.stderr.isatty() and not quiet and not as_json,
    )
    outputs = Outputs(output, plot, page, model, theme=theme, force=force)
    outputs.check()
    features = _read(table, id_column, label, drop, array, no_header, encoding)
    started = time.perf_counter()
    _explained(table, estimator.fit, features.X)
    seconds = time.perf_counter() - started
    found = _as_map(features, estimator.embedding_)
    outputs.write_map(found)
    if model is not None:
        from tete.reduction.model_files import save_model  # noqa: PLC0415

        save_model(model, estimator, force=force)
    shown = next(iter(features.columns)) if label else None  # what was asked for comes first
    outputs.draw(found, None, shown, Path(table).stem)
    written = outputs.written
    if as_json or not quiet:  # else nobody would see how good it is
        result, text = _summary(features, found, shown, estimator, seconds)
        print_result(result | {"written": written}, "\n".join([*text, *lines("written", written)]), as_json)


@one_sentence
def place(
    model: Annotated[Path, typer.Argument(help="What tete reduce --model has written.")],
    table: Table,
    output: MapOutput = None,
    plot: Plot = None,
    page: Page = None,
    id_column: IdColumn = None,
    label: Labels = None,
    drop: Drop = None,
    array: Array = None,
    theme: Theme = "light",
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Place new rows on a finished map.

    Each row is placed by itself; the map stays as it is. Columns that the model does not know are kept as labels.

    Example: tete place model.npz new.csv -o new_map.csv
    """
    outputs = Outputs(output, plot, page, theme=theme, force=force)
    outputs.check()
    from tete.reduction.model_files import load_model  # noqa: PLC0415

    estimator = load_model(model)
    names = getattr(estimator, "feature_names_in_", None)
    features = _read(table, id_column, label, drop, array, no_header, encoding, names)
    _check_columns(table, features, estimator, model)
    found = _as_map(features, _explained(table, estimator.transform, _named(features, names)))
    outputs.write_map(found)
    shown = next(iter(features.columns)) if label else None  # what was asked for comes first
    outputs.draw(found, None, shown, Path(table).stem)
    summary = [*lines("rows placed", [f"{len(found):,}"]), *lines("written", outputs.written)]
    print_result({"n_rows": len(found), "written": outputs.written}, "\n".join(summary), as_json, quiet)


def class_label(found: "Map", label: str | None) -> str | None:
    """The column of classes to measure by: the one that is asked for, or the first there is; no measurement."""
    from tete.drawing.map_picture import is_number_scale  # noqa: PLC0415

    chosen = label if label is not None else found.first_label()
    return None if chosen is None or is_number_scale(found.columns[chosen]) else chosen


def _estimator(method: str, given: dict[str, Any]) -> "FeatureMap":
    if method != "listwise" and "quality" in given:
        raise typer.BadParameter("--quality is an option of --method listwise.")
    from tete.reduction.estimators import ListwiseTETE, WeightedTETE  # noqa: PLC0415

    return ListwiseTETE(**given) if method == "listwise" else WeightedTETE(**given)


def _read(
    table: str,
    id_column: str | None,
    label: list[str] | None,
    drop: list[str] | None,
    array: str | None,
    no_header: bool,
    encoding: str,
    features: Any = None,
) -> "FeatureTable":
    from tete.io import read_features  # noqa: PLC0415

    return read_features(
        table,
        id_column=id_column,
        labels=label or [],
        drop=drop or [],
        features=None if features is None else list(features),
        array=array,
        header=not no_header,
        encoding=encoding,
    )


def _explained(table: str, work: Callable[[Any], Any], X: Any) -> Any:
    """Do the work, and say of which file the features are wrong."""
    from tete.exceptions import InvalidFileError, InvalidParameterError  # noqa: PLC0415

    try:
        return work(X)
    except InvalidParameterError:
        raise
    except ValueError as error:
        raise InvalidFileError(f"{table}: {error}") from error


def _check_columns(table: str, features: "FeatureTable", estimator: "FeatureMap", model: Path) -> None:
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    found, expected = features.matrix.shape[1], estimator.n_features_in_
    if found != expected:
        raise InvalidFileError(f"{table} has {found} columns of features, expected {expected} as {model} has.")


def _named(features: "FeatureTable", names: Any) -> Any:
    """The values under the names that the model knows."""
    return dataclasses.replace(features, feature_names=None if names is None else tuple(names)).X


def _as_map(features: "FeatureTable", embedding: Any) -> "Map":
    from tete.io import Map  # noqa: PLC0415

    return Map(embedding, features.names, features.columns)


def _summary(
    features: "FeatureTable", found: "Map", label: str | None, model: "FeatureMap", seconds: float
) -> tuple[dict[str, Any], list[str]]:
    """What was read and how good the map is, for machines and for people."""
    from tete.metrics.quality import map_quality  # noqa: PLC0415
    from tete.reduction.projection import standardized  # noqa: PLC0415

    chosen = class_label(found, label)
    classes = None if chosen is None else found.columns[chosen]
    matrix = features.matrix if model.column_spreads_ is None else standardized(features.matrix, model.column_spreads_)
    quality = map_quality(matrix, found.embedding, labels=classes, metric=model.metric)
    n_rows, n_features = features.matrix.shape
    result = {"n_features": n_features, "label": chosen, "seconds": seconds, **quality.as_dict()}
    text = [*lines("rows", [f"{n_rows:,}"]), *lines("features", [f"{n_features:,}"])]
    if found.columns:
        text += lines("labels", [", ".join(map(repr, list(found.columns)[:8]))])
    if model.metric == "euclidean" and not model.standardize:
        text += lines("spreads", _unlike_spreads(features))
    return result, [*text, str(quality), *lines("seconds", [f"{seconds:.1f} to make the map"])]


def _unlike_spreads(features: "FeatureTable") -> list[str]:
    """A hint where a column is spread far wider than a quarter of the others, so that these hardly count."""
    import numpy as np  # noqa: PLC0415

    from tete.core.matrices import is_sparse  # noqa: PLC0415

    if is_sparse(features.matrix):
        return []
    some = np.asarray(features.matrix[:: max(1, len(features) // SPREAD_ROWS)], dtype=np.float64)
    varying = some.min(axis=0) < some.max(axis=0)
    sizes = np.where(varying, np.abs(some).max(axis=0), np.nan)
    spreads = sizes * np.std(some / sizes, axis=0)  # divided, because squares of large numbers overflow
    if np.isnan(spreads).all():
        return []
    narrow = float(np.nanquantile(spreads, 0.25, method="lower"))
    widest = int(np.nanargmax(spreads))
    if spreads[widest] < UNLIKE * narrow:
        return []
    name = widest if features.feature_names is None else repr(features.feature_names[widest])
    return [f"column {name} is spread {spreads[widest] / narrow:,.0f} times as wide as others: try --standardize"]
