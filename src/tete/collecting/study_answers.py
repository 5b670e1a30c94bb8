"""From the database of a study to `Triplets` and to data frames. Loads NumPy, unlike the server."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tete.collecting.database_address import is_study
from tete.collecting.study import MAP_ROLES
from tete.comparisons.triplets import Triplets
from tete.core.printing import counted, were
from tete.core.validation import check_choice
from tete.exceptions import DroppedAnswersWarning, InvalidParameterError, InvalidTripletsError, warn
from tete.io.sources import AnyPath

if TYPE_CHECKING:
    import pandas as pd
    from sqlalchemy import Row

    from tete.collecting.database import Database

__all__ = ["answer_frame", "identity_frame", "is_study", "read_study"]


def read_study(
    path: AnyPath,
    *,
    include: Collection[str] = ("test", "balanced", "suggested", "repeat", "swapped"),
    people: Collection[str] | None = None,
    ties: Literal["drop", "half"] = "drop",
) -> Triplets:
    """Read the answers that ``tete collect`` stored, also while it runs.

    The latest answer to each question counts. Left out are answers that were taken back, practice, questions whose
    answer everybody knows, and all people who withdrew or whom the researcher excluded.

    Parameters
    ----------
    path : str or path
        The database: a file of SQLite, or an address such as ``postgresql://user@host/name``.
    include : collection of str, default=("test", "balanced", "suggested", "repeat", "swapped")
        Roles of the questions: test (random, never used to choose others), balanced (random), suggested (chosen by what
        their answers teach), repeat (asked again of the same person), swapped (asked again of a program, with the
        places reversed).
    people : collection of str, optional
        Only of these annotators, such as ``["p0001", "p0007"]``.
    ties : "drop" or "half", default="drop"
        What becomes of "cannot say": it is left out and counted, or counts in equal parts for every single choice there
        was, half each way between two.

    Returns
    -------
    Triplets
        With the names of all items, annotators such as "p0001", the numbers of the questions as answers, and response
        times.

    Raises
    ------
    InvalidFileError
        If the file is not a study, or one of a newer version.
    InvalidTripletsError
        If there is no answer yet.
    StorageError
        If the database cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tete import read_study
    >>> from tete.collecting.database import Database
    >>> from tete.collecting.items import Item
    >>> from tete.collecting.people import add_answer, add_person, add_question
    >>> from tete.collecting.study import Asked, Study
    >>> items = [Item(k, name, "text", name, name, None, "") for k, name in enumerate(["espresso", "latte", "tea"])]
    >>> with TemporaryDirectory() as folder:
    ...     database = Database.create_or_open(f"{folder}/study.db", Study(), items)
    ...     with database.writing.begin() as connection:  # as the server does when somebody answers
    ...         person = add_person(connection, "page", {}, seed=0)
    ...         asked = add_question(connection, Asked(0, person.number, 0, "balanced", (0, 1, 2)))
    ...         added = add_answer(connection, asked.number, 0, (0,), undone=False, ms=812.0)
    ...     database.close()
    ...     read_study(f"{folder}/study.db")
    Triplets(1 triplet of 3 objects, with annotators, answers, times, names)
    """
    check_choice("ties", ties, ("drop", "half"))
    unknown = sorted(set(include) - set(MAP_ROLES))
    if unknown or not include:
        raise InvalidParameterError(f"`include` must be among {', '.join(MAP_ROLES)}, got {unknown or 'none'}.")
    database = _opened(path)
    try:
        rows = _effective_rows(database, include, people)
    finally:
        database.close()
    said = [row for row in rows if row.choice is not None]
    if not said:
        raise InvalidTripletsError(f"{database.name} has no answers yet that say something about the items.")
    if len(said) < len(rows) and ties == "drop":
        n_tied = len(rows) - len(said)
        warn(
            f'{n_tied} of {counted(len(rows), "answer")} {were(n_tied)} left out: "cannot say".', DroppedAnswersWarning
        )
    return _triplets(said if ties == "drop" else rows, database)


def answer_frame(database: "Database", everything: bool = False) -> "pd.DataFrame":
    """The answers as they are exported: a row for each comparison, or for each revision of each answer."""
    import pandas as pd  # noqa: PLC0415

    from tete.collecting.answer_rows import (  # noqa: PLC0415  (needs the extra `collect`)
        ANSWER_COLUMNS,
        EVERYTHING_COLUMNS,
        answer_rows,
        everything_rows,
    )

    rows, columns = (everything_rows, EVERYTHING_COLUMNS) if everything else (answer_rows, ANSWER_COLUMNS)
    frame = pd.DataFrame(list(rows(database)), columns=list(columns))
    return frame.astype({"repeats": "Int64"}) if everything else frame


def identity_frame(database: "Database") -> "pd.DataFrame":
    """Who is who: what the address of a visit said of each annotator, apart from all answers."""
    import pandas as pd  # noqa: PLC0415

    from tete.collecting.people import all_identities, annotator_name  # noqa: PLC0415
    from tete.collecting.storage_trouble import explained  # noqa: PLC0415

    with explained(database.name), database.engine.connect() as connection:
        rows = [(annotator_name(person), field, value) for person, field, value in all_identities(connection)]
    return pd.DataFrame(rows, columns=["annotator", "field", "value"])


def _opened(path: AnyPath) -> "Database":
    try:
        from tete.collecting.database import Database  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "collecting answers needs starlette, uvicorn and SQLAlchemy: pip install 'tete[collect]'"
        ) from error
    return Database.open_to_read(path)


def _effective_rows(database: "Database", include: Collection[str], people: Collection[str] | None) -> list["Row[Any]"]:
    """The answers that stand, of those who are not left out."""
    from tete.collecting.answer_rows import effective_answers, excluded_people, withdrawn_people  # noqa: PLC0415
    from tete.collecting.people import annotator_name  # noqa: PLC0415
    from tete.collecting.storage_trouble import explained  # noqa: PLC0415

    with explained(database.name), database.engine.connect() as connection:
        left_out = withdrawn_people(connection) | excluded_people(connection)
        rows = connection.execute(effective_answers(include)).all()
    wanted = None if people is None else set(people)
    return [
        row for row in rows if row.person not in left_out and (wanted is None or annotator_name(row.person) in wanted)
    ]


def _triplets(rows: Sequence["Row[Any]"], database: "Database") -> Triplets:
    """Triplets of the answers; who cannot say chooses a part of each."""
    from tete.collecting.people import annotator_name  # noqa: PLC0415

    kind = database.study.question
    shown = _numbers(row.shown for row in rows)
    n_choices = shown.shape[1] - kind.has_anchor
    tied = np.array([row.choice is None for row in rows])
    ways = np.where(tied, n_choices, 1)
    source = np.repeat(np.arange(len(rows)), ways)
    details: dict[str, Any] = {
        "annotators": np.array([annotator_name(row.person) for row in rows])[source],
        "answers": np.array([row.number for row in rows])[source],
        "times": np.array([np.nan if row.ms is None else row.ms for row in rows], dtype=np.float64)[source],
        "names": [item.name for item in database.items],
    }
    if tied.any():
        details |= {"answers": np.arange(len(source)), "weights": 1.0 / ways[source], "ties": tied[source]}  # parts
    every = [[place] for place in range(n_choices)]
    said = json.loads(f"[{','.join(row.choice or 'null' for row in rows)}]")
    choice = [each for answer in said for each in (every if answer is None else [answer])]
    if not kind.has_anchor:
        return Triplets.from_odd_one_out(shown[source], odd=[each[0] for each in choice], **details)
    picked = [[1 + place for place in each] for each in choice]  # column 0 is the anchor
    return Triplets.from_selection(shown[source].tolist(), picked, ranked=kind.ranked, **details)


def _numbers(texts: Iterable[str]) -> NDArray[np.int64]:
    """A row of numbers for each text, all read at once."""
    return np.array(json.loads(f"[{','.join(texts)}]"), dtype=np.int64)
