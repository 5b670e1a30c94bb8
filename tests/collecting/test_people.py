"""People, questions and answers; `test_postgres` runs the same tests there."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from stored_study import answer, new_person, put, served
from tete.collecting import schema
from tete.collecting.people import (
    Answered,
    add_answer,
    add_event,
    add_person,
    add_question,
    all_identities,
    annotator_name,
    find_person,
    known_or_new_person,
    load_person,
    load_questions,
    mention_counts,
)
from tete.collecting.study import Asked


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def database(address):
    with served(address) as database:
        yield database


def test_people_are_found_by_their_number(database):
    with database.writing.begin() as connection:
        added = add_person(connection, "model:owl", {}, seed=7)
    with database.engine.connect() as connection:
        assert load_person(connection, added.number) == added
        assert load_person(connection, added.number + 1) is None
    assert (added.source, added.seed, added.withdrawn, added.excluded) == ("model:owl", 7, False, False)


@pytest.mark.parametrize(
    ("identity", "found"),
    [
        ({"PROLIFIC_PID": "anna"}, True),
        ({"PROLIFIC_PID": "anna", "STUDY_ID": "s1"}, True),
        ({"PROLIFIC_PID": "anna", "STUDY_ID": "s1", "SESSION_ID": "another visit"}, True),
        ({"PROLIFIC_PID": "anna", "STUDY_ID": "s2"}, False),
        ({"PROLIFIC_PID": "Anna"}, False),
        ({"workerId": "anna"}, False),
        ({"PROLIFIC_PID": "anna", "id": "x"}, False),
        ({"STUDY_ID": "s1"}, False),
        ({"SESSION_ID": "v1"}, False),
        ({"PROLIFIC_PID": ""}, False),
        ({"PROLIFIC_PID": "anna", "id": ""}, True),
        ({}, False),
    ],
)
def test_whoever_comes_again_is_known_by_what_names_a_person(database, identity, found):
    number = new_person(database, PROLIFIC_PID="anna", STUDY_ID="s1", SESSION_ID="v1")
    new_person(database, PROLIFIC_PID="", id="")
    new_person(database, PROLIFIC_PID="ben", STUDY_ID="s1", SESSION_ID="v2")
    with database.engine.connect() as connection:
        person = find_person(connection, identity)
    assert (person is not None) == found
    assert person is None or person.number == number


def test_somebody_known_is_not_added_again(database):
    with database.writing.begin() as connection:
        first = known_or_new_person(connection, "page", {"id": "'; drop table people --"}, seed=1)
        again = known_or_new_person(connection, "page", {"id": "'; drop table people --"}, seed=2)
        nobody = [known_or_new_person(connection, "page", {}, seed=3).number for _ in range(2)]
    assert again == first
    assert len({first.number, *nobody}) == 3
    with database.engine.connect() as connection:
        assert all_identities(connection) == [(first.number, "id", "'; drop table people --")]


def test_exclusion_can_be_taken_back_and_withdrawal_cannot(database):
    number = new_person(database)

    def marks(*kinds):
        with database.writing.begin() as connection:
            for kind in kinds:
                add_event(connection, kind, number)
            person = load_person(connection, number)
        return person.excluded, person.withdrawn

    assert marks("excluded") == (True, False)
    assert marks("included") == (False, False)
    assert marks("excluded", "break", "withdrew") == (True, True)
    assert marks("included") == (False, True)


def test_questions_come_in_order_with_all_they_are(database):
    ann, ben = new_person(database), new_person(database)
    later = put(database, ann, 1, (3, 1, 2), "catch", right=(1,))
    put(database, ben, 0, (5, 6, 7))
    first = put(database, ann, 0, (0, 1, 2), "test")
    again = put(database, ann, 2, (0, 2, 1), "repeat", repeats=first)
    with database.engine.connect() as connection:
        assert load_questions(connection, ann) == [
            (Asked(first, ann, 0, "test", (0, 1, 2)), None),
            (Asked(later, ann, 1, "catch", (3, 1, 2), (1,)), None),
            (Asked(again, ann, 2, "repeat", (0, 2, 1), None, first), None),
        ]


def test_a_position_is_taken_once(database):
    person = new_person(database)
    put(database, person, 0, (0, 1, 2))
    with pytest.raises(IntegrityError):
        put(database, person, 0, (0, 1, 2))


def test_questions_belong_to_people_and_answers_to_questions(database):
    with pytest.raises(IntegrityError):
        put(database, 99, 0, (0, 1, 2))
    with pytest.raises(IntegrityError):
        answer(database, 99, (0,))


def test_answers_keep_what_was_said(database):
    question = put(database, new_person(database), 0, (0, 1, 2))
    assert answer(database, question, (1,), ms=812.25)
    assert latest(database, question) == Answered(question, 0, (1,), False, 812.25)
    assert answer(database, question, None, 1, undone=True)
    assert latest(database, question) == Answered(question, 1, None, True, None)
    assert answer(database, question, None, 2)
    assert latest(database, question) == Answered(question, 2, None, False, None)


def latest(database, question):
    with database.engine.connect() as connection:
        person = connection.execute(
            select(schema.questions.c.person).where(schema.questions.c.number == question)
        ).scalar_one()
        return {asked.number: answered for asked, answered in load_questions(connection, person)}[question]


revisions = st.lists(
    st.tuples(
        st.integers(0, 2),  # which question
        st.integers(0, 4),  # which revision
        st.one_of(st.none(), st.sampled_from([(0,), (1,)])),
        st.booleans(),
    ),
    max_size=25,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])  # each has a person of its own
@given(sent=revisions)
def test_whatever_is_sent_in_whatever_order_each_revision_is_stored_once_and_the_highest_counts(database, sent):
    person = new_person(database)
    numbers = [put(database, person, position, (0, 1, 2)) for position in range(3)]
    expected = [{} for _ in numbers]
    with database.writing.begin() as connection:
        for question, revision, choice, undone in sent:
            new = add_answer(connection, numbers[question], revision, choice, undone, None)
            assert new == (revision not in expected[question])
            expected[question].setdefault(revision, (choice, undone))
        n_stored = connection.execute(
            select(func.count()).select_from(schema.answers).where(schema.answers.c.question.in_(numbers))
        ).scalar_one()
        found = load_questions(connection, person)
    assert n_stored == sum(map(len, expected))
    for (_, answered), stored in zip(found, expected, strict=True):
        if not stored:
            assert answered is None
        else:
            assert (answered.revision, (answered.choice, answered.undone)) == max(
                stored.items(), key=lambda each: each[0]
            )


def test_numbers_are_never_used_again(database):
    numbers = []
    for _ in range(3):
        number = new_person(database)
        numbers.append(number)
        with database.writing.begin() as connection:
            connection.execute(schema.people.delete().where(schema.people.c.number == number))
    assert len(set(numbers)) == 3


def test_events_keep_their_details(database):
    with database.writing.begin() as connection:
        add_event(connection, "planner died", detail={"reason": "Ω \ud800"})
        row = connection.execute(select(schema.events)).one()
    assert (row.person, row.kind, json.loads(row.detail)) == (None, "planner died", {"reason": "Ω \ud800"})


def test_mentions_are_counted_where_a_map_can_use_them(database):
    person = new_person(database)
    roles = ("practice", "catch", "test", "balanced", "suggested", "repeat", "swapped")
    for position, role in enumerate(roles):
        put(database, person, position, (0, position + 1, 8), role)
    with database.engine.connect() as connection:
        assert mention_counts(connection, 9) == [4, 0, 0, 1, 1, 1, 1, 0, 4]


def test_annotators_have_names_that_sort():
    assert [annotator_name(number) for number in (7, 1234, 12345)] == ["p0007", "p1234", "p12345"]


def test_what_a_transaction_adds_is_gone_when_it_fails(database):
    person = new_person(database)

    def fail():
        with database.writing.begin() as connection:
            add_question(connection, Asked(0, person, 0, "balanced", (0, 1, 2)))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.engine.connect() as connection:
        assert load_questions(connection, person) == []
