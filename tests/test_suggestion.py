import numpy as np
import pytest

from conftest import random_triplets
from tete import GNMDS, TETE, Triplets
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidParameterError
from tete.losses import TETELoss, log_ratio_slopes, log_ratios
from tete.suggestion import suggest


@pytest.mark.parametrize("estimator", [TETE(), TETE(1), GNMDS()], ids=str)
def test_new_questions_varied_over_objects(clean_triplets, estimator):
    questions = suggest(estimator.fit(clean_triplets), 50, asked=clean_triplets)
    rows = questions[["center", "left", "right"]].to_numpy()
    asked = {(row[0], *sorted(row[1:])) for row in clean_triplets.to_array().tolist()}
    keys = [(row[0], *sorted(row[1:])) for row in rows.tolist()]
    assert len(set(keys)) == len(keys) == 50
    assert not asked & set(keys)
    assert len(np.unique(rows)) >= 20
    assert np.all((questions["bits"] >= 0) & (questions["bits"] <= 1))
    assert not suggest(estimator, 5, asked=clean_triplets, random_state=1).equals(questions.head(5))


def test_objects_that_are_hardly_known_come_first(rng):
    triplets = make_uniform_triplets(rng.normal(size=(30, 2)), 3000, random_state=0)
    about_last = np.flatnonzero((triplets.to_array() == 29).any(axis=1))
    known = triplets.select(np.setdiff1d(np.arange(len(triplets)), about_last[3:]))
    rows = suggest(TETE().fit(known), 10, asked=known)[["center", "left", "right"]].to_numpy()
    assert 29 in rows[0]
    assert np.mean((rows == 29).any(axis=1)) > 2 * 0.1  # twice what random questions have


def test_candidates_and_names():
    known = Triplets.from_array([(0, 1, 2), (1, 0, 2), (2, 1, 0)], names=["a", "b", "c"])
    model = TETE().fit(known)
    with pytest.raises(InvalidParameterError, match="`candidates` must hold a question that was not asked yet"):
        suggest(model, 3, asked=known, candidates=[(0, 2, 1)])
    two = Triplets.from_array([(0, 1, 2), (1, 0, 2)], names=["a", "b", "c"])
    questions = suggest(TETE().fit(two), 3, asked=two, candidates=[(0, 2, 1), (2, 0, 1), (2, 1, 0)])
    assert questions[["center", "left", "right"]].to_numpy().tolist() == [["c", "a", "b"]]


def test_slopes_are_those_of_the_log_ratio(rng):
    triplets, places, loss = random_triplets(rng, n_triplets=20), rng.normal(size=(12, 3)), TETELoss(2.0, 1.5)
    columns = triplets.anchor, triplets.near, triplets.far
    ratios, slopes = log_ratio_slopes(loss, places, *columns)
    np.testing.assert_array_equal(ratios, log_ratios(loss, places, *columns))
    for row in range(20):
        for place in range(3):
            for axis in range(3):
                moved = [places.copy(), places.copy()]
                moved[0][columns[place][row], axis] += 1e-6
                moved[1][columns[place][row], axis] -= 1e-6
                up, down = (log_ratios(loss, each, *columns)[row] for each in moved)
                assert slopes[row, place, axis] == pytest.approx((up - down) / 2e-6, abs=1e-6)
