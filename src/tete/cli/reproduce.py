"""The command reproduce: the paper's experiments again, with a report."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tete.cli import options
from tete.cli.messages import one_sentence, print_result
from tete.core.printing import rows_under, table_lines

if TYPE_CHECKING:
    from tete.experiments.reproduction import Chapter

__all__ = ["reproduce"]


@one_sentence
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments: see --list. Default: all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report, the tables and what is cached.")] = Path("paper"),
    quick: Annotated[bool, typer.Option("--quick", help="Small data, a few minutes: shows that it works.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 1,
    list_: Annotated[bool, typer.Option("--list", help="Only list the experiments.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run the paper's experiments again and write a report.

    The whole takes about an hour on two cores. What is finished is kept: the same command goes on where it stopped, and
    redraws without computing anew. Data sets are looked for in the folder of the environment variable TETE_DATA.

    Example: tete reproduce figure3 --quick
    """
    if list_:
        _list_experiments(as_json, quiet)
        return
    from tete.experiments.html_report import write_report  # noqa: PLC0415
    from tete.experiments.reproduction import reproduce as run  # noqa: PLC0415

    chapters, silent = [], quiet or as_json
    for chapter in run(names or [], out, quick=quick, jobs=jobs, shown=not silent and sys.stderr.isatty()):
        chapters.append(chapter)
        _say(chapter, quiet=silent)
    write_report(out, chapters, quick=quick)
    written = [str(out / "index.html")]
    result = {"experiments": {each.experiment.name: _verdicts(each) for each in chapters}, "written": written}
    print_result(result, "\n".join(table_lines(rows_under("written", written))), as_json, quiet)


def _list_experiments(as_json: bool, quiet: bool) -> None:
    from tete.experiments import EXPERIMENT_NAMES, load_experiment  # noqa: PLC0415

    result, rows = {}, []
    for name in EXPERIMENT_NAMES:
        experiment = load_experiment(name)
        whole, small = experiment.settings(False), experiment.settings(True)
        data = sorted({str(setting["data"]) for setting in whole if "data" in setting})
        result[name] = {"title": experiment.title, "settings": len(whole), "quick": len(small), "data": data}
        needs = f"; needs {', '.join(data)}" if data else ""
        rows.append((name, f"{experiment.title} ({len(whole)} settings, {len(small)} with --quick{needs})"))
    print_result(result, "\n".join(table_lines(rows, width=13)), as_json, quiet)


def _verdicts(chapter: "Chapter") -> dict[str, object]:
    claims = [{"statement": claim.statement, "verdict": claim.verdict} for claim in chapter.claims]
    return {"claims": claims, "missing": dict(chapter.missing)}


def _say(chapter: "Chapter", *, quiet: bool) -> None:
    for name, text in chapter.missing.items():
        typer.echo(f"Warning: {chapter.experiment.name} goes without {name}: {text}", err=True)
    verdicts = [claim.verdict for claim in chapter.claims]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    rows = [(chapter.experiment.name, ", ".join(counts) or "left out")]
    print_result({}, "\n".join(table_lines(rows)), False, quiet)
