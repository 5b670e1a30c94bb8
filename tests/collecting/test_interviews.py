"""Interviews beside each other and beside another server: memory is only a cache.

Also `collecting.interview_state`, one of them.
"""

import asyncio
from contextlib import contextmanager

import pytest
from sqlalchemy import select

from collecting_help import served, text_items
from tete.collecting import interviews as module
from tete.collecting import schema
from tete.collecting.asking import Asker
from tete.collecting.database import Database
from tete.collecting.interview_state import Reply
from tete.collecting.interviews import Interviews, RecentCount
from tete.collecting.refusals import RefusedError
from tete.collecting.study import Study
from tete.collecting.writer import Writer
from tete.exceptions import StorageError

STUDY = Study(per_person=8, practice=1, catch=1, repeat=2)


@contextmanager
def servers(folder, count):
    """So many servers of one database, as PostgreSQL allows them."""
    items = text_items(12)
    database = Database.create_or_open(str(folder / "study.db"), STUDY, items)
    writers = [Writer(database) for _ in range(count)]
    try:
        yield [Interviews(database, writer, Asker(STUDY, items, [0] * 12)) for writer in writers], database
    finally:
        for writer in writers:
            writer.close()
        database.close()


def reply_to(asked, choice=(0,), revision=0, undo=False):
    return Reply(asked.number, revision, choice, undo, 5.0)


def stored(database, table):
    with database.engine.connect() as connection:
        return connection.execute(select(table).order_by(table.c.number)).all()


class TestTwoServers:
    def test_an_answer_given_at_the_other_one_is_a_duplicate(self, tmp_path):
        async def visit(one, other):
            here = await one.start({}, "page")
            number = here.person.number
            (asked,) = await one.upcoming(here, 1)
            there = await other.find(number)
            assert await other.upcoming(there, 1) == [asked]
            assert (await one.answer(here, reply_to(asked), 1))[0] is False
            duplicate, upcoming = await other.answer(there, reply_to(asked, (1,)), 1)
            assert duplicate
            return upcoming == here.first_open(1) == there.first_open(1)

        with servers(tmp_path, 2) as ((one, other), database):
            assert asyncio.run(visit(one, other))
            assert [row.choice for row in stored(database, schema.answers)] == ["[0]"]

    def test_a_position_that_the_other_one_filled_is_read(self, tmp_path):
        async def visit(one, other):
            here = await one.start({}, "page")
            there = await other.find(here.person.number)  # before anything was asked
            first = await one.upcoming(here, 3)
            assert await other.upcoming(there, 3) == first
            duplicate, _ = await other.answer(there, reply_to(first[0]), 3)
            assert not duplicate

        with servers(tmp_path, 2) as ((one, other), database):
            asyncio.run(visit(one, other))
            assert [row.position for row in stored(database, schema.questions)] == [0, 1, 2, 3]

    def test_a_person_forgotten_meanwhile_is_unknown(self, tmp_path):
        async def visit(one):
            here = await one.start({}, "page")
            with database.writing.begin() as connection:
                connection.execute(schema.people.delete())
            with pytest.raises(RefusedError, match="Nobody has this key") as refused:
                await one.upcoming(here, 1)
            return refused.value.status

        with servers(tmp_path, 1) as ((one,), database):
            assert asyncio.run(visit(one)) == 401


class TestAtOnce:
    def test_the_same_answer_many_times_at_once_is_stored_once(self, tmp_path):
        async def visit(one):
            here = await one.start({}, "page")
            (asked,) = await one.upcoming(here, 1)
            return await asyncio.gather(*(one.answer(here, reply_to(asked), 2) for _ in range(20)))

        with servers(tmp_path, 1) as ((one,), database):
            results = asyncio.run(visit(one))
            assert sorted(duplicate for duplicate, _ in results) == [False] + [True] * 19
            assert all(upcoming == results[0][1] for _, upcoming in results)
            assert len(stored(database, schema.answers)) == 1
            assert len(stored(database, schema.questions)) == 3

    def test_the_same_identity_at_once_is_one_person(self, tmp_path):
        async def visit(one):
            return await asyncio.gather(*(one.start({"id": "7"}, "page") for _ in range(10)))

        with servers(tmp_path, 1) as ((one,), database):
            started = asyncio.run(visit(one))
            assert len({id(each) for each in started}) == 1
            assert len(stored(database, schema.people)) == 1

    def test_people_who_are_not_in_memory_any_more_go_on(self, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "KEPT", 2)

        async def visit(one):
            people = [await one.start({}, "page") for _ in range(5)]
            for _ in range(3):
                for person in people:
                    here = await one.find(person.person.number)
                    (asked,) = await one.upcoming(here, 1)
                    await one.answer(here, reply_to(asked), 1)
            return [(await one.find(person.person.number)).answered for person in people]

        with servers(tmp_path, 1) as ((one,), database):
            assert asyncio.run(visit(one)) == [2] * 5  # and one of practice
            assert len(stored(database, schema.answers)) == 15


class TestTrouble:
    def test_questions_that_could_not_be_stored_are_the_same_later(self, tmp_path):
        async def visit(one, writer):
            here = await one.start({}, "page")
            do = writer.do

            async def broken(job):
                raise StorageError("no")

            writer.do = broken
            for _ in range(3):
                with pytest.raises(StorageError):
                    await one.upcoming(here, 2)
            drawn = [asked.shown for asked in here.asked]
            assert here.first_open(9) == []
            writer.do = do
            return drawn, [asked.shown for asked in await one.upcoming(here, 2)]

        with served(tmp_path, study=STUDY) as server:
            drawn, asked = server.client.wait_for(visit(server.interviews, server.writer))
            assert drawn == asked

    def test_repeats_refer_to_stored_questions_however_many_are_drawn_at_once(self, tmp_path):
        async def visit(one):
            await one.upcoming(await one.start({}, "page"), 20)

        with servers(tmp_path, 1) as ((one,), database):
            asyncio.run(visit(one))
            questions = {row.number: row for row in stored(database, schema.questions)}
            repeats = [row for row in questions.values() if row.role == "repeat"]
            assert len(repeats) == 2
            for row in repeats:
                assert sorted(row.shown) == sorted(questions[row.repeats].shown)


def test_what_happened_in_the_last_minute(monkeypatch):
    clock = iter([1_000.0] * 3 + [1_030.0] * 2 + [1_061.0] + [*range(2_000, 2_200), 2_199])
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    recent = RecentCount()
    for _ in range(3):
        recent.add()
    recent.add()
    assert recent.last_minute() == 4
    assert recent.last_minute() == 1
    for _ in range(200):
        recent.add()
    assert recent.last_minute() == 60
