"""Ctrl-C ends a command, whatever its main thread is doing; see `tests/cli` for the commands themselves."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

STOPPED = "Error: Stopped. No file is left half-written.\n"
BEGIN = """
import ctypes, os, signal, sys, threading, time, weakref
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
from tete.core.interrupts import *
"""
BUSY = {
    "sleeping": "print('ready', flush=True); time.sleep(60)",
    "in a destructor": """
class Slow:
    def __del__(self):
        print('ready', flush=True)
        time.sleep(60)
Slow()
time.sleep(60)
""",
    "in a weakref callback": """
class Thing: pass
thing = Thing()
reference = weakref.ref(thing, lambda _: (print('ready', flush=True), time.sleep(60)))
del thing
time.sleep(60)
""",
    "in a callback from compiled code": """
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def slow(one, other):
    print('ready', flush=True)
    time.sleep(60)
    return 0
numbers = (ctypes.c_int * 2)(1, 0)
ctypes.CDLL(None).qsort(numbers, 2, 4, compare(slow))
""",
    "in compiled code": """
import hashlib
print('ready', flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # takes minutes, and looks at no signal
""",
    "catching everything": """
print('ready', flush=True)
while True:
    try:
        time.sleep(0.01)
    except BaseException:
        pass
""",
    "at the end of the interpreter": """
import atexit
atexit.register(lambda: (print('ready', flush=True), time.sleep(60)))
""",
    "leaving": """
import atexit
atexit.register(lambda: (print('ready', flush=True), time.sleep(60)))
leave(0)
""",
    "waiting for a thread": "threading.Thread(target=lambda: (print('ready', flush=True), time.sleep(60))).start()",
}


def interrupted(program, *, signals=1):
    """Run a program until it says that it is ready, then press Ctrl-C; its exit code and its errors."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", BEGIN + program], **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(signals):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        _, errors = process.communicate(timeout=30)
    return process.returncode, errors


@pytest.mark.parametrize("busy", BUSY.values(), ids=BUSY)
def test_it_ends_with_one_line_and_exit_code_130(busy):
    assert interrupted("end_at_ctrl_c()\n" + busy) == (130, STOPPED)


def test_the_library_leaves_the_signal_to_its_user():
    code, errors = interrupted("""
import tete
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(7)
""")
    assert (code, errors) == (7, "")


def test_who_handles_or_ignores_it_goes_on():
    program = "signal.signal(signal.SIGINT, signal.SIG_IGN); end_at_ctrl_c()\nprint('ready', flush=True); time.sleep(1)"
    assert interrupted(program) == (0, "")


def test_leaving_says_all_and_keeps_what_others_do_at_the_end(tmp_path):
    program = f"""
import atexit
atexit.register(lambda: Path({str(tmp_path / "done")!r}).touch())
end_at_ctrl_c()
print("said")
leave(7)
"""
    run = subprocess.run([sys.executable, "-c", BEGIN + program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (7, "said\n", "")
    assert (tmp_path / "done").exists()


def test_leaving_with_nowhere_to_say_it():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", BEGIN + "print('said'); leave(0)"]
        assert subprocess.run(command, stdout=full, check=False).returncode == 1


def test_what_is_half_done_is_undone_in_reverse_order(tmp_path):
    program = f"""
end_at_ctrl_c()
log = Path({str(tmp_path / "log")!r})
def note(text): log.write_text((log.read_text() if log.exists() else "") + text)
with undone_by_ctrl_c(lambda: note("finished before")):
    pass
with undone_by_ctrl_c(lambda: note("outer")), undone_by_ctrl_c(lambda: 1 / 0), undone_by_ctrl_c(lambda: note("inner ")):
    print("ready", flush=True)
    time.sleep(60)
"""
    assert interrupted(program) == (130, STOPPED)
    assert (tmp_path / "log").read_text() == "inner outer"


def test_a_short_step_is_not_cut_in_two_and_a_long_one_does_not_hold_it_up(tmp_path):
    for seconds, finished in ((0.4, True), (60, False)):
        program = f"""
end_at_ctrl_c()
with never_cut_in_two():
    print("ready", flush=True)
    time.sleep({seconds})
    Path({str(tmp_path)!r}, "done").touch()
time.sleep(60)
"""
        assert interrupted(program) == (130, STOPPED)
        assert (tmp_path / "done").exists() == finished
        (tmp_path / "done").unlink(missing_ok=True)


def test_the_second_ctrl_c_does_not_wait():
    program = """
end_at_ctrl_c()
with never_cut_in_two(), undone_by_ctrl_c(lambda: time.sleep(60)):
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
"""
    assert interrupted(program, signals=2) == (130, "")


def test_processes_started_in_a_sparing_block_do_not_get_it():
    program = """
import subprocess
with spared_from_ctrl_c():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"])
child.send_signal(signal.SIGINT)
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(child.wait())
"""
    assert interrupted(program) == (0, "")
