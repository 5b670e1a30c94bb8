"""Proposals: questions that the asker takes, from a map that is kept and refitted."""

import numpy as np
import pytest

from tete import Triplets
from tete.collecting import proposals
from tete.collecting.proposals import Proposer, fitted_map, n_answers_of, sample_of
from tete.collecting.study import QuestionKind
from tete.datasets import make_uniform_triplets

POINTS = np.random.default_rng(4).normal(size=(15, 2))


def answers_of(count, n_objects=15):
    plain = make_uniform_triplets(POINTS, count).to_array()
    return Triplets.from_array(plain, n_objects=n_objects, answers=np.arange(1, count + 1))


@pytest.mark.parametrize("kind", ["triplet", "odd-one-out", "pick:2of4", "pick:3of12:ranked"])
@pytest.mark.parametrize("count", [20, 300])
def test_proposals_are_questions_of_their_kind(kind, count):
    kind = QuestionKind.parse(kind)
    found = Proposer(kind, 2).propose(answers_of(count), 50, seed=1)
    assert 20 <= len(found) <= 50
    for shown in found:
        assert len(set(shown)) == len(shown) == kind.n_shown
        assert all(type(number) is int and 0 <= number < 15 for number in shown)
    if kind.name != "pick":  # whose last choices come from other suggestions
        assert len({kind.key(shown) for shown in found}) == len(found)


def test_proposals_were_not_answered_and_teach_more_than_others():
    """Close calls: what is proposed has a smaller difference of distances than random questions have."""
    told = answers_of(400)
    found = np.array(Proposer(QuestionKind.parse("triplet"), 2).propose(told, 100, seed=1))
    asked = {(a, *sorted((b, c))) for a, b, c in told.to_array().tolist()}
    assert not asked & {(a, *sorted((b, c))) for a, b, c in found.tolist()}

    def closeness(rows):
        one, other = (np.linalg.norm(POINTS[rows[:, 0]] - POINTS[rows[:, place]], axis=1) for place in (1, 2))
        return np.abs(one - other).mean()

    assert closeness(found) < 0.7 * closeness(make_uniform_triplets(POINTS, 500).to_array())


@pytest.mark.parametrize("kind", ["triplet", "odd-one-out", "pick:2of3"])
def test_few_items_of_which_everything_was_asked_have_no_proposals(kind):
    rows = [(a, b, c) for a in range(4) for b in range(4) for c in range(b + 1, 4) if a not in (b, c)]
    assert Proposer(QuestionKind.parse(kind), 2).propose(Triplets.from_array(rows * 3), 50, seed=1) == []


def test_same_seed_same_proposals():
    kind = QuestionKind.parse("pick:2of4")
    first, second, other = (Proposer(kind, 2).propose(answers_of(200), 30, seed) for seed in (1, 1, 2))
    assert first == second != other


def test_the_anchors_of_picks_keep_their_own_suggestions():
    rows = np.array([(0, 1, 2), (3, 4, 5), (0, 2, 6), (0, 7, 8), (0, 1, 2)])
    mentions = np.arange(9)
    found = proposals._picks(rows, 4, mentions, np.random.default_rng(0))
    assert found == [(0, 1, 2, 6, 7), (3, 4, 5, 0, 1), (0, 1, 2, 4, 5)]


def test_refits_start_from_the_last_map_until_it_has_grown_old(monkeypatch):
    starts = []
    monkeypatch.setattr(
        proposals, "fitted_map", lambda told, dims, *last: starts.append(last[0]) or fitted_map(told, dims, *last)
    )
    proposer = Proposer(QuestionKind.parse("triplet"), 2)
    for count in (200, 250, 290, 310, 330, 100):
        proposer.refit(answers_of(count))
    assert [start is None for start in starts] == [True, False, False, True, False, True]


def test_items_without_answers_have_no_place_and_get_one():
    proposer = Proposer(QuestionKind.parse("triplet"), 2)
    proposer.refit(answers_of(300, n_objects=17))
    assert proposer.placed.tolist() == [True] * 15 + [False] * 2
    rows = np.vstack([answers_of(300).to_array(), [(15, 0, 1), (16, 1, 0), (0, 15, 16)]])
    places = proposer.refit(Triplets.from_array(rows, n_objects=17)).embedding_
    assert proposer.placed.all()
    assert np.linalg.norm(places[15] - places[16]) > 0.05


def test_a_fitted_map_does_not_pass_its_start_on():
    told = answers_of(300)
    model = fitted_map(told, 2, start=fitted_map(told, 2).embedding_)
    assert model.init == "spectral"
    assert model.callback is None
    assert model.score(told) > 0.9


def test_samples_have_whole_answers_and_stay_as_answers_come():
    rows = np.repeat(answers_of(1000).to_array(), 2, axis=0)
    groups = np.repeat(np.arange(1000), 2)
    whole = Triplets.from_array(rows, n_objects=15, answers=groups)
    part = sample_of(whole, 500)
    assert 350 < len(part) < 650
    assert (np.bincount(part.answers)[np.unique(part.answers)] == 2).all()
    assert set(sample_of(whole, 400).answers) < set(part.answers)
    assert sample_of(whole, 2000) is whole
    assert n_answers_of(whole) == 1000
