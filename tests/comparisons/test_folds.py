from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

from samples import random_triplets
from tete.comparisons.folds import blocks_of, folds, units_of
from tete.exceptions import InvalidParameterError, InvalidTripletsError


@pytest.mark.parametrize("cv", [3, GroupKFold(3)], ids=str)
def test_folds_hold_out_every_unit_once_and_whole(rng, cv):
    units = rng.integers(20, size=200)
    tested = []
    for train, test in folds(cv, units, 0):
        assert sorted([*train, *test]) == list(range(200))
        assert not set(units[train]) & set(units[test])
        tested += test.tolist()
    assert sorted(tested) == list(range(200))


def test_seeds_shuffle_folds():
    units = np.arange(100)
    one, same, other = ([test.tolist() for _, test in folds(4, units, seed)] for seed in (0, 0, 1))
    assert one == same != other
    assert {len(test) for test in one} == {25}


@pytest.mark.parametrize(("kind", "n_blocks", "n_folds"), [("groups", 2, 2), ("groups", 9, 5), ("questions", 5, 5)])
def test_there_are_five_folds_or_as_many_as_groups(kind, n_blocks, n_folds):
    assert len(list(folds(None, np.arange(n_blocks), 0, kind=kind))) == n_folds


def test_folds_refuse_what_would_leak_or_is_too_little():
    with pytest.raises(InvalidParameterError, match=r"must not split an answer or annotator .* got \d+ that it splits"):
        list(folds(KFold(2, shuffle=True, random_state=0), np.repeat(np.arange(10), 2), 0))
    with pytest.raises(InvalidTripletsError, match="at most the number of different groups, 3, got 5"):
        list(folds(5, np.arange(3), 0, kind="groups"))
    for kind, fewest in (("groups", 2), ("questions", 5), ("annotators", 5)):
        with pytest.raises(InvalidTripletsError, match=f"At least {fewest} different {kind} are needed .* got 1"):
            list(folds(None, np.zeros(9, dtype=int), 0, kind=kind))
    with pytest.raises(InvalidParameterError, match="`cv` must be a whole number of at least 2, got 1"):
        list(folds(1, np.arange(3), 0))


def test_units_are_answers_or_annotators(rng):
    triplets = random_triplets(rng, n_triplets=4, annotators=["b", "a", "b", "c"], answers=[7, 7, 9, 9])
    assert units_of(triplets, "answers").tolist() == [0, 0, 1, 1]
    assert units_of(triplets, "annotators").tolist() == [1, 0, 1, 2]
    with pytest.raises(InvalidParameterError, match="`by` must be 'answers' for triplets without annotators"):
        units_of(random_triplets(rng, n_triplets=4), "annotators")


def test_a_question_is_in_one_fold_however_often_and_in_whatever_order_it_is_asked(rng):
    once = random_triplets(rng, n_objects=8, n_triplets=60)
    again = once.select(rng.permutation(np.repeat(np.arange(60), 3)))

    def fold_of_question(triplets):
        found = {}
        for fold, (_, test) in enumerate(folds(5, blocks_of(triplets, "answers"), 0)):
            for anchor, near, far in triplets.to_array()[test].tolist():
                assert found.setdefault((anchor, frozenset((near, far))), fold) == fold
        return found

    assert fold_of_question(once) == fold_of_question(again)


def test_splitters_may_tear_questions_but_no_answers(rng):
    triplets = random_triplets(rng, n_objects=3, n_triplets=30)
    blocks, answers = blocks_of(triplets, "answers"), units_of(triplets, "answers")
    splitter = KFold(3, shuffle=True, random_state=0)
    assert len(list(folds(splitter, blocks, 0, units=answers))) == 3
    with pytest.raises(InvalidParameterError, match="must not split"):
        list(folds(splitter, blocks, 0))


def test_named_objects_may_be_numbered_in_any_order(rng):
    names, order = [f"object {number}" for number in range(8)], rng.permutation(8)
    one = random_triplets(rng, n_objects=8, n_triplets=60).with_names(names)
    other = one.renumbered(np.argsort(order), 8).with_names([names[number] for number in order])
    found = [[test.tolist() for _, test in folds(5, blocks_of(each, "answers"), 0)] for each in (one, other)]
    assert found[0] == found[1]
    unnamed = [replace(each, names=None) for each in (one, other)]
    assert len({str([t.tolist() for _, t in folds(5, blocks_of(each, "answers"), 0)]) for each in unnamed}) == 2
