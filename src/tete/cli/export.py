"""The command export: answers of a study in files."""

from pathlib import Path
from typing import Annotated

import typer

from tete.cli import options
from tete.cli.messages import one_sentence, print_result
from tete.core.printing import counted, rows_under, table_lines

__all__ = ["export"]

TABLES = (".csv", ".tsv", ".parquet", ".json")


@one_sentence
def export(
    study: Annotated[str, typer.Argument(help="The database of tete collect: a file or a postgresql:// address.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The answers: .csv, .tsv, .parquet or .json.")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="A row for each revision, with practice, catch questions and undone answers."
        ),
    ] = False,
    identities: Annotated[
        Path | None, typer.Option(help="Who is who: external ids of the annotators, in a file of their own.")
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the answers of a study to a file, also while it runs.

    The file is read by the other commands, as the database itself is. External ids, such as Prolific's, are only in
    the file of --identities.

    Example: tete export study.db -o answers.csv
    """
    if output is None and identities is None:
        raise typer.BadParameter("name a file to write: -o answers.csv, or --identities key.csv.")
    from tete.collecting.database import Database  # noqa: PLC0415
    from tete.collecting.study_answers import answer_frame, identity_frame  # noqa: PLC0415
    from tete.io.writing import check_output, write_frame  # noqa: PLC0415

    if output == identities:
        raise typer.BadParameter("--identities must be another file than -o: answers are kept apart from ids.")
    for path in (output, identities):
        if path is not None:
            check_output(path, force=force, allowed=TABLES)
    database = Database.open_to_read(study)
    try:
        frames = {
            **({} if output is None else {output: answer_frame(database, everything)}),
            **({} if identities is None else {identities: identity_frame(database)}),
        }
    finally:
        database.close()
    for path, frame in frames.items():
        write_frame(path, frame, force=force)
    if identities is not None:
        identities.chmod(0o600)
    rows = {str(path): len(frame) for path, frame in frames.items()}
    lines = table_lines(rows_under("written", [f"{path} ({counted(count, 'row')})" for path, count in rows.items()]))
    print_result({"written": rows}, "\n".join(lines), as_json, quiet)
