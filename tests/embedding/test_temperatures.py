import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tete.embedding.losses import DistanceLoss, TETELoss, UnitTETELoss
from tete.embedding.temperatures import CANDIDATES, Temperatures, fallback, is_auto, possible_temperatures

numbers = st.one_of(st.just("auto"), st.floats(1.0, 2.0))


def test_nothing_given_leaves_all_candidates():
    assert possible_temperatures("auto", "auto", "auto") == list(CANDIDATES)
    assert len(CANDIDATES) == 6


def test_what_is_given_stays():
    assert possible_temperatures(2.0, 1.75, "auto") == [Temperatures("squared", 2.0, 1.75)]
    assert possible_temperatures(1.5, "auto", "distance") == [Temperatures("distance", 1.5, None)]
    assert possible_temperatures("auto", 1.25, "auto") == [
        Temperatures("squared", 2.0, 1.25),
        Temperatures("squared", 1.0, 1.25),
    ]
    assert [str(each) for each in possible_temperatures(1, "auto", "auto")] == [
        "t = 1, t' = 2",
        "t = 1, t' = 1.5",
        "t = 1, on plain distances",
        "t = 1, t' = 1.75",
        "t = 1, t' = 1",
    ]
    assert {each.kernel for each in possible_temperatures("auto", "auto", "squared")} == {"squared"}


@given(numbers, numbers, st.sampled_from(["auto", "squared"]))
def test_every_number_given_is_kept(t, t_prime, kernel):
    possible = possible_temperatures(t, t_prime, kernel)
    assert possible
    assert len(set(possible)) == len(possible)
    for each in possible:
        assert t in ("auto", each.t)
        assert t_prime in ("auto", each.t_prime)
    assert fallback(possible) in possible


def test_the_fallback_has_a_middle_tail_where_it_is_free():
    assert fallback(list(CANDIDATES)) == Temperatures("squared", 2.0, 1.5)
    assert fallback(possible_temperatures("auto", 1.0, "auto")) == Temperatures("squared", 2.0, 1.0)
    assert fallback(possible_temperatures("auto", "auto", "distance")) == Temperatures("distance", 2.0, None)


@pytest.mark.parametrize(
    ("temperatures", "loss"),
    [
        (Temperatures("squared", 2.0, 2.0), UnitTETELoss()),
        (Temperatures("squared", 1.0, 1.75), TETELoss(1.0, 1.75)),
        (Temperatures("distance", 2.0, None), DistanceLoss(2.0)),
    ],
)
def test_each_has_its_loss(temperatures, loss):
    assert temperatures.loss == loss
    assert type(temperatures.loss) is type(loss)


def test_auto_is_a_word_and_nothing_else():
    assert is_auto("auto")
    assert not any(is_auto(each) for each in ("hot", 1.0, None, np.ones(2)))
