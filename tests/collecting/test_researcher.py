"""The dashboard: who may see it, what it shows, what it does.

Also `collecting.downloads`.
"""

import csv
import io

import pytest
from sqlalchemy import select

from collecting_help import served
from tete.collecting import schema
from tete.collecting.study import Study
from tete.exceptions import StorageError


@pytest.fixture
def server(tmp_path):
    with served(tmp_path) as server:
        yield server


def events(server):
    with server.database.engine.connect() as connection:
        return [row.kind for row in connection.execute(select(schema.events).order_by(schema.events.c.number))]


PROTECTED = ["/dashboard/state", "/dashboard/answers.csv", "/dashboard/everything.csv", "/dashboard/map"]


class TestToken:
    @pytest.mark.parametrize("path", PROTECTED)
    def test_nothing_is_seen_without_it(self, server, path):
        assert server.client.get(path).status_code == 401
        server.client.cookies.set(f"tete_researcher_{server.database.study_id}", "guess")
        assert server.client.get(path).status_code == 401

    def test_nothing_is_done_without_it(self, server):
        reply = server.control("close")
        assert reply.status_code == 401
        assert server.client.get("/study").json()["state"] == "open"

    def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(self, server):
        cookie = server.log_in().headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/dashboard" in cookie
        assert "Secure" not in cookie
        assert server.state()["state"] == "open"

    def test_with_tls_it_goes_nowhere_else(self, tmp_path):
        url = "https://study.example.org"
        with served(tmp_path, public_url=url, origin=url) as server:
            assert "Secure" in server.log_in().headers["set-cookie"]

    @pytest.mark.parametrize("token", ["", "x", "x" * 200, "é"])
    def test_other_tokens_are_refused(self, server, token):
        reply = server.client.post("/dashboard/login", json={"token": token})
        assert reply.status_code == 401
        assert "set-cookie" not in reply.headers

    def test_a_changed_token_is_refused(self, server):
        for token in (server.token[:-1], server.token + "=", server.token.swapcase()):
            assert server.client.post("/dashboard/login", json={"token": token}).status_code == 401

    @pytest.mark.parametrize("body", [{}, {"token": 3}, {"token": None}, {"token": "x" * 201}, {"key": "x"}])
    def test_strange_logins_are_refused(self, server, body):
        assert server.client.post("/dashboard/login", json=body).status_code == 400

    def test_guessing_is_slow(self, server):
        statuses = [server.client.post("/dashboard/login", json={"token": "x"}).status_code for _ in range(20)]
        assert 429 in statuses

    def test_a_person_s_key_opens_nothing(self, server):
        visitor = server.start()
        assert server.client.get("/dashboard/state", headers=visitor.headers).status_code == 401

    def test_the_token_of_the_last_start_is_void(self, server):
        server.log_in()
        server.database.renew_token()
        assert server.client.get("/dashboard/state").status_code == 401


class TestState:
    def test_all_of_it(self, server):
        server.start().answer_all()
        server.start()
        server.log_in()
        state = server.state()
        assert set(state) == {
            *("title", "state", "question", "n_items", "people", "answers", "median_ms", "mentions", "each"),
            *("planner", "findings", "storage", "has_map", "addresses"),
        }
        assert state["answers"]["per_minute"] == 8
        assert state["answers"]["total"] == 8
        assert state["question"] == "triplet"
        assert state["n_items"] == 12
        assert state["median_ms"] == 800.5
        assert state["mentions"]["median"] >= state["mentions"]["least"]
        assert state["planner"]["state"] == "starting"
        assert (state["storage"], state["has_map"], state["findings"]) == (None, False, None)
        assert [one["status"] for one in state["each"]] == ["finished", "active"]

    def test_trouble_is_said_and_over_when_it_is_over(self, server, monkeypatch):
        server.log_in()
        visitor = server.start()
        server.writer.trouble = "study.db cannot grow: the disk is full."
        assert server.state()["storage"] == "study.db cannot grow: the disk is full."
        visitor.answer()
        assert server.state()["storage"] is None

    def test_what_was_counted_is_shown_while_nothing_can_be_read(self, server, monkeypatch):
        server.log_in()
        server.start()
        assert server.state()["people"]["started"] == 1

        def broken(_):
            raise StorageError("study.db cannot be reached.")

        monkeypatch.setattr("tete.collecting.live_counts.LiveCounts.refresh", broken)
        state = server.state()
        assert (state["people"]["started"], state["storage"]) == (1, "study.db cannot be reached.")


