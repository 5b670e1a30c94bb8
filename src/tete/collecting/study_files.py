"""A study from its file study.toml, from what is said beside it, and from the files that these name.

What is said beside the file wins over it; paths in the file begin at its folder. `setting_rules` has the rules of
single settings, `known_questions` those of questions whose answer everybody knows.
"""

import re
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from tete.collecting.database_address import is_postgres
from tete.collecting.demo_items import DEMO, write_demo_items
from tete.collecting.items import read_items
from tete.collecting.known_questions import known_questions
from tete.collecting.running import Setup
from tete.collecting.setting_rules import Writing, read_toml, settle
from tete.collecting.study import QuestionKind, Study
from tete.exceptions import InvalidFileError, InvalidParameterError

__all__ = ["read_setup"]

SERVING = ("database", "host", "port", "public_url")
FILES = {".toml", ".csv", ".tsv"}


def read_setup(source: str, options: Mapping[str, Any], scratch: Path, *, rehearsal: bool = False) -> Setup:
    """All that is needed to ask people.

    Parameters
    ----------
    source : str
        A folder or a table of items, a file study.toml that names one, or "demo".
    options : mapping
        Settings that win over those of the file; None for what is not said.
    scratch : path
        An empty folder, for the pictures of the demonstration.
    rehearsal : bool, default=False
        Whether to keep answers in a new database of another name, unless the options name one.

    Returns
    -------
    Setup
        The study, its items, where it is kept and where it is served.
    """
    here, file = Writing(Path()), None
    said = settle({name: value for name, value in options.items() if value is not None}, here)
    written: dict[str, Any] = {"items": source}
    if source == "demo":
        written = DEMO
    elif Path(source).suffix.lower() == ".toml":
        file = Writing(Path(source).parent, source)
        written = settle(read_toml(Path(source)), file)
        if "items" not in written:
            file.refuse("items", "name a folder or a table of items", None)
    kept = {"database": str(_default_database(source))} | written
    if rehearsal:
        kept["database"] = str(_for_rehearsal(kept["database"], source))
    return _setup(kept | said, said, file or here, scratch)


def _default_database(source: str) -> Path:
    """Named after what it is about: beside a study's file, in the current folder for anything else."""
    path = Path(source)
    name = path.stem if path.suffix.lower() in FILES else path.resolve().name or "study"
    return (path.parent if path.suffix.lower() == ".toml" else Path()) / f"{name}.db"


def _for_rehearsal(database: str, source: str) -> Path:
    """A database that is not there yet, so that nobody's answers come among invented ones."""
    path = _default_database(source) if is_postgres(database) else Path(database)
    names = (f"{path.stem}-rehearsal{'' if number == 1 else f'-{number}'}{path.suffix}" for number in count(1))
    return next(path.with_name(name) for name in names if not path.with_name(name).exists())


def _setup(values: dict[str, Any], said: Mapping[str, Any], writing: Writing, scratch: Path) -> Setup:
    """What the values stand for; the file is named where it says what is wrong."""
    try:
        return _checked_setup(values, writing, scratch)
    except InvalidParameterError as error:
        named = re.match(r"`(\w+)`", str(error))
        if writing.file is not None and named and named[1] in set(values) - set(said):
            raise InvalidFileError(f"{writing.file}: {error}") from None
        raise


def _checked_setup(values: dict[str, Any], writing: Writing, scratch: Path) -> Setup:
    settings = {name: value for name, value in values.items() if name not in (*SERVING, "items")}
    question = settings["question"] = QuestionKind.parse(settings.get("question", "triplet"))
    items = read_items(values["items"], question) if "items" in values else write_demo_items(scratch, question)
    for name in ("catch", "practice"):
        given = settings.get(f"known_{name}", ())
        settings[f"known_{name}"] = known_questions(name, given, question, items, writing)
    return Setup(Study(**settings), items, **{name: values[name] for name in SERVING if name in values})
