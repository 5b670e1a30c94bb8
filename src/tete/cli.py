"""The command line. Each command reads, calls the library and writes; nothing heavy is loaded before it is needed."""

import dataclasses
import functools
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec

import typer

if TYPE_CHECKING:
    from tete.base import TripletEmbedding
    from tete.triplets import Triplets

__all__ = ["app"]

P = ParamSpec("P")

app = typer.Typer(
    help="Maps from comparisons such as 'i is more like j than like k', robust to wrong answers.",
    epilog="Start with: tete demo. Then: tete embed answers.csv -o map.csv --plot map.png --page map.html",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)

# Options that several commands share ------------------------------------------------------------------------------

Answers = Annotated[str, typer.Argument(help="Answers: CSV, TSV, Parquet, npz or npy; - reads CSV from a pipe.")]
Columns = Annotated[
    str, typer.Option(help="Columns of anchor, near and far, e.g. head,winner,loser or 3,1,2. Default: by header.")
]
OddOneOut = Annotated[bool, typer.Option("--odd-one-out", help="The last of the three --columns is the odd one out.")]
Weight = Annotated[str | None, typer.Option(help="Column with weights. Default: by header.")]
Annotator = Annotated[str | None, typer.Option(help="Column that says who answered. Default: by header.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first line is an answer already.")]
Encoding = Annotated[str, typer.Option(help="Encoding of text files, e.g. cp1252.")]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Leave out lines with empty cells or one object twice, and count them.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")]


def _one_sentence(command: Callable[P, None]) -> Callable[P, None]:
    """Show mistakes and warnings as one sentence on stderr; exit code 1 for mistakes, never a traceback."""

    @functools.wraps(command)
    def guarded(*arguments: P.args, **options: P.kwargs) -> None:
        from tete.exceptions import TeteError  # noqa: PLC0415

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                warnings.showwarning = _show_warning
                command(*arguments, **options)
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            _fail(str(error) if isinstance(error, TeteError) else f"{name}{error.strerror or error}.")
        except (TeteError, ImportError, ValueError) as error:
            _fail(" ".join(str(error).split()))
        except MemoryError:
            _fail("Not enough memory for this.")
        except KeyboardInterrupt:
            _fail("Stopped. No file was changed.")

    return guarded


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if not issubclass(category, (DeprecationWarning, FutureWarning)):
        typer.echo(f"Warning: {message}", err=True)


def _fail(sentence: str) -> None:
    typer.echo(f"Error: {sentence}", err=True)
    raise typer.Exit(1)


@app.command()
@_one_sentence
def embed(
    answers: Answers,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The map: .csv, .tsv, .parquet, .json or .npy.")
    ] = None,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    method: Annotated[Literal["tete", "tste", "ste", "ckl", "gnmds"], typer.Option(help="Kind of embedding.")] = "tete",
    t: Annotated[float | None, typer.Option(help="Robustness of tete, from 1 to 2. Default: 2.")] = None,
    t_prime: Annotated[float | None, typer.Option(help="Tail of tete's kernel, from 1 to 2. Default: 1.75.")] = None,
    objects: Annotated[str | None, typer.Option(help="Table about the objects (names, labels) to add.")] = None,
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
    estimator = _estimator(method, dims, t, t_prime)
    if output is not None:
        from tete.io.maps import check_map_output  # noqa: PLC0415

        check_map_output(output, force=force)
    triplets = _read_answers(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    from tete.io import Map, read_columns, write_map  # noqa: PLC0415
    from tete.report import fit_and_report  # noqa: PLC0415

    known = Map.labels_of(triplets.names, triplets.n_objects)
    extras = {} if objects is None else read_columns(objects, known, encoding=encoding)
    names, triplets = triplets.names, _with_names(triplets, extras)
    fitted, report = fit_and_report(
        estimator.set_params(verbose=sys.stderr.isatty() and not quiet and not as_json), triplets, random_state=seed
    )
    if output is not None:
        write_map(output, fitted.embedding_, names, extras, force=force)
    written = [str(path) for path in (output,) if path is not None]
    for warning in report.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    _print(
        report.as_dict() | {"written": written}, "\n".join([str(report), *_lines("written", written)]), as_json, quiet
    )


@app.command()
@_one_sentence
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
    """Say what a file of answers contains, without making a map: repeats, contradictions, gaps, agreement.

    Example: tete check answers.csv
    """
    triplets = _read_answers(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    from tete.agreement import agreement  # noqa: PLC0415

    summary, agreed = triplets.summary(), agreement(triplets)
    _print({**dataclasses.asdict(summary), "agreement": dataclasses.asdict(agreed)}, f"{summary}\n{agreed}", as_json)


@app.command()
@_one_sentence
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
    triplets = _read_answers(
        answers, columns, odd_one_out, weight, None, no_header, encoding, skip_invalid, names=found.labels
    )
    accuracy = 1.0 - triplet_error(found.embedding, triplets.to_array(), sample_weight=triplets.weights)
    result = {"n_objects": len(found), "n_triplets": len(triplets), "accuracy": accuracy}
    _print(
        result, f"{accuracy:.1%} of {len(triplets):,} triplets agree with the map of {len(found):,} objects", as_json
    )


def _estimator(method: str, dims: int, t: float | None, t_prime: float | None) -> "TripletEmbedding":
    given = {name: value for name, value in (("t", t), ("t_prime", t_prime)) if value is not None}
    if given and method != "tete":
        raise typer.BadParameter(f"--{next(iter(given)).replace('_', '-')} is an option of --method tete.")
    from tete.embedding import CKL, GNMDS, STE, TETE, TSTE  # noqa: PLC0415

    methods: dict[str, type[TripletEmbedding]] = {"tete": TETE, "tste": TSTE, "ste": STE, "ckl": CKL, "gnmds": GNMDS}
    estimator: TripletEmbedding = methods[method](n_components=dims).set_params(**given)
    return estimator


def _with_names(triplets: "Triplets", extras: Mapping[str, Any]) -> "Triplets":
    """Numbered objects get the names that a table about them has, for people to read."""
    names = [str(name) for name in extras.get("name", ())]
    if triplets.names is not None or not all(names) or not names or len(set(names)) < len(names):
        return triplets
    return dataclasses.replace(triplets, names=tuple(names))


def _read_answers(
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


def _print(result: dict[str, Any], text: str, as_json: bool, quiet: bool = False) -> None:
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
    elif not quiet:
        typer.echo(text)


def _lines(label: str, values: list[str]) -> list[str]:
    return [f"{label if place == 0 else '':<20}{value}" for place, value in enumerate(values)]


if __name__ == "__main__":
    app()
