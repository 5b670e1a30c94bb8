import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tete.experiments.processes import processes


def note(folder, number):
    (folder / str(number)).write_text(str(os.getpid()))
    time.sleep(0.05)


def divide(number):
    return 1 / number


def vanish():
    os._exit(3)


def is_running(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(number):
    deadline = time.monotonic() + 30
    while is_running(number) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(number)


def test_all_tasks_are_done_by_as_many_processes_as_were_asked_for(tmp_path):
    with processes(2) as pool:
        assert list(pool.completed(note, [(tmp_path, number) for number in range(20)])) == [None] * 20
        assert list(pool.completed(note, [(tmp_path, 20)])) == [None]  # fewer tasks than processes
        assert list(pool.completed(note, [])) == []
    workers = {int((tmp_path / str(number)).read_text()) for number in range(21)}
    assert len(workers) == 2
    assert os.getpid() not in workers
    assert all(gone(number) for number in workers)


def test_an_error_arrives_and_the_processes_end():
    with pytest.raises(ZeroDivisionError), processes(2) as pool:
        list(pool.completed(divide, [(1,), (0,), (1,)]))


class StubbornError(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def resist():
    raise StubbornError("salt", "pepper")


def test_an_error_that_cannot_be_sent_is_told():
    with pytest.raises(RuntimeError, match="StubbornError: salt and pepper"), processes(1) as pool:
        list(pool.completed(resist, [()]))


def test_a_process_that_vanishes_is_said():
    with pytest.raises(ChildProcessError, match="A process ended before its work"), processes(2) as pool:
        list(pool.completed(vanish, [()]))


PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
from tete.core.interrupts import end_at_ctrl_c
from tete.experiments.processes import processes
if __name__ == "__main__":
    end_at_ctrl_c()
    with processes(2) as pool:
        print(*(process.pid for process in __import__("multiprocessing").active_children()), flush=True)
        for _ in pool.completed(time.sleep, [(60,), (60,)]):
            pass
"""


@pytest.mark.parametrize("delay", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_none_is_left_behind_and_none_complains(tmp_path, sent, code, delay):
    """As a terminal does, Ctrl-C goes to all processes at once; kill goes to the first."""
    (tmp_path / "program.py").write_text(PROGRAM)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, tmp_path / "program.py"]
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        children = [int(number) for number in process.stdout.readline().split()]
        time.sleep(delay)
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)
        else:
            process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == ("Error: Stopped. No file is left half-written.\n" if sent == signal.SIGINT else "")
    assert len(children) == 2
    assert all(gone(child) for child in children)


HALF = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from half import write_half
from tete.core.interrupts import end_at_ctrl_c
from tete.experiments.processes import processes
if __name__ == "__main__":
    end_at_ctrl_c()
    with processes(2) as pool:
        for _ in pool.completed(write_half, [(sys.argv[1], number) for number in range(2)]):
            pass
"""
WRITE_HALF = """
import os, time
from tete.io.writing import atomic_write
def write_half(folder, number):
    with atomic_write(f"{folder}/{number}.csv") as stream:
        os.write(1, b"writing\\n")
        time.sleep(60)
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_what_they_are_writing_is_not_left_either(tmp_path, sent, code):
    (tmp_path / "half.py").write_text(WRITE_HALF)
    (tmp_path / "program.py").write_text(HALF)
    (tmp_path / "out").mkdir()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, tmp_path / "program.py", tmp_path / "out"]
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["writing\n"] * 2
        assert len(list((tmp_path / "out").iterdir())) == 2
        process.send_signal(sent)
        process.communicate(timeout=60)  # the pipes are open until the last process has ended
    assert process.returncode == code
    assert list((tmp_path / "out").iterdir()) == []
