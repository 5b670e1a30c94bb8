import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, KFold

from tete import TETE, TETECV, Triplets
from tete.datasets import assign_annotators, make_uniform_triplets
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.selection.candidates import TEMPERATURES


@pytest.fixture(scope="module")
def plane():
    """1,500 answers about 25 points in the plane, a tenth of them reversed."""
    points = np.random.default_rng(0).normal(size=(25, 2))
    return make_uniform_triplets(points, 1500, random_state=0).flip(0.1, random_state=1)


@pytest.fixture(scope="module")
def fitted(plane):
    return TETECV((1, 2, 3, 4)).fit(plane)


def test_the_true_dimension_is_chosen(fitted):
    assert fitted.best_params_["n_components"] == 2
    assert fitted.embedding_.shape == (25, 2)
    assert set(fitted.cv_results_["param_n_components"]) == {1, 2, 3, 4}


def test_results_are_like_those_of_scikit_learn(fitted):
    table = pd.DataFrame(fitted.cv_results_)
    best = table.iloc[fitted.best_index_]
    assert best["params"] == fitted.best_params_
    splits = table[[f"split{fold}_test_score" for fold in range(5)]]
    np.testing.assert_allclose(table["mean_test_score"], splits.mean(axis=1))
    assert best["rank_test_score"] <= len(table)
    assert splits.loc[fitted.best_index_].notna().all()
    assert 0.0 < best["standard_error"] < 0.03


def test_the_one_standard_error_rule(fitted):
    table = pd.DataFrame(fitted.cv_results_)
    # As texts: pandas 2.1 leaves out groups of which a part is missing.
    temperatures = table[["param_kernel", "param_t", "param_t_prime"]].apply(lambda row: str(tuple(row)), axis=1)
    path = table.groupby(temperatures).filter(lambda rows: len(rows) == 4)
    assert len(path) == 4  # one pair of temperatures was tried in all dimensions
    best = path.loc[path["comparable_likelihood"].idxmax()]
    assert fitted.best_params_["n_components"] <= best["param_n_components"]
    smaller = path[path["param_n_components"] < fitted.best_params_["n_components"]]
    assert (smaller["comparable_likelihood"] < best["comparable_likelihood"] - 0.01).all()


def test_the_most_likely_temperatures_are_chosen(fitted):
    table = pd.DataFrame(fitted.cv_results_)
    same = table[table["param_n_components"] == fitted.best_params_["n_components"]]
    complete = same[[f"split{fold}_test_score" for fold in range(5)]].notna().all(axis=1)
    assert same.loc[complete, "comparable_likelihood"].idxmax() == fitted.best_index_
    assert table.loc[fitted.best_index_, "rank_test_score"] <= 3
    assert set(zip(same["param_t"], same["param_t_prime"].replace(np.nan, None), strict=True)) == set(TEMPERATURES)


def test_the_final_fit_is_that_of_tete(fitted, plane):
    expected = TETE(**fitted.best_params_).fit(plane)
    np.testing.assert_array_equal(fitted.embedding_, expected.embedding_)
    np.testing.assert_array_equal(fitted.predict(plane), expected.predict(plane))
    np.testing.assert_array_equal(fitted.predict_proba(plane), expected.predict_proba(plane))
    assert fitted.score(plane) == expected.score(plane)


