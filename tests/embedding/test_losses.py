"""Every loss of the table below is tested in every way: a new loss is tested by being listed."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tete.embedding.losses import (
    FORMULAS,
    LOG_RATIOS,
    CKLLoss,
    DistanceLoss,
    GNMDSLoss,
    LinearLoss,
    SOELoss,
    STELoss,
    TETELoss,
    TSTELoss,
    UnitTETELoss,
    evaluate,
    log_ratio,
    log_ratios,
    sum_losses,
    tete_loss,
)

TABLE = [
    *(
        (TETELoss(t, tp), lambda a, b, t=t, tp=tp: reference.tete(a, b, t, tp))
        for t in (1.0, 1.005, 1.3, 1.7, 2.0)
        for tp in (1.0, 1.2, 1.75, 2.0)
    ),
    (UnitTETELoss(), lambda a, b: reference.tete(a, b, 2, 2)),
    (STELoss(), reference.ste),
    *((TSTELoss(alpha), lambda a, b, alpha=alpha: reference.tste(a, b, alpha)) for alpha in (0.5, 1.0, 4.0)),
    *((CKLLoss(mu), lambda a, b, mu=mu: reference.ckl(a, b, mu)) for mu in (0.1, 1.0)),
    (GNMDSLoss(), reference.gnmds),
    (SOELoss(), reference.soe),
    *((DistanceLoss(t), lambda a, b, t=t: reference.distance_kernel(a, b, t)) for t in (1.0, 1.005, 1.5, 2.0)),
    (LinearLoss(), lambda a, b: a - b),
]
LOSSES = [loss for loss, _ in TABLE]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
distances = st.floats(0.0, 50.0)


def test_every_loss_is_listed():
    assert {type(loss) for loss in LOSSES} == set(FORMULAS)


@pytest.mark.parametrize(("loss", "expected"), TABLE, ids=lambda value: str(value) if isinstance(value, tuple) else "")
def test_value_equals_the_reference(loss, expected, rng):
    for a, b in rng.exponential(scale=3.0, size=(50, 2)):
        assert evaluate(loss, a, b)[0] == pytest.approx(expected(a, b), rel=1e-9, abs=1e-13)


@every_loss
def test_derivatives_equal_finite_differences(loss, rng):
    step = 1e-6
    for a, b in rng.exponential(scale=3.0, size=(50, 2)) + 0.01:
        if type(loss) is GNMDSLoss and abs(1 + a - b) < 1e-3:
            continue  # the kink
        _, slope_near, slope_far = evaluate(loss, a, b)
        for slope, near, far in ((slope_near, step, 0.0), (slope_far, 0.0, step)):
            numeric = (evaluate(loss, a + near, b + far)[0] - evaluate(loss, a - near, b - far)[0]) / (2 * step)
            assert slope == pytest.approx(numeric, rel=1e-5, abs=1e-9)


@every_loss
@given(a=distances, b=distances)
def test_monotone_in_both_distances(loss, a, b):
    _, slope_near, slope_far = evaluate(loss, a, b)
    assert slope_near >= 0 >= slope_far


@every_loss
@pytest.mark.parametrize("a", [0.0, 1e-12, 1.0, 1e12])
@pytest.mark.parametrize("b", [0.0, 1e-12, 1.0, 1e12])
def test_finite_from_zero_to_huge(loss, a, b):
    assert np.isfinite(evaluate(loss, a, b)).all()
    if type(loss) in LOG_RATIOS:
        assert np.isfinite(log_ratio(loss, a, b)).all()


@given(t=st.floats(1.001, 2.0), t_prime=st.floats(1.0, 2.0), a=st.floats(0.0, 1e12), b=st.floats(0.0, 1e12))
def test_capped(t, t_prime, a, b):
    value, slope_near, slope_far = evaluate(tete_loss(t, t_prime), a, b)
    assert 0.0 <= value <= 1.0 / (t - 1.0) * (1 + 1e-12)
    assert np.isfinite([slope_near, slope_far]).all()


@given(t=st.floats(1.001, 2.0), a=st.floats(0.0, 1e12), b=st.floats(0.0, 1e12))
def test_distances_are_capped_too(t, a, b):
    value, slope_near, slope_far = evaluate(DistanceLoss(t), a, b)
    assert 0.0 <= value <= 1.0 / (t - 1.0) * (1 + 1e-12)
    assert np.isfinite([slope_near, slope_far]).all()


@given(a=distances, b=distances)
def test_special_cases(a, b):
    assert evaluate(TETELoss(1.0, 1.0), a, b) == pytest.approx(evaluate(STELoss(), a, b), abs=1e-10)
    assert evaluate(TETELoss(1.0, 2.0), a, b) == pytest.approx(evaluate(TSTELoss(1.0), a, b), abs=1e-10)
    assert evaluate(TETELoss(2.0, 2.0), a, b) == pytest.approx(evaluate(UnitTETELoss(), a, b), abs=1e-10)
    assert evaluate(UnitTETELoss(), a, b)[0] == pytest.approx((1 + a) / (2 + a + b), abs=1e-12)
    assert evaluate(CKLLoss(1.0), a, b) == pytest.approx(evaluate(TSTELoss(1.0), a, b), abs=1e-10)


@pytest.mark.parametrize("distance", [1e-14, 1e-10, 1e-6])
@pytest.mark.parametrize(("a", "b"), [(0.5, 3.0), (7.0, 0.1)])
def test_continuous_at_one(a, b, distance):
    at_one = evaluate(TETELoss(1.0, 1.0), a, b)
    assert evaluate(TETELoss(1.0 + distance, 1.0), a, b) == pytest.approx(at_one, abs=100 * distance + 1e-13)
    assert evaluate(TETELoss(1.0, 1.0 + distance), a, b) == pytest.approx(at_one, abs=100 * distance + 1e-13)


def test_slope_at_the_origin_is_the_hessians_factor():
    for t in (1.0, 1.5, 2.0):
        assert evaluate(tete_loss(t, 1.75), 0.0, 0.0)[1:] == pytest.approx((2.0**-t, -(2.0**-t)))


def test_the_fast_form_is_chosen_where_it_applies():
    assert tete_loss(2, 2) == UnitTETELoss()
    assert tete_loss(2.0, 1.75) == TETELoss(2.0, 1.75)


def _data(rng, n_components):
    embedding = rng.normal(size=(8, n_components))
    rows = np.array([rng.choice(8, 3, replace=False) for _ in range(40)], dtype=np.int32)
    return embedding, rows, rng.exponential(size=40)


@every_loss
@pytest.mark.parametrize(
    "n_components", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(5, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_loop_equals_reference_and_finite_differences(loss, n_components, weighted, rng):
    embedding, rows, weights = _data(rng, n_components)
    columns = [np.ascontiguousarray(column) for column in rows.T]
    weights = weights if weighted else None
    expected = next(function for other, function in TABLE if other is loss)

    def total(places):
        a, b = reference.squared_distances(places, rows)
        return np.sum(expected(a, b) if weights is None else weights * expected(a, b))

    gradient = np.zeros_like(embedding)
    value = sum_losses(loss, embedding, *columns, weights, gradient)
    assert value == pytest.approx(total(embedding), rel=1e-9)
    np.testing.assert_allclose(gradient, reference.numerical_gradient(total, embedding), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if type(loss) in LOG_RATIOS], ids=str)
def test_log_ratios_of_many_triplets(loss, rng):
    embedding, rows, _ = _data(rng, 2)
    a, b = reference.squared_distances(embedding, rows)
    expected = [log_ratio(loss, near, far)[0] for near, far in zip(a, b, strict=True)]
    columns = [np.ascontiguousarray(column) for column in rows.T]
    np.testing.assert_allclose(log_ratios(loss, embedding, *columns), expected, rtol=1e-12)


def test_the_same_code_runs_without_the_compiler():
    program = (
        "import numpy as np; from tete import TETE;"
        "print(TETE(max_iter=20, n_jobs=1).fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).predict([(0, 1, 2)])[0])"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "True"
