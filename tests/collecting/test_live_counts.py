"""The dashboard's numbers against the same numbers counted from all rows at once."""

import json
import random
import threading

import pytest
from sqlalchemy import select

from collecting_help import served, text_items
from tete.collecting import live_counts, schema
from tete.collecting.live_counts import LiveCounts
from tete.collecting.study import QuestionKind, Study


@pytest.fixture
def server(tmp_path):
    with served(tmp_path, items=20, study=Study(per_person=16, practice=2, catch=3, repeat=3)) as server:
        yield server


def about(server, counts=None):
    counts = counts or LiveCounts(server.database, server.asker.study)
    counts.refresh()
    return counts.about(lambda _: 1.0, {})


def wander(server, visitor, rng, steps):
    """Answer, undo, and say that one cannot say, at random."""
    for _ in range(steps):
        if visitor.previous is not None and rng.random() < 0.2:
            revision = visitor.previous["revision"] + 1
            reply = visitor.send(question=visitor.previous["question"], revision=revision, undo=True, ms=None)
            assert reply.status_code == 200
            visitor.held.insert(0, visitor.previous | {"revision": revision + 1})
            visitor.previous = None
        elif visitor.held:
            choice = None if rng.random() < 0.1 else (rng.randrange(2),)
            assert visitor.answer(choice=choice, ms=rng.choice([100.0, 500.0, 900.0, None])).status_code == 200


def expected_of(server, person):
    """Counts of one person, from all rows."""
    with server.database.engine.connect() as connection:
        questions = {row.number: row for row in connection.execute(select(schema.questions)) if row.person == person}
        latest = {}
        for row in connection.execute(select(schema.answers).order_by(schema.answers.c.revision)):
            latest[row.question] = row
    effective = {number: row for number, row in latest.items() if number in questions and not row.undone}
    real = [row for number, row in effective.items() if questions[number].role != "practice"]
    times = [row.ms for row in real if row.ms is not None]
    catch = [row for row in real if questions[row.question].role == "catch"]

    def chosen(row):
        shown = json.loads(questions[row.question].shown)[1:]
        return None if row.choice is None else {shown[place] for place in json.loads(row.choice)}

    pairs = [
        (row, effective[questions[row.question].repeats])
        for row in real
        if questions[row.question].role == "repeat" and questions[row.question].repeats in effective
    ]
    return {
        "answered": len(real),
        "fast": sum(ms < 400 for ms in times) / len(times) if times else None,
        "catch": {"right": sum(row.choice == questions[row.question].right for row in catch), "asked": len(catch)},
        "repeat": {"same": sum(chosen(one) == chosen(other) for one, other in pairs), "asked": len(pairs)},
    }


def test_whatever_people_do_the_counts_are_those_of_all_rows(server):
    rng, counts = random.Random(3), LiveCounts(server.database, server.asker.study)
    visitors = [server.start() for _ in range(4)]
    for _ in range(12):
        for visitor in visitors:
            wander(server, visitor, rng, rng.randrange(5))
        now = about(server, counts)
        assert now == about(server)  # counted bit by bit, and all at once
        for one in now["each"]:
            expected = expected_of(server, one["person"])
            assert {name: one[name] for name in ("answered", "catch", "repeat")} == {
                name: expected[name] for name in ("answered", "catch", "repeat")
            }
            assert one["fast_share"] == pytest.approx(expected["fast"], abs=1e-4)
    assert now["answers"]["total"] == sum(one["answered"] for one in now["each"])
    assert sum(now["answers"]["by_role"].values()) == now["answers"]["total"] + now["answers"]["by_role"]["practice"]
    assert now["answers"]["cannot_say"] > 0


def test_nothing_is_there_at_first(server):
    now = about(server)
    assert now["people"] == {"started": 0, "active": 0, "finished": 0, "left": 0, "withdrew": 0, "excluded": 0}
    assert now["answers"] == {"total": 0, "cannot_say": 0, "by_role": {}}
    assert now["median_ms"] is None
    assert now["each"] == []


def test_statuses(server, monkeypatch):
    active, finished, left, withdrew = (server.start() for _ in range(4))
    finished.answer_all()
    left.answer()
    withdrew.send("/event", kind="withdrew")
    counts = LiveCounts(server.database, server.asker.study)
    counts.refresh()
    since = {1: 10.0, 2: 5_000.0, 3: 5_000.0, 4: 1.0}
    now = counts.about(since.get, {"1": {"verdict": "at chance", "agreement": 0.5, "expected": 0.8}})
    assert [one["status"] for one in now["each"]] == ["active", "finished", "left", "withdrew"]
    assert now["people"] == {"started": 4, "active": 1, "finished": 1, "left": 1, "withdrew": 1, "excluded": 0}
    assert now["each"][0]["verdict"] == "at chance"
    assert now["each"][1]["verdict"] is None
    assert now["each"][0]["name"] == "p0001"
    assert active.latest["total"] == now["each"][0]["total"] == 16
    milliseconds = live_counts.milliseconds_now()
    monkeypatch.setattr(live_counts, "milliseconds_now", lambda: milliseconds + 3_600_000)
    assert [one["status"] for one in counts.about(lambda _: None, {})["each"]] == [
        "left",
        "finished",
        "left",
        "withdrew",
    ]
    monkeypatch.setattr(live_counts, "milliseconds_now", lambda: milliseconds - 3_600_000)  # the clock was set back
    assert counts.about(lambda _: None, {})["each"][0]["seconds_since_seen"] == 0.0


def test_programs_are_asked_everything_twice(server):
    server.start(source="model:eyes")
    assert about(server)["each"][0]["total"] == 16 + 10


def test_order_counts_where_it_is_asked_for(tmp_path):
    for ranked in ("", ":ranked"):
        folder = tmp_path / f"folder{ranked}"
        folder.mkdir()
        study = Study(question=QuestionKind.parse(f"pick:2of3{ranked}"), per_person=8, practice=0, catch=0, repeat=1)
        with served(folder, items=text_items(9), study=study) as server:
            visitor = server.start(ahead=9)
            first = {}
            while visitor.held:
                question = visitor.held[0]
                items = [item["item"] for item in question["choices"]]
                key = (question["anchor"]["item"], tuple(sorted(items)))
                if key in first:
                    places = [items.index(item) for item in reversed(first[key])]  # the same two, the other way round
                else:
                    places, first[key] = (0, 1), items[:2]
                visitor.answer(choice=places, ahead=9)
            same = 0 if ranked else 1
            assert about(server)["each"][0]["repeat"] == {"same": same, "asked": 1}


def test_after_somebody_is_forgotten_everything_is_counted_again(server):
    for _ in range(2):
        server.start().answer_all()
    server.log_in()
    assert server.state()["people"]["started"] == 2
    assert server.control("forget", person=1).status_code == 200
    state = server.state()
    assert [one["person"] for one in state["each"]] == [2]
    assert state["answers"]["total"] == 16


def test_many_may_look_at_once(server):
    counts = LiveCounts(server.database, server.asker.study)
    for _ in range(3):
        server.start().answer_all()
    threads = [threading.Thread(target=counts.refresh) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert about(server, counts)["answers"]["total"] == 48
