import numpy as np
import pytest

from tete import TETE, TSTE
from tete.comparisons.folds import folds
from tete.datasets import make_uniform_triplets
from tete.embedding.losses import TETELoss, TSTELoss, evaluate
from tete.metrics.satisfaction import satisfied
from tete.selection.candidates import QUICK, TEMPERATURES, TO_THE_END, Candidate, Effort, Fold, Search


@pytest.fixture(scope="module")
def answers():
    points = np.random.default_rng(1).normal(size=(25, 2))
    return make_uniform_triplets(points, 1500, random_state=1).flip(0.1, random_state=1)


def split(answers, n_folds=4):
    units = np.arange(len(answers))
    return [
        Fold(number, answers.select(train), answers.select(test), units[test])
        for number, (train, test) in enumerate(folds(n_folds, units, 0))
    ]


@pytest.fixture
def search(answers):
    return Search(split(answers), np.ones(len(answers)), TETE(n_jobs=1))


@pytest.mark.parametrize("alpha", [1.0, 3.0, 7.0])
def test_t_ste_is_among_the_temperatures_at_another_scale(alpha):
    pair = (1.0, 1.0 + 2.0 / (1.0 + alpha))
    assert pair in TEMPERATURES
    scale = (1.0 + alpha) / (2.0 * alpha)
    for near, far in ((0.3, 2.0), (5.0, 1.0), (1.0, 1.0)):
        ours = evaluate(TETELoss(*pair), scale * near, scale * far)[0]
        assert ours == pytest.approx(evaluate(TSTELoss(alpha), near, far)[0])


def test_a_fit_to_the_end_is_that_of_the_estimator(answers):
    fold = split(answers)[0]
    candidate = Candidate(2, 1.0, 1.5)
    found = fold.fit(candidate, TETE(n_jobs=1), Effort(1.0, 1000))
    expected = TETE(2, t=1.0, t_prime=1.5).fit(fold.train)
    np.testing.assert_array_equal(found.embedding, expected.embedding_)
    assert (found.value, found.n_iter) == (expected.loss_, expected.n_iter_)
    nearby = fold.fit(Candidate(2, 1.0, 1.25), TETE(n_jobs=1), TO_THE_END)
    started = TETE(2, t=1.0, t_prime=1.25, init=expected.embedding_).fit(fold.train)
    assert nearby.value == pytest.approx(started.loss_, rel=1e-4)


def test_fits_go_on_from_the_nearest_map_and_quick_ones_stop_early(answers):
    fold = split(answers)[0]
    settings = TETE(n_jobs=1)
    first = fold.fit(Candidate(3, 2.0, 1.75), settings, QUICK)
    second = fold.fit(Candidate(3, 2.0, 1.5), settings, QUICK)
    assert second.n_iter < first.n_iter
    cut = fold.fit(Candidate(2, 1.0, 1.0), settings, Effort(100.0, 3))
    assert (cut.n_iter, cut.embedding.shape) == (3, (25, 2))
    quick, longer = (fold.fit(Candidate(2, 1.0, 1.0), settings, effort) for effort in (QUICK, TO_THE_END))
    assert longer.value < quick.value < cut.value


def test_no_fold_knows_what_another_has_seen(answers, search, monkeypatch):
    """A fold that goes the same way all alone finds the same maps, to the last bit."""
    way = []
    fit = Fold.fit

    def noted(fold, candidate, settings, effort):
        if fold.number == 3:
            way.append((candidate, effort))
        return fit(fold, candidate, settings, effort)

    monkeypatch.setattr(Fold, "fit", noted)
    search.choose([3, 2, 1], TEMPERATURES[:4], verbose=False)
    monkeypatch.undo()
    alone = split(answers)[3]
    for candidate, effort in way:
        alone.fit(candidate, TETE(n_jobs=1), effort)
    assert list(alone.maps) == list(search.folds[3].maps)
    for candidate, embedding in search.folds[3].maps.items():
        np.testing.assert_array_equal(alone.maps[candidate], embedding)


def test_what_is_worse_or_not_better_than_something_preferred_is_not_tried_on_all_folds(search):
    search.choose([4, 3, 2, 1], TEMPERATURES, verbose=False)
    tested = {candidate: len(trial.held_out.scores) for candidate, trial in search.trials.items()}
    assert set(tested.values()) >= {2, 4}
    on_all = [candidate for candidate, count in tested.items() if count == 4]
    assert 2 in {candidate.n_components for candidate in on_all}
    assert 1 not in {candidate.n_components for candidate in on_all}  # clearly worse in two dimensions
    assert len(on_all) < len(tested) / 2


def test_the_choice_is_made_with_fits_to_the_end(search):
    chosen = search.choose([2], TEMPERATURES, verbose=False)
    trial = search.trials[chosen]
    assert len(trial.seconds) > 4  # quickly on some folds, to the end on each of four
    assert len(trial.held_out.scores) == 4
    for fold in search.folds:
        again = fold.fit(chosen, TETE(n_jobs=1), TO_THE_END)
        assert again.n_iter < 5
        assert satisfied(again.embedding, fold.test).mean() == pytest.approx(
            trial.held_out.scores[fold.number], abs=0.01
        )


def test_what_comes_after_the_best_is_fitted_to_the_end_as_well(search):
    search.choose([2], TEMPERATURES, verbose=False)
    candidates = [Candidate(2, *pair) for pair in TEMPERATURES]
    on_all = {each: t.held_out for each, t in search.trials.items() if len(t.held_out.scores) == 4}
    best = max(on_all, key=lambda each: on_all[each].score)
    assert best == candidates[-1] or candidates[candidates.index(best) + 1] in on_all


def test_temperatures_far_from_the_best_are_left_out(search):
    search.choose([2], TEMPERATURES, verbose=False)
    tried = [Candidate(2, *pair) in search.trials for pair in TEMPERATURES]
    assert all(tried[::2])
    assert sum(tried[1::2]) <= 4  # guides, and those beside the best


def test_results_count_what_was_done(search):
    chosen = search.choose([2, 1], ((2.0, 1.75), (1.0, 1.5)), verbose=False)
    results = search.results(chosen)
    place = results["params"].index(chosen._asdict())
    splits = np.array([results[f"split{number}_test_score"] for number in range(4)])
    np.testing.assert_allclose(results["mean_test_score"], np.nanmean(splits, axis=0))
    assert np.isfinite(splits[:, place]).all()
    assert results["n_iter"][place] == search.trials[chosen].n_iter
    assert (results["mean_fit_time"] > 0.0).all()
    assert results["rank_test_score"].min() == 1
    shifted = np.nanmean(splits - splits[:, [place]], axis=0) + splits[:, place].mean()
    np.testing.assert_allclose(results["comparable_score"], shifted)
    assert results["comparable_score"][place] == pytest.approx(results["mean_test_score"][place])


def test_the_choice_reaches_t_ste(answers):
    """In its own dimension t-STE is among the candidates, so the best of them is no worse on held-out answers."""
    search = Search(split(answers), np.ones(len(answers)), TETE(n_jobs=1))
    search.choose([2], TEMPERATURES, verbose=False)
    best = max(trial.held_out.score for trial in search.trials.values() if len(trial.held_out.scores) == 4)
    peer = np.mean([TSTE().fit(fold.train).score(fold.test) for fold in search.folds])
    assert best >= peer - 0.01
