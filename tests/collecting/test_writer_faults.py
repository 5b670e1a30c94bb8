"""The writer of a file that is killed, full, locked or gone: what it said is stored is stored."""

import asyncio
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, select

from collecting.test_writer import asking, count, writing
from stored_study import new_person, read, served
from tete.collecting import connections, schema
from tete.collecting.people import add_question, load_questions
from tete.collecting.study import Asked
from tete.exceptions import StorageError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def test_every_commit_reaches_the_disk(address):
    with writing(address) as (_, writer):
        pragmas = ("synchronous", "journal_mode", "foreign_keys", "secure_delete")

        def ask(connection):
            return [connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() for pragma in pragmas]

        assert asyncio.run(writer.do(ask)) == [2, "wal", 1, 1]


KILLED = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[2])
from stored_study import served
from tete.collecting.people import add_answer, add_person, add_question
from tete.collecting.study import Asked
from tete.collecting.writer import Writer

async def visit(writer, number):
    person = (await writer.do(lambda connection: add_person(connection, "page", {}, number))).number
    position = 0
    while True:
        asked = Asked(0, person, position, "balanced", (0, 1, 2))
        question = (await writer.do(lambda connection: add_question(connection, asked))).number
        await writer.do(lambda connection: add_answer(connection, question, 0, (1,), False, None))
        os.write(1, f"{person} {question}\\n".encode())
        position += 1

async def main():
    with served(sys.argv[1]) as database:
        writer = Writer(database)
        await asyncio.gather(*(visit(writer, number) for number in range(30)))

asyncio.run(main())
"""


def test_what_was_acknowledged_survives_a_kill(address):
    acknowledged = []
    for after in (1, 40, 400, 1500):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(address), str(Path(__file__).parents[1])], stdout=subprocess.PIPE
        )
        lines = [process.stdout.readline() for _ in range(after)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.stdout.close()
        process.wait()
        acknowledged += [tuple(map(int, line.split())) for line in lines if line.endswith(b"\n")]
    with served(address) as database, database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        stored = connection.execute(
            select(schema.questions.c.person, schema.answers.c.question).join(
                schema.answers, schema.answers.c.question == schema.questions.c.number
            )
        ).all()
    assert len(acknowledged) >= 1941
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(map(tuple, stored))


def fill(writer, person, positions):
    """Results and errors of long questions that are asked one after the other."""

    async def ask_all():
        results = []
        for position in positions:
            asked = Asked(0, person, position, "balanced", tuple(range(10_000, 10_500)))
            try:
                results.append(await writer.do(lambda connection, asked=asked: add_question(connection, asked)))
            except StorageError as error:
                results.append(error)
        return results

    return asyncio.run(ask_all())


def test_a_full_database_loses_nothing_that_was_acknowledged_and_recovers(address):
    with writing(address) as (database, writer):
        person = new_person(database)
        database.engine.dispose()
        pages = [40]
        event.listen(
            database.engine,
            "connect",
            lambda connection, _: connection.execute(f"PRAGMA max_page_count = {pages[0]}"),
        )
        results = fill(writer, person, range(60))
        errors = [result for result in results if isinstance(result, StorageError)]
        assert 0 < len(errors) < 60
        assert {str(error) for error in errors} == {f"{address} cannot grow: the disk is full."}
        assert writer.trouble == str(errors[0])
        stored = [result.number for result in results if isinstance(result, Asked)]
        with database.engine.connect() as connection:
            assert [asked.number for asked, _ in load_questions(connection, person)] == stored
        pages[0] = 10_000
        database.engine.dispose()
        assert isinstance(fill(writer, person, [100])[0], Asked)
        assert writer.trouble is None


LIMITED = """
import asyncio, resource, sys
sys.path.insert(0, sys.argv[2])
from stored_study import new_person, served
from tete.collecting.people import add_question
from tete.collecting.study import Asked
from tete.collecting.writer import Writer
from tete.exceptions import StorageError

