import numpy as np
import pytest

from people_of_views import study
from tete.embedding.distance_margins import distance_margins
from tete.views.cross_fitting import CrossFit, MapMaker
from tete.views.mixture import PERSON_KINDS
from tete.views.unit_answers import UnitAnswers

MAKER = MapMaker(2, 2.0, 1.5, 1)


@pytest.fixture
def fit():
    return CrossFit(UnitAnswers.of(study()[0]), MAKER, PERSON_KINDS, np.random.default_rng(0))


def test_no_answer_vouches_for_itself(fit):
    found = fit.run(np.ones((fit.answers.n_units, 1)), n_rounds=2)
    for half in (0, 1):
        tested = fit.halves[1 - half].triplets
        expected = distance_margins(found.maps[half][0], tested.anchor, tested.near, tested.far)
        np.testing.assert_allclose(found.margins[0][fit.rows[1 - half]], expected)
    assert not set(fit.rows[0]) & set(fit.rows[1])


def test_unreliable_people_are_told():
    triplets, _, kind = study(second=0)
    fit = CrossFit(UnitAnswers.of(triplets), MAKER, PERSON_KINDS, np.random.default_rng(0))
    found = fit.run(np.ones((fit.answers.n_units, 1)), n_rounds=4).memberships
    assert np.all(found.reversed[kind == 2] > 0.95)
    assert np.all(found.at_chance[kind == 1] > 0.5)
    assert np.all(np.abs(found.reliabilities[kind == 1]) < 0.3)


def test_unknown_objects_say_nothing(fit):
    places = np.random.default_rng(0).normal(size=(20, 2))
    known = np.arange(20) != 3
    margins = MAKER.margins(fit.answers, places, known)
    asked = (fit.answers.triplets.to_array() == 3).any(axis=1)
    assert np.all(margins[asked] == 0.0)
    assert np.all(margins[~asked] != 0.0)
    assert not MAKER.margins(fit.answers, None, known).any()


def test_maps_of_nothing(fit):
    assert MAKER.make(fit.answers, np.zeros(fit.answers.n_units)) is None


def test_views_in_another_order(fit):
    weights = np.random.default_rng(0).random((fit.answers.n_units, 2))
    found = fit.run(weights, n_rounds=1)
    turned = found.ordered(np.array([1, 0]))
    np.testing.assert_array_equal(turned.memberships.views, found.memberships.views[:, ::-1])
    np.testing.assert_array_equal(turned.margins[0], found.margins[1])
    assert turned.models == found.models[::-1]
    assert turned.total == found.total
