"""The command reduce: a map of a table of features, and how good it is."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.arguments import class_label
from tete.cli.clusters import Cluster
from tete.cli.encoding_tables import encoded, with_encoder
from tete.cli.look_options import LookOptions
from tete.cli.map_options import MapOptions
from tete.cli.messages import one_sentence, print_result, said_of
from tete.cli.option_groups import gathers
from tete.cli.outputs import Outputs, map_of
from tete.cli.reduce_rows import RowsRun
from tete.cli.row_sets import Saying, refuse_options
from tete.cli.table_options import TableOptions
from tete.core.printing import rows_under, table_lines

if TYPE_CHECKING:
    from tete.io import FeatureTable, Map
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.feature_map import FeatureMap

__all__ = ["reduce"]

SPREAD_ROWS = 2_000  # looked at for a hint: enough for a factor of 100, and no second pass over a large table
UNLIKE = 100.0  # times as wide: beside such a column the others change squared distances by a ten-thousandth


@one_sentence
@gathers(showing=LookOptions, making=MapOptions, reading=TableOptions)
def reduce(
    tables: options.Tables,
    showing: LookOptions,
    making: MapOptions,
    reading: TableOptions,
    output: options.MapOrFolder = None,
    plot: options.Plot = None,
    page: options.Page = None,
    model: Annotated[Path | None, typer.Option(help="Keep the model, for tete place: .npz.")] = None,
    landmarks: Annotated[
        str | None,
        typer.Option(help="Fit so many rows of a data set, or those an npy file names, and place all others."),
    ] = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a map of a table of features, and say how good it is.

    Ids and labels are columns of the map, and its rows are in the order of the table. Texts of few values, dates and
    gaps become numbers; the summary says how.

    A data set of Parquet or npy files, however large, is reduced by --landmarks: a map of some of its rows, on which
    all others are placed, part by part, into a folder. A run that was stopped goes on when it is started again.

    Example: tete reduce table.csv -o map.csv --label species --plot map.png

    Example: tete reduce rows/*.parquet --landmarks 200000 -o placed/ --model model.npz
    """
    estimator = making.estimator(verbose=sys.stderr.isatty() and not quiet and not as_json)
    table, cluster = tables[0], Cluster(scheduler, workers)
    if landmarks is not None:
        refuse_options(plot=plot, page=page, **showing.given())
        run = RowsRun(tables, landmarks, estimator, making, reading, model, _landmark_lines)
        run.do(output, cluster, Saying(force=force, as_json=as_json, quiet=quiet))
        return
    if len(tables) > 1 or cluster.given:
        raise typer.BadParameter("a data set needs --landmarks: to how many of its rows the map is fitted.")
    outputs = Outputs(output, plot, page, model, theme=theme, force=force)
    looks = showing.looks(plot, page)
    outputs.check()
    features = reading.read(table, mixed=estimator.metric != "precomputed")
    _warn_of_answers(features)
    pictures = showing.pictures(features)
    started = time.perf_counter()
    with said_of(table):
        encoder, features = encoded(
            features, metric=making.metric, standardize=making.standardize, ordered=making.ordered
        )
        looks.check_classes(features.columns)
        estimator.set_params(standardize=bool(making.standardize) and encoder is None).fit(features.X)
    seconds = time.perf_counter() - started
    found, shown = map_of(features, estimator.embedding_), reading.shown(features)
    outputs.write_map(found)
    if model is not None:
        outputs.write_model(with_encoder(encoder, estimator), found)
    outputs.draw(found, None, shown, Path(table).stem, images=pictures, looks=looks)
    if as_json or not quiet:  # else nobody would see how good it is
        result, text = _summary(features, found, shown, estimator, seconds, encoder)
        print_result(result | {"written": outputs.written}, "\n".join([*text, *outputs.written_lines]), as_json)


def _warn_of_answers(features: "FeatureTable") -> None:
    """Say where to go with a file of answers, of which every table with text would make some map."""
    names = {name.casefold() for name in features.feature_names or ()}
    for columns in (("anchor", "near", "far"), ("head", "winner", "loser")):
        if names.issuperset(columns):
            said = f"columns {', '.join(columns)} look like answers: tete embed makes a map of what they compare."
            typer.echo(f"Warning: {said}", err=True)


def _landmark_lines(
    features: "FeatureTable", found: "Map", model: "FeatureMap", seconds: float, encoder: "TableEncoder | None"
) -> tuple[dict[str, Any], list[str]]:
    return _summary(features, found, None, model, seconds, encoder)


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
    from tete.reduction.component_choice import FEWEST  # noqa: PLC0415
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
    elif model.metric != "precomputed" and n_features > FEWEST:
        rows.append(("components", f"none: {n_features:,} columns compared as they are"))
    if found.columns:
        rows.append(("labels", ", ".join(map(repr, list(found.columns)[:8]))))
    if model.metric == "euclidean" and not model.standardize and not (encoder is not None and encoder.standardized_):
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
