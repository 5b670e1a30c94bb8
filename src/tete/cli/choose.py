"""The command choose: how many dimensions the answers support, and at which temperatures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tete.cli import options
from tete.cli.answer_options import AnswerOptions, reads_answers, shell_words
from tete.cli.messages import one_sentence, print_result
from tete.cli.outputs import Outputs
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.selection.tetecv import TETECV

__all__ = ["choose"]

COLUMNS = ("params", "comparable_score", "standard_error", "comparable_likelihood", "n_folds")


@one_sentence
@reads_answers
def choose(
    answers: options.Answers,
    reading: AnswerOptions,
    dims: Annotated[str, typer.Option(help="Dimensions to try: 1:8, or 1,2,4.")] = "1:8",
    plot: Annotated[Path | None, typer.Option(help="A picture of error against dimension: .png, .svg, .pdf.")] = None,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Number of folds. Default: 5, or as many as there are groups.")
    ] = None,
    by: Annotated[
        Literal["answers", "annotators"],
        typer.Option(help="Hold out answers, or all of a person's (15 people at least)."),
    ] = "answers",
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    theme: options.Theme = "light",
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how many dimensions the answers support, and at which temperatures.

    Answers are held out in turn to test maps made from the others. The smallest dimension within one standard error
    of the best is chosen.

    Example: tete choose answers.csv --dims 1:8 --plot choice.png
    """
    tried = _dimensions(dims)
    outputs = Outputs(plot=plot, theme=theme, force=force)
    outputs.check()
    triplets = reading.read(answers)
    from tete.selection.tetecv import TETECV  # noqa: PLC0415

    model = TETECV(tried, cv=folds, by=by, refit=False, random_state=seed).fit(triplets)
    if plot is not None:
        from tete.drawing.curves import plot_choice  # noqa: PLC0415
        from tete.drawing.figures import save_picture  # noqa: PLC0415

        figure = plot_choice(model.cv_results_, model.best_params_, theme=theme).get_figure(root=True)
        assert figure is not None
        save_picture(plot, figure, force=force)
    best = model.best_params_
    kernel = "--kernel distance" if best["kernel"] == "distance" else f"--t-prime {best['t_prime']:g}"
    command = f"tete embed {shell_words(answers, reading)} --dims {best['n_components']} --t {best['t']:g} {kernel}"
    following = table_lines([("next", f"{command} -o map.csv")])
    if answers == "-":
        following += table_lines([("", "with the same answers on standard input once more")])
    text = "\n".join([_table(model), *following, *outputs.written_lines])
    candidates = [
        {
            **params,
            "accuracy": float(score),
            "standard_error": float(error),
            "log_likelihood": float(likelihood),
            "n_folds": int(n_folds),
        }
        for params, score, error, likelihood, n_folds in zip(*(model.cv_results_[key] for key in COLUMNS), strict=True)
    ]
    print_result({"best": best, "candidates": candidates, "written": outputs.written}, text, as_json, quiet)


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
    from tete.embedding.temperatures import described  # noqa: PLC0415
    from tete.selection.cross_validation import best_of_each_dimension  # noqa: PLC0415

    rows = ["dimensions    held-out accuracy    log-likelihood     folds    temperatures"]
    results: dict[str, Any] = model.cv_results_
    for index in best_of_each_dimension(results, model.best_params_):
        params = results["params"][index]
        accuracy = f"{results['comparable_score'][index]:.1%} ± {results['standard_error'][index]:.1%}"
        n_folds = f"{results['n_folds'][index]} of {model.n_splits_}"
        mark = "  <- chosen" if params == model.best_params_ else ""
        likelihood = f"{results['comparable_likelihood'][index]:.4f} ± {results['likelihood_error'][index]:.4f}"
        rows.append(
            f"{params['n_components']:10}    {accuracy:>17}    {likelihood}    {n_folds:>6}   {described(params)}{mark}"
        )
    rows.append("The smallest dimension is chosen whose log-likelihood is within one standard error of the best one's.")
    return "\n".join(rows)
