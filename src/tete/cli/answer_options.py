"""Options of all commands that read answers, told once: `reads_answers` gives them to a command."""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from tete.cli import options

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets

__all__ = ["AnswerOptions", "reads_answers"]


@dataclass(frozen=True)
class AnswerOptions:
    """What the command line says of a file of answers."""

    columns: options.Columns = ""
    odd_one_out: Annotated[
        bool, typer.Option("--odd-one-out", help="The last of the --columns is the odd one out.")
    ] = False
    most_central: Annotated[
        bool, typer.Option("--most-central", help="The last of the --columns is the most central one.")
    ] = False
    picked: Annotated[
        str, typer.Option(help="Columns of what was picked; --columns are the anchor and all that was shown.")
    ] = ""
    ranked: Annotated[bool, typer.Option("--ranked", help="What was picked is in order, the most similar first.")] = (
        False
    )
    ties: Annotated[
        Literal["drop", "half"], typer.Option(help="Undecided answers: left out, or in equal parts for each answer.")
    ] = "drop"
    weight: Annotated[
        str | None, typer.Option(help="Column that says how often an answer was given. Default: by header.")
    ] = None
    annotator: options.Annotator = None
    answer: Annotated[str | None, typer.Option(help="Column that says which rows are one answer.")] = None
    group: Annotated[str | None, typer.Option(help="Column that says which rows are held out together.")] = None
    time: Annotated[str | None, typer.Option(help="Column of response times. Default: by header.")] = None
    no_header: options.NoHeader = False
    encoding: options.Encoding = "utf-8"
    skip_invalid: options.SkipInvalid = False

    def read(self, path: str, *, names: Sequence[str] | None = None) -> "Triplets":
        """Answers of a file or of a study; about the objects of a map, if their names are given."""
        from tete.collecting.database_address import is_study, spoken  # noqa: PLC0415

        if is_study(path):
            if self != AnswerOptions(ties=self.ties, encoding=self.encoding):
                raise typer.BadParameter(
                    "--columns, --odd-one-out, --weight, --annotator, --no-header, --skip-invalid and the like are for "
                    f"files of answers, and {spoken(path)} is the database of a study."
                )
            return _read_study(path, names, self.ties)
        from tete.io import read_answers  # noqa: PLC0415

        return read_answers(
            path,
            columns=options.listed(self.columns),
            odd_one_out=self.odd_one_out,
            most_central=self.most_central,
            picked=options.listed(self.picked),
            ranked=self.ranked,
            ties=self.ties,
            weight=self.weight,
            annotator=self.annotator,
            answer=self.answer,
            group=self.group,
            time=self.time,
            names=names,
            header=False if self.no_header else None,
            encoding=self.encoding,
            skip_invalid=self.skip_invalid,
        )


def reads_answers(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `reading` of a command by the options that it stands for."""
    hints = get_type_hints(AnswerOptions, include_extras=True)
    told = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(AnswerOptions)
    ]
    parameters = inspect.signature(command).parameters
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, each in parameters.items() if name != "reading"]
    last = next(place for place, each in enumerate(own) if each.name in {"theme", "force", "as_json"})
    kept = [*own[:last], *told, *own[last:]]  # what is special to a command comes first

    @functools.wraps(command)
    def gathered(**given: Any) -> None:
        reading = AnswerOptions(**{field.name: given.pop(field.name) for field in fields(AnswerOptions)})
        command(reading=reading, **given)

    vars(gathered)["__signature__"] = inspect.Signature(kept)
    gathered.__annotations__ = {each.name: each.annotation for each in kept}
    return gathered


def _read_study(path: str, names: Sequence[str] | None, ties: Literal["drop", "half"]) -> "Triplets":
    from tete.collecting.database_address import spoken  # noqa: PLC0415
    from tete.collecting.study_answers import read_study  # noqa: PLC0415
    from tete.embedding.new_objects import beside_map  # noqa: PLC0415
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    triplets = read_study(path, ties=ties)
    if names is None:
        return triplets
    on_map = beside_map(triplets, tuple(names), len(names))
    if on_map.n_objects > len(names):
        raise InvalidFileError(f"{spoken(path)}: {on_map.name_of(len(names))!r} is not an object of the map.")
    return on_map
