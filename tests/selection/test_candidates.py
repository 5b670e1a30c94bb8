import numpy as np
import pytest

from tete import TETE, TSTE
from tete.comparisons.folds import folds
from tete.datasets import make_uniform_triplets
from tete.embedding.distance_margins import distance_margins
from tete.selection.candidates import QUICK, TEMPERATURES, Candidate, Effort, Fold, Search

TO_THE_END = Effort(10.0, 1000)


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


def test_a_fit_to_the_end_is_that_of_the_estimator(answers):
    fold = split(answers)[0]
    candidate = Candidate(2, 1.0, 1.5)
    found = fold.fit(candidate, TETE(n_jobs=1), Effort(1.0, 1000))
    expected = TETE(**candidate.params).fit(fold.train)
    np.testing.assert_array_equal(found.embedding, expected.embedding_)
    assert (found.value, found.n_iter) == (expected.loss_, expected.n_iter_)
    for nearby in (Candidate(2, 1.0, 1.25), Candidate(2, 2.0, None)):
        found = fold.fit(nearby, TETE(n_jobs=1), TO_THE_END)
        started = TETE(**nearby.params, init=fold.maps[candidate]).fit(fold.train)
        assert found.value == pytest.approx(started.loss_, rel=1e-3)


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


def test_the_most_likely_is_chosen_of_those_that_all_folds_tested(search):
    chosen = search.choose([2], TEMPERATURES, verbose=False)
    on_all = {each: t.held_out for each, t in search.trials.items() if len(t.held_out.scores) == 4}
    assert max(on_all, key=lambda each: on_all[each].mean_likelihood) == chosen
    for candidate, trial in search.trials.items():
        if candidate not in on_all:
            assert trial.held_out.clearly_below(on_all[chosen], 1.0)
    for fold in search.folds:
        margins = distance_margins(fold.maps[chosen], fold.test.anchor, fold.test.near, fold.test.far)
        assert np.mean(margins > 0.0) == pytest.approx(on_all[chosen].scores[fold.number])


def test_results_count_what_was_done(search):
    chosen = search.choose([2, 1], ((2.0, 1.75), (1.0, 1.5)), verbose=False)
    results = search.results(chosen)
    place = results["params"].index(chosen.params)
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
