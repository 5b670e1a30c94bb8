"""What the dashboard says about the answers."""

import json

import numpy as np
import pandas as pd
import pytest

from tete import LearningCurve, Triplets
from tete.collecting import findings
from tete.collecting.findings import (
    accuracy_interval,
    curve_findings,
    gain_of_more,
    held_out_findings,
    people_findings,
    trust_findings,
    wrong_share,
)
from tete.datasets import assign_annotators, make_uniform_triplets

POINTS = np.random.default_rng(4).normal(size=(15, 2))


def answers_of(count, *, n_people=20, n_bad=2, seed=0, **details):
    plain = make_uniform_triplets(POINTS, count, random_state=seed).flip(0.05, random_state=seed)
    answers, is_bad = assign_annotators(plain, n_people, n_bad=n_bad, behavior="reversed", random_state=seed)
    return Triplets.from_array(
        answers.to_array(), n_objects=15, answers=np.arange(count), annotators=answers.annotators, **details
    ), is_bad


def test_held_out_accuracy_is_that_of_the_map_on_placed_objects():
    tested, _ = answers_of(400)
    found = held_out_findings(POINTS, np.ones(15, dtype=bool), tested)
    assert found["n"] == 400
    assert found["accuracy"] == np.mean(_agrees(tested))
    assert found["low"] < found["accuracy"] < found["high"]
    placed = np.arange(15) != 3
    fewer = held_out_findings(POINTS, placed, tested)
    assert fewer["n"] == int(placed[tested.to_array()].all(axis=1).sum()) < 400


def _agrees(triplets):
    near, far = (
        np.linalg.norm(POINTS[triplets.anchor] - POINTS[each], axis=1) for each in (triplets.near, triplets.far)
    )
    return near < far


def test_answers_of_several_triplets_count_once():
    tested = Triplets.from_selection([[0, 1, 2, 3]] * 30, 1, n_objects=15, annotators=np.arange(30))
    found = held_out_findings(POINTS, np.ones(15, dtype=bool), tested)
    assert found["n"] == 30
    assert found["accuracy"] == pytest.approx(np.mean(_agrees(tested)))


@pytest.mark.parametrize("tested", [None, answers_of(10)[0]])
def test_too_few_tests_say_nothing(tested):
    assert held_out_findings(POINTS, np.ones(15, dtype=bool), tested) is None
    assert held_out_findings(POINTS, np.zeros(15, dtype=bool), tested) is None


def test_few_people_have_wilsons_interval():
    low, high = accuracy_interval(np.array([1.0] * 8 + [0.0] * 2), np.arange(10))
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    low, high = accuracy_interval(np.ones(50), np.arange(50))
    assert low == pytest.approx(0.9287, abs=1e-3)
    assert high == 1.0


def test_people_who_differ_widen_the_interval():
    people = np.repeat(np.arange(20), 30)
    alike = np.tile([1.0, 1.0, 0.0], 200)
    different = np.repeat(np.arange(20) % 3 > 0, 30).astype(float)
    narrow, wide = (accuracy_interval(each, people) for each in (alike, different))
    assert wide[1] - wide[0] > 5 * (narrow[1] - narrow[0])


@pytest.mark.slow
def test_the_clustered_interval_covers():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(1000):
        chances = rng.beta(8, 2, size=25)
        answers = (rng.random((25, 12)) < chances[:, None]).astype(float).ravel()
        low, high = accuracy_interval(answers, np.repeat(np.arange(25), 12))
        inside += low <= 0.8 <= high
    assert 0.92 < inside / 1000 < 0.98


def test_people_have_verdicts_and_everything_is_plain():
    answers, is_bad = answers_of(2000)
    trusted = trust_findings(answers, 2)
    people = people_findings(trusted)
    assert [people[str(number)]["verdict"] == "reversed" for number in range(20)] == is_bad.tolist()
    assert {each["verdict"] for each in people.values()} == {"reversed", "ordinary"}
    share = wrong_share(trusted)
    assert share["low"] < share["share"] < share["high"] < 0.35  # two of 20 people: of others it may be six
    json.dumps([people, share, curve_findings(answers, 2000, 2)], allow_nan=False)


def test_people_with_few_answers_are_unclear():
    answers, _ = answers_of(600, n_people=3, n_bad=0)
    annotators = np.where(np.arange(600) < 5, 77, answers.annotators)
    trusted = trust_findings(Triplets.from_array(answers.to_array(), annotators=annotators), 2)
    assert people_findings(trusted)["77"]["verdict"] == "unclear"


def test_noise_and_few_answers_have_no_verdicts():
    noise, _ = answers_of(300)
    trusted = trust_findings(noise.flip(0.5), 2)
    assert trusted.report is None
    assert people_findings(trusted) == {}
    assert wrong_share(trusted) is None
    assert trust_findings(noise.select(np.arange(12)), 2).report is None


def test_much_is_sampled(monkeypatch):
    monkeypatch.setattr(findings, "MOST_TRIPLETS", 500)
    trusted = trust_findings(answers_of(2000)[0], 2)
    assert 350 < trusted.n_triplets < 650


def test_the_curve_of_few_answers_is_unknown():
    assert curve_findings(None, 0, 2) is None
    assert curve_findings(answers_of(99)[0], 99, 2) is None
    assert curve_findings(answers_of(100)[0], 100, 2)["enough"] is False


def curve(limit, amount, exponent=1.0, error=0.001):
    points = pd.DataFrame({"answers": [100], "error": [0.2], "standard_error": [error]})
    return LearningCurve(points, limit, amount, exponent, 1.0)


@pytest.mark.parametrize(
    ("given", "n_answers", "sentence", "enough"),
    [
        (curve(0.1, 8.0), 1000, "1,000 more answers: about +0.4 points", False),
        (curve(0.1, 3.8), 1000, "1,000 more answers: about +0.2 points", True),
        (curve(0.1, 3.8, error=0.02), 1000, "1,000 more answers: about +0.2 points", False),
        (curve(0.1, 100.0), 25_040, "2,500 more answers: about +0.0 points", True),
    ],
)
def test_more_answers_bring_something_or_not(given, n_answers, sentence, enough):
    assert gain_of_more(given, n_answers) == {"sentence": sentence, "enough": enough}
