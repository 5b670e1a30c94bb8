import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from tete.embedding.likeliest import LARGEST_LAPSE, LOG_STEEPNESS, maximize


def value(points, masses, lapse, log_steepness):
    sigmoid = expit(np.exp(log_steepness) * points)
    return np.sum(masses * np.log(np.maximum(lapse + (1.0 - 2.0 * lapse) * sigmoid, 1e-300)))


def searched(points, masses):
    """The likelihood at the top, by two searches one inside the other."""

    def best_lapse(log_steepness):
        tilt = 1.0 - 2.0 * expit(np.exp(log_steepness) * points)

        def slope(lapse):
            return np.sum(masses * tilt / np.maximum(0.5 - 0.5 * tilt + lapse * tilt, 1e-300))

        if slope(0.0) <= 0.0:
            return 0.0
        return LARGEST_LAPSE if slope(LARGEST_LAPSE) >= 0.0 else brentq(slope, 0.0, LARGEST_LAPSE, xtol=1e-10)

    def loss(log_steepness):
        return -value(points, masses, best_lapse(log_steepness), log_steepness)

    best = LOG_STEEPNESS[np.argmin([loss(each) for each in LOG_STEEPNESS])]
    found = minimize_scalar(
        loss, bounds=(best - 0.5, min(best + 0.5, LOG_STEEPNESS[-1])), method="bounded", options={"xatol": 1e-6}
    )
    return -min(found.fun, loss(best))


def answered(rng, count, lapse, steepness):
    margins = rng.normal(size=count)
    right = rng.random(count) < lapse + (1.0 - 2.0 * lapse) * expit(steepness * np.abs(margins))
    return np.where(right, 1.0, -1.0) * np.abs(margins) / np.abs(margins).mean()


@pytest.mark.parametrize("count", [20, 200, 2000])
@pytest.mark.parametrize("lapse", [0.0, 0.03, 0.3])
@pytest.mark.parametrize("steepness", [0.1, 1.0, 20.0])
def test_nothing_is_likelier(rng, count, lapse, steepness):
    points, masses = answered(rng, count, lapse, steepness), rng.uniform(0.5, 2.0, size=count)
    found = maximize(points, masses)
    assert 0.0 <= found[0] <= LARGEST_LAPSE
    assert value(points, masses, *found) >= searched(points, masses) - 1e-7 * count


def test_the_top_is_flat(rng):
    points, masses = answered(rng, 2000, 0.1, 2.0), rng.uniform(0.5, 2.0, size=2000)
    lapse, log_steepness = maximize(points, masses)
    assert 0.0 < lapse < LARGEST_LAPSE
    for step in ((1e-4, 0.0), (0.0, 1e-4)):
        above, below = (value(points, masses, lapse + way * step[0], log_steepness + way * step[1]) for way in (1, -1))
        assert abs(above - below) / 2e-4 < 1e-3


@pytest.mark.parametrize(
    ("points", "lapse"), [(np.full(9, 2.0), 0.0), (np.full(9, -2.0), LARGEST_LAPSE), (np.zeros(9), 0.0)]
)
def test_answers_all_alike(points, lapse):
    assert maximize(points, np.ones(9))[0] == lapse


def test_the_unit_of_the_weights_does_not_matter(rng):
    points, masses = answered(rng, 200, 0.1, 2.0), rng.uniform(0.5, 2.0, size=200)
    plain = maximize(points, masses)
    for power in (-300, 300):
        np.testing.assert_allclose(maximize(points, masses * 2.0**power), plain, rtol=1e-9)
