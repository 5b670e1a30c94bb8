"""Simulated people answer by a hidden map, with lapses, and a few do not care."""

from collections import Counter

import pytest

from tete.collecting.simulated_people import HiddenMap, Question, SimulatedPerson

HIDDEN = HiddenMap(5)


def people_of(kind, count):
    people = (SimulatedPerson(HIDDEN, 5, number) for number in range(10_000))
    return [person for person, _ in zip((each for each in people if each.kind == kind), range(count), strict=False)]


def agreement(kind, questions):
    shares = []
    for person in people_of(kind, 20):
        answers = [(HIDDEN.best(each), person.answer(each)) for each in questions]
        shares += [len(best & set(answer)) / len(best) for best, answer in answers if answer is not None]
    return sum(shares) / len(shares)


QUESTIONS = {
    "triplet": [Question(n, (n + 1, n + 2)) for n in range(100)],
    "odd-one-out": [Question(None, (n, n + 1, n + 2)) for n in range(100)],
    "pick": [Question(n, tuple(range(n + 1, n + 6)), 2) for n in range(100)],
}
EVIDENT = {
    "triplet": [Question(n, (n + 1, n)) for n in range(100)],
    "odd-one-out": [Question(None, (n, n + 1, n)) for n in range(100)],
    "pick": [Question(n, (n + 1, n + 2, n, n + 3)) for n in range(100)],
}


@pytest.mark.parametrize(("kind", "chance"), [("triplet", 1 / 2), ("odd-one-out", 1 / 3), ("pick", 2 / 5)])
def test_good_people_mostly_agree_with_the_map_and_bad_ones_do_not(kind, chance):
    assert 0.7 < agreement("good", QUESTIONS[kind]) < 0.97
    assert abs(agreement("random", QUESTIONS[kind]) - chance) < 0.06
    assert agreement("reversed", QUESTIONS[kind]) < chance - 0.1


@pytest.mark.parametrize("kind", EVIDENT)
def test_what_everybody_knows_only_bad_people_miss(kind):
    assert agreement("good", EVIDENT[kind]) > 0.95
    assert agreement("random", EVIDENT[kind]) < 0.6
    assert agreement("reversed", EVIDENT[kind]) < 0.1


def test_a_tenth_is_bad_and_some_cannot_say():
    kinds = Counter(SimulatedPerson(HIDDEN, 1, number).kind for number in range(2000))
    assert 150 < kinds["random"] + kinds["reversed"] < 250
    assert min(kinds["random"], kinds["reversed"]) > 60
    unsaid = sum(person.answer(each) is None for person in people_of("good", 20) for each in QUESTIONS["triplet"])
    assert 5 < unsaid < 50


def test_the_map_and_the_people_are_those_of_their_seeds():
    assert HiddenMap(5).place(17) == HIDDEN.place(17) != HiddenMap(6).place(17)
    first, second = SimulatedPerson(HIDDEN, 1, 4), SimulatedPerson(HiddenMap(5), 1, 4)
    assert [first.answer(each) for each in QUESTIONS["pick"]] == [second.answer(each) for each in QUESTIONS["pick"]]


def test_questions_come_from_json():
    plain = {"anchor": {"item": 0}, "choices": [{"item": 4}, {"item": 0}]}
    assert Question.from_json(plain, 1) == Question(0, (4, 0))
    assert Question.from_json(plain | {"anchor": None}, 1) == Question(None, (4, 0))
