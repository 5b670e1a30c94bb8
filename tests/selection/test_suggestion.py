import numpy as np
import pytest

from tete import GNMDS, TETE, Triplets
from tete.datasets import answer_by_distance, make_uniform_triplets
from tete.embedding.answer_model import fit_answer_model
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.metrics.alignment import procrustes_align
from tete.selection.suggestion import N_MAPS, _Committee, suggest


@pytest.mark.parametrize("estimator", [TETE(), TETE(1), GNMDS()], ids=str)
def test_new_questions_varied_over_objects(clean_triplets, estimator):
    questions = suggest(estimator.fit(clean_triplets), clean_triplets, n_questions=50)
    rows = questions[["center", "left", "right"]].to_numpy()
    asked = {(row[0], *sorted(row[1:])) for row in clean_triplets.to_array().tolist()}
    keys = [(row[0], *sorted(row[1:])) for row in rows.tolist()]
    assert len(set(keys)) == len(keys) == 50
    assert not asked & set(keys)
    assert len(np.unique(rows)) >= 20
    assert np.all((questions["bits"] >= 0) & (questions["bits"] <= 1))
    assert not suggest(estimator, clean_triplets, n_questions=5, random_state=1).equals(questions.head(5))


def test_objects_that_are_hardly_known_come_first(rng):
    triplets = make_uniform_triplets(rng.normal(size=(30, 2)), 3000, random_state=0)
    about_last = np.flatnonzero((triplets.to_array() == 29).any(axis=1))
    known = triplets.select(np.setdiff1d(np.arange(len(triplets)), about_last[3:]))
    rows = suggest(TETE().fit(known), known, n_questions=10)[["center", "left", "right"]].to_numpy()
    assert 29 in rows[0]
    assert np.mean((rows == 29).any(axis=1)) > 2 * 0.1  # twice what random questions have


def test_candidates_and_names():
    known = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0)], names=["a", "b", "c"])
    model = TETE().fit(known)
    everything = [(0, 1, 2), (1, 0, 2), (2, 1, 0)]
    with pytest.raises(InvalidTripletsError, match="No question about the 3 objects is left that was not asked yet"):
        suggest(TETE(t=2.0, t_prime=1.5).fit(everything), everything)
    with pytest.raises(InvalidParameterError, match="`candidates` must hold a question that was not asked yet"):
        suggest(model, known, n_questions=3, candidates=[(0, 2, 1)])
    two = Triplets.from_array([(0, 1, 2), (1, 0, 2)], names=["a", "b", "c"])
    questions = suggest(TETE().fit(two), two, n_questions=3, candidates=[(0, 2, 1), (2, 0, 1), (2, 1, 0)])
    assert questions[["center", "left", "right"]].to_numpy().tolist() == [["c", "a", "b"]]


def test_candidates_must_be_questions_about_the_map(clean_triplets):
    model = TETE().fit(clean_triplets)
    with pytest.raises(InvalidTripletsError, match=r"Row 1 is \(0, 1, 30\): object numbers go from 0 to 29"):
        suggest(model, clean_triplets, n_questions=3, candidates=[(0, 1, 2), (0, 1, 30)])
    with pytest.raises(InvalidTripletsError, match=r"Row 0 is \(0, 1, 1\): an object cannot be compared with itself"):
        suggest(model, clean_triplets, n_questions=3, candidates=[(0, 1, 1)])


def test_bits_are_mutual_information_of_answer_and_committee(clean_triplets, rng):
    given = clean_triplets.select(np.arange(300))
    committee = _Committee(TETE().fit(given), given, rng)
    rows = clean_triplets.to_array()[300:320]
    p_left, bits = committee.judge(rows)
    lapse, steepness, _ = committee.model
    for row, mean, information in zip(rows, p_left, bits, strict=True):
        answers = []
        for places in committee.maps:
            near, far = (np.linalg.norm(places[row[0]] - places[row[column]]) for column in (1, 2))
            answers.append(lapse + (1 - 2 * lapse) / (1 + np.exp(-steepness * (far - near))))
        left = np.array(answers)
        joint = np.array([left, 1 - left]) / N_MAPS
        apart = joint.sum(axis=1, keepdims=True) / N_MAPS  # were answer and map independent
        assert mean == pytest.approx(left.mean())
        assert information == pytest.approx(np.sum(joint * np.log2(joint / apart)), abs=1e-9)


def test_people_are_judged_by_answers_that_maps_were_not_told(rng):
    points = rng.normal(size=(30, 2))
    few = make_uniform_triplets(points, 150, random_state=0).flip(0.2, random_state=0)
    model = TETE().fit(few)
    assert model.score(few) > 0.85  # more than are true: with five answers an object it agrees with wrong ones too
    own, judged = fit_answer_model(*model._answer_sample[:2]), _Committee(model, few, rng).model
    clear = np.array([3.0])
    assert judged.probability(clear) < own.probability(clear)


def test_maps_differ_where_little_is_known(rng):
    triplets = make_uniform_triplets(rng.normal(size=(20, 2)), 2000, random_state=0)
    known = triplets.select(~(triplets.to_array() == 19).any(axis=1))
    with pytest.warns(UserWarning, match="in no triplet"):
        model = TETE().fit(known)
    maps = [procrustes_align(model.embedding_, each) for each in _Committee(model, known, rng).maps]
    spread = np.std(maps, axis=0).mean(axis=1)
    assert spread[19] > 3.0 * spread[:19].mean()


def test_the_seed_decides(clean_triplets):
    model = TETE().fit(clean_triplets)
    one, same, other = (suggest(model, clean_triplets, n_questions=20, random_state=seed) for seed in (3, 3, 4))
    assert one.equals(same)
    assert not one.equals(other)
    assert one["bits"].is_monotonic_decreasing


def test_suggested_questions_teach_more_than_random_ones():
    """True places, answers that fail on close calls: the map is better after suggested questions, over ten draws."""
    gains = []
    for seed in range(10):
        points = np.random.default_rng(seed).normal(size=(25, 2))
        pool = answer_by_distance(
            points, make_uniform_triplets(points, 4000, random_state=seed), sharpness=3.0, random_state=seed
        )
        unseen = make_uniform_triplets(points, 4000, random_state=seed + 50)
        first, rest = pool.select(np.arange(150)), pool.select(np.arange(150, 4000))
        chosen = suggest(TETE().fit(first), first, n_questions=150, candidates=rest.to_array())
        number = {tuple(row): place for place, row in enumerate(rest.to_array().tolist())}
        picked = [number[tuple(row)] for row in chosen[["center", "left", "right"]].to_numpy().tolist()]
        scores = [
            TETE().fit(np.concatenate([first.to_array(), rest.to_array()[rows]])).score(unseen)
            for rows in (picked, np.arange(150))
        ]
        gains.append(scores[0] - scores[1])
    assert np.mean(gains) > 0.0