def test_clones_and_seeds(plane):
    model = TETECV((1, 2), temperatures=((2, 2), (1, 1.5)), cv=3, random_state=5)
    one, other = (clone(model).set_params(n_jobs=n_jobs).fit(plane) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    assert one.best_params_ == other.best_params_


def test_the_default_folds_never_change(plane):
    assert TETECV().random_state is None
    chosen = [
        TETECV(2, temperatures=((2, 2),), cv=3, refit=False, random_state=seed).fit(plane).cv_results_
        for seed in (None, 0, 1)
    ]
    scores = [results["split0_test_score"].tolist() for results in chosen]
    assert scores[0] == scores[1] != scores[2]


def test_without_refit_there_is_no_map(plane):
    model = TETECV(2, temperatures=((2, 2),), refit=False).fit(plane)
    assert model.best_params_ == {"n_components": 2, "t": 2.0, "t_prime": 2.0, "kernel": "squared"}
    with pytest.raises(NotFittedError):
        model.predict(plane)


def test_annotators_and_splitters(plane):
    people, _ = assign_annotators(plane, 15, random_state=0)
    for cv in (5, GroupKFold(5)):
        model = TETECV(2, temperatures=((2, 1.75),), cv=cv, by="annotators", refit=False).fit(people)
        assert model.best_score_ > 0.75
    with pytest.raises(InvalidParameterError, match="`cv` must not split an answer or annotator"):
        TETECV(2, cv=KFold(5), by="annotators").fit(people)


def test_few_people_are_refused(plane):
    """The rule of one standard error rests on how far people differ."""
    people, _ = assign_annotators(plane, 14, random_state=0)
    with pytest.raises(InvalidParameterError, match="14 people are too few to say how far people differ"):
        TETECV(2, by="annotators").fit(people)


def test_good_answers_choose_a_light_tail():
    """With true answers robust temperatures give up close calls, so a validated choice does better."""
    points = np.random.default_rng(3).normal(size=(40, 2))
    train, test = (make_uniform_triplets(points, count, random_state=count) for count in (4000, 1000))
    assert TETECV(2).fit(train).score(test) > TETE(t=2, t_prime=1.75).fit(train).score(test) + 0.02


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": ()}, "`n_components` must be a number or a list of numbers"),
        ({"n_components": (0,)}, "`n_components` must be"),
        ({"temperatures": ()}, "`temperatures` must be pairs"),
        ({"temperatures": ((2, 3),)}, "`temperatures` must be in"),
        ({"temperatures": ((None, None),)}, "`temperatures` must be in"),
        ({"by": "people"}, "`by` must be"),
        ({"by": "annotators"}, "`by` must be 'answers' here, got 'annotators'. The answers do not say who gave them"),
        ({"cv": 1}, "`cv` must be"),
        ({"n_jobs": 0}, "`n_jobs` must be a whole number other than 0"),
    ],
)
def test_bad_parameters(plane, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        TETECV(**parameters).fit(plane)


def test_too_few_answers():
    with pytest.raises(InvalidTripletsError, match="At least 5 different questions are needed to hold some out, got 2"):
        TETECV().fit(Triplets.from_array([(0, 1, 2), (1, 0, 2)]))


def test_each_of_few_groups_is_a_fold(plane):
    grouped = replace(plane, groups=np.arange(len(plane)) % 3)
    model = TETECV((1, 2), temperatures=((2, 2),), refit=False).fit(grouped)
    assert model.n_splits_ == 3
    with pytest.raises(InvalidTripletsError, match="`cv` must be at most the number of different groups, 3, got 4"):
        TETECV(cv=4).fit(grouped)


def test_it_keeps_the_contract_of_an_estimator(plane):
    model = TETECV((1, 2), temperatures=((2, 1.75), (1, 1.5)), cv=3, random_state=2)
    parameters = model.get_params()
    assert repr(model).startswith("TETECV(cv=3, n_components=(1, 2), random_state=2")
    assert model.fit(plane) is model
    assert model.get_params() == parameters
    again, copied = clone(model), pickle.loads(pickle.dumps(model))
    assert not hasattr(again, "embedding_")
    np.testing.assert_array_equal(again.fit(plane).embedding_, model.embedding_)
    np.testing.assert_array_equal(copied.predict(plane), model.predict(plane))
    assert again.set_params(n_components=2, refit=False).n_components == 2


@pytest.mark.parametrize("method", ["predict", "predict_proba", "score", "place_new"])
def test_before_the_fit_there_is_no_map(plane, method):
    with pytest.raises(NotFittedError, match="This TETECV instance is not fitted yet"):
        getattr(TETECV(), method)(plane)


def test_inputs_are_left_alone_and_weights_count(plane):
    rows, weights = plane.to_array(), np.repeat([0.0, 1.0], [700, 800])
    copies = rows.copy(), weights.copy()
    model = TETECV(2, temperatures=((2, 1.75),), cv=3)
    weighted = clone(model).fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(rows, copies[0])
    np.testing.assert_array_equal(weights, copies[1])
    # Loops with and without weights are compiled apart and round apart, so the same map is one up to rounding.
    np.testing.assert_allclose(weighted.embedding_, clone(model).fit(rows[700:]).embedding_, atol=1e-6)
    with_ones, without = (clone(model).fit(rows, sample_weight=each) for each in (np.ones(1500), None))
    np.testing.assert_allclose(with_ones.embedding_, without.embedding_, atol=1e-6)
    assert with_ones.best_score_ == pytest.approx(without.best_score_)
    assert np.abs(weighted.embedding_ - without.embedding_).max() > 0.01


def test_answers_that_share_no_objects():
    with pytest.raises(InvalidTripletsError, match="more answers are needed"):
        TETECV((1, 2), cv=2, random_state=0).fit([(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)])
