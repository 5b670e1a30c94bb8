"""The library speaks of its parameters; the command names its flags."""

import pickle

import pytest
from typer.testing import CliRunner

from tete.cli import app
from tete.cli.messages import one_sentence
from tete.exceptions import InvalidFileError, OutputExistsError, Parameter, TeteError


@pytest.mark.parametrize(
    ("parameter", "in_python", "on_the_command_line"),
    [
        (Parameter("encoding"), "`encoding`", "--encoding"),
        (Parameter("skip_invalid", True), "skip_invalid=True", "--skip-invalid"),
        (Parameter("header", False), "header=False", "--no-header"),
        (Parameter("id_column"), "`id_column`", "--id"),
        (Parameter("folder"), "`folder`", "--out"),
        (Parameter("drop", ["b c"]), "drop=['b c']", "--drop 'b c'"),
        (Parameter("labels", ["id"]), "labels=['id']", "--label id"),
        (Parameter("encoding", "cp1252"), "encoding='cp1252'", "--encoding cp1252"),
    ],
)
def test_each_speaks_its_language(parameter, in_python, on_the_command_line, capsys):
    error = InvalidFileError("a.csv: say ", parameter, ".")
    assert str(error) == f"a.csv: say {in_python}."

    @one_sentence
    def command():
        raise error

    with pytest.raises(Exception, match="2"):
        command()
    assert capsys.readouterr().err == f"Error: a.csv: say {on_the_command_line}.\n"


def test_errors_of_several_parts_stay_errors_of_their_kind():
    error = OutputExistsError("map.csv exists already: ", Parameter("force", True), " overwrites it.")
    assert isinstance(error, FileExistsError)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "map.csv exists already: force=True overwrites it."
    assert copy.worded(lambda parameter: parameter.name.upper()) == "map.csv exists already: FORCE overwrites it."
    assert str(TeteError()) == ""


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "anchor,near,far\n0,0,1\n", "--skip-invalid leaves them out"),
        ("a.csv", "p,q,r\n0,1,2\n", "name the three with --columns, or say --no-header."),
        ("a.csv", "anchor,near,far\nf\xfcr,1,2\n", "or name its --encoding (cp1252"),
    ],
)
def test_commands_name_their_flags(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    result = CliRunner().invoke(app, ["check", str(tmp_path / name)])
    assert result.exit_code == 2
    assert said in result.stderr


def test_commands_on_features_name_their_flags(tmp_path):
    (tmp_path / "table.csv").write_text("id,a\nu,1\nu,2\n")
    result = CliRunner().invoke(app, ["reduce", str(tmp_path / "table.csv")])
    assert "--label id keeps the column and --drop id leaves it out." in result.stderr
    (tmp_path / "map.csv").write_text("")
    result = CliRunner().invoke(app, ["reduce", str(tmp_path / "table.csv"), "-o", str(tmp_path / "map.csv")])
    assert "map.csv exists already: --force overwrites it." in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--t", "3"], "--t must be in [1, 2], got 3.0."),
        (["--t-prime", "0.5"], "--t-prime must be in [1, 2], got 0.5."),
    ],
)
def test_commands_name_the_flag_whose_value_breaks_a_rule(tmp_path, options, said):
    (tmp_path / "a.csv").write_text("anchor,near,far\na,b,c\nb,a,c\n")
    result = CliRunner().invoke(app, ["embed", str(tmp_path / "a.csv"), *options])
    assert result.exit_code == 2
    assert result.stderr == f"Error: {said}\n"
