"""The command score: how good any map is, by answers or by features."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.arguments import class_label, read_map_file, refuse_metrics_of_python
from tete.cli.encoding_tables import encoded
from tete.cli.messages import one_sentence, print_result, said_of
from tete.cli.table_options import TableOptions
from tete.core.printing import counted, table_lines

if TYPE_CHECKING:
    from tete.comparisons.by_people import By
    from tete.comparisons.triplets import Triplets
    from tete.io import FeatureTable, Map

__all__ = ["score"]


@one_sentence
@reads_answers
def score(
    map_file: Annotated[str, typer.Argument(metavar="MAP", help="A map: .csv, .tsv, .parquet, .json or .npy.")],
    reading: AnswerOptions,
    answers: Annotated[str | None, typer.Option(help="Answers to compare the map with.")] = None,
    features: Annotated[
        str | None, typer.Option(help="Features to compare it with; rows match by id or order.")
    ] = None,
    coordinates: options.Coordinates = "",
    by: options.By = None,
    label: options.Labels = None,
    id_column: options.IdColumn = None,
    drop: options.Drop = None,
    array: options.Array = None,
    metric: Annotated[str, typer.Option(help="What features are compared by: euclidean, cosine, ...")] = "euclidean",
    standardize: options.Standardize = None,
    ordered: options.Ordered = None,
    neighbors: Annotated[int, typer.Option(min=1, help="Neighbours of a row to look at.")] = 15,
    samples: Annotated[int, typer.Option(min=1, help="Rows to look at.")] = 1000,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how well a map, from any program, agrees with answers or keeps the neighbourhoods of features.

    Example: tete score map.csv --answers held_out.csv

    Example: tete score map.csv --features table.csv --label species
    """
    if (answers is None) == (features is None):
        raise typer.BadParameter("give either --answers or --features.")
    refuse_metrics_of_python(metric, "map_quality(distances, embedding, metric='precomputed')")
    found = read_map_file(map_file, coordinates, reading.encoding)
    if answers is not None:
        triplets = reading.read(answers, names=found.name_texts)
        print_result(*_agreement(found, triplets, by), as_json, quiet)
        return
    assert features is not None
    asked = [name for name in label or [] if name not in found.columns]
    told = TableOptions(id_column, asked, drop, array, reading.no_header, reading.encoding)
    table = told.read(features, likely_labels=list(found.columns), mixed=metric != "precomputed")
    with said_of(features):
        encoder, table = encoded(table, metric=metric, standardize=standardize, ordered=ordered)
    joined = _joined(map_file, found, features, table)
    shown = None if not label else label[0] if label[0] in joined.columns else next(iter(table.columns))
    if standardize and encoder is None:
        from tete.reduction.projection import column_spreads, standardized  # noqa: PLC0415

        table = replace(table, matrix=standardized(table.matrix, column_spreads(table.matrix)))
    with said_of(features):
        result, lines = _quality(joined, table, shown, metric, neighbors, samples)
    if encoder is not None:
        lines[1:1] = table_lines([("table", encoder.summary())])
    result["encoded"] = None if encoder is None else encoder.summary()
    print_result(result, "\n".join(lines), as_json, quiet)


def _agreement(found: "Map", triplets: "Triplets", by: "By | None") -> tuple[dict[str, Any], str]:
    """The share of triplets that agree, and how far it would move with other answers and with other people."""
    from tete.comparisons.by_people import check_by, numbers_of_people, too_few_people  # noqa: PLC0415
    from tete.metrics.satisfaction import share_satisfied, share_satisfied_error  # noqa: PLC0415

    if by is not None:
        check_by(by, triplets)
    accuracy = share_satisfied(found.embedding, triplets)
    error, error_by_people = share_satisfied_error(found.embedding, triplets), None
    n_triplets = round(float(triplets.counts().sum()))
    text = f"{accuracy:.1%} of {n_triplets:,} triplets agree with the map of {len(found):,} objects"
    text += "" if error is None else f"\nstandard error {error:.1%} by answers"
    people, few = numbers_of_people(triplets), too_few_people(triplets)
    if error is not None and people is not None and by != "answers":
        error_by_people = None if few else share_satisfied_error(found.embedding, triplets, people)
        text += f"; not known by people: {few}" if few else f", {error_by_people:.1%} by people"
    result = {"n_objects": len(found), "n_triplets": n_triplets, "accuracy": accuracy}
    return result | {"standard_error": error, "standard_error_by_people": error_by_people}, text


def _quality(
    found: "Map", table: "FeatureTable", label: str | None, metric: str, neighbors: int, samples: int
) -> tuple[dict[str, Any], list[str]]:
    from tete.metrics.quality import map_quality  # noqa: PLC0415

    chosen = class_label(found, label)
    quality = map_quality(
        table.matrix,
        found.embedding,
        labels=None if chosen is None else found.columns[chosen],
        metric=metric,
        n_neighbors=neighbors,
        n_samples=samples,
    )
    lines = [*table_lines([("rows", f"{len(found):,}")]), str(quality)]
    return {"label": chosen, **quality.as_dict()}, lines


def _joined(map_file: str, found: "Map", features: str, table: "FeatureTable") -> "Map":
    """The map in the order of the table, with the columns of both; rows are matched by id if both have ids."""
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    order = None
    numbered = found.names is None or found.name_texts == [str(row) for row in range(len(found))]
    if table.names is not None and (not numbered or set(found.name_texts) == set(map(str, table.names))):
        row_of = {name: row for row, name in enumerate(found.name_texts)}
        missing = [name for name in map(str, table.names) if name not in row_of]
        if missing:
            raise InvalidFileError(
                f"{map_file}: {len(missing)} of the {len(table)} rows of {features} are not on the map, "
                f"first {missing[0]!r}."
            )
        order = [row_of[str(name)] for name in table.names]
    elif len(found) != len(table):
        raise InvalidFileError(
            f"{map_file} has {counted(len(found), 'object')}, expected {len(table)} like the rows of {features}."
        )
    if order is not None:
        columns = {name: values[order] for name, values in found.columns.items()}
        found = replace(found, embedding=found.embedding[order], names=table.names, columns=columns)
    return replace(found, columns={**table.columns, **found.columns})
