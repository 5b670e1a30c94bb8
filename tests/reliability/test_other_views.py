import numpy as np
import pytest

from people_of_views import study
from tete import TETE, trust
from tete.reliability import other_views
from tete.reliability.fit_report import fit_and_report


@pytest.fixture(scope="module")
def report():
    return fit_and_report(TETE(t=2.0, t_prime=1.5), study()[0])[1]


def test_another_view_is_no_carelessness(report):
    _, view, kind = study()
    people = report.trust.annotators
    assert people["other_view"].tolist() == ((view == 1) & (kind == 0)).tolist()
    assert people["verdict"][kind == 0][view[kind == 0] == 0].eq("ordinary").all()
    assert people["reversed"].tolist() == (kind == 2).tolist()
    assert people["at_chance"].tolist() == (kind == 1).tolist()
    assert people["with_other_map"][view == 1].mean() > 0.7


def test_such_people_are_not_weighed_less(report):
    _, view, kind = study()
    weights = report.trust.annotator_weights()
    assert weights[view == 1].eq(1.0).all()
    assert weights[kind == 1].lt(0.3).all()


def test_their_answers_are_not_called_suspicious(report):
    answers, theirs = report.trust.answers, {f"p{number:02d}" for number in range(6)}
    assert set(answers["annotator"][answers["other_view"]]) == theirs
    distrusted = answers["wrong"] > 0.5
    n_theirs = int((distrusted & answers["other_view"]).sum())
    assert report.trust.n_distrusted_of_other_views == n_theirs > 0
    assert f"{distrusted.sum():,} are more likely wrong than right, {n_theirs:,} of them by" in str(report.trust)
    assert report.n_suspicious_answers == distrusted.sum() - n_theirs
    assert not {answer.annotator for answer in report.suspicious_answers} & theirs


def test_the_report_names_them(report):
    assert {person.annotator for person in report.other_views} == {f"p{number:02d}" for number in range(6)}
    assert "other views         p00: consistent, but another view; the map agrees with" in str(report)
    assert "(6 in all)" in str(report)
    assert "annotators          3 of 18 are suspicious" in str(report)
    assert len(report.as_dict()["other_views"]) == 6


def test_nobody_looks_where_nothing_can_be_found(monkeypatch):
    monkeypatch.setattr(other_views, "find_views", None)
    triplets, _, _ = study(second=0, n_random=0, n_reversed=0)
    assert trust(TETE(t=2.0, t_prime=1.5), triplets).annotators["verdict"].eq("ordinary").all()
    few, _, _ = study(each=20)
    assert not trust(TETE(t=2.0, t_prime=1.5), few).annotators["other_view"].any()


def test_few_answers_do_not_tell_coin_tossers_from_another_view():
    report = trust(TETE(t=2.0, t_prime=1.5), study(second=0, each=90)[0])
    assert report.annotators["verdict"].eq("random or another view: too few answers to tell").sum() == 2
    assert "\n                          2 of those at chance may have another view: too few answers to tell" in str(
        report
    )


def test_one_person_of_another_view():
    triplets, view, kind = study(second=1, each=250, n_random=1)
    people = trust(TETE(t=2.0, t_prime=1.5), triplets).annotators
    assert people["verdict"].iloc[0].startswith("consistent, but")
    assert people["verdict"][kind == 1].eq("at chance").all()
    assert not people["other_view"][view == 0].any()
    assert np.isfinite(people["with_other_map"].iloc[0])
