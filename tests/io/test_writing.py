"""Writing keeps what a file is: its permissions, its owner, the link that leads to it."""

import os

import pytest

from tete.exceptions import InvalidFileError, InvalidParameterError, OutputExistsError
from tete.io import write_map
from tete.io.writing import atomic_write, check_distinct


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_overwriting_keeps_the_permissions(file, mode):
    path = file("mine", "map.csv")
    path.chmod(mode)
    write_map(path, [(0.0, 1.0)], force=True)
    assert path.read_text().startswith("object")
    assert path.stat().st_mode & 0o7777 == mode


def test_what_replaces_a_private_file_is_private_from_the_beginning(file, tmp_path):
    path = file("mine", "map.csv")
    path.chmod(0o640)
    with atomic_write(path, force=True):
        (part,) = tmp_path.glob(".map.csv*")
        assert part.stat().st_mode & 0o077 == 0


def test_overwriting_keeps_the_owner_where_that_is_allowed(file):
    path = file("mine", "map.csv")
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    before = path.stat()
    write_map(path, [(0.0, 1.0)], force=True)
    assert (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)


def test_links_are_followed(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "map.csv").symlink_to("far/real.csv")
    write_map(tmp_path / "map.csv", [(0.0, 1.0)])  # a link to nothing yet
    with pytest.raises(OutputExistsError, match=r"map\.csv exists already"):
        write_map(tmp_path / "map.csv", [(0.0, 2.0)])
    write_map(tmp_path / "map.csv", [(0.0, 2.0)], force=True)
    assert (tmp_path / "map.csv").is_symlink()
    assert (tmp_path / "far" / "real.csv").read_text() == "object,x,y\n0,0.0,2.0\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "map.csv", "real.csv"]


def test_a_link_to_itself_is_refused(tmp_path):
    (tmp_path / "map.csv").symlink_to("map.csv")
    with pytest.raises(OSError, match="Is a link that leads nowhere but to itself"):
        write_map(tmp_path / "map.csv", [(0.0, 1.0)], force=True)
    assert (tmp_path / "map.csv").is_symlink()


def test_a_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "map.csv")
    with pytest.raises(InvalidFileError, match=r"map\.csv is a device or a pipe, expected a file"):
        write_map(tmp_path / "map.csv", [(0.0, 1.0)], force=True)
    assert (tmp_path / "map.csv").is_fifo()


def test_two_names_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("map.csv")
    (tmp_path / "here").symlink_to(".")
    check_distinct(["map.csv", "trust.csv", "map.json"])
    for other in ("map.csv", "./map.csv", tmp_path / "map.csv", "link.csv", "here/map.csv", "MAP.csv"):
        with pytest.raises(InvalidParameterError, match=r"Outputs must be different files, got map\.csv and "):
            check_distinct(["map.csv", "trust.csv", other])
    with pytest.raises(InvalidParameterError, match="different files"):
        check_distinct(["caf\u00e9.csv", "cafe\u0301.csv"])
