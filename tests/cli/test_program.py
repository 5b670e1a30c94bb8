"""The program as a whole, `cli.__init__`: its help on a narrow screen, its other name, and what a shell completes."""

import os
import subprocess
import sys

import pytest
import typer

import tete as package
from command import tete
from tete.cli import app

COMMANDS = sorted(typer.main.get_command(app).commands)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_eighty_columns(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = tete(*filter(None, [command]), "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def run(*arguments, **variables):
    environment = {**os.environ, **variables}
    result = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=True)
    return result.stdout


def test_python_runs_the_package():
    assert run(sys.executable, "-m", "tete", "--version") == f"tete {package.__version__}\n"


@pytest.mark.parametrize(
    ("words", "place", "found"),
    [
        ("tete em", 1, "embed"),
        ("tete embed --ellipses-f", 2, "--ellipses-file"),
        ("tete embed --kernel sq", 3, "squared"),
    ],
)
def test_shells_complete_commands_options_and_choices(words, place, found):
    program = "from tete.cli import app; app(prog_name='tete')"
    variables = {"_TETE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    assert found in run(sys.executable, "-c", program, **variables).split()
