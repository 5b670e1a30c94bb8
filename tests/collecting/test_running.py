"""Servers as processes: how they start and end, what they survive, and what reaches them through a real socket."""

import json
import signal
import socket
import sqlite3
import threading
import time
from collections import Counter

import httpx
import pytest

from collecting_help import Process, served, text_items, until
from tete.collecting import connections, running
from tete.collecting.running import Setup
from tete.collecting.simulation import simulate
from tete.collecting.study import Study
from tete.exceptions import InvalidParameterError, StorageError

POST = b"POST /answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def start(server, ahead=3):
    return httpx.post(f"{server.people}start", json={"consent": True, "ahead": ahead}).json()


def answers_in(path):
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT question, revision, choice, undone FROM answers").fetchall()
    return Counter(
        (question, revision, "undo" if undone else choice and tuple(json.loads(choice)))
        for question, revision, choice, undone in rows
    )


def assert_nothing_is_lost(acknowledged, path):
    """Every acknowledged answer is stored, as it was given, and once."""
    stored = answers_in(path)
    given = {
        (question, revision, choice if choice in (None, "undo") else tuple(choice))
        for question, revision, choice in acknowledged
    }
    assert given
    assert given <= set(stored)
    assert set(stored.values()) == {1}
    assert len({(question, revision) for question, revision, _ in stored}) == len(stored)


