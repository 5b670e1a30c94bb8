import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from samples import random_triplets
from tete import TETE, Triplets, trust
from tete.datasets import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets
from tete.exceptions import InvalidParameterError, InvalidTripletsError, UnpredictableAnswersError
from tete.reliability.held_out import HeldOutAnswers
from tete.reliability.trust_report import report_on


@pytest.fixture
def answers_of_people():
    """A function of seed and behaviour: 60 annotators with 60 answers each, 10 of them bad, and which."""

    def make(seed, behavior, n_bad=10):
        points = np.random.default_rng(seed).normal(size=(40, 2))
        questions = make_uniform_triplets(points, 3600, random_state=seed)
        answers = answer_by_distance(points, questions, sharpness=6.0, random_state=seed)
        return assign_annotators(answers, 60, n_bad=n_bad, behavior=behavior, random_state=seed)

    return make


def test_ties_on_clear_calls_are_no_wrong_answers(rng):
    points = rng.normal(size=(15, 2))
    questions = make_uniform_triplets(points, 1500, random_state=0)
    turned = rng.random(1500) < 0.5
    said = np.where(rng.random(1500) < 0.1, 0, np.where(turned, -1, 1))
    answers = questions.flip_where(turned).with_answers(said, ties="half")
    report = trust(TETE(t=1.0, kernel="distance"), answers)
    assert answers.ties.sum() == 2 * (said == 0).sum() > 200
    assert (report.probability_wrong[answers.ties] == report.wrong_share).all()
    assert (report.answers["wrong"][answers.ties] == report.wrong_share).all()
    assert report.n_distrusted < 10  # true answers that a map of the others gets wrong
    assert 0.03 < report.wrong_share < 0.07  # each was half against the map


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_reversed_digits_are_found(share):
    from sklearn.datasets import load_digits

    truth = make_triplets(load_digits().data[:300], 60, random_state=0)
    answers = truth.flip(share, random_state=1)
    report = trust(TETE(), answers)
    assert roc_auc_score(answers.near != truth.near, report.probability_wrong) >= 0.98
    assert report.wrong_share == pytest.approx(share, abs=0.02)
    assert report.wrong_interval[0] < share < report.wrong_interval[1]
    np.testing.assert_array_equal(report.answers["wrong"], report.probability_wrong)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("behavior", ["random", "reversed"])
def test_bad_annotators_are_flagged(answers_of_people, behavior, seed):
    answers, is_bad = answers_of_people(seed, behavior)
    people = trust(TETE(), answers).annotators
    flag = "at_chance" if behavior == "random" else "reversed"
    np.testing.assert_array_equal(people["at_chance"] | people["reversed"], is_bad)
    assert people.loc[is_bad, flag].mean() >= 0.9


def test_nobody_is_accused_among_the_good(answers_of_people):
    answers, _ = answers_of_people(0, "random", n_bad=0)
    report = trust(TETE(), answers)
    assert not (report.annotators["at_chance"] | report.annotators["reversed"]).any()
    assert report.annotators["agreement"].mean() == pytest.approx(report.accuracy, abs=0.01)
    assert report.annotators["with_self"].isna().mean() > 0.5


def test_a_refit_without_bad_annotators_is_better(answers_of_people):
    answers, is_bad = answers_of_people(0, "reversed", n_bad=20)
    fitted = TETE().fit(answers)
    report = trust(fitted, answers)
    weights = report.annotator_weights()
    assert weights[is_bad].max() < 0.2
    assert weights[~is_bad].min() > 0.5
    points = np.random.default_rng(0).normal(size=(40, 2))
    unseen = make_uniform_triplets(points, 3000, random_state=9)
    assert report.refit(TETE(), answers).score(unseen) > fitted.score(unseen)


def test_refits_need_annotators(answers_of_people, clean_triplets):
    answers, _ = answers_of_people(0, "random")
    report = trust(TETE(), answers)
    with pytest.raises(InvalidTripletsError, match="must have annotators to be weighted by them, got none"):
        report.refit(TETE(), clean_triplets)
    stranger = Triplets.from_array([(0, 1, 2)], annotators=[60], n_objects=40)
    with pytest.raises(InvalidTripletsError, match=r"Row 0 is by .*60.*, of whom the report knows nothing \(1 such"):
        report.refit(TETE(), stranger)
    with pytest.raises(InvalidTripletsError, match="must have annotators"):
        trust(TETE(), clean_triplets).annotator_weights()


