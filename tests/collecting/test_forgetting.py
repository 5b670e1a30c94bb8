import pytest
from sqlalchemy import func, select

from stored_study import answer, new_person, put, served
from tete.collecting import schema
from tete.collecting.forgetting import forget
from tete.collecting.people import add_event, find_person, load_questions
from tete.exceptions import InvalidParameterError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def visitor(database, n_questions=4, **identity):
    """Somebody with questions, of which the last asks the first again, answers and events; the number of rows."""
    person = new_person(database, **identity)
    numbers = [put(database, person, position, (0, 1, 2)) for position in range(n_questions)]
    numbers.append(put(database, person, n_questions, (0, 2, 1), "repeat", repeats=numbers[0]))
    for number in numbers:
        answer(database, number, (0,))
        answer(database, number, None, 1, undone=True)
    with database.writing.begin() as connection:
        add_event(connection, "break", person, {"note": f"of {identity.get('id')}"})
    return person, 1 + len(identity) + 3 * len(numbers) + 1


def counts(database):
    with database.engine.connect() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in schema.TABLES.tables.items()
        }


@pytest.mark.parametrize("called", [lambda number: f"p{number:04d}", str, lambda number: "5fe2-secret"])
def test_everything_about_a_person_is_gone_and_everything_else_is_there(address, called):
    with served(address) as database:
        other, _ = visitor(database, id="other")
        before = counts(database)
        person, n_rows = visitor(database, id="5fe2-secret", STUDY_ID="s")
    assert forget(address, called(person)) == n_rows
    with served(address) as database:
        assert counts(database) == before | {"events": before["events"] + 1}
        with database.engine.connect() as connection:
            assert len(load_questions(connection, other)) == 5
            assert find_person(connection, {"id": "5fe2-secret"}) is None
            last = connection.execute(select(schema.events).order_by(schema.events.c.number.desc())).first()
        assert (last.kind, last.person, last.detail) == ("forgotten", None, "{}")
        assert new_person(database) > person


def test_one_id_may_have_taken_part_twice(address):
    with served(address) as database:
        visitor(database, PROLIFIC_PID="x", STUDY_ID="1")
        visitor(database, PROLIFIC_PID="x", STUDY_ID="2")
        assert forget(database, "x") == 2 * (1 + 2 + 15 + 1)
        assert counts(database)["people"] == 0


def test_whoever_is_unknown_is_said_so(address):
    with served(address) as database:
        visitor(database, id="x")
        for who in ("p0099", "99", "y", "", "9" * 30):
            with pytest.raises(
                InvalidParameterError, match=f"`who` must be a person's name, number or id, got '{who}'"
            ):
                forget(database, who)


def test_the_number_of_one_and_the_id_of_another_is_refused(address):
    with served(address) as database:
        first, n_rows = visitor(database, id="a")
        visitor(database, id=str(first))
        message = f"'{first}' names one in .* and is the id of another; p{first:04d} is the first"
        with pytest.raises(InvalidParameterError, match=message):
            forget(database, str(first))
        assert forget(database, f"p{first:04d}") == n_rows
