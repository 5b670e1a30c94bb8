"""The command place: new rows onto a finished map of features."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.clusters import Cluster
from tete.cli.encoding_tables import parts_of
from tete.cli.look_options import LookOptions
from tete.cli.messages import one_sentence, print_result, said_of
from tete.cli.option_groups import gathers
from tete.cli.outputs import Outputs, map_of
from tete.cli.row_sets import Saying, is_data_set, place_rows, refuse_options
from tete.cli.table_options import TableOptions
from tete.core.printing import counted, table_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tete.io import FeatureTable, Map
    from tete.reduction.encoding.table_encoder import TableEncoder
    from tete.reduction.feature_map import FeatureMap

__all__ = ["place"]

UNLIKE = 3.0  # a novelty that hardly a row has that belongs to the map
MOST_DRAWN = 10.0  # the end of the colours' scale: no novelty above it belongs to the map more or less
MAPS = (".csv", ".tsv", ".parquet", ".json", ".npy")  # files of maps, which are no models


@one_sentence
@gathers(showing=LookOptions, reading=TableOptions)
def place(
    model: Annotated[Path, typer.Argument(help="What tete reduce --model has written.")],
    tables: options.Tables,
    showing: LookOptions,
    reading: TableOptions,
    output: options.MapOrFolder = None,
    plot: options.Plot = None,
    page: options.Page = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Place new rows on a finished map of features.

    Each row is placed by itself; the map stays as it is. Columns that the model does not know are kept as labels. The
    column novelty tells rows that hardly belong to the map: it is about 1 for rows like those of the map.
    New objects are placed on a map from answers, by answers about them, with: tete embed new.csv --fixed map.csv

    A data set of Parquet or npy files, however large, is placed part by part into a folder; a run that was stopped goes
    on where it was when it is started again.

    Example: tete place model.npz new.csv -o new_map.csv

    Example: tete place model.npz rows/*.parquet -o placed/
    """
    table, cluster = tables[0], Cluster(scheduler, workers)
    if is_data_set(tables, output, cluster):
        _refuse_maps(model, table)
        refuse_options(plot=plot, page=page, **showing.given())
        place_rows(model, tables, reading, output, cluster, Saying(force=force, as_json=as_json, quiet=quiet))
        return
    outputs = Outputs(output, plot, page, theme=theme, force=force)
    looks = showing.looks(plot, page)
    outputs.check()
    _refuse_maps(model, table)
    from tete.reduction.model_files import load_model, saved_classes  # noqa: PLC0415

    encoder, estimator = parts_of(load_model(model))
    names = _names_of(encoder or estimator)
    features = reading.read(table, features=names, mixed=encoder is not None)
    pictures = showing.pictures(features)
    classes = saved_classes(model)
    looks.check_classes(features.columns, classes)
    _check_columns(table, features, (encoder or estimator).n_features_in_, model)
    rows = _named(features, names)
    places, novelty = _placed(table, rows, encoder, estimator)
    found = _with_novelty(map_of(features, places), novelty)
    outputs.write_map(found)
    unlike = novelty > UNLIKE
    outputs.draw(
        _with_capped(found),
        None,
        reading.shown(features) or looks.column_of(found, classes),
        Path(table).stem,
        classes=classes,
        background=estimator.embedding_,
        unlike=unlike,
        images=pictures,
        looks=looks,
    )
    count = int(unlike.sum())
    filled = None if encoder is None else _filled(encoder, rows)
    result = {"n_rows": len(found), "encoded": filled, "n_unlike": count, "written": outputs.written}
    print_result(result, "\n".join([*_lines(len(found), filled, count), *outputs.written_lines]), as_json, quiet)


def _names_of(model: "TableEncoder | FeatureMap") -> list[str] | None:
    """The columns that a model knows, if they have names."""
    known = getattr(model, "feature_names_in_", None)
    return None if known is None else [str(name) for name in known]


def _placed(
    table: str, rows: Any, encoder: "TableEncoder | None", estimator: "FeatureMap"
) -> tuple["NDArray[Any]", "NDArray[Any]"]:
    """Places and novelty of the rows."""
    with said_of(table):
        numbers = rows if encoder is None else _numbers(encoder, estimator, rows)
        places, novelty = estimator.transform(numbers, return_novelty=True)
    return places, novelty


def _lines(n_rows: int, filled: str | None, n_unlike: int) -> list[str]:
    """The lines of the summary."""
    rows = [("rows placed", f"{n_rows:,}")]
    if filled is not None:
        rows.append(("table", filled))
    if n_unlike:
        rows.append(("unlike", f"{n_unlike:,} of them have a novelty above {UNLIKE:g}: they hardly belong to the map"))
    return table_lines(rows)


def _filled(encoder: "TableEncoder", rows: Any) -> str:
    """What the encoder has filled in of raw rows."""
    import pandas as pd  # noqa: PLC0415

    from tete.reduction.encoding.filled_cells import filled_cells  # noqa: PLC0415

    return filled_cells(encoder, rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows))


def _refuse_maps(model: Path, table: str) -> None:
    """Say what comes first, and how new objects are placed on a map that was made from answers."""
    if model.suffix.lower() in MAPS and table.lower().endswith(".npz"):
        raise typer.BadParameter(f"the model comes first: tete place {table} {model}")
    if model.suffix.lower() in MAPS:
        raise typer.BadParameter(
            f"{model} is a map, and a model of features (.npz, by tete reduce --model) is needed; new objects are "
            f"placed on a map by answers about them: tete embed {table} --fixed {model} -o both.csv"
        )


def _numbers(encoder: "TableEncoder", estimator: "FeatureMap", rows: Any) -> Any:
    """Rows as numbers, under the names that the map knows."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(encoder.transform(rows), columns=list(estimator.feature_names_in_))


def _with_novelty(found: "Map", novelty: "NDArray[Any]") -> "Map":
    name = "novelty" if "novelty" not in found.columns else "map_novelty"
    return dataclasses.replace(found, columns={**found.columns, name: novelty.astype(float)})


def _with_capped(found: "Map") -> "Map":
    """The map as it is drawn: beside one huge novelty all others would have one colour."""
    import numpy as np  # noqa: PLC0415

    (name, novelty) = list(found.columns.items())[-1]
    if not np.any(novelty > MOST_DRAWN):
        return found
    others = {each: values for each, values in found.columns.items() if each != name}
    drawn = {f"{name} ({MOST_DRAWN:g}: or more)": np.minimum(novelty, MOST_DRAWN)}
    return dataclasses.replace(found, columns=others | drawn)


def _check_columns(table: str, features: "FeatureTable", expected: int, model: Path) -> None:
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    found = features.matrix.shape[1]
    if found != expected:
        raise InvalidFileError(
            f"{table} has {counted(found, 'column')} of features, expected {expected} as {model} has."
        )


def _named(features: "FeatureTable", names: Any) -> Any:
    """The values under the names that the model knows."""
    return dataclasses.replace(features, feature_names=None if names is None else tuple(names)).X
