"""The command pack: answers of many files into one folder, however many there are."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers
from tete.cli.messages import one_sentence, print_result
from tete.core.printing import counted, table_lines

__all__ = ["pack"]


@one_sentence
@reads_answers
def pack(
    answers: Annotated[list[str], typer.Argument(help="Files of answers with the same columns: CSV, TSV, Parquet.")],
    reading: AnswerOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make, e.g. answers.tete.")],
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Pack answers into a folder, from which maps are made without reading all of them into memory.

    Files are read in pieces, twice. A run that was stopped goes on where it was when it is started again. The folder
    is then given to the other commands in place of a file.

    Example: tete pack answers/*.parquet -o answers.tete
    """
    if reading.ties != "drop" or reading.time is not None:
        raise typer.BadParameter("--ties half and --time do not go with packing.")
    from tete.distributed import pack_answers  # noqa: PLC0415

    said = asdict(reading)
    for unused in ("ties", "time"):
        del said[unused]
    said |= {name: options.listed(said[name]) for name in ("columns", "picked")}
    found = pack_answers(answers, output, force=force, header=not said.pop("no_header"), **said)
    rows = [
        ("objects", f"{found.n_objects:,}"),
        ("triplets", f"{found.n_triplets:,} from {counted(found.n_answers, 'answer')}"),
        ("written", f"{output} ({counted(len(found.shards), 'shard')})"),
    ]
    result = {name: getattr(found, name) for name in ("n_objects", "n_triplets", "n_answers", "columns", "digest")}
    print_result(result | {"written": [str(output)]}, "\n".join(table_lines(rows)), as_json, quiet)
