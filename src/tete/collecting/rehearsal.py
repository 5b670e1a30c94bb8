"""What a rehearsal with simulated people came to: how they were served, how they did, and whether the map is theirs.

Loads NumPy, when the server has ended.
"""

import json
from typing import Any

import numpy as np

from tete.collecting.answer_rows import EVERYTHING_COLUMNS, everything_rows
from tete.collecting.database import Database
from tete.collecting.simulated_people import HiddenMap
from tete.collecting.study_answers import read_study
from tete.core.printing import rows_under
from tete.datasets.generators import make_uniform_triplets
from tete.embedding.estimators import TETE
from tete.exceptions import InvalidTripletsError
from tete.reliability.fit_report import fit_and_report

__all__ = ["rehearsal_report", "rehearsal_rows"]

N_COMPARED = 20_000  # random triplets of the hidden map: their share is sure within a third of a percent


def rehearsal_report(served: dict[str, Any], address: str) -> dict[str, Any]:
    """What the simulation reports, with what the database and a map of its answers say."""
    database = Database.open_to_read(address)
    try:
        checks = _checks(database)
        study, n_items = database.study, len(database.items)
    finally:
        database.close()
    report = {**served, **checks, "held_out": None, "held_out_error": None, "map_agreement": None}
    try:
        answers = read_study(address)
    except InvalidTripletsError:
        return report
    fitted, found = fit_and_report(TETE(n_components=study.dims), answers, random_state=study.seed)
    hidden = HiddenMap(study.seed)
    places = np.array([hidden.place(number) for number in range(n_items)])
    truth = make_uniform_triplets(places, N_COMPARED, random_state=study.seed)
    return report | {
        "held_out": found.held_out_accuracy,
        "held_out_error": found.held_out_error,
        "map_agreement": float(fitted.score(truth)),
    }


def rehearsal_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """The report as rows of a table for people."""
    (right, catch), (same, repeated) = report["catch"], report["repeat"]
    rows = [
        ("people", f"{report['people']:,} started, {report['finished']:,} finished"),
        ("answers", f"{report['answers']:,} acknowledged, {report['per_second']:,.0f} a second"),
        ("answer times", ", ".join(f"{report[f'p{part}_ms']:g} ms (p{part})" for part in (50, 95, 99))),
        ("catch questions", _share(right, catch, "right")),
        ("repeated questions", _share(same, repeated, "answered alike")),
        ("agreement", f"{report['agreement']:.1%} of the answers are those of the hidden map"),
    ]
    if report["sent_again"]:
        rows.insert(3, ("sent again", f"{report['sent_again']:,} messages"))
    if report["held_out"] is not None:
        error = f"{report['held_out']:.1%} ± {report['held_out_error']:.1%}"
        rows.append(("held-out accuracy", f"{error} of the answers agree with maps made without them"))
    if report["map_agreement"] is not None:
        rows.append(("the map", f"orders {report['map_agreement']:.1%} of random triplets as the hidden map does"))
    problems = [f"{sentence} ({count:,} people)" for sentence, count in report["problems"].items()]
    return [*rows, *rows_under("problems", problems)]


def _share(some: int, of: int, what: str) -> str:
    return f"{some / of:.1%} of {of:,} {what}" if of else "none"


def _checks(database: Database) -> dict[str, tuple[int, int]]:
    """Of the catch questions: how many are right, and of how many; of the repeated ones how many are answered alike."""
    chosen: dict[int, set[str] | None] = {}
    catch: dict[int, bool] = {}
    repeats: dict[int, int] = {}
    for row in everything_rows(database):
        said = dict(zip(EVERYTHING_COLUMNS, row, strict=True))
        number = said["question"]
        chosen[number] = None if said["choice"] is None else set(json.loads(said["choice"]))
        if said["role"] == "catch":
            catch[number] = set(json.loads(said["right"])) <= (chosen[number] or set())
        elif said["role"] == "repeat":
            repeats[number] = said["repeats"]
    pairs = [(chosen[again], chosen.get(first)) for again, first in repeats.items()]
    compared = [one == other for one, other in pairs if one is not None and other is not None]
    return {"catch": (sum(catch.values()), len(catch)), "repeat": (sum(compared), len(compared))}
