"""`tete collect` as a process of its own, and the judge of the documentation, who answers it."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import tete

DOCUMENT = Path(__file__).parents[1] / "docs" / "collect.md"


class Served:
    """A running study: its process, and what it said until it was ready."""

    def __init__(self, process):
        self.process = process
        self.said = {}
        while "for_the_researcher" not in self.said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            self.said |= json.loads(line)
        self.address = self.said["for_people"].rstrip("/")

    def get(self, path):
        with urlopen(self.address + path, timeout=30) as answer:
            return answer.read()

    def stop(self, how=signal.SIGINT):
        """End it, and return what it said last."""
        self.process.send_signal(how)
        said, complaints = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, complaints
        assert "Traceback" not in complaints
        return json.loads(said.splitlines()[-1])


@contextmanager
def serving(folder, *arguments):
    """Serve a study from a folder at any free port."""
    process = start(folder, *arguments, "--port", "0", "--json")
    try:
        yield Served(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def start(folder, *arguments):
    source = str(Path(tete.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "tete", "collect", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(folder, *arguments):
    """The exit code, what was said and what was complained of, when it has ended by itself."""
    process = start(folder, *arguments)
    said, complaints = process.communicate(timeout=120)
    return process.returncode, said, complaints.strip()


def refused(folder, *arguments):
    """The exit code and the sentence of a study that cannot be served."""
    code, said, complaints = finished(folder, *arguments)
    assert said == ""
    return code, complaints


def documented_judge():
    """The functions of the example in the documentation."""
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)
    names = {}
    exec(compile(block, str(DOCUMENT), "exec"), names)
    return names
