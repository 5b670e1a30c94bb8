"""A PostgreSQL to test with: the one that TETE_POSTGRES names, or Debian's programs on a folder that is thrown away."""

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import pytest

from loopback import closed_port

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
NUMBERS = count(1)


class ThrowAwayServer:
    """Runs on a loopback port until `remove`. Refuses to run as the superuser, so another user runs it for him."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tete-postgres-"))
        self.programs = INSTALLED[-1].parent
        self.port = closed_port()
        self.address = f"postgresql://tete@127.0.0.1:{self.port}/postgres"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "--auth=trust", "--username=tete", "--encoding=UTF8", "--no-sync", "--locale=C.UTF-8")
        self.start()

    def run(self, program, *arguments):
        command = [str(self.programs / program), f"--pgdata={self.folder}/data", *arguments]
        user = {"user": "postgres", "group": "postgres", "extra_groups": ()} if os.geteuid() == 0 else {}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **user)

    def start(self):
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self.run("pg_ctl", "--wait", f"--log={self.folder}/log", f"--options={options}", "start")

    def stop(self):
        self.run("pg_ctl", "--wait", "--mode=immediate", "stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)


@pytest.fixture(scope="session")
def postgres_server():
    """A server of our own, which may be stopped."""
    if not INSTALLED:
        pytest.skip("needs Debian's package postgresql")
    pytest.importorskip("psycopg", reason="needs psycopg")
    server = ThrowAwayServer()
    yield server
    server.remove()


@pytest.fixture
def postgres_address(request):
    """The address of a new, empty schema: a database each would take seconds."""
    server = os.environ.get("TETE_POSTGRES") or request.getfixturevalue("postgres_server").address
    name = f"tete_{os.getpid()}_{next(NUMBERS)}"
    run_plainly(server, f"CREATE SCHEMA {name}")
    yield f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"
    run_plainly(server, f"DROP SCHEMA {name} CASCADE")


def run_plainly(address, statement):
    """Without anything of ours."""
    psycopg = pytest.importorskip("psycopg", reason="needs psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)
