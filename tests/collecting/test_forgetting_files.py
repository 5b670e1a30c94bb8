"""Nothing of a person stays in a file, and a file that is served is refused."""

import asyncio
import re

import pytest
from sqlalchemy import select

from collecting.test_forgetting import counts, visitor
from stored_study import served
from tete.collecting import connections, schema
from tete.collecting.forgetting import erase_traces, forget, forget_person
from tete.collecting.writer import Writer
from tete.exceptions import StorageError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def files_with(address, text):
    return [path.name for path in address.parent.iterdir() if text.encode() in path.read_bytes()]


def test_nothing_of_a_person_stays_in_the_file(address):
    with served(address) as database:
        for number in range(30):
            visitor(database, 1, id=f"visitor-{number}")
        visitor(database, 40, id="5fe2-secret")
    assert files_with(address, "5fe2-secret") == ["study.db"]
    forget(address, "5fe2-secret")
    assert files_with(address, "5fe2-secret") == []
    assert files_with(address, "visitor-7") == ["study.db"]


def test_the_writer_forgets_while_the_study_is_served(address):
    with served(address) as database:
        person, n_rows = visitor(database, 40, id="5fe2-secret")
        writer = Writer(database)
        assert files_with(address, "5fe2-secret")
        assert asyncio.run(writer.do(lambda connection: forget_person(connection, person))) == n_rows
        assert asyncio.run(writer.do(lambda connection: forget_person(connection, person))) == 0
        erase_traces(database)
        assert files_with(address, "5fe2-secret") == []
        writer.close()
        assert counts(database)["events"] == 1


def test_a_study_that_is_served_is_refused(address):
    with served(address) as database:
        visitor(database, id="x")
        with pytest.raises(StorageError, match=r"is in use by another tete collect \(process \d+\)\.$"):
            forget(address, "x")
        assert counts(database)["people"] == 1


def test_a_reader_that_keeps_copies_is_named(address, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with served(address) as database:
        visitor(database, id="x")
        with database.engine.connect() as reader:
            reader.execute(select(schema.answers)).all()
            with pytest.raises(StorageError, match=re.escape("copies of them stay in its log")):
                forget(database, "x")
        assert counts(database)["people"] == 0
        erase_traces(database)


def test_a_missing_study_is_not_made(address):
    with pytest.raises(FileNotFoundError):
        forget(address, "x")
    assert list(address.parent.iterdir()) == []


def test_forgetting_takes_no_longer_with_more_people(address):
    """Every search goes through an index: no statement scans a table of rows about other people."""
    with served(address) as database:
        person, _ = visitor(database, id="x")
        plans = []
        with database.writing.begin() as connection:
            driver = connection.connection.driver_connection
            statements = []
            driver.set_trace_callback(statements.append)
            forget_person(connection, person)
            driver.set_trace_callback(None)
            for statement in statements:
                if statement.startswith("DELETE"):
                    plans += [row[-1] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert plans
        assert not [plan for plan in plans if plan.startswith("SCAN")]
