import os
import re
import subprocess
import sys

import pytest

from tete.collecting.server_lock import ServerLock
from tete.exceptions import StorageError


def test_a_lock_is_held_once_and_given_back(tmp_path):
    first = ServerLock(tmp_path / "study.db")
    message = f"^{re.escape(str(tmp_path))}/study.db is in use by another tete collect \\(process {os.getpid()}\\)\\.$"
    with pytest.raises(StorageError, match=message):
        ServerLock(tmp_path / "study.db")
    other = ServerLock(tmp_path / "other.db")
    first.release()
    first.release()
    assert not (tmp_path / "study.db-lock").exists()
    ServerLock(tmp_path / "study.db").release()
    other.release()


def test_what_a_dead_process_left_behind_is_no_lock(tmp_path):
    program = (
        "import os, pathlib, sys; from tete.collecting.server_lock import ServerLock;"
        "ServerLock(pathlib.Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path / "study.db")], check=False)
    assert ended.returncode == -9
    assert (tmp_path / "study.db-lock").exists()
    ServerLock(tmp_path / "study.db").release()


def test_children_do_not_keep_the_lock(tmp_path):
    lock = ServerLock(tmp_path / "study.db")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        lock.release()
        ServerLock(tmp_path / "study.db").release()
        child.communicate(b"\n")


def test_of_many_who_want_it_at_once_one_gets_it(tmp_path):
    program = (
        "import pathlib, sys, time\n"
        "from tete.collecting.server_lock import ServerLock\n"
        "from tete.exceptions import StorageError\n"
        "got = 0\n"
        "while got < 50:\n"
        "    try:\n"
        "        lock = ServerLock(pathlib.Path(sys.argv[1]))\n"
        "    except StorageError:\n"
        "        time.sleep(0.001)\n"
        "        continue\n"
        "    inside = pathlib.Path(sys.argv[1] + '-inside')\n"
        "    inside.open('x').close()\n"  # fails if anybody else is inside
        "    inside.unlink()\n"
        "    lock.release()\n"
        "    got += 1\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "study.db")]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
