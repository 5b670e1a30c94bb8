"""What the command line says: results on stdout; warnings and mistakes, in one sentence each, on stderr."""

import functools
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

import typer

from tete.core.interrupts import INTERRUPTED, STOPPED

if TYPE_CHECKING:
    from tete.exceptions import Parameter

__all__ = ["one_sentence", "print_result", "said_of"]

P = ParamSpec("P")

# The flags that are not simply called like the parameter.
FLAGS = {
    "cv": "--folds",
    "folder": "--out",
    "header": "--no-header",
    "id_column": "--id",
    "labels": "--label",
    "n_components": "--dims",
    "n_neighbors": "--neighbors",
}
MISTAKES = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


def one_sentence(command: Callable[P, None]) -> Callable[P, None]:
    """Show warnings and what went wrong as one sentence each on stderr, never a traceback.

    The exit code is 2 for the user's mistakes, 1 for what is nobody's (a full disk, too little memory) and 130 for
    Ctrl-C, which the command itself answers as in `core.interrupts`.
    """

    @functools.wraps(command)
    def guarded(*arguments: P.args, **options: P.kwargs) -> None:
        from tete.exceptions import TeteError  # noqa: PLC0415

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                warnings.showwarning = _show_warning
                command(*arguments, **options)
        except BrokenPipeError:  # the reader of a pipe has seen enough
            raise typer.Exit(1) from None
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            sentence = error.worded(_flag) if isinstance(error, TeteError) else f"{name}{error.strerror or error}."
            _fail(sentence, exit_code=2 if isinstance(error, MISTAKES) else 1)
        except (TeteError, ImportError, ValueError) as error:
            sentence = error.worded(_flag) if isinstance(error, TeteError) else str(error)
            _fail(" ".join(sentence.split()), exit_code=2)
        except MemoryError:
            _fail("Not enough memory for this.", exit_code=1)
        except KeyboardInterrupt:
            _fail(STOPPED, exit_code=INTERRUPTED)

    return guarded


def _flag(parameter: "Parameter") -> str:
    """What the command line calls a parameter, with the value if the flag takes one."""
    flag = FLAGS.get(parameter.name, f"--{parameter.name.replace('_', '-')}")
    value = parameter.value
    if value is None or isinstance(value, bool):
        return flag
    return f"{flag} {' '.join(quote(str(each)) for each in value) if isinstance(value, list) else quote(str(value))}"


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if not issubclass(category, (DeprecationWarning, FutureWarning)):
        typer.echo(f"Warning: {message}", err=True)


def _fail(sentence: str, *, exit_code: int) -> NoReturn:
    typer.echo(f"Error: {sentence}", err=True)
    raise typer.Exit(exit_code)


def print_result(result: dict[str, Any], text: str, as_json: bool, quiet: bool = False) -> None:
    """Print a result as JSON or as text, or nothing."""
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
    elif not quiet:
        typer.echo(text)


@contextmanager
def said_of(file: str) -> Iterator[None]:
    """Name the file whose features are wrong; what is wrong with a parameter is not the file's fault."""
    from tete.exceptions import InvalidFileError, InvalidParameterError  # noqa: PLC0415

    try:
        yield
    except InvalidParameterError:
        raise
    except ValueError as error:
        raise InvalidFileError(f"{file}: {error}") from error
