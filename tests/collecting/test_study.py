"""Studies and their kinds of question."""

import pytest

from tete.collecting.study import KnownQuestion, QuestionKind, Study
from tete.exceptions import InvalidParameterError


@pytest.mark.parametrize("text", ["triplet", "odd-one-out", "pick:2of8", "pick:1of2", "pick:3of12:ranked"])
def test_kinds_are_written_as_they_are_read(text):
    assert str(QuestionKind.parse(text)) == text


@pytest.mark.parametrize("text", ["", "pick", "pick:2of2", "pick:0of3", "pick:2of13", "pick:2of8:sorted", "quadruplet"])
def test_other_kinds_are_refused(text):
    with pytest.raises(InvalidParameterError, match=r"`question` must be triplet, odd-one-out.*got"):
        QuestionKind.parse(text)


@pytest.mark.parametrize(
    ("text", "shown", "anchor"), [("triplet", 3, True), ("odd-one-out", 3, False), ("pick:2of8", 9, True)]
)
def test_what_is_on_the_screen(text, shown, anchor):
    kind = QuestionKind.parse(text)
    assert (kind.n_shown, kind.has_anchor) == (shown, anchor)


def test_places_do_not_make_another_question_but_the_anchor_does():
    triplet, odd = QuestionKind.parse("triplet"), QuestionKind.parse("odd-one-out")
    assert triplet.key((0, 1, 2)) == triplet.key((0, 2, 1)) != triplet.key((1, 0, 2))
    assert odd.key((0, 1, 2)) == odd.key((2, 0, 1))


def test_a_study_goes_through_json():
    study = Study(
        question=QuestionKind.parse("pick:2of8:ranked"),
        texts={"start": "Los"},
        known_catch=(KnownQuestion(("a", "a", "b"), ("a",)),),
    )
    assert Study.from_json(study.to_json()) == study


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"per_person": 0}, "`per_person` must be a whole number >= 1, got 0"),
        ({"catch": -1}, "`catch` must be a whole number >= 0, got -1"),
        ({"practice": 2.5}, "`practice` must be a whole number >= 0, got 2.5"),
        ({"repeat": True}, "`repeat` must be a whole number >= 0, got True"),
        ({"test": 1.5}, r"`test` must be in \[0, 1\], got 1.5"),
        ({"adaptive": "x"}, r"`adaptive` must be in \[0, 1\], got 'x'"),
        ({"per_person": 10}, "`per_person` must hold the catch questions and each repeated one twice, 12, got 10"),
    ],
)
def test_settings_have_rules(settings, message):
    with pytest.raises(InvalidParameterError, match=message):
        Study(**settings)
