"""Commands that say what to do next: choose a dimension, place new objects, ask the right questions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli.embed import new_estimator, read_triplets
from tete.cli.messages import lines, one_sentence, print_result
from tete.cli.options import (
    Annotator,
    Answers,
    Columns,
    Encoding,
    Force,
    Json,
    NoHeader,
    OddOneOut,
    Quiet,
    SkipInvalid,
    Theme,
    Weight,
)
from tete.cli.outputs import Outputs

if TYPE_CHECKING:
    from tete.selection.tetecv import TETECV

__all__ = ["choose", "suggest"]


@one_sentence
def choose(
    answers: Answers,
    dims: Annotated[str, typer.Option(help="Dimensions to try: 1:8, or 1,2,4.")] = "1:8",
    plot: Annotated[Path | None, typer.Option(help="A picture of error against dimension: .png, .svg, .pdf.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    by: Annotated[
        Literal["groups", "annotators"], typer.Option(help="Hold out answers, or all of a person's.")
    ] = "groups",
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    columns: Columns = "",
    odd_one_out: OddOneOut = False,
    weight: Weight = None,
    annotator: Annotator = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    skip_invalid: SkipInvalid = False,
    theme: Theme = "light",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how many dimensions the answers support, and at which temperatures.

    Answers are held out in turn to test maps made from the others. The smallest dimension within one standard error
    of the best is chosen.

    Example: tete choose answers.csv --dims 1:8 --plot choice.png
    """
    tried = _dimensions(dims)
    outputs = Outputs(plot=plot, theme=theme, force=force)
    outputs.check()
    triplets = read_triplets(answers, columns, odd_one_out, weight, annotator, no_header, encoding, skip_invalid)
    from tete.selection.tetecv import TETECV  # noqa: PLC0415

    model = TETECV(tried, cv=folds, by=by, refit=False, random_state=seed).fit(triplets)
    if plot is not None:
        from tete.drawing.curves import plot_choice  # noqa: PLC0415
        from tete.drawing.map_picture import save_picture  # noqa: PLC0415

        figure = plot_choice(model.cv_results_, model.best_params_, theme=theme).get_figure(root=True)
        assert figure is not None
        save_picture(plot, figure, force=force)
    best = model.best_params_
    command = f"tete embed {answers} --dims {best['n_components']} --t {best['t']:g} --t-prime {best['t_prime']:g}"
    text = "\n".join([_table(model), *lines("next", [f"{command} -o map.csv"]), *lines("written", outputs.written)])
    candidates = [
        {**params, "accuracy": float(score), "standard_error": float(error)}
        for params, score, error in zip(
            *(model.cv_results_[key] for key in ("params", "comparable_score", "standard_error")), strict=True
        )
    ]
    print_result({"best": best, "candidates": candidates, "written": outputs.written}, text, as_json, quiet)


@one_sentence
def suggest(
    answers: Answers,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The questions: .csv, .tsv, .json.")] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many questions.")] = 100,
    dims: Annotated[int, typer.Option(min=1, help="Dimensions of the map.")] = 2,
    t: Annotated[float | None, typer.Option(help="Robustness, from 1 to 2. Default: 2.")] = None,
    t_prime: Annotated[float | None, typer.Option(help="Tail of the kernel, from 1 to 2. Default: 1.75.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws: another one gives other questions.")] = 0,
    columns: Columns = "",
    odd_one_out: OddOneOut = False,
    weight: Weight = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    skip_invalid: SkipInvalid = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List questions whose answers would teach much about the map.

    Each asks whether center is more like left or like right. With the column `answer` filled in (a name, left or
    right), the file is read by the other commands.

    Example: tete suggest answers.csv -n 100 -o questions.csv
    """
    outputs = Outputs(questions=output, force=force)
    outputs.check()
    triplets = read_triplets(answers, columns, odd_one_out, weight, None, no_header, encoding, skip_invalid)
    from tete.selection.suggestion import suggest as suggested  # noqa: PLC0415

    model = new_estimator("tete", dims, t, t_prime).fit(triplets)
    questions = suggested(model, triplets, n_questions=number, random_state=seed)
    questions.insert(3, "answer", "")
    if output is not None:
        from tete.io.writing import write_frame  # noqa: PLC0415

        write_frame(output, questions, force=force)
    shown = [f"Is {row.center} more like {row.left} or like {row.right}?" for row in questions.head(10).itertuples()]
    more = [f"... and {len(questions) - 10:,} more"] if len(questions) > 10 else []
    text = "\n".join([*shown, *more, *lines("written", outputs.written)])
    listed = questions.drop(columns="answer").to_dict(orient="records")
    print_result({"questions": listed, "written": outputs.written}, text, as_json, quiet)


def _dimensions(text: str) -> list[int]:
    """The numbers in 1:8, in 1,2,4 or in 2."""
    try:
        first, colon, last = text.partition(":")
        numbers = list(range(int(first), int(last) + 1)) if colon else [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise typer.BadParameter(f"--dims must be like 1:8, 1,2,4 or 2, got {text!r}.")
    return numbers


def _table(model: "TETECV") -> str:
    """One line for each dimension, the chosen one marked."""
    from tete.selection.cross_validation import best_of_each_dimension  # noqa: PLC0415

    rows = ["dimensions    held-out accuracy    t     t'"]
    results: dict[str, Any] = model.cv_results_
    for index in best_of_each_dimension(results, model.best_params_):
        params = results["params"][index]
        accuracy = f"{results['comparable_score'][index]:.1%} ± {results['standard_error'][index]:.1%}"
        mark = "  <- chosen" if params == model.best_params_ else ""
        rows.append(
            f"{params['n_components']:10}    {accuracy:>17}    {params['t']:<4g}  {params['t_prime']:<4g}{mark}"
        )
    return "\n".join(rows)
