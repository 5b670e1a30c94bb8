"""Plans: every role has its number and its place, and the seeds alone decide."""

import itertools
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from tete.collecting.roles import fitting, n_known, n_questions, roles_of
from tete.collecting.study import KnownQuestion, QuestionKind, Study

SIZES = [
    {},
    {"per_person": 12, "catch": 4, "repeat": 4},
    {"per_person": 200, "catch": 20, "repeat": 30, "test": 0.3, "adaptive": 1.0},
    {"per_person": 9, "catch": 1, "repeat": 4, "practice": 0},
    {"per_person": 20, "catch": 0, "repeat": 0, "test": 0.0, "adaptive": 0.0},
    {"per_person": 5, "catch": 0, "repeat": 2, "test": 1.0},
    {"per_person": 1, "catch": 1, "repeat": 0},
    {"per_person": 3, "catch": 3, "repeat": 0},
    {"per_person": 61, "catch": 30, "repeat": 15},
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(20))
def test_every_role_has_its_number(size, seed):
    study = Study(**size)
    roles = roles_of(study, seed, "page")
    count = Counter(roles)
    fresh = study.per_person - study.catch - study.repeat
    assert roles[: study.practice] == ["practice"] * study.practice
    assert len(roles) == study.practice + study.per_person
    assert (count["practice"], count["catch"], count["repeat"]) == (study.practice, study.catch, study.repeat)
    assert count["test"] == round(study.test * fresh)
    assert count["adaptive"] == round(study.adaptive * (fresh - count["test"]))
    assert count["balanced"] == fresh - count["test"] - count["adaptive"]


@pytest.mark.parametrize("size", [SIZES[0], SIZES[2], {"per_person": 40, "catch": 18, "repeat": 0}])
@pytest.mark.parametrize("seed", range(50))
def test_catch_questions_are_spread_out(size, seed):
    study = Study(**size)
    places = [place for place, role in enumerate(roles_of(study, seed, "page")[study.practice :]) if role == "catch"]
    assert places[0] >= 3
    assert all(later - earlier >= 2 for earlier, later in itertools.pairwise(places))


def test_catch_questions_come_anywhere_but_first():
    study = Study()
    places = Counter(
        place for seed in range(400) for place, role in enumerate(roles_of(study, seed, "page")[3:]) if role == "catch"
    )
    assert len(places) > 45
    assert max(places.values()) < 80  # of 400


@pytest.mark.parametrize("size", SIZES[:4])
@pytest.mark.parametrize("seed", range(50))
def test_repeats_have_something_to_repeat(size, seed):
    study = Study(**size)
    roles = roles_of(study, seed, "page")[study.practice :]
    fresh = 0
    for place, role in enumerate(roles):
        fresh += {"repeat": -1, "catch": 0}.get(role, 1)
        assert fresh >= 0
        if role == "repeat" and size is not SIZES[3]:  # which has no room for all
            assert 2 * place >= len(roles)


def test_programs_are_asked_in_both_orders_without_practice():
    study = Study()
    roles, people = roles_of(study, 7, "model:eye"), roles_of(study, 7, "page")
    assert "practice" not in roles
    assert roles.count("swapped") == study.per_person - study.catch - study.repeat
    for place, role in enumerate(roles):
        assert (role == "swapped") == (place > 0 and roles[place - 1] in ("test", "balanced", "adaptive"))
    assert [role for role in roles if role != "swapped"] == people[study.practice :]


def test_people_have_different_plans_and_so_have_studies():
    plans = {tuple(roles_of(Study(seed=seed), person, "page")) for seed in range(5) for person in range(20)}
    assert len(plans) == 100


PROGRAM = """
import json
from tete.collecting.asking import Asker
from tete.collecting.items import Item
from tete.collecting.roles import roles_of
from tete.collecting.study import QuestionKind, Study
study = Study(question=QuestionKind.parse("pick:2of5"), seed=3)
asker = Asker(study, [Item(i, f"item {i}", "text", "", "", None, "") for i in range(40)], [0] * 40)
asked = []
while (drawn := asker.draw(5, "page", asked, len(asked), 1)) is not None:
    asked.append(drawn)
print(json.dumps([roles_of(study, 5, "page"), [each.shown for each in asked]]))
"""


def test_plans_do_not_depend_on_the_hash_seed():
    results = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    ]
    assert len(set(results)) == 1
    assert json.loads(results[0])[0] == roles_of(Study(seed=3), 5, "page")


@pytest.mark.parametrize(
    ("kind", "n_items", "questions", "known"),
    [("triplet", 3, 3, 6), ("triplet", 4, 12, 12), ("odd-one-out", 4, 4, 12), ("pick:2of3", 4, 4, 12)],
)
def test_questions_are_counted(kind, n_items, questions, known):
    assert n_questions(QuestionKind.parse(kind), n_items) == questions
    assert n_known(QuestionKind.parse(kind), n_items) == known


def test_few_items_have_few_questions():
    few = fitting(Study(practice=3, catch=4, repeat=4), 3)
    assert (few.practice, few.catch, few.repeat, few.per_person) == (3, 3, 3, 9)
    given = fitting(Study(known_catch=(KnownQuestion(("a", "a", "b"), ("a",)),) * 2), 3)
    assert given.catch == 4
    assert fitting(Study(), 100) == Study()