async def main():
    with served(sys.argv[1]) as database:
        person = new_person(database)
        writer = Writer(database)
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, unlimited[1]))
        stored, failed = 0, set()
        for position in range(150):
            asked = Asked(0, person, position, "balanced", tuple(range(10_000, 10_500)))
            try:
                await writer.do(lambda connection: add_question(connection, asked))
                stored += 1
            except StorageError as error:
                failed.add(str(error))
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        asked = Asked(0, person, 1000, "balanced", (0, 1, 2))
        await writer.do(lambda connection: add_question(connection, asked))
        print(stored + 1, writer.trouble, *failed, sep="|")
        writer.close()

asyncio.run(main())
"""


def test_files_that_may_not_grow_lose_nothing_that_was_acknowledged(address):
    """The system refuses writes beyond a size, as a quota does, also in the middle of a commit or a checkpoint."""
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, str(address), str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=True,
    )
    stored, trouble, *failed = result.stdout.strip().split("|")
    assert trouble == "None"
    assert len(failed) == 1
    assert failed[0].startswith(f"{address} cannot ")
    with read(address) as database:
        assert count(database, schema.questions) == int(stored)
        with database.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


@contextmanager
def small_disk():
    """A file system of 400 kB, where one may be mounted."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder]
        if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("needs the right to mount a file system")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def test_a_full_disk_loses_nothing_and_the_writer_goes_on_when_there_is_room():
    with small_disk() as folder:
        address = folder / "study.db"
        with writing(address) as (database, writer):
            person = new_person(database)
            (folder / "other file").write_bytes(bytes(150_000))
            results = fill(writer, person, range(150))
            failed = {str(result) for result in results if isinstance(result, StorageError)}
            stored = [result.number for result in results if isinstance(result, Asked)]
            assert failed == {f"{address} cannot grow: the disk is full."}
            assert stored
            (folder / "other file").unlink()
            assert isinstance(fill(writer, person, [1000])[0], Asked)
            assert writer.trouble is None
            with database.engine.connect() as connection:
                assert [asked.number for asked, _ in load_questions(connection, person)][:-1] == stored


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
connection.execute("SELECT count(*) FROM answers").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(address, statement):
    """Another process has the database in a transaction."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(address), statement],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def test_a_lock_of_another_program_is_said_and_the_writer_goes_on_after_it(address, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with writing(address) as (database, writer):
        person = new_person(database)
        with held(address, "BEGIN IMMEDIATE"):
            for _ in range(2):
                with pytest.raises(StorageError, match=rf"^{address} is locked by another program\.$"):
                    asyncio.run(writer.do(asking(person)))
            assert writer.trouble == f"{address} is locked by another program."
        asyncio.run(writer.do(asking(person)))
        assert writer.trouble is None
        assert count(database, schema.questions) == 1


def test_readers_do_not_stop_the_writer(address, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with writing(address) as (database, writer):
        person = new_person(database)
        with held(address, "BEGIN"):
            for position in range(3):
                asyncio.run(writer.do(asking(person, position)))
        assert count(database, schema.questions) == 3


def test_a_database_that_was_moved_away_is_not_written_to(address):
    with writing(address) as (database, writer):
        person = new_person(database)
        address.rename(address.with_name("other.db"))
        with pytest.raises(StorageError, match=r"study\.db was moved or deleted while it was in use\.$"):
            asyncio.run(writer.do(asking(person)))
        address.with_name("other.db").rename(address)
        asyncio.run(writer.do(asking(person)))
        assert count(database, schema.questions) == 1


def test_whatever_happens_to_the_connection_the_thread_lives_on(address):
    with writing(address) as (database, writer):
        person = new_person(database)

        def cut(connection):
            connection.connection.driver_connection.close()

        with pytest.raises(StorageError, match=r"study\.db cannot be used: Cannot operate on a closed database"):
            asyncio.run(writer.do(cut))
        asyncio.run(writer.do(asking(person)))
        assert writer.trouble is None
        assert count(database, schema.questions) == 1


def test_a_job_that_wants_to_end_the_process_ends_nothing(address):
    with writing(address) as (database, writer):
        person = new_person(database)
        with pytest.raises(StorageError):
            asyncio.run(writer.do(lambda connection: sys.exit(3)))
        asyncio.run(writer.do(asking(person)))
        assert count(database, schema.questions) == 1
