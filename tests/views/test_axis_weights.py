import numpy as np
import pytest
from scipy.optimize import check_grad

from people_of_views import continuum, study
from tete.core.threads import SERIAL
from tete.embedding.objective import ShardedTriplets
from tete.views import axis_weights
from tete.views.axis_weights import fit_axis_weights
from tete.views.cross_fitting import CrossFit, MapMaker
from tete.views.mixture import PERSON_KINDS
from tete.views.unit_answers import UnitAnswers
from tete.views.view_search import find_views


def fit_of(triplets):
    return CrossFit(UnitAnswers.of(triplets), MapMaker(2, 2.0, 1.5, 1), PERSON_KINDS, np.random.default_rng(0))


def test_gradient(rng):
    fit = fit_of(study(n_people=5, each=30, second=2)[0])
    people = axis_weights._by_person(fit.answers.triplets, fit.answers.units, 5)
    objective = axis_weights._objective(fit, ShardedTriplets(people, 2, SERIAL), 20)
    both = rng.normal(size=(25, 2))
    error = check_grad(
        lambda flat: objective(flat.reshape(25, 2))[0],
        lambda flat: objective(flat.reshape(25, 2))[1].ravel(),
        both.ravel(),
    )
    assert error < 1e-6


@pytest.mark.parametrize(("triplets", "weights_are_likelier"), [(study()[0], False), (continuum(), True)], ids=str)
def test_a_continuum_is_told_from_views(triplets, weights_are_likelier):
    fit = fit_of(triplets)
    views = find_views([fit], 2)
    rival = fit_axis_weights(fit, views.one, views.solution)
    assert (rival.total > views.solution.total) == weights_are_likelier
    assert rival.n_axes in {2, 4}


def test_too_large_studies_are_left_out(monkeypatch):
    fit = fit_of(study(each=30)[0])
    monkeypatch.setattr(axis_weights, "MOST_PLACES", 100)
    assert fit_axis_weights(fit, find_views([fit], 1).one) is None
