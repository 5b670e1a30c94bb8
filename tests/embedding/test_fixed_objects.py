import numpy as np
import pytest

from tete import TETE, Triplets
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidParameterError


@pytest.fixture
def places(rng):
    return rng.normal(size=(30, 2)) * 3 + 7


@pytest.mark.parametrize("n_fixed", [5, 25])
def test_fixed_objects_stay_to_the_last_bit(places, n_fixed):
    triplets = make_uniform_triplets(places, 2000, random_state=0)
    fixed = places.copy()
    fixed[n_fixed:] = np.nan
    fitted = TETE().fit(triplets, fixed=fixed)
    np.testing.assert_array_equal(fitted.embedding_[:n_fixed], places[:n_fixed])
    assert fitted.score(triplets) > 0.9


def test_a_mapping_of_names(places):
    triplets = make_uniform_triplets(places, 2000, random_state=0)
    named = Triplets.from_array(triplets.to_array(), names=[f"n{number}" for number in range(30)])
    fitted = TETE().fit(named, fixed={f"n{number}": places[number] for number in range(20)})
    array = np.where(np.arange(30)[:, None] < 20, places, np.nan)
    np.testing.assert_array_equal(fitted.embedding_, TETE().fit(named, fixed=array).embedding_)


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({99: (0, 0)}, "`fixed` must name objects of the triplets, got 99"),
        ({0: (0, 0, 0)}, r"`fixed` must hold places of shape \(2,\), got \(3,\)"),
        ({0: ("a", "b")}, "`fixed` must hold numbers"),
        ({0: (np.nan, np.nan)}, "`fixed` must hold finite places"),
        (np.zeros((30, 2)), "leave others free, got 30 of 30 fixed"),
        (np.full((30, 2), np.nan), "keep some objects"),
        (np.zeros((2, 2)), r"`fixed` must hold places of shape \(30, 2\)"),
    ],
)
def test_mistakes(places, fixed, message):
    with pytest.raises(InvalidParameterError, match=message):
        TETE().fit(make_uniform_triplets(places, 500, random_state=0), fixed=fixed)


def test_gradient_descent_cannot_hold_objects(places):
    with pytest.raises(InvalidParameterError, match="`optimizer` must be 'lbfgs' with `fixed`"):
        TETE(optimizer="gradient_descent").fit([(0, 1, 2)], fixed={0: (0, 0)})
