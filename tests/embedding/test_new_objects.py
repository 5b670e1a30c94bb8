import numpy as np
import pandas as pd
import pytest

from tete import GNMDS, STE, TETE, Triplets
from tete.datasets import make_uniform_triplets
from tete.exceptions import DroppedAnswersWarning, InvalidTripletsError
from tete.metrics.alignment import procrustes_align

N, N_NEW = 60, 12


def simulate(seed, noise=0.1, n_answers=20):
    """Places of all objects, answers about the first, and answers that mention one of the others each."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(N + N_NEW, 2))
    old = make_uniform_triplets(points[:N], 60 * N, random_state=seed).flip(noise, random_state=seed)
    rows = []
    for new in range(N, N + N_NEW):
        for turn in range(n_answers):
            one, other = rng.choice(N, 2, replace=False)
            rows.append((new, one, other) if turn % 2 else (one, new, other))
    rows = np.array(rows)
    to_near, to_far = (np.linalg.norm(points[rows[:, 0]] - points[rows[:, place]], axis=1) for place in (1, 2))
    swapped = (to_near > to_far) ^ (rng.random(len(rows)) < noise)
    return points, old, Triplets.from_array(rows).flip_where(swapped)


def on_map(model, points):
    """All true places in the coordinates of a map of the first ones."""
    target = np.column_stack([points[:N], np.ones(N)])
    return np.column_stack([points, np.ones(len(points))]) @ np.linalg.lstsq(target, model.embedding_, rcond=None)[0]


@pytest.mark.parametrize("estimator", [TETE(), STE(), GNMDS()], ids=lambda each: type(each).__name__)
def test_nearer_than_a_new_fit_and_the_map_stays(estimator):
    errors = {"placed": [], "fitted": []}
    for seed in range(3):
        points, old, new = simulate(seed)
        model = estimator.fit(old)
        before = model.embedding_.copy()
        placed = model.place_new(new)
        np.testing.assert_array_equal(model.embedding_, before)
        everything = Triplets.from_array(np.concatenate([old.to_array(), new.to_array()]))
        for name, embedding in (
            ("placed", np.concatenate([model.embedding_, placed.embedding])),
            ("fitted", type(estimator)().fit(everything).embedding_),
        ):
            away = procrustes_align(points, embedding)[N:] - points[N:]
            errors[name].append(np.linalg.norm(away, axis=1).mean())
    assert np.mean(errors["placed"]) < np.mean(errors["fitted"])


def test_ellipses_contain_the_truth():
    contained = []
    for seed in range(6):
        points, old, new = simulate(seed)
        model = TETE().fit(old)
        contained.append(model.place_new(new).contains(on_map(model, points)[N:]).mean())
    assert 0.75 < np.mean(contained) < 0.99


def test_more_answers_make_smaller_ellipses():
    sizes = []
    for count in (5, 20, 80):
        _, old, new = simulate(0, n_answers=count)
        placed = TETE().fit(old).place_new(new)
        assert (placed.n_answers == count).all()
        sizes.append(placed.radii().mean())
    assert sizes[0] > sizes[1] > sizes[2]


def test_alone_or_with_others():
    _, old, new = simulate(0)
    model = TETE().fit(old)
    together = model.place_new(new)
    alone = model.place_new(new.select((new.to_array() == N + 3).any(axis=1)))
    assert alone.names == (N + 3,)
    np.testing.assert_array_equal(alone.embedding[0], together.embedding[3])
    np.testing.assert_array_equal(alone.covariance[0], together.covariance[3])


def test_names_and_answers_between_new_objects():
    known = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0)] * 4, names=["a", "b", "c"])
    model = TETE().fit(known)
    answers = pd.DataFrame({"anchor": ["new", "new", "newer"], "near": ["a", "newer", "new"], "far": ["c", "c", "c"]})
    placed = model.place_new(answers)
    assert placed.names == ("new", "newer")
    assert list(placed.to_frame()["object"]) == ["new", "newer"]
    assert list(placed.n_answers) == [3, 2]
    to_a, to_c = (np.linalg.norm(placed.embedding - model.embedding_[place], axis=1) for place in (0, 2))
    assert (to_a < to_c).all()  # "newer" is known only through "new"


def test_numbers_in_a_frame_without_the_object_0_of_the_map():
    _, old, new = simulate(0)
    model = TETE(t=2.0, t_prime=2.0).fit(old)
    rows = new.to_array()[(new.to_array() != 0).all(axis=1)]
    frame = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    assert model.place_new(frame).names == model.place_new(rows).names


def test_a_map_from_elsewhere():
    places = np.array([[0.0, 0], [4, 0], [0, 4], [4, 4]])
    placed = (
        TETE()
        .on_map(places, list("abcd"))
        .place_new(pd.DataFrame([["x", "a", "d"]], columns=["anchor", "near", "far"]))
    )
    assert np.linalg.norm(placed.embedding[0] - places[0]) < np.linalg.norm(placed.embedding[0] - places[3])


def test_mistakes():
    model = TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    with pytest.warns(DroppedAnswersWarning, match="1 of 2 answers was left out: about objects of the map alone"):
        model.place_new([(0, 1, 2), (3, 0, 2)])
    with pytest.warns(DroppedAnswersWarning), pytest.raises(InvalidTripletsError, match="must mention a new object"):
        model.place_new([(0, 1, 2)])
    with pytest.raises(InvalidTripletsError, match="with those of the map, got none: 9 and all others are not on it"):
        model.place_new([(9, 10, 11)])
    with pytest.raises(InvalidTripletsError, match="the map was fitted without names"):
        model.place_new(pd.DataFrame({"anchor": ["x"], "near": ["y"], "far": ["z"]}))
