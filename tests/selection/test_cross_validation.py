import numpy as np
import pytest

from tete import Triplets
from tete.selection.cross_validation import FoldScores, best_of_each_dimension


def held_out(agreed, units, n_units, weights=None, known=(True, True, True)):
    """Of triplets that the places 0, 1, 3 on a line agree with, or not."""
    rows = [(0, 1, 2) if each else (0, 2, 1) for each in agreed]
    test = Triplets.from_array(rows, weights=weights)
    result = FoldScores(np.ones(n_units))
    result.add(0, np.array([[0.0], [1.0], [3.0]]), np.array(known), test, np.array(units))
    return result


def test_the_score_counts_weights_and_its_error_counts_units():
    scored = held_out([1, 1, 0, 1], [0, 0, 1, 1], 2, weights=[1.0, 1.0, 3.0, 1.0])
    assert scored.score == scored.scores[0] == 0.5
    # Unit 0 has 2 of 2, unit 1 has 1 of 4: residuals 2 - 1 and 1 - 2 from half of the weight, over 6 in all.
    assert scored.standard_error == pytest.approx(np.sqrt(2.0) / 6.0)
    alone, together = (held_out([1, 0] * 50, units, 100) for units in (np.arange(100), np.arange(100) // 4 * 4))
    assert together.standard_error < alone.standard_error  # each four hold two of each kind


def test_the_likelihood_is_that_of_the_answer_model(rng):
    scored = held_out(rng.random(1000) < 0.7, np.arange(1000), 1000)
    assert scored.mean_likelihood == scored.likelihoods[0]
    expected = scored.score * np.log(scored.score) + (1.0 - scored.score) * np.log(1.0 - scored.score)
    assert scored.mean_likelihood == pytest.approx(expected, abs=1e-6)  # all calls are equally clear
    assert 0.0 < scored.likelihood_error < 0.05


def test_objects_that_the_map_does_not_know_do_not_count():
    nothing = held_out([1, 1], [0, 1], 2, known=(True, True, False))
    assert np.isnan([nothing.score, nothing.scores[0], nothing.standard_error, nothing.mean_likelihood]).all()


def test_differences_are_judged_on_the_units_that_both_were_tested_on(rng):
    right = rng.random(1000) < 0.7
    better = right.copy()
    better[rng.permutation(np.flatnonzero(~right))[:20]] = True  # 2 points better, far less than the scores' errors
    worse, best = (held_out(each, np.arange(1000), 1000) for each in (right, better))
    assert best.score - worse.score < 2.0 * worse.standard_error
    assert worse.clearly_below(best, 3.0)
    assert not best.clearly_below(worse, 0.0)
    assert not best.clearly_below(best, 0.0)


def test_of_each_dimension_the_best_that_all_folds_tested():
    results = {
        "params": [{"n_components": d, "t": t} for d, t in ((2, 2), (2, 1), (1, 2), (1, 1))],
        "param_n_components": np.array([2, 2, 1, 1]),
        "comparable_likelihood": np.array([-0.2, -0.3, -0.4, -0.5]),
        "split0_test_score": np.array([0.9, 0.8, 0.7, 0.6]),
        "split1_test_score": np.array([np.nan, 0.8, 0.7, 0.6]),
    }
    assert best_of_each_dimension(results, {"n_components": 1, "t": 1}) == [3, 1]
