"""Studies in files: private, found, refused and left alone; also `collecting.connections`."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from stored_study import new_person, read, served, some_items
from tete.collecting import connections
from tete.collecting.database import Database
from tete.collecting.study import Study
from tete.exceptions import InvalidFileError, StorageError


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


def test_two_studies_differ(tmp_path):
    with served(tmp_path / "one.db") as one, served(tmp_path / "other.db") as other:
        assert one.study_id != other.study_id
        assert one.secret != other.secret


def test_names_of_files_may_be_anything(tmp_path):
    address = tmp_path / "a study?mode=ro&%41#b \udcff ☕.db"
    with served(address) as database:
        new_person(database)
        assert {path.name for path in tmp_path.iterdir()} == {
            address.name + suffix for suffix in ("", "-wal", "-shm", "-lock")
        }
    assert [path.name for path in tmp_path.iterdir()] == [address.name]


def test_items_know_their_files_also_when_the_folder_moves(tmp_path):
    (tmp_path / "study" / "items").mkdir(parents=True)
    picture, elsewhere = tmp_path / "study" / "items" / "a.png", tmp_path / "b.png"
    picture.touch()
    elsewhere.touch()
    items = [
        replace(item, kind="image", file=file, media_type="image/png")
        for item, file in zip(some_items("ab"), (picture, elsewhere), strict=True)
    ]
    Database.create_or_open(tmp_path / "study" / "study.db", Study(), items).close()
    (tmp_path / "study").rename(tmp_path / "moved")
    with read(tmp_path / "moved" / "study.db") as database:
        assert [item.file for item in database.items] == [tmp_path / "moved" / "items" / "a.png", elsewhere]
        assert [item.media_type for item in database.items] == ["image/png"] * 2
    elsewhere.unlink()
    with read(tmp_path / "moved" / "study.db") as database:
        assert database.items[1].file is None


def test_files_are_private(address):
    before = os.umask(0)
    try:
        with served(address) as database:
            new_person(database)
            files = list(address.parent.iterdir())
            assert len(files) == 4
            assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        address.chmod(0o644)
        with served(address), read(address):
            assert {stat.S_IMODE(path.stat().st_mode) for path in address.parent.iterdir()} == {0o600}
    finally:
        os.umask(before)


SECOND = """
import sys
sys.path.insert(0, sys.argv[2])
from stored_study import served
with served(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_second_server_is_refused_until_the_first_one_ends_however_it_ends(address):
    process = subprocess.Popen(
        [sys.executable, "-c", SECOND, str(address), str(Path(__file__).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"open\n"
    message = rf"^{re.escape(str(address))} is in use by another tete collect \(process {process.pid}\)\.$"
    with pytest.raises(StorageError, match=message), served(address):
        pass
    with pytest.raises(StorageError, match=message):
        Database.open_to_change(address)
    with read(address) as reader:
        assert reader.study_id
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    with served(address):
        pass


@pytest.mark.parametrize("opening", [Database.open_to_read, Database.open_to_change])
def test_a_study_that_is_not_there_is_named_and_not_made(address, opening):
    with pytest.raises(FileNotFoundError) as caught:
        opening(address)
    assert caught.value.filename == str(address)
    assert list(address.parent.iterdir()) == []


def test_a_folder_is_no_database(tmp_path):
    for opening in (Database.open_to_read, Database.open_to_change, served):
        with pytest.raises(IsADirectoryError), opening(tmp_path):
            pass


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="folder to write to"), served(tmp_path / "no" / "study.db"):
        pass


def text_file(path):
    path.write_text("anchor,near,far\n" * 100)


def other_program(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE study (title TEXT)")
    connection.commit()
    connection.close()


def other_program_with_the_same_columns(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE study (key TEXT, value TEXT)")
    connection.execute("INSERT INTO study VALUES ('schema_version', 'one')")
    connection.commit()
    connection.close()


def cut_off(path):
    with served(path):
        pass
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path):
    with served(path):
        pass
    content = bytearray(path.read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (text_file, "is no SQLite database."),
        (other_program, "is a database, but not a study: another program made it."),
        (other_program_with_the_same_columns, "is a database, but not a study: another program made it."),
        (cut_off, "is damaged."),
        (overwritten, "is damaged."),
    ],
)
def test_what_is_no_study_is_refused_in_one_sentence_and_left_as_it_is(address, make, message):
    make(address)
    address.chmod(0o644)
    content = address.read_bytes()
    for opening in (Database.open_to_read, Database.open_to_change, served):
        with pytest.raises((InvalidFileError, StorageError)) as caught, opening(address):
            pass
        assert str(caught.value) == f"{address} {message}"
    assert address.read_bytes() == content
    assert stat.S_IMODE(address.stat().st_mode) == 0o644
    assert list(address.parent.iterdir()) == [address]


def test_an_empty_file_can_become_a_study_and_is_none_before(address):
    address.touch()
    with pytest.raises(InvalidFileError, match="is an empty database and no study"), read(address):
        pass
    with served(address) as database:
        assert len(database.items) == 9


def test_a_study_is_read_where_nothing_may_be_written(open_folder, request):
    with served(open_folder / "study.db") as database:
        new_person(database)
    (open_folder / "study.db").chmod(0o444)
    open_folder.chmod(0o555)
    request.addfinalizer(lambda: open_folder.chmod(0o755))
    request.getfixturevalue("ordinary_user")
    with read(open_folder / "study.db") as database:
        assert database.state() == "open"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can make files of others")
def test_somebody_elses_file_is_refused_by_its_name(open_folder, request):
    with served(open_folder / "study.db"):
        pass
    request.getfixturevalue("ordinary_user")
    with pytest.raises(PermissionError) as caught, read(open_folder / "study.db"):
        pass
    assert caught.value.filename == str(open_folder / "study.db")


def test_reading_leaves_no_other_files(address):
    with served(address):
        pass
    with read(address):
        pass
    assert list(address.parent.iterdir()) == [address]


def test_a_lock_while_a_study_is_opened_is_said(address, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.1)
    with served(address):
        pass
    other = sqlite3.connect(address, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"study.db is locked by another program\.$"), served(address):
        pass
    other.close()
    with served(address):
        pass
