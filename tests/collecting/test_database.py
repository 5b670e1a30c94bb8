"""Studies that are made, opened again and read; also `collecting.study_rows`. `test_postgres` runs them too."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import select

from stored_study import NAMES, answer, new_person, put, read, served, some_items
from tete.collecting import schema
from tete.collecting.database import Database
from tete.collecting.people import load_questions
from tete.collecting.study import QuestionKind, Study
from tete.collecting.study_rows import store_setting
from tete.exceptions import InvalidFileError, InvalidParameterError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def events_of(database):
    with database.engine.connect() as connection:
        rows = connection.execute(select(schema.events).order_by(schema.events.c.number))
        return [(row.kind, json.loads(row.detail)) for row in rows]


def test_a_study_is_the_same_when_it_is_opened_again(address):
    with served(address, title="Drinks") as first:
        known = first.study_id, first.secret, first.study, first.items
        assert len(first.study_id) == 16
        assert len(first.secret) == 32
        assert first.items == tuple(some_items())
    with served(address, title="Drinks") as again:
        assert (again.study_id, again.secret, again.study, again.items) == known
        assert events_of(again) == []
    with read(address) as reader:
        assert (reader.study_id, reader.secret, reader.study, reader.items) == known


def test_changed_settings_are_stored_with_an_event(address):
    with served(address, title="Drinks", per_person=20):
        pass
    with served(address, title="Beverages", per_person=20, texts={"start": "Los"}) as database:
        assert database.study.title == "Beverages"
        assert events_of(database) == [
            ("settings changed", {"title": ["Drinks", "Beverages"], "texts": [{}, {"start": "Los"}]})
        ]
    with read(address) as reader:
        assert reader.study.texts == {"start": "Los"}


def test_items_may_follow_at_the_end(address):
    with served(address, names=NAMES[:5]):
        pass
    with served(address, names=NAMES[:7]) as database:
        assert [item.name for item in database.items] == list(NAMES[:7])
        assert events_of(database) == [("settings changed", {"added items": ["milk", "water"]})]


def test_what_an_item_shows_may_change_and_the_event_says_how(address):
    with served(address):
        pass
    items = some_items()
    items[2] = replace(items[2], label="a cup of mocha")
    database = Database.create_or_open(address, Study(), items)
    assert database.items == tuple(items)
    assert events_of(database) == [("settings changed", {"items": {"mocha": {"label": ["mocha", "a cup of mocha"]}}})]
    database.close()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("espresso", "mocha", "latte", *NAMES[3:]), "item 1 is 'latte' there, got 'mocha'."),
        (NAMES[:8], "`items` must have all 9 of .*: 'soda' is missing."),
    ],
)
def test_items_that_answers_may_speak_of_stay(address, names, message):
    with served(address):
        pass
    with pytest.raises(InvalidParameterError, match=message), served(address, names=names):
        pass
    with served(address) as database:  # and the lock was given back
        assert events_of(database) == []


def test_the_kind_of_question_stays(address):
    with served(address):
        pass
    with (
        pytest.raises(InvalidParameterError, match=r"`question` must be triplet as in .*, got pick:2of8."),
        served(address, "pick:2of8"),
    ):
        pass


def test_the_state_is_kept_with_events(address):
    with served(address) as database:
        assert database.state() == "open"
        for state in ("paused", "open", "closed"):
            with database.writing.begin() as connection:
                database.set_state(connection, state)
            assert database.state() == state
        with (
            pytest.raises(InvalidParameterError, match="`state` must be open, paused, closed, got 'shut'"),
            database.writing.begin() as connection,
        ):
            database.set_state(connection, "shut")
        assert [kind for kind, _ in events_of(database)] == ["paused", "opened", "closed"]
    with served(address) as database:
        assert database.state() == "closed"


def test_the_token_is_known_by_its_digest_alone(address):
    with served(address) as database:
        assert not database.token_matches("")
        first = database.renew_token()
        assert len(first) == 43  # 256 bits
        assert database.token_matches(first)
        assert not database.token_matches(first[:-1] + "é")
        second = database.renew_token()
        assert database.token_matches(second)
        assert not database.token_matches(first)
        with database.engine.connect() as connection:
            stored = " ".join(connection.execute(select(schema.study.c.value)).scalars())
        assert second not in stored


def test_a_newer_database_is_refused(address):
    with served(address) as database, database.writing.begin() as connection:
        store_setting(connection, "schema_version", "2")
    message = "was made by a newer tete: its tables have version 2, and this one knows up to 1.$"
    with pytest.raises(InvalidFileError, match=message), served(address):
        pass
    with pytest.raises(InvalidFileError, match=message), read(address):
        pass


@pytest.mark.parametrize("key", ["secret", "settings", "media"])
def test_damaged_settings_are_refused(address, key):
    with served(address) as database, database.writing.begin() as connection:
        store_setting(connection, key, "[3")
    with pytest.raises(InvalidFileError, match=r"is a study whose settings are damaged.$"), read(address):
        pass


def test_readers_see_what_is_committed_while_the_server_runs_and_change_nothing(address):
    with served(address) as database, read(address) as reader:
        person = new_person(database)
        question = put(database, person, 0, (0, 1, 2))
        answer(database, question, (1,))
        with reader.engine.connect() as connection:
            assert [answered.choice for _, answered in load_questions(connection, person)] == [(1,)]
        with pytest.raises(Exception, match=r"read-?only"):
            new_person(reader)


def test_kinds_of_questions_are_kept(address):
    with served(address, "pick:2of8:ranked"):
        pass
    with read(address) as database:
        assert database.study.question == QuestionKind.parse("pick:2of8:ranked")
