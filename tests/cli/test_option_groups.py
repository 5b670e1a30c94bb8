"""A dataclass of options in the signature of a command."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from tete.cli.look_options import LookOptions
from tete.cli.option_groups import gathers
from tete.cli.place import place
from tete.cli.reduce import reduce
from tete.cli.table_options import TableOptions


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option("--wide", help="How wide.")] = 2
    height: int = 3


@gathers(size=Size)
def draw(name: str, size: Size, fast: bool = False, force: bool = False) -> None:
    """Draw it."""
    typer.echo(f"{name} {size} {fast} {force}")


def test_options_are_those_of_the_group_before_what_all_commands_have():
    assert list(inspect.signature(draw).parameters) == ["name", "fast", "width", "height", "force"]
    assert draw.__doc__ == "Draw it."


def test_the_command_gets_the_group():
    app = typer.Typer()
    app.command()(draw)
    told = CliRunner().invoke(app, ["it", "--wide", "5", "--force"])
    assert told.stdout == "it Size(width=5, height=3) False True\n"
    assert CliRunner().invoke(app, ["it", "--width", "5"]).exit_code == 2


def test_commands_that_read_tables_take_the_same_options():
    for command in (reduce, place):
        taken = inspect.signature(command).parameters
        assert set(TableOptions.__dataclass_fields__) <= set(taken)
        assert set(LookOptions.__dataclass_fields__) <= set(taken)
        assert not {"reading", "making", "showing"} & set(taken)
