"""Simulated people answer through HTTP as the page does, also when replies are lost: `collecting.http_client`."""

import asyncio
import json
import sys

import pytest

from pretended_server import PretendedServer
from tete.collecting import simulation
from tete.collecting.http_client import Client, RefusedError, UnreachableError
from tete.collecting.simulation import simulate


@pytest.mark.parametrize("kind", ["triplet", "odd-one-out", "pick:2of4:ranked"])
def test_everybody_finishes_and_every_answer_is_stored(kind):
    with PretendedServer(kind, per_person=30) as server:
        result = simulate(server.address, people=8, seed=3)
    assert (result.people, result.finished, result.problems) == (8, 8, {})
    assert {(question, revision): choice for question, revision, choice in result.acknowledged} == server.stored
    assert len(server.questions) == 8 * 33
    assert server.duplicates == 0
    plain = result.to_json()
    assert plain["answers"] == len(server.stored) >= 8 * 33
    assert 0 < plain["p50_ms"] <= plain["p95_ms"] <= plain["p99_ms"]
    assert 0.5 < plain["agreement"] < 1.0


def test_lost_replies_are_sent_again_and_stored_once():
    with PretendedServer(per_person=30, loses=0.1) as server:
        result = simulate(server.address, people=5, seed=3)
    assert (result.finished, result.problems) == (5, {})
    assert server.duplicates > 0
    assert result.sent_again >= server.duplicates
    assert {(question, revision): choice for question, revision, choice in result.acknowledged} == server.stored


def test_people_of_the_same_seed_go_on():
    with PretendedServer(per_person=12) as server:
        simulate(server.address, people=3, seed=3)
        stored = dict(server.stored)
        again = simulate(server.address, people=4, seed=3)
    assert again.finished == 4
    assert len(server.people) == 4
    assert len(again.acknowledged) == len(server.stored) - len(stored)


def test_a_closed_study_is_a_problem_with_its_sentence():
    with PretendedServer(per_person=12) as server:
        server.state = "closed"
        result = simulate(server.address, people=3)
    assert (result.people, result.problems) == (0, {"403: This study is closed.": 3})


def ask(address, *message, **settings):
    async def talk():
        async with Client(address, **settings) as client:
            return await client.request(*(message or ("GET", "/study")))

    return asyncio.run(talk())


def test_a_busy_server_is_asked_again():
    with PretendedServer() as server:
        server.busy = 2
        assert ask(server.address) == {"question": {"picks": 1}}
        server.busy = 1000
        with pytest.raises(UnreachableError, match=r"GET /study got no answer in 0 s \(The disk is full.\)"):
            ask(server.address, patience=0.2)


def test_nobody_there_is_said_in_the_end():
    with PretendedServer() as server:
        address = server.address
    with pytest.raises(UnreachableError, match=r"GET /study got no answer in 0 s \(ConnectionRefusedError"):
        ask(address, patience=0.2)


def test_refusals_are_not_repeated():
    with PretendedServer() as server:
        server.state = "closed"
        with pytest.raises(RefusedError, match="403: This study is closed") as refused:
            ask(server.address, "POST", "/start", {})
    assert refused.value.status == 403


def test_as_a_program(monkeypatch, capsys):
    monkeypatch.setattr(simulation, "SAY_EVERY", 0.02)
    with PretendedServer(per_person=12) as server:
        monkeypatch.setattr(sys, "argv", ["simulation"])
        simulation.main(server.address, "people=4", "think=0.01", "seed=2")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) > 1
    assert lines[-1]["finished"] == 4
    assert set(lines[0]) == {"people", "finished", "answers"}
