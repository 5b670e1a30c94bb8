"""The command embed: a map from answers, and how good it is."""

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli import options
from tete.cli.arguments import read_triplets, triplet_estimator
from tete.cli.messages import one_sentence, print_result
from tete.cli.outputs import Outputs, check_label
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.comparisons.by_people import By
    from tete.comparisons.triplets import Triplets
    from tete.embedding.fitting import TripletEmbedding
    from tete.io import Map
    from tete.reliability.fit_report import FitReport
    from tete.reliability.uncertainty import Uncertainty

__all__ = ["embed"]


@one_sentence
def embed(
    answers: options.Answers,
    output: options.MapOutput = None,
    plot: options.Plot = None,
    page: options.Page = None,
    trust: options.Trust = None,
    label: options.Label = None,
    ellipses: options.Ellipses = False,
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
    columns: options.Columns = "",
    odd_one_out: options.OddOneOut = False,
    weight: options.Weight = None,
    annotator: options.Annotator = None,
    by: options.By = None,
    no_header: options.NoHeader = False,
    encoding: options.Encoding = "utf-8",
    skip_invalid: options.SkipInvalid = False,
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
    outputs = Outputs(output, plot, page, trust=trust, theme=theme, force=force)
    outputs.check()
    if fixed is not None and (ellipses or objects is not None or trust is not None or by is not None):
        raise typer.BadParameter("--ellipses, --objects, --trust and --by do not go with --fixed.")
    if coordinates and fixed is None:
        raise typer.BadParameter("--coordinates are those of the map that --fixed names.")
    triplets = read_triplets(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    if fixed is not None:
        from tete.cli.embed_fixed import embed_beside  # noqa: PLC0415

        embed_beside(fixed, triplets, estimator, outputs, label, coordinates, encoding, as_json, quiet)
        return
    from tete.reliability.fit_report import fit_and_report  # noqa: PLC0415

    known, readable = _objects_of(triplets, objects, label, encoding)
    estimator.set_params(verbose=sys.stderr.isatty() and not quiet and not as_json)
    fitted, report = fit_and_report(estimator, readable, by=by, random_state=seed)
    outputs.write_trust(report.trust)
    found = dataclasses.replace(known, embedding=fitted.embedding_)
    outputs.write_map(found)
    sureness = _uncertainty(fitted, readable, by) if ellipses else None
    wrong = None if report.trust is None else report.trust.probability_wrong
    outputs.draw(found, triplets, label, Path(answers).stem, wrong=wrong, uncertainty=sureness)
    _say(report, sureness, outputs, as_json, quiet)


def _objects_of(triplets: "Triplets", objects: str | None, label: str | None, encoding: str) -> "tuple[Map, Triplets]":
    """The objects with all that a table says of them, and the answers with names for people to read."""
    from tete.io import Map  # noqa: PLC0415

    known = Map.without_places(triplets.n_objects, triplets.names)
    if objects is not None:
        known = known.with_columns(objects, encoding=encoding)
    check_label(known, label)
    named = known.display_names != known.name_texts
    return known, dataclasses.replace(triplets, names=tuple(known.display_names)) if named else triplets


def _say(report: "FitReport", sureness: "Uncertainty | None", outputs: Outputs, as_json: bool, quiet: bool) -> None:
    """Print what the fit found and what was written."""
    for warning in report.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    sure: list[tuple[str, str]] = []
    sure_values: dict[str, object] = {"stability": None, "stability_by": None}
    if sureness is not None:
        drawn = "answers" if sureness.n_people is None else f"{sureness.n_people:,} people"
        sure = [("stability", f"{sureness.stability:.1%} of the map's spread is reproduced by other {drawn}")]
        sure_values = {"stability": sureness.stability, "stability_by": sureness.by}
    text = "\n".join([str(report), *table_lines(sure), *outputs.written_lines])
    print_result(report.as_dict() | sure_values | {"written": outputs.written}, text, as_json, quiet)


def _uncertainty(fitted: "TripletEmbedding", triplets: "Triplets", by: "By | None") -> "Uncertainty":
    from tete.reliability.uncertainty import position_uncertainty  # noqa: PLC0415

    return position_uncertainty(fitted, triplets, by=by)
