"""The command line. Each command reads, calls the library and writes; nothing heavy is loaded before it is needed.

A command is a function in the file of its subject, guarded by `one_sentence`, and listed here.
"""

import typer

from tete.cli.answers import check, embed, score
from tete.cli.choose import choose, suggest
from tete.cli.pictures import demo, view

__all__ = ["app"]

app = typer.Typer(
    help="Maps from comparisons such as 'i is more like j than like k', robust to wrong answers.",
    epilog="Start with: tete demo. Then: tete embed answers.csv -o map.csv --plot map.png --page map.html",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
)
for _command in (embed, check, score, choose, suggest, view, demo):
    app.command()(_command)