class TestControl:
    def test_states_are_stored(self, server):
        server.log_in()
        for action, state in (("pause", "paused"), ("open", "open"), ("close", "closed")):
            assert server.control(action).json() == {"done": True}
            assert server.state()["state"] == server.database.state() == state
        assert events(server) == ["paused", "opened", "closed"]

    def test_excluding_is_reversible_and_people_notice_nothing(self, server):
        visitor = server.start()
        server.log_in()
        server.control("exclude", person=1)
        state = server.state()
        assert state["each"][0]["excluded"]
        assert state["people"]["excluded"] == 1
        assert visitor.answer().json()["state"] == "asking"
        server.control("include", person=1)
        assert not server.state()["each"][0]["excluded"]
        assert events(server) == ["excluded", "included"]

    def test_a_forgotten_person_is_gone(self, server, tmp_path):
        visitor = server.start(identity={"PROLIFIC_PID": "SECRETNAME"})
        visitor.answer()
        server.log_in()
        assert server.control("forget", person=1).json() == {"done": True}
        assert visitor.next().status_code == 401
        assert events(server) == ["forgotten"]
        assert not any(b"SECRETNAME" in path.read_bytes() for path in tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"action": "explode"}, 400),
            ({"action": 3}, 400),
            ({}, 400),
            ({"action": "exclude"}, 400),
            ({"action": "exclude", "person": "1"}, 400),
            ({"action": "exclude", "person": 7}, 404),
            ({"action": "include", "person": 2**60}, 400),
            ({"action": "forget", "person": 7}, 404),
        ],
        ids=str,
    )
    def test_strange_orders_are_refused(self, server, body, status):
        server.log_in()
        reply = server.client.post("/dashboard/control", json=body)
        assert reply.status_code == status
        assert reply.json()["error"].endswith(".")
        assert events(server) == []

    def test_the_researcher_hears_what_is_wrong(self, server, monkeypatch):
        server.log_in()

        async def broken(_):
            raise StorageError("study.db cannot grow: the disk is full.")

        monkeypatch.setattr(server.writer, "do", broken)
        reply = server.control("pause")
        assert (reply.status_code, reply.json()) == (503, {"error": "study.db cannot grow: the disk is full."})
        assert server.client.get("/study").json()["state"] == "open"


class TestDownloads:
    def test_answers_while_people_answer(self, server):
        server.start(identity={"PROLIFIC_PID": "SECRETNAME"}).answer_all()
        server.log_in()
        reply = server.client.get("/dashboard/answers.csv")
        assert reply.headers["content-type"].startswith("text/csv")
        assert reply.headers["content-disposition"] == 'attachment; filename="answers.csv"'
        rows = list(csv.DictReader(io.StringIO(reply.text)))
        assert len(rows) == 7  # all but practice and catch
        assert {row["annotator"] for row in rows} == {"p0001"}
        everything = server.client.get("/dashboard/everything.csv")
        assert len(list(csv.DictReader(io.StringIO(everything.text)))) == 9
        assert "SECRETNAME" not in reply.text + everything.text

    def test_what_goes_wrong_is_said(self, server, monkeypatch):
        server.log_in()
        monkeypatch.setattr("tete.collecting.downloads.sys.executable", "/bin/false")
        reply = server.client.get("/dashboard/answers.csv")
        assert (reply.status_code, reply.json()["error"]) == (503, "The answers could not be written: exit code 1.")


class TestMap:
    def test_it_is_shown_where_it_can_do_nothing(self, server, tmp_path):
        server.log_in()
        assert server.client.get("/dashboard/map").status_code == 404
        server.watch.page = tmp_path / "map.html"
        assert server.client.get("/dashboard/map").status_code == 404  # not written yet
        server.watch.page.write_text("<!DOCTYPE html>")
        reply = server.client.get("/dashboard/map")
        assert reply.text == "<!DOCTYPE html>"
        (policy,) = reply.headers.get_list("content-security-policy")
        assert policy.startswith("sandbox allow-scripts")
        assert "allow-same-origin" not in policy
        assert "frame-ancestors 'self'" in policy
        assert server.state()["has_map"]


def test_two_studies_on_one_computer_have_cookies_of_their_own(tmp_path):
    cookies = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with served(tmp_path / name, study=Study(per_person=8, catch=0, repeat=0)) as server:
            cookies.append(server.log_in().headers["set-cookie"].partition("=")[0])
    assert cookies[0] != cookies[1]
