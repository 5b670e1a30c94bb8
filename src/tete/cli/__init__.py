"""The command line. Each command reads, calls the library and writes; nothing heavy is loaded before it is needed.

A command is a function in the file of its name, guarded by `messages.one_sentence`, and listed here. It walks:
`options`, in groups `answer_options`, `embedding_options`, `table_options`, `look_options` and `map_options` (what can
be said on the command line) -> `arguments` (maps that this stands for) -> the library -> `outputs` (files, checked
before any work is done) -> `messages` (what is said on the screen).
`embed_fixed`, `embed_packed` (on `clusters`), `demo_digits` and `serving` are what `embed --fixed`, `embed` with packed
answers, `demo` and `view --serve` do.
"""

from typing import Annotated, Any

import typer

import tete
from tete.cli.check import check
from tete.cli.choose import choose
from tete.cli.collect import collect
from tete.cli.curve import curve
from tete.cli.demo import demo
from tete.cli.embed import embed
from tete.cli.export import export
from tete.cli.pack import pack
from tete.cli.place import place
from tete.cli.reduce import reduce
from tete.cli.reproduce import reproduce
from tete.cli.score import score
from tete.cli.suggest import suggest
from tete.cli.view import view
from tete.cli.views import views
from tete.core.interrupts import end_at_ctrl_c, leave

__all__ = ["app"]


class _Program(typer.Typer):
    """The commands; whoever calls it is a process of its own, which ends with them or at Ctrl-C."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        end_at_ctrl_c()
        try:
            return super().__call__(*arguments, **options)
        except SystemExit as end:
            leave(end.code if isinstance(end.code, int) else 0)


app = _Program(
    help="Maps from comparisons such as 'i is more like j than like k', robust to wrong answers, and from features.",
    epilog="Start with: tete demo. Then: tete embed answers.csv -o map.csv --plot map.png --page map.html, "
    "or: tete reduce table.csv -o map.csv --plot map.png --page map.html",
    rich_markup_mode=None,
    no_args_is_help=True,
)
for _command in (
    embed,
    check,
    choose,
    curve,
    views,
    suggest,
    collect,
    export,
    pack,
    reduce,
    place,
    score,
    view,
    demo,
    reproduce,
):
    app.command()(_command)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tete {tete.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What holds for all commands."""
