import numpy as np
import pytest
from scipy.stats import binom

from people_of_views import study
from tete import Triplets
from tete.views.own_maps import agreement_of, chance_of, own_map, verdict_alone
from tete.views.unit_answers import UnitAnswers


def test_chance_is_the_binomial_one():
    assert chance_of(7, 10) == pytest.approx(binom.sf(6, 10, 0.5))
    assert chance_of(0, 10) == 1.0
    assert chance_of(10, 10) == pytest.approx(0.5**10)


def test_consistent_and_random_people():
    triplets, _, _ = study(n_people=4, each=200, second=1, n_random=2, n_reversed=0)
    answers = UnitAnswers.of(triplets)
    assert verdict_alone(answers, 0, 2)[0] == "consistent, but a view of their own"
    assert own_map(answers, 0, 2).agreement > 0.7
    assert verdict_alone(answers, 3, 2)[0] == "at chance"
    assert own_map(answers, 3, 2).chance > 0.05 / 4


def test_few_answers_do_not_tell():
    triplets, _, _ = study(n_people=4, each=60, second=1, n_random=2, n_reversed=0)
    assert verdict_alone(UnitAnswers.of(triplets), 3, 2)[0] == "random or another view: too few answers to tell"
    few = UnitAnswers.of(Triplets.from_array([(0, 1, 2), (1, 2, 0)], annotators=["a", "a"]))
    assert own_map(few, 0, 2) is None
    assert np.isnan(verdict_alone(few, 0, 2)[1])


def test_agreement():
    np.testing.assert_array_equal(agreement_of(np.array([2.0, -1.0, 0.0])), [1.0, 0.0, 0.5])
