import numpy as np
import pytest

from tete.core.randomness import make_generator
from tete.exceptions import InvalidParameterError


def test_a_seed_is_a_stream():
    one, same, other = (make_generator(seed).random(5).tolist() for seed in (3, np.int64(3), 4))
    assert one == same != other


def test_a_generator_is_used_on():
    generator = np.random.default_rng(0)
    assert make_generator(generator) is generator


def test_none_is_different_each_time():
    assert make_generator(None).random() != make_generator(None).random()


def test_legacy_states_give_their_own_streams_and_go_on():
    state = np.random.RandomState(5)
    first, second = make_generator(state).random(), make_generator(state).random()
    assert first != second
    assert make_generator(np.random.RandomState(5)).random() == first


@pytest.mark.parametrize("value", [-1, "seed", 1.5])
def test_what_is_no_seed(value):
    with pytest.raises(InvalidParameterError, match="`random_state` must be a whole number from 0 on, a generator or"):
        make_generator(value)
