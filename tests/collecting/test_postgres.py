"""The tests of the store again, in PostgreSQL, and what only happens there.

Needs Debian's PostgreSQL, or TETE_POSTGRES with the address of a server where databases may be made.
"""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from collecting.test_answer_rows import *  # noqa: F403
from collecting.test_database import *  # noqa: F403
from collecting.test_forgetting import *  # noqa: F403
from collecting.test_people import *  # noqa: F403
from collecting.test_study_answers import *  # noqa: F403
from collecting.test_writer import *  # noqa: F403
from collecting.test_writer import asking, count, writing
from loopback import closed_port
from postgres_server import postgres_address, postgres_server, run_plainly  # noqa: F401  (fixtures)
from stored_study import new_person, put, served, some_items
from tete import read_study
from tete.collecting import connections, schema
from tete.collecting.database import Database
from tete.collecting.people import known_or_new_person
from tete.collecting.study import Study
from tete.collecting.writer import Writer
from tete.exceptions import InvalidFileError, InvalidParameterError, StorageError


@pytest.fixture
def address(postgres_address):  # noqa: F811  (the fixture)
    return postgres_address


def test_no_test_hides_another():
    """All were imported by their names."""
    modules = ("answer_rows", "database", "forgetting", "people", "study_answers", "writer")
    for module in modules:
        imported = __import__(f"collecting.test_{module}", fromlist=["*"])
        for name in dir(imported):
            if name.startswith("test_"):
                assert globals()[name] is getattr(imported, name)


def test_what_is_committed_is_on_the_disk_whatever_the_habit_of_the_server(address):
    with served(f"{address}%20-csynchronous_commit%3Doff") as database, database.engine.connect() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"


def test_several_servers_share_a_study(address):
    """They open it at the same time, and whoever starts at two of them at once is one person."""
    with ThreadPoolExecutor(4) as pool:
        databases = list(pool.map(lambda _: Database.create_or_open(address, Study(), some_items()), range(4)))
        assert len({database.study_id for database in databases}) == 1

        def start(database):
            with database.writing.begin() as connection:
                return known_or_new_person(connection, "page", {"id": "ann"}, 0).number

        for _ in range(5):
            assert len(set(pool.map(start, databases))) == 1
    assert count(databases[0], schema.people) == 1
    for database in databases:
        database.close()


def test_a_broken_connection_is_said_and_made_again(address):
    with writing(address) as (database, writer):
        person = new_person(database)
        asyncio.run(writer.do(asking(person, 0)))
        process = asyncio.run(
            writer.do(lambda connection: connection.execute(text("SELECT pg_backend_pid()")).scalar())
        )
        run_plainly(address, f"SELECT pg_terminate_backend({process}, 5000)")
        with pytest.raises(StorageError, match=r"(is being shut down\.|cannot be reached: .*\.)$"):
            asyncio.run(writer.do(asking(person, 1)))
        assert writer.trouble
        asyncio.run(writer.do(asking(person, 1)))
        assert writer.trouble is None
        assert count(database, schema.questions) == 2


def test_a_server_that_falls_and_rises_loses_nothing(postgres_server, address):  # noqa: F811
    with writing(address) as (database, writer):
        person = new_person(database)
        asyncio.run(writer.do(asking(person, 0)))
        postgres_server.stop()
        for _ in range(2):
            with pytest.raises(StorageError, match=r"(is being shut down\.|cannot be reached: .*\.)$"):
                asyncio.run(writer.do(asking(person, 1)))
        with pytest.raises(StorageError, match=r"cannot be reached: .*\.$"):
            database.state()
        postgres_server.start()
        asyncio.run(writer.do(asking(person, 1)))
        assert writer.trouble is None
        assert count(database, schema.questions) == 2


def test_a_locked_table_is_said_and_the_writer_goes_on_after_it(address, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with writing(address) as (database, writer):
        person = new_person(database)
        with database.engine.connect() as other:
            other.execute(text("LOCK TABLE questions IN EXCLUSIVE MODE"))
            with pytest.raises(StorageError, match=r"is locked by another program\.$"):
                asyncio.run(writer.do(asking(person)))
        asyncio.run(writer.do(asking(person)))
        assert writer.trouble is None


def test_a_server_that_is_not_there_is_named_without_its_password():
    address = f"postgresql://ann:secret@127.0.0.1:{closed_port()}/name"
    sentence = rf"^{re.escape(address.replace('secret', '***'))} cannot be reached: .*refused.*\.$"
    for opening in (Database.open_to_read, Database.open_to_change, read_study):
        with pytest.raises(StorageError, match=sentence):
            opening(address)
    with pytest.raises(StorageError, match=sentence), served(address):
        pass


def test_a_database_that_is_not_there_is_named(address):
    with pytest.raises(StorageError, match=r'cannot be reached: .*database "nowhere" does not exist'):
        read_study(f"{address.partition('?')[0].rpartition('/')[0]}/nowhere")


def test_an_address_has_a_form():
    with pytest.raises(
        InvalidParameterError, match="`database` must be an address such as postgresql://user@host/name"
    ):
        Database.open_to_read("postgresql://host:port/name")


def test_a_database_without_a_study_is_refused(address):
    with pytest.raises(InvalidFileError, match="is an empty database and no study"):
        read_study(address)


def test_tables_of_another_program_are_left_alone(address):
    run_plainly(address, "CREATE TABLE people (name text)")
    for opening in (lambda: served(address).__enter__(), lambda: read_study(address)):
        with pytest.raises(InvalidFileError, match="is a database, but not a study: another program made it"):
            opening()
    run_plainly(address, "DROP TABLE people")
    run_plainly(address, "CREATE TABLE unrelated (name text)")
    with served(address) as database:
        put(database, new_person(database), 0, (0, 1, 2))


def test_two_writers_store_one_answer_once(address):
    with writing(address) as (database, writer):
        other = Writer(database)
        question = put(database, new_person(database), 0, (0, 1, 2))

        async def both():
            return await asyncio.gather(*(each.do(saying(question)) for each in (writer, other) * 20))  # noqa: F405

        assert sorted(asyncio.run(both())) == [False] * 39 + [True]
        other.close()
