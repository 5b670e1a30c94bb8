"""One contract for every kind of fitted map, and everything that works through it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tete import (
    CKL,
    GNMDS,
    SOE,
    STE,
    TETE,
    TETECV,
    TSTE,
    FittedMap,
    Triplets,
    learning_curve,
    position_uncertainty,
    suggest,
    trust,
)
from tete.datasets import make_uniform_triplets
from tete.embedding.answer_model import fit_answer_model, typical_model
from tete.embedding.distance_margins import distance_margins
from tete.embedding.triplet_map import TripletMap
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.reliability.fit_report import fit_and_report

NAMES = tuple(f"thing {number}" for number in range(20))
CHOICE = TETECV((2, 3), temperatures=((2.0, 1.75), (1.0, 1.5)), cv=2)
KINDS = [TETE(), TETE(3, t=1.5), TSTE(), STE(), CKL(), GNMDS(), SOE(), CHOICE]


@pytest.fixture(scope="module")
def answers():
    points = np.random.default_rng(0).normal(size=(20, 2))
    rows = make_uniform_triplets(points, 600, random_state=0).flip(0.1, random_state=1).to_array()
    return Triplets.from_array(rows, names=NAMES)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{type(kind).__name__} {kind.n_components}")
def fitted(request, answers):
    return clone(request.param).fit(answers)


class TestContract:
    def test_it_is_kept(self, fitted):
        assert isinstance(fitted, FittedMap)
        assert fitted.object_names_ == NAMES
        assert fitted.embedding_.shape[0] == 20

    def test_answers_are_read_in_the_names_of_the_map(self, fitted):
        frame = pd.DataFrame({"anchor": ["thing 7"], "near": ["thing 0"], "far": ["thing 19"]})
        read = fitted.read(frame)
        assert read.to_array().tolist() == [[7, 0, 19]]
        assert read.n_objects == 20
        assert fitted.read([(0, 1, 2)], [-1], [3.0]).to_array().tolist() == [[0, 2, 1]]
        with pytest.raises(InvalidTripletsError, match="names 'stranger', which is not among the 20 known"):
            fitted.read(frame.replace("thing 7", "stranger"))

    def test_triplets_of_fewer_objects_are_of_the_map(self, fitted):
        assert fitted.read(Triplets.from_array([(0, 1, 2)])).n_objects == 20

    def test_margins_are_positive_where_the_map_agrees(self, fitted, answers):
        margins = fitted.margins(answers)
        np.testing.assert_array_equal(margins > 0, fitted.predict(answers))
        np.testing.assert_array_equal(fitted.margins(answers.reverse()) > 0, margins < 0)

    def test_margins_on_another_map(self, fitted, answers):
        shuffled = fitted.embedding_[::-1]
        numbers = np.arange(20)[::-1]
        mirrored = Triplets.from_array(numbers[answers.to_array()], n_objects=20)
        np.testing.assert_allclose(fitted.margins(answers, embedding=shuffled), fitted.margins(mirrored))
        with pytest.raises(InvalidParameterError, match=r"`embedding` must have the shape \(20, \d\) of the"):
            fitted.margins(answers, embedding=shuffled[:19])

    def test_the_answer_model_is_that_of_the_maps_own_answers(self, fitted, answers):
        model = fitted.answer_model()
        margins = fitted.margins(answers)
        own = fit_answer_model(margins, np.ones(600))
        assert model != typical_model(fitted.embedding_)
        # Less sure, for answers that the map has not seen.
        assert model.probability(np.abs(margins)).mean() < own.probability(np.abs(margins)).mean()

    def test_the_map_of_the_same_answers_is_the_same(self, fitted, answers):
        before = fitted.embedding_.copy()
        np.testing.assert_array_equal(fitted.map_of(answers), before)
        other = fitted.map_of(answers.reverse(), start=fitted.embedding_)
        assert other.shape == before.shape
        assert not np.array_equal(other, before)
        np.testing.assert_array_equal(fitted.embedding_, before)

    def test_new_objects(self, fitted):
        placed = fitted.place_new(pd.DataFrame({"anchor": ["new"], "near": ["thing 1"], "far": ["thing 2"]}))
        assert placed.names == ("new",)
        assert placed.embedding.shape == (1, fitted.embedding_.shape[1])


class TestEverythingWorksThroughIt:
    def test_trust(self, fitted, answers):
        report = trust(fitted, answers)
        assert report.n_held_out == 600
        assert report.accuracy > 0.65
        assert report.wrong_interval[0] <= report.wrong_share == report.model.lapse <= report.wrong_interval[1]

    def test_suggest(self, fitted, answers):
        questions = suggest(fitted, answers, n_questions=5)
        assert len(questions) == 5
        assert set(questions["center"]) <= set(NAMES)

    def test_position_uncertainty(self, fitted, answers):
        found = position_uncertainty(fitted, answers, n_replicates=10)
        n_components = fitted.embedding_.shape[1]
        assert found.covariances.shape == (20, n_components, n_components)
        assert 0.0 < found.stability <= 1.0

    def test_learning_curve(self, fitted, answers):
        curve = learning_curve(fitted, answers, n_repeats=1)
        assert curve.points["answers"].is_monotonic_increasing
        assert curve.points["error"].iloc[-1] < 0.4


def test_the_margin_is_a_difference_of_distances(answers):
    model = TETE(t_prime=2.0).fit(answers)
    to_near, to_far = (
        np.linalg.norm(model.embedding_[answers.anchor] - model.embedding_[column], axis=1)
        for column in (answers.near, answers.far)
    )
    np.testing.assert_allclose(model.margins(answers), to_far - to_near, atol=1e-12)


def test_a_choice_is_made_once(answers, monkeypatch):
    """What is judged is the map that was chosen, as `TETE` with these parameters makes it; nothing is chosen twice."""
    chosen = clone(CHOICE).fit(answers)
    same = TETE(**chosen.best_params_).fit(answers)
    monkeypatch.setattr("tete.selection.tetecv.Search", None)
    np.testing.assert_array_equal(trust(chosen, answers).probability_wrong, trust(same, answers).probability_wrong)
    assert suggest(chosen, answers, n_questions=5).equals(suggest(same, answers, n_questions=5))
    assert learning_curve(chosen, answers, n_repeats=1).points.equals(learning_curve(same, answers, n_repeats=1).points)


def test_a_choice_that_is_not_made_yet_is_made_by_all_answers(answers):
    chosen = clone(CHOICE).fit(answers)
    unfitted = clone(CHOICE)
    np.testing.assert_array_equal(trust(unfitted, answers).probability_wrong, trust(chosen, answers).probability_wrong)
    assert learning_curve(unfitted, answers, n_repeats=1).points.equals(
        learning_curve(chosen, answers, n_repeats=1).points
    )
    assert not hasattr(unfitted, "embedding_")


def test_what_is_not_fitted_says_so(answers):
    for kind in (TETE(), CHOICE):
        with pytest.raises(NotFittedError):
            suggest(kind, answers)
        with pytest.raises(NotFittedError):
            position_uncertainty(kind, answers)
        for method in ("read", "margins"):
            with pytest.raises(NotFittedError):
                getattr(kind, method)(answers)
        with pytest.raises(NotFittedError):
            kind.answer_model()
    with pytest.raises(NotFittedError, match="This TETECV makes no map: give it `refit=True`"):
        trust(clone(CHOICE).set_params(refit=False), answers)


def test_a_choice_can_be_reported(answers):
    fitted, report = fit_and_report(CHOICE, answers)
    assert fitted.best_params_["n_components"] == fitted.embedding_.shape[1]
    assert report.n_held_out == 600


def test_refits_compute_the_map_alone(answers, monkeypatch):
    fitted = TETE().fit(answers)
    learned = []
    monkeypatch.setattr(TETE, "_finish", lambda self, triplets: learned.append("trust"))
    sample_answers = TripletMap._sample_answers

    def counted(self, *arguments):
        learned.append("sample")
        return sample_answers(self, *arguments)

    monkeypatch.setattr(TripletMap, "_sample_answers", counted)
    trust(fitted, answers)
    suggest(fitted, answers, n_questions=5)
    position_uncertainty(fitted, answers, n_replicates=10)
    learning_curve(fitted, answers, n_repeats=1)
    assert learned == []
    TETE().fit(answers)
    assert learned == ["sample", "trust"]


def test_maps_like_a_map_keep_its_dimensions_and_temperatures(answers):
    fitted, changed = TETE().fit(answers), TETE().fit(answers).set_params(n_components=3, t=1.0, t_prime=1.0)
    np.testing.assert_array_equal(changed.map_of(answers), fitted.embedding_)
    assert changed.settled().n_components == 2
    assert trust(changed, answers).accuracy == trust(fitted, answers).accuracy
    assert changed.fit(answers).embedding_.shape == (20, 3)


def test_refits_are_silent(answers, capsys):
    seen = []
    fitted = TETE(verbose=True, max_iter=2, callback=lambda *state: seen.append(state))
    with pytest.warns(UserWarning, match="stopped after 2 iterations"):
        fitted.fit(answers)
    assert len(seen) == 2
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.map_of(answers)
    assert len(seen) == 2
    assert capsys.readouterr().err == ""


def test_a_refit_from_a_map_takes_one_start(answers):
    fitted = TETE(init="random", n_init=3, random_state=0).fit(answers)
    expected = TETE(init=fitted.embedding_).fit(answers).embedding_
    np.testing.assert_array_equal(fitted.map_of(answers, start=fitted.embedding_), expected)
    with pytest.raises(InvalidParameterError, match=r"`init` must have shape \(20, 2\)"):
        fitted.map_of(answers, start=fitted.embedding_[:5])


def test_a_map_from_elsewhere_has_typical_answers(answers):
    model = TETE().fit(answers)
    places = model.embedding_
    assert model.on_map(places, NAMES).answer_model() == typical_model(places)
    np.testing.assert_array_equal(
        model.margins(answers), distance_margins(places, answers.anchor, answers.near, answers.far)
    )
