from dataclasses import replace

import numpy as np
import pytest

from samples import random_triplets
from tete import GNMDS, TETE, Triplets, trust
from tete.datasets import assign_annotators
from tete.exceptions import DisconnectedAnswersWarning, InvalidParameterError, InvalidTripletsError
from tete.reliability.fit_report import fit_and_report


def test_accuracy_is_that_of_answers_not_fitted(clean_triplets):
    estimator = TETE()
    fitted, report = fit_and_report(estimator, clean_triplets)
    assert not hasattr(estimator, "embedding_")
    expected = trust(fitted, clean_triplets)
    assert report.held_out_accuracy == expected.accuracy
    assert report.wrong_interval == expected.wrong_interval
    assert report.accuracy == fitted.score(clean_triplets)
    assert report.n_held_out == 2000
    assert 0 < report.held_out_error < 0.03
    assert "(2,000 answers not fitted)" in str(report)


@pytest.mark.parametrize("method", [TETE, GNMDS])
def test_reversed_answers_are_suspicious(clean_triplets, method):
    flipped = np.zeros(len(clean_triplets), dtype=bool)
    flipped[::20] = True
    _, report = fit_and_report(method(), clean_triplets.flip_where(flipped), n_listed=5)
    assert len(report.suspicious_answers) == 5
    assert sum(answer.row % 20 == 0 for answer in report.suspicious_answers) >= 4
    assert all(answer.wrong > 0.5 for answer in report.suspicious_answers)
    assert report.n_suspicious_answers > 50
    assert report.wrong_interval[0] < 0.05 < report.wrong_interval[1] + 0.01
    assert "apart from close calls" in str(report)
    assert "in all)" in str(report)


def test_the_same_answer_is_listed_once_where_nobody_knows_whose_it_is(clean_triplets):
    answers = clean_triplets.flip_where(np.arange(len(clean_triplets)) % 20 == 0)
    weights = 1.0 + np.arange(len(answers)) % 3
    repeated = answers.select(np.repeat(np.arange(len(answers)), weights.astype(int)))
    listed = [fit_and_report(TETE(t=2, t_prime=1.5), each)[1] for each in (answers.with_weights(weights), repeated)]
    for report in listed:
        assert len({(each.anchor, each.near, each.far) for each in report.suspicious_answers}) == 5
    first, again = ({str(each) for each in report.suspicious_answers} for report in listed)
    assert first == again
    assert any("(given 3 times) wrong at" in text for text in first)
    people = replace(repeated, annotators=np.arange(len(repeated)) % 7)
    assert {each.n_given for each in fit_and_report(TETE(t=2, t_prime=1.5), people)[1].suspicious_answers} == {1}


def test_bad_annotators_are_listed(clean_triplets):
    triplets, is_bad = assign_annotators(clean_triplets, 20, n_bad=3, behavior="reversed", random_state=0)
    _, report = fit_and_report(TETE(), triplets)
    assert {person.annotator for person in report.suspicious_annotators} == set(np.flatnonzero(is_bad))
    assert {person.behavior for person in report.suspicious_annotators} == {"reversed"}
    assert "annotators          3 of 20 are suspicious" in str(report)
    assert "of 100 answers agree where" in str(report)


def test_people_are_a_unit_where_they_are_enough(clean_triplets):
    triplets, _ = assign_annotators(clean_triplets, 15, n_bad=3, behavior="random", random_state=0)
    _, report = fit_and_report(TETE(), triplets)
    assert report.people.n_people == 15
    assert report.people.accuracy_error > 1.5 * report.held_out_error
    low, high = report.people.accuracy_interval
    assert f"({low:.1%} to {high:.1%}, 15 people held out)" in str(report)
    assert "; by people " in str(report)
    assert report.as_dict()["people"]["n_people"] == 15
    _, by_answers = fit_and_report(TETE(), triplets, by="answers")
    assert by_answers.people is None
    assert "for new people" not in str(replace(by_answers, no_people=None))


def test_few_people_are_said_or_refused(clean_triplets):
    triplets, _ = assign_annotators(clean_triplets, 14, random_state=0)
    _, report = fit_and_report(TETE(), triplets)
    assert report.people is None
    assert "for new people      unknown: 14 people are too few to say how far people differ" in str(report)
    with pytest.raises(InvalidParameterError, match="14 people are too few"):
        fit_and_report(TETE(), triplets, by="annotators")


def test_an_answer_each_is_too_few_to_hold_people_out(clean_triplets):
    triplets = replace(clean_triplets.select(np.arange(16)), annotators=np.arange(16))
    _, report = fit_and_report(TETE(), triplets)
    assert "for new people      unknown: At least 20 answers are needed to hold some out, got 16." in str(report)


def test_people_with_objects_of_their_own():
    """Without a person's answers nothing is known of what only they judged."""
    person = np.arange(320) // 20
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0]] * 5)[np.arange(320) % 20] + 5 * person[:, None]
    triplets = Triplets.from_array(rows, annotators=person)
    _, report = fit_and_report(TETE(), triplets)
    assert report.people is None
    assert "unknown: At least 15 people must judge objects that others judge too, got 0." in str(report)
    with (
        pytest.warns(DisconnectedAnswersWarning),
        pytest.raises(InvalidTripletsError, match="people must judge objects"),
    ):
        trust(TETE(), triplets, by="annotators")


def test_each_of_few_groups_is_held_out(clean_triplets):
    for n_groups, reason in ((3, None), (1, "At least 2 different groups are needed to hold some out, got 1.")):
        grouped = replace(clean_triplets, groups=np.arange(len(clean_triplets)) % n_groups)
        fitted, report = fit_and_report(TETE(max_iter=50), grouped)
        assert report.no_held_out == reason
        assert report.n_held_out == (0 if reason else len(grouped))
        assert len(fitted.temperature_scores_ or ()) == (0 if reason else 6)
        assert reason is None or f"unknown: {reason}" in str(report)


def test_few_answers_and_warnings():
    _, report = fit_and_report(TETE(), Triplets.from_array([(0, 1, 2)], n_objects=4))
    assert report.held_out_accuracy is None
    assert "unknown: At least 20 answers are needed to hold some out, got 1." in str(report)
    assert len(report.warnings) == 1
    assert "1 of 4 objects is in no triplet" in report.warnings[0]
    assert report.as_dict()["n_objects"] == 4
    assert "trust" not in report.as_dict()


def test_noise_is_not_explained(rng):
    _, report = fit_and_report(TETE(), random_triplets(rng, 40, 400))
    assert 0.4 < report.held_out_accuracy < 0.6
    assert report.wrong_share is None
    assert "unknown: held-out answers cannot be predicted" in str(report)
    assert report.suspicious_answers == ()


def test_weights_and_groups_are_respected(rng):
    points = rng.normal(size=(12, 2))
    shown = np.array([rng.choice(12, size=3, replace=False) for _ in range(200)])
    odd = [max(range(3), key=lambda place: np.sum((points[each[place]] - points[each]) ** 2)) for each in shown]
    triplets = Triplets.from_odd_one_out(shown, odd, weights=np.ones(200))
    _, report = fit_and_report(TETE(), triplets)
    assert report.n_answers == report.n_held_out == 200
    assert report.n_triplets == 400
    assert "triplets            400" in str(report)
    assert report.held_out_accuracy == pytest.approx(report.trust.answers["agrees"].mean())
