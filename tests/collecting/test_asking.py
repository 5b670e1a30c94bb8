"""Questions: nobody is asked one twice, sides are balanced, and, by `collecting.item_counts`, so are items."""

import itertools
from collections import Counter
from random import Random

import pytest

from tete.collecting.asking import Asker
from tete.collecting.item_counts import Deck, Mentions
from tete.collecting.items import Item
from tete.collecting.study import Asked, KnownQuestion, QuestionKind, Study
from tete.exceptions import InvalidParameterError

KINDS = ["triplet", "odd-one-out", "pick:2of4", "pick:2of3:ranked"]


def items(count):
    return [Item(number, f"item {number}", "text", "", "", None, "") for number in range(count)]


def asker_of(count, kind="triplet", **settings):
    return Asker(Study(question=QuestionKind.parse(kind), **settings), items(count), [0] * count)


def interview(asker, seed=1, source="page"):
    """All questions of one person, numbered as a database would."""
    asked = []
    while (drawn := asker.draw(seed, source, asked, len(asked), seed)) is not None:
        assert (drawn.person, drawn.position) == (seed, len(asked))
        asked.append(Asked(1000 * seed + len(asked), *list(vars(drawn).values())[1:]))
    return asked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [5, 8, 40])
def test_nobody_is_asked_the_same_question_twice(kind, count):
    asker = asker_of(count, kind)
    for seed in range(20):
        asked = interview(asker, seed)
        keys = Counter(asker.study.question.key(each.shown) for each in asked if each.role != "repeat")
        assert set(keys.values()) == {1}
        for each in asked:
            if each.right is None:
                assert len(set(each.shown)) == asker.study.question.n_shown


@pytest.mark.parametrize("kind", KINDS)
def test_questions_follow_the_plan(kind):
    asker = asker_of(40, kind)
    for seed in range(10):
        asked = interview(asker, seed)
        expected = ["balanced" if role == "adaptive" else role for role in asker.roles(seed, "page")]
        assert [each.role for each in asked] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [3, 4, 5])
def test_few_items_end_early_with_every_question_asked(kind, count):
    if QuestionKind.parse(kind).n_shown > count:
        with pytest.raises(InvalidParameterError, match=rf"`items` must be at least \d for the question {kind}, got"):
            asker_of(count, kind)
        return
    asker = asker_of(count, kind, per_person=300)
    asked = interview(asker)
    assert len(asked) == len(asker.roles(1, "page")) < 300
    roles = Counter(each.role for each in asked)
    assert roles["catch"] == asker.study.catch > 0
    assert roles["repeat"] == asker.study.repeat > 0
    assert asker.draw(1, "page", asked, len(asked), 1) is None


def test_too_few_items_are_refused():
    with pytest.raises(InvalidParameterError, match=r"`items` must be at least 9 for the question pick:2of8, got 8"):
        asker_of(8, "pick:2of8")


@pytest.mark.parametrize("kind", KINDS)
def test_known_answers_are_right(kind):
    asker = asker_of(12, kind)
    known = [each for seed in range(30) for each in interview(asker, seed) if each.role in ("catch", "practice")]
    assert len(known) == 30 * 7
    for each in known:
        choices = each.shown[asker.study.question.has_anchor :]
        (right,) = each.right
        if asker.study.question.has_anchor:
            assert choices[right] == each.shown[0]
            assert len(set(choices)) == len(choices)
        else:
            assert Counter(choices)[choices[right]] == 1
            assert len(set(choices)) == 2
    places = Counter(each.right for each in known)
    assert len(places) == asker.study.question.n_choices
    assert min(places.values()) > 30


def test_repeats_are_earlier_questions_with_places_shuffled_again():
    asker = asker_of(30)
    same_sides = 0
    for seed in range(100):
        asked = interview(asker, seed)
        by_number = {each.number: each for each in asked}
        repeats = [each for each in asked if each.role == "repeat"]
        assert len({each.repeats for each in repeats}) == len(repeats) == 4
        for each in repeats:
            before = by_number[each.repeats]
            assert asker.study.question.key(before.shown) == asker.study.question.key(each.shown)
            assert before.role == "balanced"
            assert each.position - before.position >= 5
            same_sides += before.shown == each.shown
    assert 160 < same_sides < 240


def test_repeats_of_a_study_of_tests_alone_are_tests():
    asked = interview(asker_of(30, test=1.0))
    assert Counter(each.role for each in asked) == {"practice": 3, "catch": 4, "repeat": 4, "test": 52}


def test_programs_are_asked_everything_with_places_reversed():
    asker = asker_of(30, "pick:2of4")
    asked = interview(asker, source="model:eye")
    for before, after in itertools.pairwise(asked):
        if after.role == "swapped":
            assert after.repeats == before.number
            assert after.shown == (before.shown[0], *before.shown[:0:-1])
    assert sum(each.role == "swapped" for each in asked) == 52


def test_sides_are_balanced():
    """The smaller of the two numbers is on either side, and each of three is the anchor: 5 standard errors."""
    asker = asker_of(50)
    asker.propose([(anchor, one, one + 1) for anchor in range(20) for one in range(20, 49)])
    shown = [each.shown for seed in range(200) for each in interview(asker, seed) if each.right is None]
    left = sum(one < other for _, one, other in shown) / len(shown)
    assert abs(left - 0.5) < 5 * 0.5 / len(shown) ** 0.5
    lowest = sum(anchor < min(choices) for anchor, *choices in shown) / len(shown)
    assert abs(lowest - 1 / 3) < 0.06  # the proposals have low anchors


