"""The command embed: a map from answers, and how good it is."""

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.arguments import triplet_estimator
from tete.cli.clusters import Cluster
from tete.cli.messages import one_sentence, print_result
from tete.cli.outputs import Outputs, check_label
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.comparisons.by_people import By
    from tete.comparisons.triplets import Triplets
    from tete.distributed import TripletShards
    from tete.embedding.fitting import TripletEmbedding
    from tete.io import Map
    from tete.reliability.fit_report import FitReport
    from tete.reliability.uncertainty import Uncertainty

__all__ = ["embed"]

Some = TypeVar("Some", "Triplets", "TripletShards")


@one_sentence
@reads_answers
def embed(
    answers: options.Answers,
    reading: AnswerOptions,
    output: options.MapOutput = None,
    plot: options.Plot = None,
    page: options.Page = None,
    trust: options.Trust = None,
    label: options.Label = None,
    ellipses: options.Ellipses = False,
    ellipses_file: options.EllipsesFile = None,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    method: Annotated[
        Literal["tete", "tste", "ste", "ckl", "gnmds", "soe"], typer.Option(help="Kind of embedding.")
    ] = "tete",
    t: options.Robustness = None,
    t_prime: options.Tail = None,
    kernel: options.Kernel = "auto",
    objects: options.Objects = None,
    fixed: Annotated[
        str | None, typer.Option(help="A map that does not move: only the objects that it does not have are placed.")
    ] = None,
    coordinates: options.Coordinates = "",
    seed: Annotated[int, typer.Option(help="Seed of the choice of held-out answers.")] = 0,
    by: options.By = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Dask scheduler, e.g. tcp://host:8786, whose workers sum packed answers.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Sum packed answers in so many local processes.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File (.npz) to write each minute where the fit stands, and to go on from.")
    ] = None,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a map from answers, and say how good it is.

    The map is made from all answers. Each answer is tested on one of five other maps, made without it. Where it is
    known who answered, and at least 15 people did, it is also tested on one of five maps made without that person.

    Example: tete embed answers.csv -o map.csv
    """
    estimator = triplet_estimator(method, dims, t, t_prime, kernel)
    outputs = Outputs(output, plot, page, trust=trust, ellipses=ellipses_file, theme=theme, force=force)
    ellipses = ellipses or ellipses_file is not None
    outputs.check()
    if fixed is not None and (ellipses or objects is not None or trust is not None or by is not None):
        raise typer.BadParameter("--ellipses, --objects, --trust and --by do not go with --fixed.")
    if coordinates and fixed is None:
        raise typer.BadParameter("--coordinates are those of the map that --fixed names.")
    cluster = Cluster(scheduler, workers)
    estimator.set_params(verbose=sys.stderr.isatty() and not quiet and not as_json)
    if cluster.takes(answers) and fixed is None:
        from tete.cli.embed_packed import embed_packed  # noqa: PLC0415

        if ellipses or by is not None:
            raise typer.BadParameter("--ellipses and --by are for files of answers, not for packed ones.")
        known, shards = _objects_of(reading.open_packed(answers), objects, label, reading.encoding)
        report = embed_packed(shards, known, estimator, outputs, label, cluster, checkpoint)
        _say(report, None, None, outputs, as_json, quiet)
        return
    triplets = reading.read(answers)
    if fixed is not None:
        from tete.cli.embed_fixed import embed_beside  # noqa: PLC0415

        embed_beside(fixed, triplets, estimator, outputs, label, coordinates, reading.encoding, as_json, quiet)
        return
    from tete.reliability.fit_report import fit_and_report  # noqa: PLC0415

    known, readable = _objects_of(triplets, objects, label, reading.encoding)
    fitted, report = fit_and_report(estimator, readable, by=by, random_state=seed, checkpoint=checkpoint)
    outputs.write_trust(report.trust)
    found = dataclasses.replace(known, embedding=fitted.embedding_)
    outputs.write_map(found)
    sureness = _uncertainty(fitted, readable, by) if ellipses else None
    regions = _ellipse_table(sureness, found, outputs)
    wrong = None if report.trust is None else report.trust.probability_wrong
    outputs.draw(found, triplets, label, Path(answers).stem, wrong=wrong, uncertainty=sureness)
    _say(report, sureness, regions, outputs, as_json, quiet)


def _ellipse_table(sureness: "Uncertainty | None", found: "Map", outputs: Outputs) -> list[dict[str, object]] | None:
    """The regions of the places, one record for each object, written if asked for."""
    if sureness is None:
        return None
    from tete.io.writing import write_frame  # noqa: PLC0415
    from tete.reliability.ellipse_table import ellipse_table  # noqa: PLC0415

    table = ellipse_table(sureness, found.embedding, found.names)
    if outputs.ellipses is not None:
        write_frame(outputs.ellipses, table, force=outputs.force)
    rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _objects_of(triplets: "Some", objects: str | None, label: str | None, encoding: str) -> "tuple[Map, Some]":
    """The objects with all that a table says of them, and the answers with names for people to read."""
    from tete.io import Map  # noqa: PLC0415

    known = Map.without_places(triplets.n_objects, triplets.names)
    if objects is not None:
        known = known.with_columns(objects, encoding=encoding)
    check_label(known, label)
    named = known.display_names != known.name_texts
    return known, triplets.with_names(tuple(known.display_names)) if named else triplets


def _say(
    report: "FitReport",
    sureness: "Uncertainty | None",
    regions: list[dict[str, object]] | None,
    outputs: Outputs,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what the fit found and what was written."""
    for warning in report.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    sure = [] if sureness is None else [("stability", str(sureness))]
    text = "\n".join([str(report), *table_lines(sure), *outputs.written_lines])
    sure_values: dict[str, object] = {"stability_by": None if sureness is None else sureness.by, "ellipses": regions}
    for name in ("stability", "stability_by_answers", "no_stability"):
        sure_values[name] = None if sureness is None else getattr(sureness, name)
    print_result(report.as_dict() | sure_values | {"written": outputs.written}, text, as_json, quiet)


def _uncertainty(fitted: "TripletEmbedding", triplets: "Triplets", by: "By | None") -> "Uncertainty":
    from tete.reliability.uncertainty import position_uncertainty  # noqa: PLC0415

    return position_uncertainty(fitted, triplets, by=by)
