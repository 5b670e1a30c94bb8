"""The command suggest: which questions to ask next."""

from pathlib import Path
from typing import Annotated

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions
from tete.cli.embedding_options import EmbeddingOptions
from tete.cli.messages import one_sentence, print_result
from tete.cli.option_groups import gathers
from tete.cli.outputs import Outputs

__all__ = ["suggest"]

MOST_SHOWN = 10  # questions on the screen, to see what they look like; the file has all


@one_sentence
@gathers(kind=EmbeddingOptions, reading=AnswerOptions)
def suggest(
    answers: options.Answers,
    reading: AnswerOptions,
    kind: EmbeddingOptions,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The questions: .csv, .tsv, .json.")] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many questions.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the draws: another one gives other questions.")] = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List questions whose answers would teach much about the map.

    Each asks whether center is more like left or like right. With the column `answer` filled in (a name, left or
    right), the file is read by the other commands.

    Example: tete suggest answers.csv -n 100 -o questions.csv
    """
    outputs = Outputs(questions=output, force=force)
    outputs.check()
    triplets = reading.read(answers)
    from tete.selection.suggestion import suggest as suggested  # noqa: PLC0415

    model = kind.estimator().fit(triplets)
    questions = suggested(model, triplets, n_questions=number, random_state=seed)
    questions.insert(3, "answer", "")
    if output is not None:
        from tete.io.writing import write_frame  # noqa: PLC0415

        write_frame(output, questions, force=force)
    shown = [
        f"Is {row.center} more like {row.left} or like {row.right}?" for row in questions.head(MOST_SHOWN).itertuples()
    ]
    more = [f"... and {len(questions) - MOST_SHOWN:,} more"] if len(questions) > MOST_SHOWN else []
    text = "\n".join([*shown, *more, *outputs.written_lines])
    listed = questions.drop(columns="answer").to_dict(orient="records")
    print_result({"questions": listed, "written": outputs.written}, text, as_json, quiet)
