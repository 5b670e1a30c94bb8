import numpy as np
import pytest

from tete import GNMDS, TETE, Triplets
from tete.datasets import assign_annotators
from tete.report import fit_and_report


def test_accuracy_is_that_of_answers_not_fitted(clean_triplets):
    estimator = TETE()
    fitted, report = fit_and_report(estimator, clean_triplets)
    assert not hasattr(estimator, "embedding_")
    train, test = clean_triplets.split(0.1, random_state=0)
    assert report.held_out_accuracy == pytest.approx(TETE().fit(train).score(test))
    assert report.accuracy == fitted.score(clean_triplets)
    assert report.n_held_out == 200
    assert 0 < report.held_out_error < 0.03
    assert "(200 answers not fitted)" in str(report)


@pytest.mark.parametrize("method", [TETE, GNMDS])
def test_reversed_answers_are_suspicious(clean_triplets, method):
    flipped = np.zeros(len(clean_triplets), dtype=bool)
    flipped[::100] = True
    _, report = fit_and_report(method(), clean_triplets.flip_where(flipped), n_listed=5)
    assert len(report.suspicious_answers) == 5
    assert sum(answer.row % 100 == 0 for answer in report.suspicious_answers) >= 4
    assert all(answer.probability < 0.5 for answer in report.suspicious_answers)


def test_bad_annotators_come_first(clean_triplets):
    triplets, is_bad = assign_annotators(clean_triplets, 20, n_bad=3, behavior="reversed", random_state=0)
    _, report = fit_and_report(TETE(), triplets, n_listed=3)
    assert {person.annotator for person in report.suspicious_annotators} == set(np.flatnonzero(is_bad))
    assert report.typical_contradicted < 0.15
    assert "typical annotator" in str(report)


def test_few_answers_and_warnings():
    _, report = fit_and_report(TETE(), Triplets.from_array([(0, 1, 2)], n_objects=4))
    assert report.held_out_accuracy is None
    assert "too few answers" in str(report)
    assert len(report.warnings) == 1
    assert "1 of 4 objects occur in no triplet" in report.warnings[0]
    assert report.as_dict()["n_objects"] == 4


def test_weights_and_groups_are_respected(rng):
    shown = np.array([rng.choice(12, size=3, replace=False) for _ in range(200)])
    triplets = Triplets.from_odd_one_out(shown, odd=0, weights=np.ones(200))
    _, report = fit_and_report(TETE(), triplets)
    assert report.n_answers == 200
    assert report.n_triplets == 400
    assert "triplets            400" in str(report)
    assert report.n_held_out == 20
    train, test = triplets.split(0.1, random_state=0)
    by_answer = TETE().fit(train).predict(test).reshape(20, 2).mean(axis=1)
    assert report.held_out_accuracy == pytest.approx(by_answer.mean())
    assert report.held_out_error == pytest.approx(by_answer.std() / np.sqrt(20))
