"""The writer commits what waits together, and a job that fails fails alone; `test_postgres` runs the same tests."""

import asyncio
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.exc import IntegrityError

from stored_study import new_person, put, served
from tete.collecting import schema
from tete.collecting.people import add_answer, add_person, add_question, load_questions
from tete.collecting.study import Asked
from tete.collecting.writer import Writer
from tete.exceptions import StorageError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


@contextmanager
def writing(address):
    with served(address) as database:
        writer = Writer(database)
        try:
            yield database, writer
        finally:
            writer.close()


def count(database, table=schema.answers):
    with database.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def asking(person, position=0):
    return lambda connection: add_question(connection, Asked(0, person, position, "balanced", (0, 1, 2)))


def saying(question, revision=0):
    return lambda connection: add_answer(connection, question, revision, (0,), False, 1.0)


def test_a_job_returns_after_its_commit(address):
    with writing(address) as (database, writer):

        async def visit():
            person = await writer.do(lambda connection: add_person(connection, "page", {}, 0))
            question = await writer.do(asking(person.number))
            new = await writer.do(saying(question.number))
            with database.engine.connect() as connection:  # another connection sees what is committed
                return question, new, load_questions(connection, person.number)

        question, new, ((asked, answered),) = asyncio.run(visit())
        assert new
        assert asked == question
        assert answered.choice == (0,)
        assert (writer.commits, writer.trouble) == (3, None)


def test_jobs_that_wait_are_committed_together(address):
    with writing(address) as (database, writer):
        committed = []
        event.listen(database.engine, "commit", committed.append)
        person = new_person(database)
        committed.clear()
        go_on = threading.Event()

        async def many():
            first = asyncio.create_task(writer.do(lambda connection: go_on.wait()))
            others = [asyncio.create_task(writer.do(asking(person, position))) for position in range(200)]
            await asyncio.sleep(0.01)
            go_on.set()
            await asyncio.gather(first, *others)

        asyncio.run(many())
        assert count(database, schema.questions) == 200
        assert len(committed) == writer.commits <= 3  # the first one, and those that waited for it


def test_a_group_has_an_end(address):
    with writing(address) as (database, writer):
        go_on = threading.Event()

        async def very_many():
            first = asyncio.create_task(writer.do(lambda connection: go_on.wait()))
            others = [asyncio.create_task(writer.do(lambda connection: None)) for _ in range(1200)]
            await asyncio.sleep(0.01)
            go_on.set()
            await asyncio.gather(first, *others)

        asyncio.run(very_many())
        assert writer.commits >= 3
        assert count(database) == 0


def test_a_job_that_fails_fails_alone_and_leaves_nothing(address):
    with writing(address) as (database, writer):
        person = new_person(database)
        put(database, person, 3, (0, 1, 2))

        def breaks(connection):
            add_question(connection, Asked(0, person, 8, "balanced", (0, 1, 2)))
            raise ZeroDivisionError

        def misspells(connection):
            add_question(connection, Asked(0, person, 9, "balanced", (0, 1, 2)))
            connection.execute(text("SELECT nothing FROM nowhere"))

        go_on = threading.Event()

        async def together():
            first = asyncio.create_task(writer.do(lambda connection: go_on.wait()))
            jobs = [asking(person, 0), asking(person, 3), breaks, asking(person, 1), misspells, asking(person, 2)]
            tasks = [asyncio.create_task(writer.do(job)) for job in jobs]
            await asyncio.sleep(0.01)
            go_on.set()
            await first
            return await asyncio.gather(*tasks, return_exceptions=True)

        results = asyncio.run(together())
        assert [type(result).__name__ for result in results] == [
            "Asked",
            "IntegrityError",
            "ZeroDivisionError",
            "Asked",
            "OperationalError" if database.engine.dialect.name == "sqlite" else "ProgrammingError",
            "Asked",
        ]
        with database.engine.connect() as connection:
            assert [asked.position for asked, _ in load_questions(connection, person)] == [0, 1, 2, 3]
        assert writer.trouble is None


def test_the_same_answer_at_the_same_time_is_stored_once(address):
    with writing(address) as (database, writer):
        question = put(database, new_person(database), 0, (0, 1, 2))

        async def twice():
            return await asyncio.gather(*(writer.do(saying(question)) for _ in range(20)))

        assert sorted(asyncio.run(twice())) == [False] * 19 + [True]
        assert count(database) == 1


def test_closing_finishes_what_waits_and_takes_nothing_more(address):
    with writing(address) as (database, writer):
        person = new_person(database)

        async def end():
            waiting = [asyncio.create_task(writer.do(asking(person, position))) for position in range(50)]
            await asyncio.sleep(0)
            writer.close()
            writer.close()
            with pytest.raises(StorageError, match="is being closed"):
                await writer.do(asking(person, 99))
            return await asyncio.gather(*waiting)

        assert len(asyncio.run(end())) == 50
        assert count(database, schema.questions) == 50


def test_whoever_does_not_wait_any_more_disturbs_nobody(address):
    with writing(address) as (database, writer):
        person = new_person(database)

        async def impatient():
            gone = asyncio.create_task(writer.do(asking(person, 0)))
            await asyncio.sleep(0)
            gone.cancel()
            await writer.do(asking(person, 1))

        asyncio.run(impatient())
        leaving = asyncio.new_event_loop()
        leaving.run_until_complete(asyncio.wait([leaving.create_task(writer.do(asking(person, 2)))], timeout=0))
        for task in asyncio.all_tasks(leaving):
            task.cancel()
        leaving.run_until_complete(asyncio.sleep(0))
        leaving.close()
        assert asyncio.run(writer.do(asking(person, 3))).position == 3
        assert count(database, schema.questions) == 4


def test_constraints_are_the_callers_affair(address):
    with writing(address) as (_, writer), pytest.raises(IntegrityError):
        asyncio.run(writer.do(asking(99)))
