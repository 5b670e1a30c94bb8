"""The command collect: ask people, and keep what they answer."""

import json
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tete.cli import options
from tete.cli.messages import one_sentence, print_result
from tete.core.printing import table_lines

if TYPE_CHECKING:
    from tete.collecting.running import Setup

__all__ = ["collect"]

NO_SETTINGS = {"source", "who", "simulate", "think", "as_json", "quiet"}  # of a study: what is done with it now
ENDING = "ends it: what was acknowledged is stored, and the same command goes on"


@one_sentence
def collect(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS|STUDY.TOML|demo|forget",
            help="A folder of pictures, sounds, films or texts; a CSV (name, text or file, label); a study's file; "
            "demo: built-in items; forget ID: delete a person.",
        ),
    ],
    who: Annotated[str | None, typer.Argument(metavar="ID", help="Whom to forget: p0007 or an external id.")] = None,
    database: Annotated[
        str | None, typer.Option(help="SQLite file or postgresql:// address. Default: named after the items.")
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="triplet, odd-one-out, pick:2of8 or pick:2of8:ranked. Default: triplet.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    per_person: Annotated[int | None, typer.Option(min=1, help="Questions for each person. Default: 60.")] = None,
    practice: Annotated[int | None, typer.Option(min=0, help="Questions with feedback, before. Default: 3.")] = None,
    catch: Annotated[int | None, typer.Option(min=0, help="Questions everybody can answer. Default: 4.")] = None,
    repeat: Annotated[int | None, typer.Option(min=0, help="Questions asked twice. Default: 4.")] = None,
    test: Annotated[float | None, typer.Option(min=0, max=1, help="Share that stays random. Default: 0.15.")] = None,
    adaptive: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of the others chosen by what they teach. Default: 0.5.")
    ] = None,
    mentions: Annotated[
        int | None, typer.Option(min=1, help="Mentions of each item before questions are chosen. Default: 10.")
    ] = None,
    break_every: Annotated[
        int | None, typer.Option(min=0, help="Questions between breaks; 0 for none. Default: 30.")
    ] = None,
    dims: Annotated[int | None, typer.Option(min=1, help="Dimensions of the map that chooses. Default: 2.")] = None,
    consent: Annotated[str | None, typer.Option(help="Markdown file to agree to.")] = None,
    instructions: Annotated[str | None, typer.Option(help="Markdown file to read before.")] = None,
    completion_code: Annotated[str | None, typer.Option(help="Shown at the end.")] = None,
    completion_link: Annotated[str | None, typer.Option(help="Address to go to at the end.")] = None,
    texts: Annotated[str | None, typer.Option(help="TOML file with the page's words in another language.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of everybody's plan of questions. Default: 0.")] = None,
    host: Annotated[str | None, typer.Option(help="Interface to listen on. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Default: 8421.")] = None,
    public_url: Annotated[str | None, typer.Option(help="Address by which people reach it, for --host.")] = None,
    simulate: Annotated[int, typer.Option(min=0, help="Let so many invented people answer, then end.")] = 0,
    think: Annotated[float, typer.Option(min=0, help="Seconds that these think about a question.")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line, for machines.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Ask people to compare things, in their browsers.

    Prints two addresses, one for people and one for you. Every answer is stored before it is acknowledged; the same
    command continues a study. --simulate rehearses it in a database of its own.

    Example: tete collect items/ --question pick:2of8 --per-person 40
    """
    if not all(map(find_spec, ("starlette", "uvicorn", "sqlalchemy"))):
        raise ImportError("collecting answers needs starlette, uvicorn and SQLAlchemy: pip install 'tete[collect]'")
    if source == "forget":
        _forget(who, database, as_json, quiet)
        return
    if who is not None:
        raise typer.BadParameter(f"an ID is for forget, got {who!r} after {source!r}.")
    if source == "demo" and Path(source).exists():
        typer.echo("Warning: demo is the built-in study; what is here under this name is ./demo.", err=True)
    from tete.collecting.study_files import read_setup  # noqa: PLC0415

    given = {name: value for name, value in context.params.items() if name not in NO_SETTINGS}
    with tempfile.TemporaryDirectory(prefix="tete-") as scratch:
        setup = read_setup(source, given, Path(scratch), rehearsal=simulate > 0)
        _serve(replace(setup, simulate=simulate, think=think), _Speaker(as_json, quiet))


@dataclass
class _Speaker:
    """Says what happens, in a table for people or in lines of JSON."""

    as_json: bool
    quiet: bool

    def tell(self, facts: dict[str, Any], *rows: tuple[str, str]) -> None:
        """Say something that has happened: the same in both languages."""
        if self.as_json:
            typer.echo(json.dumps(facts, ensure_ascii=False))
        elif not self.quiet:
            typer.echo("\n".join(table_lines(rows)))

    def repeat(self, line: str) -> None:
        """Say a line of the server: a label with the address of a page, or a sentence."""
        label, colon, text = line.partition(": ")
        key = label.lower().replace(" ", "_") if colon else "said"
        self.tell({key: text.strip() or line}, (label, text.strip()) if colon else ("", line))


def _serve(setup: "Setup", speaker: _Speaker) -> None:
    """Run the study until it is stopped or rehearsed, and say what is stored then."""
    from tete.collecting.database_address import spoken  # noqa: PLC0415
    from tete.collecting.resuming import continued, so_far  # noqa: PLC0415
    from tete.collecting.running import run  # noqa: PLC0415

    before, name = so_far(setup.database), spoken(setup.database)
    items = continued(before, setup.items, setup.database, rehearsal=setup.simulate > 0)
    going_on = "a new study" if before.is_new else f"the study goes on after {before}"
    facts = {"items": len(items), "database": name, "people": before.people, "answers": before.answers}
    ending = "ends the rehearsal" if setup.simulate else ENDING
    rows = [("Items", f"{len(items):,}"), ("Database", f"{name}: {going_on}"), ("Ctrl-C", ending)]
    head = [(facts, rows)]  # said when the server has begun, not when it cannot

    def say(line: str) -> None:
        while head:
            known, table = head.pop()
            speaker.tell(known, *table)
        speaker.repeat(line)

    result = run(replace(setup, items=items), say)
    if result:
        _say_rehearsal(result, setup.database, speaker)
    after = so_far(setup.database)
    stored = {"stored": name, "people": after.people, "answers": after.answers}
    speaker.tell(stored, ("Stored", f"{after} in {name}"))


def _say_rehearsal(served: dict[str, Any], database: str, speaker: _Speaker) -> None:
    from tete.collecting.rehearsal import rehearsal_report, rehearsal_rows  # noqa: PLC0415

    report = rehearsal_report(served, database)
    speaker.tell({"rehearsal": report}, *rehearsal_rows(report))


def _forget(who: str | None, database: str | None, as_json: bool, quiet: bool) -> None:
    """Delete a person from a database that nobody serves."""
    if who is None or database is None:
        raise typer.BadParameter(
            "forget needs an ID and --database, as in: tete collect forget p0007 --database study.db"
        )
    from tete.collecting.database_address import spoken  # noqa: PLC0415
    from tete.collecting.forgetting import forget  # noqa: PLC0415

    deleted = forget(database, who)
    text = f"{who} is forgotten: {deleted:,} rows are deleted from {spoken(database)}."
    print_result({"forgotten": who, "rows": deleted}, text, as_json, quiet)
