"""The interface of people and programs, in this process: what it gives, what it stores, what it refuses.

Also `collecting.question_text`, which writes what it gives, `collecting.person_keys`, which says to whom,
`collecting.json_text`, which reads what it takes, and `collecting.refusals`.
"""

import json
import time

import pytest
from sqlalchemy import func, select

from collecting_help import served, text_items
from tete.collecting import schema
from tete.collecting.person_keys import key_of, number_of
from tete.collecting.study import QuestionKind, Study
from tete.exceptions import StorageError


def count(server, table, **where):
    conditions = [table.c[name] == value for name, value in where.items()]
    with server.database.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one()


def rows(server, table):
    with server.database.engine.connect() as connection:
        return connection.execute(select(table).order_by(table.c.number)).all()


@pytest.fixture
def server(tmp_path):
    with served(tmp_path) as server:
        yield server


class TestVisit:
    def test_nothing_is_stored_before_somebody_starts(self, server):
        about = server.client.get("/study").json()
        assert about["question"] == {"kind": "triplet", "choices": 2, "picks": 1, "ranked": False, "anchor": True}
        assert (about["practice"], about["questions"], about["state"]) == (1, 8, "open")
        assert about["study"] == server.database.study_id
        assert about["texts"]["start"] == "Start"
        assert count(server, schema.people) == count(server, schema.events) == 0

    def test_a_whole_visit(self, server):
        visitor = server.start()
        assert visitor.latest["state"] == "asking"
        assert visitor.latest["previous"] is None
        assert (visitor.latest["answered"], visitor.latest["total"], visitor.latest["practice_left"]) == (0, 8, 1)
        assert [question["position"] for question in visitor.held] == [0, 1]
        assert visitor.held[0]["practice"]
        for answered in [0, *range(1, 9)]:  # practice is not counted
            reply = visitor.answer().json()
            assert reply["acknowledged"]
            assert not reply["duplicate"]
            assert (reply["answered"], reply["practice_left"]) == (answered, 0)
        assert reply["state"] == "finished"
        assert reply["questions"] == []
        assert reply["completion"] == {"code": "", "link": ""}
        assert count(server, schema.questions) == count(server, schema.answers) == 9
        assert count(server, schema.events, kind="finished") == 1

    def test_the_code_comes_with_the_last_answer_and_not_before(self, tmp_path):
        study = Study(per_person=2, practice=0, catch=0, repeat=0, completion_code="C1", completion_link="https://x/")
        with served(tmp_path, study=study) as server:
            visitor = server.start()
            assert visitor.answer().json()["completion"] is None
            assert visitor.answer().json()["completion"] == {"code": "C1", "link": "https://x/"}
            assert visitor.next().json()["completion"] == {"code": "C1", "link": "https://x/"}

    def test_only_practice_says_what_is_right(self, server):
        visitor = server.start(ahead=9)
        assert [("right" in question) for question in visitor.held] == [True] + [False] * 8
        assert all("role" not in question for question in visitor.held)

    def test_items_are_as_the_study_has_them(self, server):
        question = server.start().held[1]
        for item in (question["anchor"], *question["choices"]):
            number = item["item"]
            expected = {"item": number, "kind": "text", "text": f"Text {number}", "label": f"item{number}"}
            assert item == expected

    def test_a_reload_resumes_at_the_same_question(self, server):
        visitor = server.start()
        visitor.answer()
        visitor.answer()
        reply = visitor.next().json()
        assert reply["questions"] == visitor.held
        assert reply["previous"]["question"] == visitor.previous["question"]
        assert reply["previous"]["revision"] == 1

    def test_after_a_restart_everything_is_as_it_was(self, tmp_path):
        with served(tmp_path) as server:
            visitor = server.start(identity={"PROLIFIC_PID": "somebody"})
            visitor.answer()
            visitor.answer()
        with served(tmp_path) as server:
            visitor.client = server.client
            reply = visitor.next().json()
            assert reply["questions"] == visitor.held
            assert reply["answered"] == 1
            again = server.start(identity={"PROLIFIC_PID": "somebody"})
            assert again.key == visitor.key
            assert again.held == visitor.held
            assert visitor.answer_all()["state"] == "finished"
            assert count(server, schema.people) == 1

    def test_consent_is_asked_for(self, tmp_path):
        with served(tmp_path, study=Study(consent="Do you?")) as server:
            reply = server.client.post("/start", json={"consent": False})
            assert reply.status_code == 409
            assert reply.json() == {"error": "This study needs your consent."}
            assert count(server, schema.people) == 0
            assert server.client.post("/start", json={"consent": True}).status_code == 200

    def test_identities_are_kept_apart_from_everything_else(self, server):
        server.start(identity={"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "t", "id": ""})
        with server.database.engine.connect() as connection:
            kept = {row.field: row.value for row in connection.execute(select(schema.identities))}
        assert kept == {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "t"}

    def test_people_without_an_identity_are_new_people(self, server):
        assert server.start().key != server.start().key

    def test_events_are_stored(self, server):
        visitor = server.start()
        assert visitor.send("/event", kind="focus lost", detail={"ms": 12}).json() == {"acknowledged": True}
        (event,) = rows(server, schema.events)
        assert (event.kind, json.loads(event.detail), event.person) == ("focus lost", {"ms": 12}, 1)

    def test_who_withdraws_is_asked_nothing_more(self, server):
        visitor = server.start()
        assert visitor.send("/event", kind="withdrew").status_code == 200
        assert visitor.next().json()["state"] == "withdrew"
        assert visitor.next().json()["questions"] == []
        assert visitor.answer().status_code == 403

    def test_few_items_end_the_questions_early(self, tmp_path):
        with served(tmp_path, items=3) as server:
            visitor = server.start()
            assert visitor.answer_all()["state"] == "finished"
            assert visitor.latest["answered"] == visitor.latest["total"] < 8


class TestRevisions:
    def test_an_answer_is_stored_once_however_often_it_is_sent(self, server):
        visitor = server.start()
        body = {"question": visitor.held[0]["question"], "revision": 0, "choice": [1], "ms": 5, "ahead": 2}
        first, second = visitor.send(**body).json(), visitor.send(**body).json()
        assert not first["duplicate"]
        assert second["duplicate"]
        assert second["questions"] == first["questions"]
        assert count(server, schema.answers) == 1

    def test_another_choice_for_a_stored_revision_changes_nothing(self, server):
        visitor = server.start()
        body = {"question": visitor.held[0]["question"], "revision": 0}
        visitor.send(**body, choice=[1])
        assert visitor.send(**body, choice=[0]).json()["duplicate"]
        assert [row.choice for row in rows(server, schema.answers)] == ["[1]"]

    def test_undo_asks_the_question_again(self, server):
        visitor = server.start()
        visitor.answer()
        visitor.answer()
        undone = visitor.previous["question"]
        reply = visitor.send(question=undone, revision=1, undo=True, ahead=2, after=visitor.held[-1]["position"]).json()
        assert reply["answered"] == 0
        upcoming = visitor.next().json()["questions"]
        assert (upcoming[0]["question"], upcoming[0]["revision"]) == (undone, 2)
        assert visitor.send(question=undone, revision=2, choice=[1]).json()["answered"] == 1
        stored = [(row.question, row.revision, row.choice, row.undone) for row in rows(server, schema.answers)]
        assert stored[1:] == [(undone, 0, "[0]", False), (undone, 1, None, True), (undone, 2, "[1]", False)]

    def test_an_undo_that_is_sent_twice_is_stored_once(self, server):
        visitor = server.start()
        visitor.answer()
        body = {"question": visitor.previous["question"], "revision": 1, "undo": True}
        assert [visitor.send(**body).json()["duplicate"] for _ in range(2)] == [False, True]

    def test_only_the_last_answer_can_be_undone(self, server):
        visitor = server.start()
        first = visitor.held[0]["question"]
        visitor.answer()
        visitor.answer()
        assert visitor.send(question=first, revision=1, undo=True).status_code == 409
        assert visitor.send(question=visitor.held[0]["question"], revision=0, undo=True).status_code == 409

    def test_cannot_say_is_an_answer(self, server):
        visitor = server.start()
        visitor.answer()
        assert visitor.answer(choice=None).json()["answered"] == 1
        last = rows(server, schema.answers)[-1]
        assert (last.choice, last.undone, last.ms) == (None, False, 800.5)

    def test_an_undone_last_answer_opens_a_finished_interview(self, server):
        visitor = server.start()
        visitor.answer_all()
        reply = visitor.send(question=visitor.previous["question"], revision=1, undo=True).json()
        assert (reply["state"], reply["answered"], reply["completion"]) == ("asking", 7, None)
        reply = visitor.send(question=visitor.previous["question"], revision=2, choice=[0]).json()
        assert reply["state"] == "finished"

    @pytest.mark.parametrize(
        ("details", "sentence"),
        [
            ({"choice": []}, "`choice` must have 1 different place(s), got []."),
            ({"choice": [0, 1]}, "`choice` must have 1 different place(s), got [0, 1]."),
            ({"choice": [2]}, "`choice` must have places from 0 to 1, got [2]."),
            ({"choice": [-1]}, "`choice` must have places from 0 to 1, got [-1]."),
            ({"revision": 1}, "Question 1 expects revision 0, got 1."),
            ({"question": 99}, "Question 99 was not put to this person."),
        ],
    )
    def test_what_does_not_fit_the_question_is_refused(self, server, details, sentence):
        reply = server.start().answer(**details)
        assert (reply.status_code, reply.json()) == (409, {"error": sentence})
        assert count(server, schema.answers) == 0

    def test_ranked_picks_need_different_places(self, tmp_path):
        with served(tmp_path, study=Study(question=QuestionKind.parse("pick:2of4:ranked"), practice=0)) as server:
            visitor = server.start()
            assert visitor.answer(choice=(1, 1)).status_code == 409
            assert visitor.answer(choice=(3, 1)).status_code == 200
            assert rows(server, schema.answers)[0].choice == "[3,1]"

    def test_odd_one_out_has_no_anchor(self, tmp_path):
        with served(tmp_path, study=Study(question=QuestionKind.parse("odd-one-out"))) as server:
            question = server.start().held[0]
            assert question["anchor"] is None
            assert len(question["choices"]) == 3


class TestFetchingAhead:
    def test_only_questions_that_the_browser_does_not_hold_are_sent(self, server):
        visitor = server.start(ahead=3)
        assert [question["position"] for question in visitor.answer(ahead=3).json()["questions"]] == [3]
        assert [question["position"] for question in visitor.answer(ahead=5).json()["questions"]] == [4, 5, 6]
        assert visitor.answer(ahead=2).json()["questions"] == []

    def test_asking_again_issues_nothing_new(self, server):
        visitor = server.start(ahead=3)
        assert visitor.next(ahead=3).json()["questions"] == visitor.held
        assert count(server, schema.questions) == 3

    @pytest.mark.parametrize("ahead", ["0", "21", "-1", "x", "9" * 5000, "²"])
    def test_how_many_is_limited(self, server, ahead):
        assert server.start().next(ahead=ahead).status_code == 400


class TestPrograms:
    def test_both_orders_are_asked_and_refer_to_each_other(self, tmp_path):
        study = Study(per_person=6, practice=2, catch=0, repeat=0)
        with served(tmp_path, study=study) as server:
            judge = server.start(source="model:eyes", ahead=12)
            assert not any(question["practice"] for question in judge.held)
            judge.answer_all()
            asked = rows(server, schema.questions)
            assert len(asked) == 12
            for first, second in zip(asked[::2], asked[1::2], strict=True):
                assert second.role == "swapped"
                assert second.repeats == first.number
                anchor, one, other = json.loads(first.shown)
                assert json.loads(second.shown) == [anchor, other, one]

    @pytest.mark.parametrize("source", ["model:", "robot", "", 3, "model:" + "x" * 100])
    def test_sources_have_a_form(self, server, source):
        assert server.client.post("/start", json={"source": source}).status_code == 400


class TestKeys:
    def test_each_key_is_of_one_person(self):
        assert number_of(b"secret", key_of(b"secret", 7)) == 7
        assert len(key_of(b"secret", 7).partition(".")[2]) == 32

    @pytest.mark.parametrize(
        "key",
        [
            "",
            "7",
            "7.",
            ".",
            "x.y",
            "-7.abc",
            "9" * 400 + ".abc",
            "\u0667.abc",
            "7." + "A" * 32,
            "7.é",
            "07." + "A" * 32,
        ],
    )
    def test_others_are_none(self, key):
        assert number_of(b"secret", key) is None

    def test_a_changed_key_is_unknown(self, server):
        visitor = server.start()
        for key in (visitor.key[:-1], visitor.key[:-1] + "~", "2" + visitor.key[1:], "", key_of(b"other", 1)):
            visitor.key = key
            reply = visitor.next()
            assert (reply.status_code, reply.json()) == (401, {"error": "Nobody has this key."})

    def test_a_key_of_nobody_is_unknown(self, server):
        key = key_of(server.database.secret, 12)
        assert server.client.get("/next", headers={"Authorization": f"Bearer {key}"}).status_code == 401

    def test_questions_of_others_cannot_be_answered(self, server):
        one, other = server.start(), server.start()
        reply = other.send(question=one.held[0]["question"], revision=0, choice=[0])
        assert reply.status_code == 409
        assert count(server, schema.answers) == 0

    @pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer a b c", "1.abc"])
    def test_keys_come_in_one_form(self, server, header):
        assert server.client.get("/next", headers={"Authorization": header}).status_code == 401


class TestBodies:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"[]",
            b"3",
            b"null",
            b'"text"',
            b"\xff\xfe",
            b"[" * 16_000,
            b'{"question":' * 1_300,
            b'{"question": NaN}',
            b'{"question": 1' + b"0" * 5_000 + b"}",
            b'{"question": 1e999, "revision": 0, "choice": [0]}',
            b'{"question": -1, "revision": 0, "choice": [0]}',
            b'{"question": true, "revision": 0, "choice": [0]}',
            b'{"question": "1", "revision": 0, "choice": [0]}',
            b'{"question": 1.0, "revision": 0, "choice": [0]}',
            b'{"question": 1, "revision": null, "choice": [0]}',
            b'{"question": 1, "revision": 0}',
            b'{"question": 1, "revision": 0, "choice": 0}',
            b'{"question": 1, "revision": 0, "choice": [0.5]}',
            b'{"question": 1, "revision": 0, "choice": [true]}',
            b'{"question": 1, "revision": 0, "choice": [null]}',
            b'{"question": 1, "revision": 0, "choice": {"0": 1}}',
            b'{"question": 1, "revision": 0, "choice": [0], "ms": "5"}',
            b'{"question": 1, "revision": 0, "choice": [0], "ms": -1}',
            b'{"question": 1, "revision": 0, "choice": [0], "ms": Infinity}',
            b'{"question": 1, "revision": 0, "choice": [0], "ms": 1e308}',
            b'{"question": 1, "revision": 0, "choice": [0], "undo": 1}',
            b'{"question": 1, "revision": 0, "choice": [0], "ahead": 1000}',
            b'{"question": 1, "revision": 0, "choice": [0], "after": "all"}',
            b'{"question": 1, "revision": 0, "choice": [0], "surprise": 1}',
        ],
        ids=lambda body: body[:60].decode("latin-1") + str(len(body)),
    )
    def test_bad_answers_get_one_sentence_and_store_nothing(self, server, body):
        visitor = server.start()
        headers = {**visitor.headers, "Content-Type": "application/json"}
        reply = server.client.post("/answer", content=body, headers=headers)
        assert reply.status_code == 400
        assert reply.json()["error"].endswith(".")
        assert "\n" not in reply.json()["error"]
        assert count(server, schema.answers) == 0
        assert visitor.answer().status_code == 200

    @pytest.mark.parametrize(
        "body",
        [
            {"identity": []},
            {"identity": {"email": "a@b"}},
            {"identity": {"id": 3}},
            {"identity": {"id": "x" * 201}},
            {"identity": {"id": "a\0b"}},
            {"identity": {"id": "\ud800"}},
            {"consent": "yes"},
        ],
        ids=repr,
    )
    def test_bad_starts_store_nobody(self, server, body):
        content = json.dumps(body).encode()
        reply = server.client.post("/start", content=content, headers={"Content-Type": "application/json"})
        assert reply.status_code == 400
        assert count(server, schema.people) == 0

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"kind": "paused"},
            {"kind": 3},
            {"kind": "break", "detail": 3},
            {"kind": "break", "detail": {"x": "y" * 1_000}},
        ],
        ids=lambda body: repr(body)[:40],
    )
    def test_bad_events_are_refused(self, server, body):
        assert server.start().send("/event", **body).status_code == 400
        assert count(server, schema.events) == 0

    def test_surprising_texts_are_only_texts(self, tmp_path):
        items = list(text_items(4))
        evil = "</script><script>alert(1)</script>\u2028\"'\\\n"
        items[0] = type(items[0])(0, evil, "text", evil, evil, None, "")
        with served(tmp_path, items=tuple(items)) as server:
            shown = [
                item for question in server.start(ahead=8).held for item in question["choices"] if item["item"] == 0
            ]
            assert shown
            assert shown[0]["text"] == shown[0]["label"] == evil


