"""The command embed: a map from answers, and how good it is."""

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions
from tete.cli.clusters import Cluster
from tete.cli.embedding_options import AnyEmbeddingOptions
from tete.cli.messages import one_sentence, print_result
from tete.cli.option_groups import gathers
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
@gathers(kind=AnyEmbeddingOptions, cluster=Cluster, reading=AnswerOptions)
def embed(
    answers: options.Answers,
    reading: AnswerOptions,
    kind: AnyEmbeddingOptions,
    cluster: Cluster,
    output: options.MapOutput = None,
    plot: options.Plot = None,
    page: options.Page = None,
    trust: options.Trust = None,
    label: options.Label = None,
    ellipses: options.Ellipses = False,
    ellipses_file: options.EllipsesFile = None,
    objects: options.Objects = None,
    fixed: Annotated[
        str | None, typer.Option(help="A map that does not move: only the objects that it does not have are placed.")
    ] = None,
    coordinates: options.Coordinates = "",
    seed: Annotated[int, typer.Option(help="Seed of the choice of held-out answers.")] = 0,
    by: options.By = None,
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
    estimator = kind.estimator(kind.method)
    outputs = Outputs(output, plot, page, trust=trust, ellipses=ellipses_file, theme=theme, force=force)
    ellipses = ellipses or ellipses_file is not None
    outputs.check()
    if fixed is not None and (ellipses or objects is not None or trust is not None or by is not None):
        raise typer.BadParameter("--ellipses, --objects, --trust and --by do not go with --fixed.")
    if coordinates and fixed is None:
        raise typer.BadParameter("--coordinates are those of the map that --fixed names.")
    is_packed = cluster.takes(answers)
    estimator.set_params(verbose=sys.stderr.isatty() and not quiet and not as_json)
    if fixed is not None:
        from tete.cli.embed_fixed import embed_beside  # noqa: PLC0415

        triplets = reading.read(answers)
        embed_beside(fixed, triplets, estimator, outputs, label, coordinates, reading.encoding, as_json, quiet)
    elif is_packed:
        from tete.cli.embed_packed import embed_packed  # noqa: PLC0415

        if ellipses or by is not None:
            raise typer.BadParameter("--ellipses and --by are for files of answers, not for packed ones.")
        known, shards = _objects_of(reading.open_packed(answers), objects, label, reading.encoding)
        report = embed_packed(shards, known, estimator, outputs, label, cluster, checkpoint)
        _say(report, None, None, outputs, as_json, quiet)
    else:
        triplets = reading.read(answers)
        known, readable = _objects_of(triplets, objects, label, reading.encoding)
        fit = _Fit(estimator, readable, by, seed, checkpoint)
        _say(*fit.written(known, triplets, outputs, label, Path(answers).stem, ellipses), outputs, as_json, quiet)


@dataclasses.dataclass(frozen=True)
class _Fit:
    """A map to be made of answers in memory."""

    estimator: "TripletEmbedding"
    triplets: "Triplets"
    by: "By | None"
    seed: int
    checkpoint: Path | None

    def written(
        self, known: "Map", shown: "Triplets", outputs: Outputs, label: str | None, title: str, ellipses: bool
    ) -> "tuple[FitReport, Uncertainty | None, list[dict[str, object]] | None]":
        """Make the map, write what was asked for, and return what is to be said."""
        from tete.reliability.fit_report import fit_and_report  # noqa: PLC0415

        fitted, report = fit_and_report(
            self.estimator, self.triplets, by=self.by, random_state=self.seed, checkpoint=self.checkpoint
        )
        outputs.write_trust(report.trust)
        found = dataclasses.replace(known, embedding=fitted.embedding_)
        outputs.write_map(found)
        sureness = _uncertainty(fitted, self.triplets, self.by) if ellipses else None
        regions = _ellipse_table(sureness, found, outputs)
        wrong = None if report.trust is None else report.trust.probability_wrong
        outputs.draw(found, shown, label, title, wrong=wrong, uncertainty=sureness)
        return report, sureness, regions


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
