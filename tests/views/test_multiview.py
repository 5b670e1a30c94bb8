"""The estimator, its tables and its words: also `views.view_tables`, `views.views_summary`."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from people_of_views import continuum, study
from samples import random_triplets
from tete import MultiViewTETE, Triplets
from tete.embedding.answer_model import AnswerModel
from tete.exceptions import InvalidParameterError, InvalidTripletsError
from tete.views.cross_fitting import Solution
from tete.views.mixture import PERSON_KINDS, Memberships
from tete.views.unit_answers import UnitAnswers
from tete.views.view_search import Step
from tete.views.view_tables import people_table
from tete.views.views_summary import ViewFound, ViewsSummary


@pytest.fixture(scope="module")
def two_views():
    return MultiViewTETE(n_jobs=1).fit(study()[0])


def test_views_and_people_are_found(two_views):
    _, view, kind = study()
    assert two_views.n_views_ == 2
    assert two_views.embeddings_.shape == (2, 20, 2)
    assert adjusted_rand_score(view[kind == 0], two_views.view_of_[kind == 0]) == 1.0
    assert two_views.view_of_[(view == 0) & (kind == 0)].eq(0).all()  # the largest is the first
    verdict = two_views.people_["verdict"]
    assert verdict[(view == 1)].eq("consistent, but another view").all()
    assert verdict[(view == 0) & (kind == 0)].eq("ordinary").all()
    assert verdict[kind == 2].eq("reversed").all()
    assert verdict[kind == 1].isin(["at chance", "random or another view: too few answers to tell"]).all()
    assert two_views.view_of_[kind != 0].eq(-1).all()
    assert two_views.reliabilities_[kind == 2].lt(-0.5).all()
    assert two_views.gain_ > 100
    assert two_views.axis_gain_ < 0
    minority = two_views.people_[view == 1]
    assert minority["agreement"].mean() > 0.7
    assert minority["with_largest"].mean() < 0.6
    np.testing.assert_allclose(two_views.responsibilities_.sum(axis=1), 1.0)


def test_nobody_is_ordinary_by_what_a_coin_may_bring():
    agreeing = np.repeat([0.58, 0.75], 100)  # of the answers of two people, both perhaps not quite reliable
    rows = [*combinations(range(10), 3)][:100]
    answers = UnitAnswers.of(Triplets.from_array(rows * 2, annotators=np.repeat(["a", "b"], 100)))
    margins = np.where(np.tile(np.arange(100) / 100, 2) < agreeing, 1.0, -1.0)
    probabilities = np.tile([0.05, 0.3, 0.5, 0.15, 0.0, 0.0], (2, 1))[:, None, :]
    members = Memberships(probabilities, np.ones(1), np.ones(6) / 6, 0.0, PERSON_KINDS)
    found = Solution([], [margins], [AnswerModel(0.1, 1.0)], members, 1)
    assert people_table(answers, found, 2)["verdict"].tolist() == ["unclear", "ordinary"]
    likely = replace(members, probabilities=probabilities[:, :, [2, 1, 0, 3, 4, 5]])
    assert people_table(answers, found._replace(memberships=likely), 2)["verdict"].eq("ordinary").all()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_one_view_is_one(seed):
    triplets, _, kind = study(seed, second=0)
    model = MultiViewTETE(n_jobs=1).fit(triplets)
    assert model.n_views_ == 1
    assert model.people_["verdict"][kind == 0].eq("ordinary").all()
    assert model.people_["verdict"][kind == 2].eq("reversed").all()
    assert "chance may bring 10" in str(model.summary())


@pytest.mark.slow
def test_a_continuum_is_called_one():
    model = MultiViewTETE(n_jobs=1).fit(continuum())
    assert model.axis_gain_ > 0
    assert "ends of a continuum" in str(model.summary()) or "fits better" in str(model.summary())


def test_weights_are_repeats_and_order_does_not_matter(rng):
    triplets = study(n_people=12, each=60, second=4)[0]
    times = rng.integers(1, 3, size=len(triplets))
    weighted = MultiViewTETE(n_views=2, n_jobs=1).fit(triplets, sample_weight=times)
    again = triplets.select(rng.permutation(np.repeat(np.arange(len(triplets)), times)))
    repeated = MultiViewTETE(n_views=2, n_jobs=2).fit(again)
    np.testing.assert_array_equal(weighted.embeddings_, repeated.embeddings_)
    pd.testing.assert_frame_equal(weighted.people_, repeated.people_)


def test_as_many_views_as_asked_for():
    model = MultiViewTETE(n_views=1, n_jobs=1).fit(study()[0])
    assert model.n_views_ == 1
    assert model.gain_ == 0.0
    assert "1, as asked for" in str(model.summary())


@pytest.mark.parametrize("n_views", [2, pytest.param("auto", marks=pytest.mark.slow)])
def test_single_answers_have_views_too(n_views):
    triplets = study(n_people=20, each=400, second=10, n_random=0, n_reversed=0)[0]
    model = MultiViewTETE(by="answers", n_views=n_views, n_jobs=1).fit(triplets)
    assert model.n_views_ == 2
    assert model.people_ is None
    assert len(model.view_of_) == len(triplets)
    assert model.answers_["view"].tolist() == model.view_of_.tolist()
    assert model.answers_["annotator"].tolist() == triplets.annotators.tolist()
    of_people = model.responsibilities_[0].groupby(triplets.annotators).mean()
    low, high = sorted((of_people[:10], of_people[10:]), key=np.mean)
    assert low.max() < high.min()  # although nobody said who gave the answers
    first, second = (model.view(number).predict(triplets) for number in range(2))
    assert np.mean(first == second) < 0.65


@pytest.mark.slow
def test_single_answers_of_one_view():
    assert MultiViewTETE(by="answers", n_jobs=1).fit(study(second=0, each=200)[0]).n_views_ == 1


def test_answers_keep_their_labels(rng):
    shown = np.array([rng.choice(8, size=3, replace=False) for _ in range(200)])
    triplets = Triplets.from_odd_one_out(shown, 2, answers=np.arange(1000, 1200))
    model = MultiViewTETE(by="answers", n_views=2, n_jobs=1).fit(triplets)
    assert model.view_of_.index.tolist() == list(range(1000, 1200))


def test_what_views_can_do(two_views):
    triplets, _, kind = study()
    normal = triplets.select((kind == 0)[np.unique(triplets.annotators, return_inverse=True)[1]])
    assert two_views.score(normal) > two_views.view(0).score(normal) + 0.05
    assert two_views.predict(normal).mean() == pytest.approx(two_views.score(normal))
    nobody = Triplets.from_array(normal.to_array(), n_objects=20)
    assert two_views.score(nobody) == two_views.view(0).score(nobody)
    with pytest.raises(InvalidParameterError, match="`number` must be a whole number from 0 to 1, got 2"):
        two_views.view(2)


def test_parameters(two_views):
    assert clone(two_views).get_params() == two_views.get_params()
    assert repr(MultiViewTETE(n_views=3)) == "MultiViewTETE(n_views=3)"
    with pytest.raises(NotFittedError):
        MultiViewTETE().summary()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_views": 0}, "`n_views` must be a whole number of at least 1, got 0"),
        ({"n_views": "many"}, "`n_views` must be"),
        ({"by": "people"}, "`by` must be 'annotators' or 'answers', got 'people'"),
        ({"n_components": 0}, "`n_components` must be"),
        ({"t": 3.0}, r"`t` must be in \[1, 2\], got 3.0"),
        ({"t_prime": 0.5}, "`t_prime` must be"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        MultiViewTETE(**parameters).fit(study(each=5)[0])


def test_bad_answers(rng):
    with pytest.raises(InvalidTripletsError, match="must have annotators"):
        MultiViewTETE().fit(random_triplets(rng))
    few = study(n_people=3, each=30, second=0, n_random=0, n_reversed=0)[0]
    with pytest.raises(InvalidParameterError, match="`n_views` must be a whole number from 1 to 3, got 8"):
        MultiViewTETE(n_views=8).fit(few)
    with pytest.raises(InvalidTripletsError, match="The 3 answers are too few for a map"):
        MultiViewTETE().fit(few.select(np.r_[:2, 40]))
    with pytest.raises(InvalidTripletsError, match="The 50 answers are to too few questions for two halves"):
        MultiViewTETE(by="answers").fit([(0, 1, 2)] * 50)
    with pytest.raises(InvalidTripletsError, match="The 9 answers are too few for maps of 2 views"):
        MultiViewTETE(n_views=2).fit(few.select(np.r_[:8, 40]))


def summary(**details):
    plain = {"by": "annotators", "n_objects": 40, "n_units": 30, "n_answers": 3000.0, "n_views": 1, "chosen": True}
    plain |= {"gain": 0.0, "steps": (), "views": (ViewFound(30, 1.0, 0.8, 0.8, 0.8),), "verdicts": {}}
    return ViewsSummary(**(plain | {"axis_gain": None, "n_axes": None} | details))


def test_words():
    unstable = summary(steps=(Step(2, (55.0, 48.0), 0.3, accepted=False),), axis_gain=80.0, n_axes=2)
    assert "people differ beyond chance (a second view gains 55 and 48), but there are no stable groups" in str(
        unstable
    )
    assert "one map of 2 axes that each person weighs differently fits better (log-likelihood +80)" in str(unstable)
    assert "a view needs about 600 answers of its people to be found, 20% of all here" in str(unstable)
    few = summary(steps=(Step(2, (1.0,), None, accepted=False),), n_answers=900.0)
    assert "these 900 answers are too few to show a second one" in str(few)
    nothing = summary(steps=(Step(2, (-0.04, 3.0), None, accepted=False),), axis_gain=-0.3, n_axes=2)
    assert "a second one gains 0.0 of log-likelihood" in str(nothing)
    assert "fits no better (log-likelihood +0)" in str(nothing)
    views = (ViewFound(20, 0.7, 0.8, 0.8, 0.7), ViewFound(10, 0.3, 0.75, 0.5, 0.6))
    steps = (Step(2, (100.0, 90.0), 1.0, accepted=True), Step(3, (2.0,), None, accepted=False))
    several = summary(n_views=2, views=views, steps=steps, gain=100.0)
    assert "views, or ends of a continuum" in str(several)
    assert "its map predicts 75.0% of their unseen answers (that of view 0: 50.0%)" in str(several)
    assert json.loads(json.dumps(several.as_dict()))["needed"] == 600