class TestLimits:
    def test_one_person_cannot_ask_too_often(self, server):
        visitor = server.start()
        replies = [visitor.next() for _ in range(140)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert refused
        assert refused[0].headers["retry-after"] == "1"
        assert refused[0].json()["error"] == "Too many requests of one person: wait a moment and try again."
        assert server.start().next().status_code == 200  # others notice nothing

    def test_starts_are_limited(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tete.collecting.web_app.STARTS", (0.001, 3))
        with served(tmp_path) as server:
            statuses = [server.client.post("/start", json={"consent": True}).status_code for _ in range(4)]
            assert statuses == [200, 200, 200, 429]


class TestTrouble:
    def test_what_cannot_be_stored_is_not_acknowledged_and_can_be_sent_again(self, server, monkeypatch):
        visitor = server.start()
        held = list(visitor.held)
        do = server.writer.do

        async def full(job):
            raise StorageError("study.db cannot grow: the disk is full.")

        monkeypatch.setattr(server.writer, "do", full)
        for _ in range(2):
            reply = visitor.answer()
            assert reply.status_code == 503
            assert reply.headers["retry-after"]
            assert "study.db" not in reply.text  # where it is kept is not for people
        monkeypatch.setattr(server.writer, "do", do)
        assert visitor.held == held
        assert visitor.answer().json()["questions"][0]["position"] == 2
        assert count(server, schema.answers) == 1
        assert [row.position for row in rows(server, schema.questions)] == [0, 1, 2]

    def test_a_clock_that_is_set_back_changes_nothing(self, server, monkeypatch):
        visitor = server.start()
        visitor.answer()
        now = time.time_ns()
        monkeypatch.setattr("tete.collecting.schema.time.time_ns", lambda: now - 10**9 * 86_400 * 400)
        assert visitor.answer_all()["state"] == "finished"
        visitor.send(question=visitor.previous["question"], revision=1, undo=True)
        server.interviews.forget(1)  # what is read from the database is the same as what was in memory
        reply = visitor.next().json()
        assert (reply["state"], reply["answered"]) == ("asking", 7)
        assert reply["questions"][0]["question"] == visitor.previous["question"]
        received = [row.received for row in rows(server, schema.answers)]
        assert received[1] < received[0]

    def test_a_mistake_in_the_server_is_one_sentence(self, server, monkeypatch):
        monkeypatch.setattr(server.interviews, "find", None)
        reply = server.client.get("/next", headers={"Authorization": f"Bearer {key_of(server.database.secret, 1)}"})
        assert reply.status_code == 500
        assert reply.json() == {"error": "Something went wrong in the server; it was not your mistake."}


class TestPausing:
    @pytest.mark.parametrize(("action", "state"), [("pause", "paused"), ("close", "closed")])
    def test_issued_questions_are_still_answered_but_no_others_come(self, server, action, state):
        visitor = server.start(ahead=3)
        server.log_in()
        server.control(action)
        for _ in range(3):
            reply = visitor.answer(ahead=3)
            assert (reply.status_code, reply.json()["state"], reply.json()["questions"]) == (200, state, [])
        assert visitor.next().json()["state"] == state
        assert count(server, schema.questions) == 3
        server.control("open")
        visitor.take(visitor.next().json())
        assert visitor.answer_all()["state"] == "finished"

    def test_nobody_new_starts_a_closed_study(self, server):
        known = server.start(identity={"id": "7"})
        server.log_in()
        server.control("close")
        assert server.client.get("/study").json()["state"] == "closed"
        reply = server.client.post("/start", json={"consent": True})
        assert (reply.status_code, reply.json()) == (403, {"error": "This study is closed."})
        assert server.start(identity={"id": "7"}).key == known.key

    def test_who_has_finished_still_sees_the_end_of_a_closed_study(self, tmp_path):
        with served(tmp_path, items=3) as server:  # fewer questions than planned: only choosing the next one shows it
            visitor = server.start()
            visitor.answer_all()
            server.log_in()
            server.control("close")
        with served(tmp_path, items=3) as server:
            visitor.client = server.client
            assert visitor.next().json()["state"] == "finished"

    def test_a_paused_study_lets_people_in_and_wait(self, server):
        server.log_in()
        server.control("pause")
        visitor = server.start()
        assert (visitor.latest["state"], visitor.held) == ("paused", [])
        server.control("open")
        assert visitor.next().json()["state"] == "asking"


class TestAddresses:
    @pytest.mark.parametrize("path", ["/static/../web_app.py", "/static/%2e%2e/web_app.py", "/static/", "/static/x.js"])
    def test_only_the_package_s_own_files_are_served(self, server, path):
        assert server.client.get(path).status_code == 404

    def test_unknown_addresses_and_methods(self, server):
        reply = server.client.get("/nothing")
        assert (reply.status_code, reply.json()) == (404, {"error": "There is nothing at this address."})
        reply = server.client.get("/answer")
        assert (reply.status_code, reply.json()) == (405, {"error": "This address does not take this method."})
        assert server.client.request("DELETE", "/next").status_code == 405
        assert (
            server.client.request("OPTIONS", "/answer", headers={"Origin": "https://evil.example"}).status_code == 405
        )

    def test_the_page_is_served_whatever_its_address_says(self, server):
        reply = server.client.get("/?PROLIFIC_PID=abc&STUDY_ID=def")
        assert reply.status_code == 200
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert server.client.get("/", headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
