import time

import pytest

from tete.collecting.schema import TABLES, from_text, milliseconds_now, to_text


@pytest.mark.parametrize("numbers", [None, (), (3,), (10_000, 0, 7)])
def test_numbers_are_read_as_they_were_written(numbers):
    assert from_text(to_text(numbers)) == numbers


def test_numbers_are_json_without_spaces():
    assert to_text([1, 23]) == "[1,23]"


def test_times_are_milliseconds():
    assert abs(milliseconds_now() - 1000 * time.time()) < 60_000


def test_nothing_about_the_machine_of_a_person_has_a_column():
    assert set(TABLES.tables) == {"study", "items", "people", "identities", "questions", "answers", "events"}
    assert set(TABLES.tables["people"].columns.keys()) == {"number", "seed", "source", "created"}
