"""Servers that share a study in PostgreSQL, and one that loses it for a while."""

import asyncio
import contextlib

import pytest
from sqlalchemy import func, select

from collecting_help import served, until
from postgres_server import postgres_address, postgres_server  # noqa: F401  (fixtures)
from tete.collecting import connections, running, schema


@pytest.fixture
def two(postgres_address):  # noqa: F811  (the fixture)
    """Two servers of one study."""
    with served(None, address=postgres_address) as one, served(None, address=postgres_address) as other:
        yield one, other


def count(server, table):
    with server.database.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_a_visit_that_changes_servers_with_every_answer(two):
    one, other = two
    visitor = one.start(identity={"id": "7"})
    assert other.start(identity={"id": "7"}).key == visitor.key
    clients = [other.client, one.client] * 20
    while visitor.held:
        visitor.client = clients.pop()
        assert visitor.answer().status_code == 200
    assert visitor.latest["state"] == "finished"
    assert count(one, schema.people) == 1
    assert count(one, schema.questions) == count(one, schema.answers) == 9


def test_an_answer_sent_to_both_is_stored_once(two):
    one, other = two
    visitor = one.start()
    visitor.client = other.client
    assert visitor.next().json()["questions"] == visitor.held
    replies = []
    for client in (one.client, other.client):
        visitor.client = client
        replies.append(visitor.send(question=visitor.held[0]["question"], revision=0, choice=[1]).json()["duplicate"])
    assert replies == [False, True]
    assert count(one, schema.answers) == 1


def test_the_same_identity_at_both_at_once_is_one_person(two):
    async def start(server):
        return (await server.interviews.start({"PROLIFIC_PID": "abc"}, "page")).person.number

    started = [asyncio.run_coroutine_threadsafe(start(server), server.client.loop) for server in two * 5]
    assert len({each.result(30) for each in started}) == 1


def test_what_one_pauses_the_other_pauses(two, monkeypatch):
    monkeypatch.setattr(running, "STATE_SECONDS", 0.01)
    one, other = two
    other.log_in()
    other.control("pause")

    async def follow():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(running.follow_state(one.interviews, one.database), 0.5)

    one.client.wait_for(follow())
    assert one.client.get("/study").json()["state"] == "paused"


def test_the_dashboard_counts_forgets_and_exports(two):
    one, other = two
    for server in two:
        server.start(identity={"id": str(id(server))}).answer_all()
    one.token = other.token  # the latest one is everybody's
    for server in two:
        server.log_in()
        assert server.state()["answers"]["total"] == 16
    assert len(one.client.get("/dashboard/answers.csv").text.splitlines()) == 1 + 14
    assert one.control("forget", person=1).status_code == 200
    assert one.state()["people"]["started"] == 1


def test_a_database_that_is_away_for_a_while(postgres_server, monkeypatch):  # noqa: F811
    address = f"{postgres_server.address}?application_name=alone"
    monkeypatch.setattr(connections, "PATIENCE", 1.0)
    with served(None, address=address) as server:
        visitor = server.start()
        server.log_in()
        server.state()
        postgres_server.stop()
        try:
            reply = visitor.answer()
            assert reply.status_code == 503
            assert server.writer.trouble
            assert server.state()["storage"]
            assert server.state()["people"]["started"] == 1  # as it was known before
            server.client.cookies.clear()
            assert server.client.get("/dashboard/state").status_code == 401
        finally:
            postgres_server.start()
        until(lambda: visitor.answer().status_code == 200)
        assert visitor.answer_all()["state"] == "finished"
        assert server.writer.trouble is None
        server.log_in()
        assert server.state()["storage"] is None