def raw(server, message):
    """Send bytes, and read until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        reply = b""
        try:
            while part := connection.recv(2**16):
                reply += part
        except ConnectionResetError:
            pass
        return reply


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Process(tmp_path_factory.mktemp("study")) as server:
        yield server


class TestStart:
    def test_two_addresses_are_said_first(self, server):
        assert server.people == f"http://127.0.0.1:{server.port}/"
        assert server.researcher.startswith(f"{server.people}dashboard#token=")
        assert len(server.researcher.partition("=")[2]) >= 43  # 256 bits
        assert httpx.get(server.people).status_code == 200

    def test_the_database_is_private_and_holds_no_token(self, server):
        assert server.database.stat().st_mode & 0o777 == 0o600
        token = server.researcher.partition("=")[2].encode()
        for path in server.database.parent.iterdir():
            assert token not in path.read_bytes()

    def test_the_web_process_loads_nothing_heavy(self, server):
        start(server)
        with open(f"/proc/{server.process.pid}/maps") as maps:
            loaded = maps.read()
        assert not any(name in loaded for name in ("numpy", "pandas", "scipy", "sklearn", "numba"))

    def test_a_second_server_on_the_same_file_is_refused(self, server):
        with pytest.raises(
            RuntimeError, match=rf"study.db is in use by another tete collect \(process {server.process.pid}\)"
        ):
            Process(server.database.parent).start()
        assert httpx.get(server.people).status_code == 200

    def test_a_port_that_is_taken_is_said(self, server, tmp_path):
        setup = Setup(Study(), text_items(5), str(tmp_path / "other.db"), port=server.port)
        with pytest.raises(InvalidParameterError, match=f"`port` {server.port} is taken by another program"):
            running.run(setup, lambda _: None)
        assert not (tmp_path / "other.db").exists()

    @pytest.mark.parametrize(
        ("details", "sentence"),
        [
            (
                {"host": "0.0.0.0"},
                "`public_url` must be given where `host` is not this computer alone, got host '0.0.0.0'",
            ),
            ({"public_url": "study.example.org"}, "`public_url` must be an address such as https://study.example.org"),
            *(
                ({"public_url": url}, "`public_url` must be an address")
                for url in ("ftp://x.org", "https://", "https://[x", "https://x.org:99999", "https://a@x.org")
            ),
            ({"public_url": "https://example.org/below"}, "`public_url` must be an address"),
            ({"port": 70_000}, "`port` must be from 0 to 65535, got 70000"),
        ],
    )
    def test_what_cannot_be_served_is_said(self, details, sentence):
        with pytest.raises(InvalidParameterError, match=sentence):
            Setup(Study(), text_items(5), "study.db", **details)

    def test_hosts_that_are_not_here_are_said(self, tmp_path):
        setup = Setup(Study(), text_items(5), str(tmp_path / "study.db"), host="192.0.2.1", public_url="https://x.org")
        with pytest.raises(InvalidParameterError, match=r"`host` and `port` cannot be used, got '192.0.2.1'"):
            running.run(setup, lambda _: None)


class TestEnd:
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
    def test_it_ends_in_order(self, tmp_path, how):
        with Process(tmp_path) as server:
            start(server)
            said, complaints, code = server.end(how)
        assert (said, complaints, code) == ("", "", 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["study.db"]  # neither log nor lock is left

    def test_answers_on_their_way_are_acknowledged_or_sent_again(self, tmp_path):
        with Process(tmp_path) as server:
            result = []
            people = threading.Thread(target=lambda: result.append(simulate(server.people, people=20, patience=120.0)))
            people.start()
            time.sleep(0.5)
            server.end(signal.SIGTERM)
            server.start()
            people.join()
            server.end()
        assert result[0].finished == 20
        assert_nothing_is_lost(result[0].acknowledged, server.database)


class TestKilled:
    def test_no_acknowledged_answer_is_missing_and_none_is_doubled(self, tmp_path):
        with Process(tmp_path) as server:
            result = []
            visit = {"people": 20, "think": 0.15, "patience": 120.0}
            people = threading.Thread(target=lambda: result.append(simulate(server.people, **visit)))
            people.start()
            for _ in range(5):
                time.sleep(0.4)
                server.end(signal.SIGKILL)
                server.start()
            people.join()
            server.end()
        assert result[0].problems == {}
        assert result[0].finished == 20
        assert result[0].sent_again > 0
        assert_nothing_is_lost(result[0].acknowledged, server.database)

    def test_people_are_at_the_same_question_afterwards(self, tmp_path):
        with Process(tmp_path) as server:
            begun = start(server)
            headers = {"Authorization": f"Bearer {begun['person']}"}
            question = begun["questions"][0]
            body = {"question": question["question"], "revision": 0, "choice": [0], "ahead": 3}
            replied = httpx.post(f"{server.people}answer", json=body, headers=headers).json()
            server.end(signal.SIGKILL)
            server.start()
            resumed = httpx.get(f"{server.people}next?ahead=3", headers=headers).json()
            assert resumed["questions"] == replied["questions"]
            assert httpx.post(f"{server.people}answer", json=body, headers=headers).json()["duplicate"]


class TestSimulation:
    def test_it_ends_when_everybody_has_finished(self, tmp_path):
        setup = Setup(Study(per_person=12), text_items(20), str(tmp_path / "study.db"), port=0, simulate=5)
        said = []
        result = running.run(setup, said.append)
        assert (result["people"], result["finished"], result["problems"]) == (5, 5, {})
        assert [line.partition(":")[0] for line in said[:2]] == ["For people", "For the researcher"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["study.db"]


class TestSocket:
    def test_a_long_body_without_a_length_is_refused_before_it_ends(self, server):
        chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
        reply = raw(server, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 8)
        assert reply.startswith(b"HTTP/1.1 413")
        assert b"connection: close" in reply

    def test_a_long_body_is_refused_by_its_length(self, server):
        reply = raw(server, POST + b"Content-Length: 99999999\r\n\r\n" + b"x" * 100)
        assert reply.startswith(b"HTTP/1.1 413")

    @pytest.mark.parametrize(
        "path",
        [b"/static/../web_app.py", b"/static/..%2f..%2fweb_app.py", b"//etc/passwd", b"/media/../../study.db", b"/%00"],
    )
    def test_paths_lead_nowhere_else(self, server, path):
        reply = raw(server, b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert reply.startswith(b"HTTP/1.1 404")

    @pytest.mark.parametrize(
        "message",
        [
            b"\x16\x03\x01\x02\x00\x01",
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"G" * 100_000,
            b"GET / HTTP/1.1\r\n\r\n",
        ],
        ids=["TLS", "half", "version", "long", "no host"],
    )
    def test_noise_does_no_harm(self, server, message):
        reply = raw(server, message)
        assert not reply or reply.split()[1].startswith(b"4")
        assert httpx.get(server.people).status_code == 200

    def test_nothing_about_the_visitor_is_kept(self, server):
        httpx.get(server.people, headers={"User-Agent": "PECULIARBROWSER"})
        httpx.post(f"{server.people}start", json={}, headers={"User-Agent": "PECULIARBROWSER"})
        assert not any(b"PECULIARBROWSER" in path.read_bytes() for path in server.database.parent.iterdir())


class TestStorage:
    """Trouble that is real, in this process so that it can be made."""

    def test_a_database_that_another_program_locks(self, tmp_path, monkeypatch):
        monkeypatch.setattr(connections, "PATIENCE", 0.2)
        with served(tmp_path) as server:
            server.log_in()
            visitor = server.start()
            other = sqlite3.connect(tmp_path / "study.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            assert visitor.answer().status_code == 503
            assert server.state()["storage"].endswith("study.db is locked by another program.")
            other.execute("ROLLBACK")
            other.close()
            assert visitor.answer().json()["duplicate"] is False
            assert server.state()["storage"] is None

    def test_a_reader_who_takes_long_disturbs_nobody(self, tmp_path, monkeypatch):
        monkeypatch.setattr(connections, "PATIENCE", 0.2)
        with served(tmp_path) as server:
            visitor = server.start()
            other = sqlite3.connect(tmp_path / "study.db", isolation_level=None)
            other.execute("BEGIN")
            other.execute("SELECT * FROM people").fetchall()
            assert visitor.answer_all()["state"] == "finished"
            other.close()

    def test_a_full_disk(self, tmp_path):
        def fill_up(connection):
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1}")
            connection.exec_driver_sql(f"INSERT INTO study VALUES ('filler', '{'x' * 100_000}')")

        async def fill(server):
            with pytest.raises(StorageError):
                await server.writer.do(fill_up)

        with served(tmp_path) as server:
            server.log_in()
            visitor = server.start()
            server.client.wait_for(fill(server))
            assert server.writer.trouble.endswith("cannot grow: the disk is full.")
            assert server.state()["storage"].endswith("cannot grow: the disk is full.")
            assert visitor.answer_all()["state"] == "finished"
            assert server.state()["storage"] is None


def test_the_planner_ends_with_a_killed_server(tmp_path):
    with Process(tmp_path) as server:
        children = f"/proc/{server.process.pid}/task/{server.process.pid}/children"

        def planners():
            with open(children) as file:
                return [int(number) for number in file.read().split()]

        until(planners)
        (planner,) = planners()
        server.end(signal.SIGKILL)

        def is_gone():
            try:
                with open(f"/proc/{planner}/stat") as file:
                    return file.read().split()[2] == "Z"
            except FileNotFoundError:
                return True

        until(is_gone)
