import os
import sqlite3

import pytest

from tete.collecting.database import Database
from tete.collecting.database_address import is_postgres, is_study, spoken
from tete.exceptions import InvalidFileError


@pytest.mark.parametrize(
    "address", ["postgresql://host/name", "postgresql+psycopg://a:b@host:5432/name", "postgres://host"]
)
def test_addresses_of_postgres_are_studies(address):
    assert is_postgres(address)
    assert is_study(address)


@pytest.mark.parametrize("name", ["study.db", "STUDY.DB", "a.sqlite", "b.sqlite3"])
def test_studies_are_known_by_their_extensions(name, tmp_path):
    assert is_study(tmp_path / name)
    assert not is_postgres(tmp_path / name)


def test_other_names_are_known_by_their_first_bytes(tmp_path):
    connection = sqlite3.connect(tmp_path / "study")
    connection.execute("CREATE TABLE a (b)")
    connection.close()
    (tmp_path / "answers.csv").write_text("anchor,near,far\n")
    assert is_study(tmp_path / "study")
    assert not any(is_study(other) for other in (tmp_path / "answers.csv", tmp_path, tmp_path / "missing.csv", "-"))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ann:se:cr@et@host:5432/name", "postgresql://ann:***@host:5432/name"),
        ("postgresql://ann:secret@host/name", "postgresql://ann:***@host/name"),
        ("postgresql://ann@host/name", "postgresql://ann@host/name"),
        ("postgresql://host/name?password=secret&user=ann", "postgresql://host/name?password=***&user=ann"),
        ("folder:with@signs/study.db", "folder:with@signs/study.db"),
    ],
)
def test_passwords_are_not_said(address, said):
    assert spoken(address) == said


def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "answers.csv")
    assert not is_study(tmp_path / "answers.csv")
    os.mkfifo(tmp_path / "study.db")
    for opening in (Database.open_to_read, Database.open_to_change):
        with pytest.raises(InvalidFileError, match="is not a plain file but a pipe or a device, expected a database"):
            opening(tmp_path / "study.db")