@pytest.mark.parametrize("kind", KINDS)
def test_everything_comes_up_equally_often(kind):
    asker = asker_of(60, kind, test=0.0, repeat=0, catch=0, practice=0)
    mentions = Counter(number for seed in range(30) for each in interview(asker, seed) for number in each.shown)
    assert max(mentions.values()) - min(mentions.values()) <= 0.05 * max(mentions.values()) + 3


def test_test_questions_are_uniform():
    asker = asker_of(6, test=1.0, repeat=0, catch=0, practice=0, per_person=20)
    keys = Counter(asker.study.question.key(each.shown) for seed in range(300) for each in interview(asker, seed))
    assert len(keys) == 60
    assert max(abs(count - 100) for count in keys.values()) < 5 * 10


def test_late_items_meet_the_others():
    """Items that were added have their questions first, but not with each other alone, and not for ever."""
    asker = Asker(Study(mentions=10), items(60), [300] * 50 + [0] * 10)
    asked = [each for seed in range(6) for each in interview(asker, seed) if each.role == "balanced"]
    new = [sum(number >= 50 for number in each.shown) for each in asked]
    assert asker.enough
    assert sum(count == 3 for count in new) < 5
    assert sum(new[:40]) >= 40
    assert sum(new[-100:]) < 150


def test_proposals_are_asked_once_when_every_item_has_enough_mentions():
    asker = asker_of(20, adaptive=1.0, mentions=10)
    proposals = [(0, 1, 2), (0, 2, 1), (3, 4, 5), (6, 7, 8)]
    asker.propose(proposals)
    early = interview(asker, 0)
    assert not asker.enough or any(each.role == "suggested" for each in early)
    for seed in range(1, 5):
        interview(asker, seed)
    assert asker.enough
    assert asker.least_mentions >= 10
    asker.propose([(9, 10, 11), (12, 13, 14), (0, 0, 1), (1, 2), (0, 1, 99)])
    assert asker.n_proposals == 2
    suggested = [each for seed in range(5, 9) for each in interview(asker, seed) if each.role == "suggested"]
    assert [asker.study.question.key(each.shown) for each in suggested] == [(9, (10, 11)), (12, (13, 14))]
    assert asker.n_proposals == 0
    asker.propose([(9, 11, 10), (15, 16, 17)])  # the first was asked when this plan was being made
    assert asker.n_proposals == 1


def test_a_proposal_that_the_person_knows_is_left_for_others():
    asker = Asker(Study(adaptive=1.0, repeat=0, catch=0, practice=0, test=0.0), items(9), [10] * 9)
    seen = asker.draw(1, "page", [], 0, 1)
    asker.propose([seen.shown, (0, 1, 2) if set(seen.shown) != {0, 1, 2} else (3, 4, 5)])
    following = asker.draw(1, "page", [seen], 1, 1)
    assert following.role == "suggested"
    assert asker.n_proposals == 1
    assert set(asker.draw(2, "page", [], 0, 2).shown) == set(seen.shown)


def test_given_questions_come_first():
    known = tuple(KnownQuestion((f"item {n}", f"item {n + 1}", f"item {n + 2}"), (f"item {n + 1}",)) for n in (0, 5))
    asker = asker_of(12, known_catch=known, known_practice=known[:1])
    asked = interview(asker)
    assert set(asked[0].shown) == {0, 1, 2}
    assert asked[0].shown[1:][asked[0].right[0]] == 1
    catch = [each for each in asked if each.role == "catch"]
    assert set(catch[0].shown) == {5, 6, 7}  # the other one was a practice question
    assert catch[0].shown[1:][catch[0].right[0]] == 6
    assert len(catch) == 4


@pytest.mark.parametrize(
    ("shown", "right", "message"),
    [
        (("item 1", "item 2", "x"), ("item 2",), "`known_catch` must name items, got 'x'"),
        (("item 1", "item 2"), ("item 2",), "`known_catch` must show 3 items for the question triplet, got 2"),
        (
            ("item 1", "item 2", "item 3"),
            ("item 1",),
            r"`known_catch` must have 1 to 1 right ones .*, got \['item 1'\]",
        ),
        (("item 1", "item 2", "item 3"), (), r"`known_catch` must have 1 to 1 right ones among its choices, got \[\]"),
        (("item 1", "item 2", "item 3"), ("item 2", "item 3"), "`known_catch` must have 1 to 1 right ones"),
    ],
)
def test_given_questions_have_rules(shown, right, message):
    with pytest.raises(InvalidParameterError, match=message):
        asker_of(9, known_catch=(KnownQuestion(shown, right),))


def test_ten_thousand_items_are_light():
    """Not a time that is asserted: a draw that looked at all items would take minutes here."""
    asker = asker_of(10_000)
    asked = [each for seed in range(100) for each in interview(asker, seed)]
    assert len(asked) == 6300
    mentions = Counter(number for each in asked for number in each.shown if each.role in ("balanced", "test", "repeat"))
    assert max(mentions.values()) <= 12


def test_counts_of_mentions():
    rng, mentions, plain = Random(3), Mentions([2, 0, 1]), [2, 0, 1]
    for _ in range(200):
        drawn = rng.sample(range(3), 2)
        mentions.count(drawn)
        for number in drawn:
            plain[number] += 1
        assert mentions.least == min(plain)
        assert plain[mentions.draw_least(rng)] == min(plain)


def test_a_deck_is_dealt_to_the_end():
    rng, deck = Random(3), Deck(7)
    for _ in range(5):
        assert sorted(deck.deal(rng, ()) for _ in range(7)) == list(range(7))
    assert {deck.deal(rng, (0, 1, 2, 3, 4, 5)) for _ in range(5)} == {6}