def test_objects_that_people_answer_at_random_are_flagged(rng, clean_triplets):
    rows = clean_triplets.to_array()
    about = (rows == 7).any(axis=1)
    answers = clean_triplets.flip_where(about & (rng.random(len(rows)) < 0.5))
    lonely = Triplets.from_array(np.vstack([answers.to_array(), [[30, 0, 1]] * 3]), n_objects=31)
    objects = trust(TETE(), lonely).objects
    assert objects.index[objects["badly_placed"]].tolist() == [7]
    assert objects.index[objects["contradicted"]].tolist() == [7]
    assert objects.index[objects["hardly_mentioned"]].tolist() == [30]
    assert objects["answers"].sum() == 3 * len(lonely)


def test_an_answer_counts_once_however_many_triplets_it_gave(rng):
    points = rng.normal(size=(12, 2))
    shown = np.array([rng.choice(12, size=3, replace=False) for _ in range(300)])
    odd = [max(range(3), key=lambda place: np.sum((points[each[place]] - points[each]) ** 2)) for each in shown]
    names = [f"thing {number}" for number in range(12)]
    triplets = Triplets.from_odd_one_out(shown, odd, names=names, annotators=rng.choice(["ann", "bob"], 300))
    report = trust(TETE(), triplets)
    assert len(report.answers) == report.n_held_out == 300
    assert report.answers["triplets"].tolist() == [2] * 300
    assert set(report.answers["agrees"]) <= {0.0, 0.5, 1.0}
    assert report.answers["wrong"].iloc[4] == pytest.approx(report.probability_wrong[triplets.answers == 4].mean())
    assert report.annotators.loc["ann", "answers"] == np.sum(triplets.annotators[::2] == "ann")
    assert "thing 3" in report.objects.index
    assert "wrong answers" in str(report)


def test_the_same_seed_gives_the_same_report(clean_triplets):
    one, other = (trust(TETE(n_jobs=jobs), clean_triplets.flip(0.1, random_state=0)) for jobs in (1, 2))
    np.testing.assert_array_equal(one.probability_wrong, other.probability_wrong)
    assert one.model == other.model
    assert one.wrong_interval == other.wrong_interval


def test_errors_by_people(clean_triplets):
    answers, _ = assign_annotators(clean_triplets, 20, n_bad=4, behavior="random", random_state=0)
    by_answers, by_people = (trust(TETE(), answers, by=by) for by in ("answers", "annotators"))
    assert by_people.accuracy_error > 1.5 * by_answers.accuracy_error
    assert np.ptp(by_people.wrong_interval) > 1.5 * np.ptp(by_answers.wrong_interval)
    assert "errors by people" in str(by_people)
    assert by_answers.annotators["at_chance"].sum() == by_people.annotators["at_chance"].sum() == 4
    with pytest.raises(InvalidParameterError, match="The answers do not say who gave them"):
        trust(TETE(), clean_triplets, by="annotators")


def test_noise_is_refused(rng):
    with pytest.raises(UnpredictableAnswersError, match="held-out error must be at most 47%"):
        trust(TETE(), random_triplets(rng, 40, 400))


def test_nothing_known():
    triplets = Triplets.from_array([(0, 1, 2)])
    with pytest.raises(InvalidTripletsError, match="nothing can be compared"):
        report_on(HeldOutAnswers(triplets, np.array([np.nan])))


@pytest.mark.parametrize(
    ("name", "agreement"), [pytest.param("next30", 0.795, marks=pytest.mark.slow), ("eggs300", 0.862)]
)
def test_alien_eggs(data_folder, name, agreement):
    with np.load(data_folder / "alien_eggs" / "alien_eggs.npz") as eggs:
        answers = Triplets.from_array(eggs[f"{name}_triplets"], annotators=eggs[f"{name}_participant"])
    assert trust(TETE().fit(answers), answers).accuracy == pytest.approx(agreement, abs=0.03)
