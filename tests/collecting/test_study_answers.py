import builtins
import json
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command import tete
from stored_study import NAMES, answer, new_person, put, read, served
from tete import read_answers, read_study
from tete.collecting.people import add_event
from tete.collecting.study_answers import answer_frame, identity_frame
from tete.exceptions import DroppedAnswersWarning, InvalidFileError, InvalidParameterError, InvalidTripletsError
from tete.io.writing import write_frame


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def as_said(triplets):
    """Rows of names with annotators and groups, in an order that does not matter."""
    names = np.array(triplets.names)
    columns = (*names[triplets.to_array().T], triplets.annotators, map(str, triplets.answers))
    return sorted(zip(*columns, strict=True))


@pytest.mark.parametrize("question", ["triplet", "odd-one-out", "pick:2of4", "pick:3of5:ranked"])
def test_a_study_and_its_export_say_the_same(address, question, tmp_path, rng):
    with served(address, question) as database:
        kind = database.study.question
        for _ in range(3):
            person = new_person(database, id="secret")
            for position in range(8):
                shown = rng.permutation(len(NAMES))[: kind.n_shown].tolist()
                choice = tuple(rng.permutation(kind.n_choices)[: kind.n_picks].tolist())
                answer(database, put(database, person, position, shown), choice, ms=float(rng.uniform(200, 2000)))
        triplets = read_study(address)
        frame = answer_frame(database)
    assert triplets.names == NAMES
    assert len(np.unique(triplets.answers)) == 24
    write_frame(tmp_path / "answers.csv", frame, force=True)
    assert as_said(read_answers(tmp_path / "answers.csv", names=NAMES)) == as_said(triplets)
    assert "secret" not in (tmp_path / "answers.csv").read_text()


def test_roles_and_people_can_be_chosen(address):
    with served(address) as database:
        ann, ben = new_person(database), new_person(database)
        for person in (ann, ben):
            for position, role in enumerate(("practice", "catch", "test", "balanced", "suggested", "repeat")):
                answer(database, put(database, person, position, (position, 7, 8), role), (0,))
    assert len(read_study(address)) == 8
    assert len(read_study(address, include=["test"])) == 2
    assert set(read_study(address, people=[f"p{ben:04d}"]).annotators) == {f"p{ben:04d}"}
    for roles, got in ((["test", "catch"], r"\['catch'\]"), ([], "none")):
        with pytest.raises(InvalidParameterError, match=f"`include` must be among test, .*, got {got}"):
            read_study(address, include=roles)


def test_cannot_say_is_counted(address):
    with served(address) as database:
        person = new_person(database)
        for position, choice in enumerate([(0,), None, (1,), None]):
            answer(database, put(database, person, position, (0, 1, 2)), choice)
    with pytest.warns(DroppedAnswersWarning, match='2 of 4 answers were left out: "cannot say".'):
        assert len(read_study(address)) == 2


def test_a_study_without_answers_is_said_so(address):
    with served(address) as database:
        with pytest.raises(InvalidTripletsError, match="has no answers yet"):
            read_study(address)
        person = new_person(database)
        answer(database, put(database, person, 0, (0, 1, 2)), (0,))
        assert len(read_study(address)) == 1
        with database.writing.begin() as connection:
            add_event(connection, "withdrew", person)
        with pytest.raises(InvalidTripletsError, match="has no answers yet"):
            read_study(address)
        assert len(answer_frame(database)) == len(answer_frame(database, everything=True)) == 0


sayings = st.lists(st.tuples(st.sampled_from([(0,), (1,), None]), st.booleans()), max_size=5)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(revisions=sayings)
def test_the_latest_revision_counts(address, revisions):
    with served(address) as database:
        person = new_person(database)
        answer(database, put(database, person, 0, (3, 4, 5)), (0,))
        question = put(database, person, 1, (0, 1, 2))
        for revision, (choice, undone) in enumerate(revisions):
            answer(database, question, None if undone else choice, revision, undone=undone)
        frame = answer_frame(database)
        rows = frame[(frame["annotator"] == f"p{person:04d}") & (frame["position"] == 1)]
        history = answer_frame(database, everything=True)
    choice, undone = revisions[-1] if revisions else (None, True)
    expected = {(0,): [["espresso", "latte", "mocha"]], (1,): [["espresso", "mocha", "latte"]]}
    assert rows[["anchor", "near", "far"]].to_numpy().tolist() == ([] if undone else expected.get(choice, []))
    assert (history["question"] == question).sum() == len(revisions)


def test_everything_keeps_whole_numbers_whole(address):
    with served(address) as database:
        person = new_person(database)
        first = put(database, person, 0, (0, 1, 2))
        answer(database, first, (0,), ms=1.0)
        answer(database, put(database, person, 1, (0, 2, 1), "repeat", repeats=first), (0,))
        frame = answer_frame(database, everything=True)
    assert frame["repeats"].tolist()[1] == first
    assert frame["repeats"].dtype == "Int64"
    assert frame["issued"].dtype == np.int64


def test_identities_are_apart(address):
    with served(address) as database:
        person = new_person(database, PROLIFIC_PID="5f", SESSION_ID="s")
        new_person(database)
    with read(address) as database:
        assert identity_frame(database).to_numpy().tolist() == [
            [f"p{person:04d}", "PROLIFIC_PID", "5f"],
            [f"p{person:04d}", "SESSION_ID", "s"],
        ]


def test_other_files_are_refused(tmp_path):
    (tmp_path / "study.db").touch()
    with pytest.raises(InvalidFileError, match="is an empty database and no study"):
        read_study(tmp_path / "study.db")


def test_a_missing_extra_is_named(monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.startswith("tete.collecting.")]:
        if name != "tete.collecting.study_answers":
            monkeypatch.delitem(sys.modules, name)
    original = builtins.__import__

    def without_sqlalchemy(name, *arguments, **details):
        if name.partition(".")[0] == "sqlalchemy":
            raise ImportError(name)
        return original(name, *arguments, **details)

    monkeypatch.setattr(builtins, "__import__", without_sqlalchemy)
    with pytest.raises(ImportError, match=r"collecting answers needs .*SQLAlchemy: pip install 'tete\[collect\]'"):
        read_study(tmp_path / "study.db")


@pytest.mark.parametrize(("question", "n_choices"), [("triplet", 2), ("odd-one-out", 3), ("pick:2of4", 4)])
def test_who_cannot_say_and_how_long_it_took(address, question, n_choices):
    with served(address, question) as database:
        kind = database.study.question
        person = new_person(database)
        for position, choice in enumerate((tuple(range(kind.n_picks)), None)):
            answer(database, put(database, person, position, tuple(range(kind.n_shown))), choice, ms=100.0 + position)
    with pytest.warns(DroppedAnswersWarning, match='1 of 2 answers was left out: "cannot say"'):
        assert read_study(address).n_answers == 1
    both = read_study(address, ties="half")
    assert both.n_answers == 2
    np.testing.assert_allclose(both.answer_counts(), [1.0] + [1.0 / n_choices] * n_choices)
    assert set(both.times) == {100.0, 101.0}
    told = json.loads(tete("check", address, "--ties", "half", "--json").stdout)
    assert (told["n_answers"], told["response_times"]["too_fast"]) == (2, 1.0)
