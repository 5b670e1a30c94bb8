from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tete.core.pairwise_sum import PairwiseSum


def by_hand(terms):
    """Neighbours added in pairs until one is left."""
    while len(terms) > 1:
        pairs = [terms[place : place + 2] for place in range(0, len(terms), 2)]
        terms = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
    return terms[0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.randoms())
def test_any_order_gives_the_bits_of_neighbours_added_in_pairs(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    total = PairwiseSum(len(values))
    for number in order:
        total.add(number, np.array([values[number]]))
    assert total.result()[0] == by_hand(values)


@pytest.mark.parametrize("n_terms", [1, 5, 8, 13])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_sums_of_subtrees_are_terms_of_a_higher_level(n_terms, level, rng):
    values = rng.normal(size=n_terms)
    total = PairwiseSum(n_terms)
    for number, start in enumerate(range(0, n_terms, 2**level)):
        total.add(number, np.array([by_hand(list(values[start : start + 2**level]))]), level=level)
    assert total.result()[0] == by_hand(list(values))


def test_threads_may_add_at_the_same_time(rng):
    values = rng.normal(size=(300, 10))
    total = PairwiseSum(300)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: total.add(number, values[number].copy()), rng.permutation(300)))
    np.testing.assert_array_equal(total.result(), by_hand(list(values)))


def test_the_tree_is_nearer_to_the_exact_sum_than_adding_in_order(rng):
    errors = {"tree": 0.0, "order": 0.0}
    for values in rng.normal(size=(100, 64)):
        exact = sum(map(Fraction, values.tolist()))
        total = PairwiseSum(64)
        for number, value in enumerate(values):
            total.add(number, np.array([value]))
        errors["tree"] += abs(float(Fraction(float(total.result()[0])) - exact))
        errors["order"] += abs(float(Fraction(float(np.cumsum(values)[-1])) - exact))
    assert errors["tree"] < errors["order"]
