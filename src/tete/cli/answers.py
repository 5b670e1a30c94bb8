"""Commands about answers: embed, check, score."""

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli.messages import lines, one_sentence, print_result
from tete.cli.options import (
    Annotator,
    Answers,
    Columns,
    Encoding,
    Force,
    Json,
    Label,
    MapOutput,
    NoHeader,
    Objects,
    OddOneOut,
    Page,
    Plot,
    Quiet,
    SkipInvalid,
    Weight,
)
from tete.cli.pictures import check_label, check_pictures, write_pictures

if TYPE_CHECKING:
    from tete.base import TripletEmbedding
    from tete.triplets import Triplets

__all__ = ["check", "embed", "new_estimator", "read_triplets", "score"]


@one_sentence
def embed(
    answers: Answers,
    output: MapOutput = None,
    plot: Plot = None,
    page: Page = None,
    label: Label = None,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    method: Annotated[Literal["tete", "tste", "ste", "ckl", "gnmds"], typer.Option(help="Kind of embedding.")] = "tete",
    t: Annotated[float | None, typer.Option(help="Robustness of tete, from 1 to 2. Default: 2.")] = None,
    t_prime: Annotated[float | None, typer.Option(help="Tail of tete's kernel, from 1 to 2. Default: 1.75.")] = None,
    objects: Objects = None,
    fixed: Annotated[
        str | None, typer.Option(help="A map that does not move: only the objects that it does not have are placed.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of held-out answers.")] = 0,
    columns: Columns = "",
    odd_one_out: OddOneOut = False,
    weight: Weight = None,
    annotator: Annotator = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    skip_invalid: SkipInvalid = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a map from answers, and say how good it is.

    A tenth of the answers is held out to test a first map; the map that is written is made from all of them.

    Example: tete embed answers.csv -o map.csv
    """
    estimator = new_estimator(method, dims, t, t_prime)
    _check_outputs(output, plot, page, force=force)
    triplets = read_triplets(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    if fixed is not None:
        from tete.cli.newcomers import embed_beside  # noqa: PLC0415

        embed_beside(fixed, triplets, estimator, output, plot, page, label, encoding, force, as_json, quiet)
        return
    from tete.io import Map, write_map  # noqa: PLC0415
    from tete.report import fit_and_report  # noqa: PLC0415

    known = Map.without_places(triplets.n_objects, triplets.names)
    if objects is not None:
        known = known.with_columns(objects, encoding=encoding)
    check_label(known, label)
    named = known.display_names != known.labels
    readable = dataclasses.replace(triplets, names=tuple(known.display_names)) if named else triplets
    estimator.set_params(verbose=sys.stderr.isatty() and not quiet and not as_json)
    fitted, report = fit_and_report(estimator, readable, random_state=seed)
    found = dataclasses.replace(known, embedding=fitted.embedding_)
    if output is not None:
        write_map(output, found.embedding, found.names, found.columns, force=force)
    write_pictures(found, triplets, plot, page, label, title=Path(answers).stem, force=force)
    for warning in report.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    written = [str(path) for path in (output, plot, page) if path is not None]
    text = "\n".join([str(report), *lines("written", written)])
    print_result(report.as_dict() | {"written": written}, text, as_json, quiet)


@one_sentence
def check(
    answers: Answers,
    columns: Columns = "",
    odd_one_out: OddOneOut = False,
    weight: Weight = None,
    annotator: Annotator = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Say what a file of answers contains.

    Counts repeats, contradictions, gaps and parts, and how far people agree; makes no map.

    Example: tete check answers.csv
    """
    triplets = read_triplets(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    from tete.agreement import agreement  # noqa: PLC0415

    summary, agreed = triplets.summary(), agreement(triplets)
    print_result(
        {**dataclasses.asdict(summary), "agreement": dataclasses.asdict(agreed)}, f"{summary}\n{agreed}", as_json
    )


@one_sentence
def score(
    map_file: Annotated[str, typer.Argument(metavar="MAP", help="A map: .csv, .tsv, .parquet, .json or .npy.")],
    answers: Annotated[str, typer.Option(help="Answers to compare the map with.")],
    columns: Columns = "",
    odd_one_out: OddOneOut = False,
    weight: Weight = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    skip_invalid: SkipInvalid = False,
    as_json: Json = False,
) -> None:
    """Say how well a map, from any program, agrees with answers.

    Example: tete score map.csv --answers held_out.csv
    """
    from tete.io import read_map  # noqa: PLC0415
    from tete.metrics import triplet_error  # noqa: PLC0415

    found = read_map(map_file, encoding=encoding)
    triplets = read_triplets(
        answers, columns, odd_one_out, weight, None, no_header, encoding, skip_invalid, names=found.labels
    )
    accuracy = 1.0 - triplet_error(found.embedding, triplets.to_array(), sample_weight=triplets.weights)
    result = {"n_objects": len(found), "n_triplets": len(triplets), "accuracy": accuracy}
    print_result(
        result, f"{accuracy:.1%} of {len(triplets):,} triplets agree with the map of {len(found):,} objects", as_json
    )


def new_estimator(method: str, dims: int, t: float | None, t_prime: float | None) -> "TripletEmbedding":
    """The estimator that the options name."""
    given = {name: value for name, value in (("t", t), ("t_prime", t_prime)) if value is not None}
    if given and method != "tete":
        raise typer.BadParameter(f"--{next(iter(given)).replace('_', '-')} is an option of --method tete.")
    from tete.embedding import CKL, GNMDS, STE, TETE, TSTE  # noqa: PLC0415

    methods: dict[str, type[TripletEmbedding]] = {"tete": TETE, "tste": TSTE, "ste": STE, "ckl": CKL, "gnmds": GNMDS}
    estimator: TripletEmbedding = methods[method](n_components=dims).set_params(**given)
    return estimator


def _check_outputs(output: Path | None, plot: Path | None, page: Path | None, *, force: bool) -> None:
    from tete.io.maps import check_map_output  # noqa: PLC0415

    if output is not None:
        check_map_output(output, force=force)
    check_pictures(plot, page, force=force)


def read_triplets(
    path: str,
    columns: str,
    odd_one_out: bool,
    weight: str | None,
    annotator: str | None,
    no_header: bool,
    encoding: str,
    skip_invalid: bool,
    names: list[str] | None = None,
) -> "Triplets":
    """Answers as the options say."""
    from tete.io import read_answers  # noqa: PLC0415

    return read_answers(
        path,
        columns=[column.strip() for column in columns.split(",")] if columns else None,
        odd_one_out=odd_one_out,
        weight=weight,
        annotator=annotator,
        header=not no_header,
        encoding=encoding,
        skip_invalid=skip_invalid,
        names=names,
    )
