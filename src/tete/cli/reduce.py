"""The command reduce: a map of a table of features, and how good it is."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli import options
from tete.cli.arguments import class_label, read_table
from tete.cli.encoding_tables import encoded, with_encoder
from tete.cli.messages import one_sentence, print_result, said_of
from tete.cli.outputs import Looks, Outputs, classes_of, map_of
from tete.core.printing import rows_under, table_lines

if TYPE_CHECKING:
    from tete.io import FeatureTable, Map
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.feature_map import FeatureMap

__all__ = ["reduce"]

SPREAD_ROWS = 2_000  # looked at for a hint: enough for a factor of 100, and no second pass over a large table
UNLIKE = 100.0  # times as wide: beside such a column the others change squared distances by a ten-thousandth


@one_sentence
def reduce(
    table: options.Table,
    output: options.MapOutput = None,
    plot: options.Plot = None,
    page: options.Page = None,
    images: options.Images = None,
    color: options.Colors = None,
    class_names: options.ClassNames = False,
    model: Annotated[Path | None, typer.Option(help="Keep the model, for tete place: .npz.")] = None,
    method: Annotated[
        Literal["listwise", "weighted"],
        typer.Option(help="listwise: neighbourhoods and classes; weighted: surfaces and the shape of the whole."),
    ] = "listwise",
    quality: Annotated[
        Literal["fast", "default", "high"] | None, typer.Option(help="Speed against quality, of listwise.")
    ] = None,
    exaggeration: Annotated[
        float | None, typer.Option(help="From 1: more gives compact groups with gaps between them, of listwise.")
    ] = None,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    neighbors: Annotated[int | None, typer.Option(min=1, help="Neighbours of a row that shall stay near.")] = None,
    metric: Annotated[
        str, typer.Option(help="euclidean, cosine, manhattan, ...; or precomputed: the table has distances.")
    ] = "euclidean",
    standardize: options.Standardize = False,
    id_column: options.IdColumn = None,
    label: options.Labels = None,
    drop: options.Drop = None,
    array: options.Array = None,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
    theme: options.Theme = "light",
    no_header: options.NoHeader = False,
    encoding: options.Encoding = "utf-8",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a map of a table of features, and say how good it is.

    Ids and labels are columns of the map, and its rows are in the order of the table. Texts of few values, dates and
    gaps become numbers; the summary says how.

    Example: tete reduce table.csv -o map.csv --label species --plot map.png
    """
    given = {"metric": metric, "n_neighbors": neighbors, "quality": quality, "exaggeration": exaggeration}
    estimator = _estimator(method, {name: value for name, value in given.items() if value is not None})
    estimator.set_params(
        n_components=dims,
        standardize=standardize,
        random_state=seed,
        verbose=sys.stderr.isatty() and not quiet and not as_json,
    )
    outputs = Outputs(output, plot, page, model, theme=theme, force=force)
    looks = Looks.of_options(color, class_names)
    outputs.check()
    features = read_table(
        table, id_column, label, drop, array, no_header, encoding, mixed=estimator.metric != "precomputed"
    )
    started = time.perf_counter()
    with said_of(table):
        encoder, features = encoded(features, standardize)
        estimator.set_params(standardize=standardize and encoder is None).fit(features.X)
    seconds = time.perf_counter() - started
    found = map_of(features, estimator.embedding_)
    outputs.write_map(found)
    if model is not None:
        from tete.reduction.model_files import save_model  # noqa: PLC0415

        save_model(model, with_encoder(encoder, estimator), classes=classes_of(found), force=force)
    shown = next(iter(features.columns)) if label else None  # what was asked for comes first
    outputs.draw(found, None, shown, Path(table).stem, images=images, looks=looks)
    written = outputs.written
    if as_json or not quiet:  # else nobody would see how good it is
        result, text = _summary(features, found, shown, estimator, seconds, encoder)
        print_result(result | {"written": written}, "\n".join([*text, *outputs.written_lines]), as_json)


def _estimator(method: str, given: dict[str, Any]) -> "FeatureMap":
    for name in ("quality", "exaggeration"):
        if method != "listwise" and name in given:
            raise typer.BadParameter(f"--{name} is an option of --method listwise.")
    from tete.reduction.estimators import ListwiseTETE, WeightedTETE  # noqa: PLC0415

    return ListwiseTETE(**given) if method == "listwise" else WeightedTETE(**given)


def _summary(
    features: "FeatureTable",
    found: "Map",
    label: str | None,
    model: "FeatureMap",
    seconds: float,
    encoder: "TableEncoder | None",
) -> tuple[dict[str, Any], list[str]]:
    """What was read and how good the map is, for machines and for people."""
    from tete.metrics.quality import map_quality  # noqa: PLC0415
    from tete.reduction.projection import standardized  # noqa: PLC0415

    chosen = class_label(found, label)
    classes = None if chosen is None else found.columns[chosen]
    matrix = features.matrix if model.column_spreads_ is None else standardized(features.matrix, model.column_spreads_)
    assert isinstance(model.metric, str)  # options are texts
    quality = map_quality(matrix, found.embedding, labels=classes, metric=model.metric)
    n_rows, n_features = features.matrix.shape
    components = model.pca_components_
    result = {"n_features": n_features, "label": chosen, "seconds": seconds, **quality.as_dict()}
    result |= {"pca_components": components, "encoded": None if encoder is None else encoder.summary()}
    rows = [("rows", f"{n_rows:,}"), ("features", f"{n_features:,}")]
    if encoder is not None:
        rows.append(("table", encoder.summary()))
    if components is not None:
        rows.append(("components", f"{components}, of {n_features:,} columns"))
    if found.columns:
        rows.append(("labels", ", ".join(map(repr, list(found.columns)[:8]))))
    if model.metric == "euclidean" and not model.standardize and not (encoder is not None and encoder.standardize):
        rows += rows_under("spreads", _unlike_spreads(features))
    return result, [*table_lines(rows), str(quality), *table_lines([("seconds", f"{seconds:.1f} to make the map")])]


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
