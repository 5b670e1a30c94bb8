"""The command curve: how many answers are enough."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions
from tete.cli.embedding_options import EmbeddingOptions
from tete.cli.messages import one_sentence, print_result
from tete.cli.option_groups import gathers
from tete.cli.outputs import Outputs

if TYPE_CHECKING:
    from tete.selection.answers_needed import LearningCurve

__all__ = ["curve"]


@one_sentence
@gathers(kind=EmbeddingOptions, reading=AnswerOptions)
def curve(
    answers: options.Answers,
    reading: AnswerOptions,
    kind: EmbeddingOptions,
    plot: Annotated[Path | None, typer.Option(help="A picture of error against answers: .png, .svg, .pdf.")] = None,
    by: Annotated[
        Literal["answers", "annotators"],
        typer.Option(help="Tell and hold out answers, or all of a person's (15 people at least)."),
    ] = "answers",
    repeats: Annotated[int, typer.Option(min=1, help="How often, each time with other answers held out.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of the choice of answers.")] = 0,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how many answers are enough: the held-out error at growing numbers of them, and where it is heading.

    Maps are made of a tenth of the answers, a sixth, ... and of all but a fifth, which tests all of them.

    Example: tete curve answers.csv --plot curve.png
    """
    outputs = Outputs(plot=plot, theme=theme, force=force)
    outputs.check()
    triplets = reading.read(answers)
    from tete.selection.answers_needed import learning_curve  # noqa: PLC0415

    found = learning_curve(kind.estimator(), triplets, n_repeats=repeats, by=by, random_state=seed)
    if plot is not None:
        from tete.drawing.curves import plot_learning_curve  # noqa: PLC0415
        from tete.drawing.figures import save_picture  # noqa: PLC0415

        figure = plot_learning_curve(found, theme=theme).get_figure(root=True)
        assert figure is not None
        save_picture(plot, figure, force=force)
    text = "\n".join([_table(found), str(found), *outputs.written_lines])
    print_result({**_values(found), "by": by, "written": outputs.written}, text, as_json, quiet)


def _table(found: "LearningCurve") -> str:
    told = [column for column in ("people", "answers") if column in found.points]
    rows = ["".join(f"{column:>10}" for column in told) + "    held-out error"]
    for record in found.points.to_dict(orient="records"):
        numbers = "".join(f"{record[column]:10,}" for column in told)
        error = f"{record['error']:.1%} ± {record['standard_error']:.1%}"
        rows.append(f"{numbers}    {error:>14}")
    return "\n".join(rows)


def _values(found: "LearningCurve") -> dict[str, Any]:
    """Plain values for JSON, which has no infinity."""
    return {
        "points": found.points.to_dict(orient="records"),
        "limit": found.limit,
        "amount": found.amount,
        "exponent": found.exponent,
        "answers_needed": found.answers_needed if isfinite(found.answers_needed) else None,
    }
