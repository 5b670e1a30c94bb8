"""How many views there are: also `views.view_starts`, `views.view_agreement`."""

import numpy as np
import pytest

from people_of_views import study
from tete.views.cross_fitting import CrossFit, MapMaker
from tete.views.mixture import ANSWER_KINDS, PERSON_KINDS
from tete.views.unit_answers import UnitAnswers
from tete.views.view_agreement import agreement_of_maps, agreement_of_people
from tete.views.view_search import LEAST_GAIN, challenged, find_views, grown, one_view
from tete.views.view_starts import starting_weights


def fits_of(triplets, kinds=PERSON_KINDS, by="annotators"):
    answers = UnitAnswers.of(triplets, by)
    return [CrossFit(answers, MapMaker(2, 2.0, 1.5, 1), kinds, np.random.default_rng(seed)) for seed in (0, 1)]


@pytest.fixture(scope="module")
def two_views():
    fits = fits_of(study()[0])
    return fits, find_views(fits, None)


def test_two_views_are_found(two_views):
    _, found = two_views
    assert found.solution.n_views == 2
    assert found.steps[0].accepted
    assert min(found.steps[0].gains) >= LEAST_GAIN
    assert found.steps[0].agreement == 1.0
    assert not found.steps[-1].accepted
    assert found.larger.n_views == 3


def test_a_start_has_the_minority_apart(two_views):
    fits, found = two_views
    _, view, kind = study()
    apart = [
        min(weights[(view == 1) & (kind == 0), -1].mean(), weights[(view == 0) & (kind == 0), 0].mean())
        for weights in starting_weights(fits[0], found.one)
    ]
    assert max(apart) > 0.8


def test_the_smaller_solution_is_never_less_likely_after_the_challenge(two_views):
    fits, found = two_views
    larger = grown(fits[0], found.one)
    assert challenged(fits[0], larger, found.one).total >= found.one.total


def test_as_many_views_as_are_asked_for():
    found = find_views(fits_of(study(second=0)[0]), 2)
    assert found.solution.n_views == 2
    assert found.steps[0].gains[0] < LEAST_GAIN


def test_agreement_of_people(two_views):
    fits, found = two_views
    assert agreement_of_people([found.solution, found.solution]) == 1.0
    turned = found.solution.ordered(np.array([1, 0]))
    assert agreement_of_people([found.solution, turned]) == 1.0
    alone = one_view(fits[0])
    assert agreement_of_people([alone, alone]) == 1.0
    halved = found.solution.memberships.probabilities.mean(axis=1, keepdims=True).repeat(2, axis=1)
    nobody = found.solution._replace(
        memberships=type(found.solution.memberships)(halved, *[np.ones(2) / 2] * 2, 0.0, PERSON_KINDS)
    )
    assert agreement_of_people([found.solution, nobody]) == 0.0


def test_agreement_of_maps():
    triplets, view, _ = study(n_random=0, n_reversed=0)
    fit = fits_of(triplets, ANSWER_KINDS, "answers")[0]
    people = np.unique(triplets.annotators, return_inverse=True)[1]
    of_view = np.zeros(fit.answers.n_units)
    of_view[fit.answers.units] = view[people[fit.answers.rows]]
    apart = fit.run(np.column_stack([1.0 - of_view, of_view]), n_rounds=1)
    assert agreement_of_maps(fit, [apart, apart.ordered(np.array([1, 0]))]) == 1.0
    alike = fit.run(np.ones((fit.answers.n_units, 2)), n_rounds=1)
    assert agreement_of_maps(fit, [alike, alike]) == 0.0
