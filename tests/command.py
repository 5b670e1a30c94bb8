"""The command line as a person uses it."""

from typer.testing import CliRunner

from tete.cli import app


def tete(*arguments, stdin=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
