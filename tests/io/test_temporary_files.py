"""What killed runs leave is found and removed, what others are writing is not."""

import os
import signal
import subprocess
import sys

import pytest

from tete.io.temporary_files import new_temporary, remove_abandoned
from tete.io.writing import atomic_write

WRITING = """
import sys, time
from tete.io.writing import atomic_write
with atomic_write(sys.argv[1], force=True) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writing_run():
    """Start another process that writes to a file and does not come to an end."""
    started = []

    def start(path):
        process = subprocess.Popen([sys.executable, "-c", WRITING, path], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


def write(path, content=b"new"):
    with atomic_write(path, force=True) as stream:
        stream.write(content)


def test_the_next_run_removes_what_a_killed_one_left(tmp_path, writing_run):
    (tmp_path / "map.csv").write_text("old")
    run = writing_run(tmp_path / "map.csv")
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert (tmp_path / "map.csv").read_text() == "old"
    assert len(parts(tmp_path)) == 1
    write(tmp_path / "other.csv")
    assert len(parts(tmp_path)) == 1  # another file's
    write(tmp_path / "map.csv")
    assert parts(tmp_path) == []


def test_it_leaves_alone_what_a_living_run_writes(tmp_path, writing_run):
    writing_run(tmp_path / "map.csv")
    before = parts(tmp_path)
    write(tmp_path / "map.csv")
    assert parts(tmp_path) == before != []


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path):
    with atomic_write(tmp_path / "a", force=True) as one, atomic_write(tmp_path / "a", force=True) as other:
        one.write(b"one")
        other.write(b"other")
    assert (tmp_path / "a").read_bytes() == b"one"  # the last to end
    assert parts(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["x" * 255, "é" * 127 + "x", "図" * 85, "🦣" * 63, "a\nb", b"\xff\xfe".decode("utf-8", "surrogateescape")]
)
def test_long_and_strange_names(tmp_path, name):
    descriptor, temporary = new_temporary(tmp_path / name)
    os.close(descriptor)
    assert len(os.fsencode(temporary.name)) < 144  # the least that file systems in use allow
    write(tmp_path / name)
    assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [os.fsencode(name)]


def test_names_alike_at_the_beginning_are_told_apart(tmp_path):
    os.close(new_temporary(tmp_path / ("x" * 200))[0])
    remove_abandoned(tmp_path / ("x" * 201))
    assert len(parts(tmp_path)) == 1
    remove_abandoned(tmp_path / ("x" * 200))
    assert parts(tmp_path) == []


def test_links_and_pipes_with_such_a_name_stay(tmp_path):
    descriptor, temporary = new_temporary(tmp_path / "a")
    os.close(descriptor)
    temporary.unlink()
    (tmp_path / "mine").write_text("mine")
    temporary.symlink_to(tmp_path / "mine")
    remove_abandoned(tmp_path / "a")
    assert (tmp_path / "mine").read_text() == "mine"
    assert parts(tmp_path) == [temporary.name]
