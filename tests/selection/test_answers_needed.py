import itertools
from dataclasses import replace

import numpy as np
import pytest

from tete import TETE, Triplets, learning_curve
from tete.datasets import make_uniform_triplets
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.selection.answers_needed import SHARES, _power_law


@pytest.mark.parametrize(("limit", "amount", "exponent"), [(0.1, 20.0, 1.0), (0.0, 2.0, 0.5), (0.15, 0.0, 1.0)])
def test_a_power_law_is_found(limit, amount, exponent):
    sizes = 5000.0 * np.array(SHARES)
    found = _power_law(sizes, limit + amount * sizes**-exponent)
    assert found[0] == pytest.approx(limit, abs=1e-3)
    if amount:
        assert found[1:] == pytest.approx((amount, exponent), rel=0.02)


def test_more_answers_lower_the_error(rng):
    answers = make_uniform_triplets(rng.normal(size=(30, 2)), 3000, random_state=0).flip(0.1, random_state=1)
    curve = learning_curve(TETE(), answers, n_repeats=2)
    errors = curve.points["error"].to_numpy()
    assert errors[0] > errors[-1] + 0.03
    assert curve.points["answers"].tolist() == pytest.approx([240, 384, 600, 960, 1512, 2400], rel=0.03)
    assert 0.05 < curve.limit < errors[-1]
    assert float(curve.predict(curve.answers_needed)) == pytest.approx(curve.limit + 0.01)
    assert "held-out error" in str(curve)


def test_weights_beyond_any_number(rng):
    answers = make_uniform_triplets(rng.normal(size=(8, 2)), 100, random_state=0).with_weights(np.full(100, 1e90))
    curve = learning_curve(TETE(t=2.0, t_prime=2.0), answers, n_repeats=1)
    assert (curve.points["answers"] > 2**60).all()


def test_what_it_says(rng):
    answers = make_uniform_triplets(rng.normal(size=(8, 2)), 400, random_state=0)
    curve = learning_curve(TETE(), answers, n_repeats=1)
    for needed, text in (
        (10.0, "by less than one point"),
        (1234.0, "about 1,200 answers"),
        (np.inf, "100 times as many"),
    ):
        object.__setattr__(curve, "answers_needed", needed)
        assert text in str(curve)


def test_answers_stay_whole(rng):
    shown = np.array([rng.choice(10, size=3, replace=False) for _ in range(200)])
    curve = learning_curve(TETE(), Triplets.from_odd_one_out(shown, odd=0), n_repeats=1)
    assert curve.points["answers"].iloc[-1] == pytest.approx(160, abs=8)  # a fifth of the screens is held out


def test_people_are_held_out_and_told_whole(clean_triplets):
    told, answers = [], replace(clean_triplets, annotators=np.arange(2000) % 20)

    class Spy(TETE):
        def map_of(self, triplets, **options):
            told.append(np.unique(triplets.annotators, return_counts=True))
            return super().map_of(triplets, **options)

    fitted = Spy(t=2.0, t_prime=1.75).fit(answers)
    told.clear()
    curve = learning_curve(fitted, answers, by="annotators", n_repeats=1)
    assert [len(people) for people, _ in told] == [2, 3, 4, 6, 10, 16]
    assert all((counts == 100).all() for _, counts in told)
    assert curve.points["people"].tolist() == [2, 3, 4, 6, 10, 16]
    assert curve.points["answers"].tolist() == [200, 300, 400, 600, 1000, 1600]
    assert f"fitted curve: held-out error {curve.predict(1600):.1%} with 1,600 answers of 16 people" in str(curve)
    assert all(set(few) < set(more) for (few, _), (more, _) in itertools.pairwise(told))


def test_the_parts_have_answers_of_all_groups_that_are_not_held_out(clean_triplets):
    grouped = replace(clean_triplets, groups=np.arange(2000) % 2)
    curve = learning_curve(TETE(t=2.0, t_prime=1.75), grouped, n_repeats=1)
    errors = curve.points["error"].to_numpy()
    assert curve.points["answers"].tolist() == pytest.approx([100, 160, 250, 400, 630, 1000], rel=0.05)
    assert errors[0] > errors[-1]
    with pytest.raises(InvalidTripletsError, match="At least 2 different groups are needed to split them, got 1"):
        learning_curve(TETE(), replace(clean_triplets, groups=np.zeros(2000, dtype=int)))


def test_people_who_differ_widen_the_errors(clean_triplets):
    answers = replace(clean_triplets, annotators=np.arange(2000) % 20)
    differing = answers.flip_where(answers.annotators < 5)
    fitted = TETE().fit(differing)
    errors = [
        learning_curve(fitted, differing, by=by, n_repeats=3).points["standard_error"].iloc[-1]
        for by in ("answers", "annotators")
    ]
    assert errors[1] > 2.0 * errors[0]


def test_bad_input(clean_triplets):
    with pytest.raises(InvalidParameterError, match="The answers do not say who gave them"):
        learning_curve(TETE(), clean_triplets, by="annotators")
    with pytest.raises(InvalidTripletsError, match="At least 100 answers are needed for a curve, got 99"):
        learning_curve(TETE(), clean_triplets.select(np.arange(99)))
    with pytest.raises(InvalidParameterError, match="`n_repeats` must be a whole number of at least 1, got 0"):
        learning_curve(TETE(), clean_triplets, n_repeats=0)
