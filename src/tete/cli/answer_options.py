"""Options of all commands that read answers, told once: `reads_answers` gives them to a command."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tete.cli import options
from tete.cli.option_groups import gathers

if TYPE_CHECKING:
    from tete.comparisons.triplets import Triplets
    from tete.distributed import TripletShards

__all__ = ["AnswerOptions", "reads_answers", "shell_words"]


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
        from tete.distributed.manifest import is_packed  # noqa: PLC0415

        if is_packed(path):
            return _read_sample(self.open_packed(path), names)
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

    def open_packed(self, path: str) -> "TripletShards":
        """The folder of packed answers, about which nothing more can be said."""
        if self != AnswerOptions(ties=self.ties, encoding=self.encoding):
            raise typer.BadParameter(f"--columns and the like are for files of answers, and {path} is packed already.")
        from tete.distributed import TripletShards  # noqa: PLC0415

        return TripletShards(path)


def shell_words(path: str, reading: AnswerOptions) -> str:
    """The file and all that was said of it, as a shell reads it again."""
    from tete.collecting.database_address import spoken  # noqa: PLC0415

    words = [quote(spoken(path))]
    for field in fields(reading):
        value = getattr(reading, field.name)
        if value != field.default:
            flag = f"--{field.name.replace('_', '-')}"
            words.append(flag if value is True else f"{flag} {quote(value)}")
    return " ".join(words)


reads_answers = gathers(reading=AnswerOptions)  # for a command with a parameter `reading`


def _read_study(path: str, names: Sequence[str] | None, ties: Literal["drop", "half"]) -> "Triplets":
    from tete.collecting.database_address import spoken  # noqa: PLC0415
    from tete.collecting.study_answers import read_study  # noqa: PLC0415

    return _on_map(read_study(path, ties=ties), names, spoken(path))


def _read_sample(shards: "TripletShards", names: Sequence[str] | None) -> "Triplets":
    """A sample of packed answers, all if they are few; how many is said."""
    sample = shards.sample()
    if len(sample) < len(shards):
        said = (
            f"{len(sample):,} of the {len(shards):,} triplets of {shards.path} are looked at, drawn by what they ask."
        )
        typer.echo(f"Warning: {said}", err=True)
    return _on_map(sample, names, str(shards.path))


def _on_map(triplets: "Triplets", names: Sequence[str] | None, source: str) -> "Triplets":
    """The answers with objects numbered as on a map, if its names are given."""
    if names is None:
        return triplets
    from tete.embedding.new_objects import beside_map  # noqa: PLC0415
    from tete.exceptions import InvalidFileError  # noqa: PLC0415

    on_map = beside_map(triplets, tuple(names), len(names))
    if on_map.n_objects > len(names):
        raise InvalidFileError(f"{source}: {on_map.name_of(len(names))!r} is not an object of the map.")
    return on_map
