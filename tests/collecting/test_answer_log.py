"""Answers read as they come in are those that `read_study` reads afterwards."""

import numpy as np
import pytest

from collecting_samples import answer, make_study
from tete import read_study
from tete.collecting import answer_log
from tete.collecting.answer_log import AnswerLog
from tete.collecting.forgetting import forget
from tete.collecting.people import add_answer, add_event
from tete.collecting.schema import questions

pytestmark = pytest.mark.filterwarnings("ignore::tete.exceptions.DroppedAnswersWarning")


def rows_of(triplets):
    people = [int(str(each).lstrip("p")) for each in triplets.annotators]
    return sorted(zip(map(tuple, triplets.to_array().tolist()), triplets.answers.tolist(), people, strict=True))


@pytest.fixture
def study(tmp_path, request):
    made = make_study(tmp_path / "study.db", kind=getattr(request, "param", "triplet"), per_person=20)
    yield made
    made.close()


@pytest.mark.parametrize("study", ["triplet", "odd-one-out", "pick:2of4", "pick:2of4:ranked"], indirect=True)
def test_answers_are_those_of_the_database(study, monkeypatch, tmp_path):
    monkeypatch.setattr(answer_log, "AT_ONCE", 7)
    log = AnswerLog(study)
    log.update()
    assert log.triplets("all") is None
    for first in (0, 3):
        answer(study, 3, first=first)
        log.update()
        assert rows_of(log.triplets("all")) == rows_of(read_study(tmp_path / "study.db"))


def test_tests_are_kept_from_the_map_that_chooses_also_when_asked_again(tmp_path):
    study = make_study(tmp_path / "study.db", test=1.0, per_person=20, repeat=4, catch=0)
    answer(study, 2)
    log = AnswerLog(study)
    log.update()
    assert log.triplets("told") is None  # four answers of each person are repeats
    assert len(log.triplets("tested")) < len(log.triplets("all"))
    study.close()


def test_parts_are_told_apart_by_role(study, tmp_path):
    answer(study, 4)
    log = AnswerLog(study)
    log.update()
    path = tmp_path / "study.db"
    assert rows_of(log.triplets("tested")) == rows_of(read_study(path, include=["test"]))
    assert rows_of(log.triplets("random")) == rows_of(read_study(path, include=["test", "balanced"]))
    assert rows_of(log.triplets("told")) == rows_of(read_study(path, include=["balanced", "suggested", "repeat"]))


def test_programs_asked_again_in_the_other_order_do_not_tell_the_tests(study):
    answer(study, 3, source="model:eye")
    log = AnswerLog(study)
    log.update()

    def questions_of(which):
        triplets = log.triplets(which)
        sides = np.sort(np.column_stack([triplets.near, triplets.far]), axis=1)
        return set(zip(triplets.annotators.tolist(), triplets.anchor.tolist(), map(tuple, sides.tolist()), strict=True))

    assert questions_of("tested")
    assert not questions_of("tested") & questions_of("told")
    assert len(log.triplets("all")) > len(log.triplets("told")) + len(log.triplets("tested"))


def test_later_revisions_count_and_nothing_new_is_nothing_new(study, tmp_path):
    answer(study, 2)
    log = AnswerLog(study)
    log.update()
    version, before = log.version, len(log.triplets("all"))
    log.update()
    assert log.version == version
    with study.writing.begin() as connection:
        numbers = connection.execute(questions.select().where(questions.c.role == "balanced")).scalars().all()
        add_answer(connection, numbers[0], 1, None, undone=True, ms=None)
        add_answer(connection, numbers[1], 1, (0,), undone=False, ms=None)
        add_answer(connection, numbers[1], 2, (1,), undone=False, ms=None)
    log.update()
    assert log.version == version + 1
    assert before - 1 <= len(log.triplets("all")) <= before
    assert rows_of(log.triplets("all")) == rows_of(read_study(tmp_path / "study.db"))


def test_people_come_and_go(study, tmp_path):
    answer(study, 3)
    log = AnswerLog(study)
    log.update()
    version = log.version
    for kind, person, left in (("excluded", 1, {2, 3}), ("withdrew", 2, {3}), ("included", 1, {1, 3})):
        with study.writing.begin() as connection:
            add_event(connection, kind, person)
        log.update()
        assert set(log.triplets("all").annotators) == left
        assert log.people().tolist() == [1, 2, 3]
    assert log.version == version + 3
    with study.writing.begin() as connection:
        add_event(connection, "break", 3)
    log.update()
    assert log.version == version + 3


def test_somebody_forgotten_is_forgotten_here_too(study, tmp_path):
    answer(study, 3)
    log = AnswerLog(study)
    log.update()
    study.close()
    assert forget(tmp_path / "study.db", "p0003") > 0
    log.update()
    assert log.people().tolist() == [1, 2]
    assert set(log.triplets("all").annotators) == {1, 2}
