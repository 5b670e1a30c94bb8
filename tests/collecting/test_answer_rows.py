import subprocess
import sys

import pytest

from stored_study import answer, new_person, put, served
from tete.collecting.answer_rows import ANSWER_COLUMNS, EVERYTHING_COLUMNS, answer_rows, comparisons_of, everything_rows
from tete.collecting.people import add_event
from tete.collecting.study import QuestionKind


@pytest.fixture
def address(tmp_path):
    return tmp_path / "study.db"


@pytest.mark.parametrize(
    ("kind", "shown", "choice", "expected"),
    [
        ("triplet", (7, 3, 5), (0,), [(7, 3, 5)]),
        ("triplet", (7, 3, 5), (1,), [(7, 5, 3)]),
        ("odd-one-out", (7, 3, 5), (1,), [(7, 5, 3), (5, 7, 3)]),
        ("pick:1of3", (0, 1, 2, 3), (2,), [(0, 3, 1), (0, 3, 2)]),
        ("pick:2of4", (0, 1, 2, 3, 4), (3, 1), [(0, 4, 1), (0, 4, 3), (0, 2, 1), (0, 2, 3)]),
        ("pick:2of3:ranked", (0, 1, 2, 3), (2, 0), [(0, 3, 2), (0, 1, 2), (0, 3, 1)]),
    ],
)
def test_what_an_answer_says(kind, shown, choice, expected):
    assert comparisons_of(QuestionKind.parse(kind), shown, choice) == expected


def mark(database, person, kind):
    with database.writing.begin() as connection:
        add_event(connection, kind, person)


def test_rows_have_names_and_leave_out_what_says_nothing(address):
    with served(address) as database:
        ann, owl = new_person(database, id="secret"), new_person(database, "model:owl")
        excluded, back, withdrew = new_person(database), new_person(database), new_person(database)
        answer(database, put(database, ann, 0, (0, 0, 1), "practice", right=(0,)), (0,))
        answer(database, put(database, ann, 1, (3, 3, 1), "catch", right=(0,)), (0,))
        first = put(database, ann, 2, (0, 1, 2), "test")
        answer(database, first, (1,), ms=500.5)
        answer(database, put(database, ann, 3, (0, 1, 3)), None)
        undone = put(database, ann, 4, (0, 1, 4), "suggested")
        answer(database, undone, (0,))
        answer(database, undone, None, 1, undone=True)
        put(database, ann, 5, (0, 1, 5))
        swapped = put(database, owl, 0, (2, 1, 0), "swapped")
        answer(database, swapped, (0,))
        answer(database, swapped, (1,), 1)
        for person, kinds in (
            (excluded, ["included", "excluded"]),
            (back, ["excluded", "included"]),
            (withdrew, ["withdrew"]),
        ):
            answer(database, put(database, person, 0, (3, 4, 5)), (0,))
            for kind in kinds:
                mark(database, person, kind)
        rows = [dict(zip(ANSWER_COLUMNS, row, strict=True)) for row in answer_rows(database)]
        assert [(row["anchor"], row["near"], row["far"], row["annotator"]) for row in rows] == [
            ("espresso", "mocha", "latte", f"p{ann:04d}"),
            ("mocha", "espresso", "latte", f"p{owl:04d}"),
            ("tea", "cocoa", "milk", f"p{back:04d}"),
        ]
        assert rows[0] | {"anchor": "", "near": "", "far": "", "annotator": ""} == {
            "anchor": "",
            "near": "",
            "far": "",
            "annotator": "",
            "answer": first,
            "role": "test",
            "position": 2,
            "ms": 500.5,
            "source": "page",
        }
        assert rows[1]["source"] == "model:owl"


def test_everything_has_every_revision_of_all_but_those_who_withdrew(address):
    with served(address) as database:
        ann, ben, withdrew = (new_person(database) for _ in range(3))
        first = put(database, ann, 0, (0, 0, 1), "catch", right=(0,))
        answer(database, first, (0,), ms=1.5)
        answer(database, first, None, 1, undone=True)
        answer(database, first, None, 2)
        again = put(database, ben, 1, (2, 1, 0), "repeat", repeats=put(database, ben, 0, (2, 0, 1)))
        answer(database, again, (1,))
        answer(database, put(database, withdrew, 0, (0, 1, 2)), (0,))
        mark(database, ben, "excluded")
        mark(database, withdrew, "withdrew")
        rows = [dict(zip(EVERYTHING_COLUMNS, row, strict=True)) for row in everything_rows(database)]
    assert all(row.pop("issued") <= row.pop("received") for row in rows)
    shared = {
        "question": first,
        "annotator": f"p{ann:04d}",
        "source": "page",
        "position": 0,
        "role": "catch",
        "repeats": None,
        "shown": '["espresso", "espresso", "latte"]',
        "right": '["espresso"]',
        "excluded": False,
    }
    assert rows == [
        shared | {"revision": 0, "choice": '["espresso"]', "cannot_say": False, "undone": False, "ms": 1.5},
        shared | {"revision": 1, "choice": None, "cannot_say": False, "undone": True, "ms": None},
        shared | {"revision": 2, "choice": None, "cannot_say": True, "undone": False, "ms": None},
        {
            "question": again,
            "revision": 0,
            "annotator": f"p{ben:04d}",
            "source": "page",
            "position": 1,
            "role": "repeat",
            "repeats": again - 1,
            "shown": '["mocha", "latte", "espresso"]',
            "choice": '["espresso"]',
            "right": None,
            "cannot_say": False,
            "undone": False,
            "ms": None,
            "excluded": True,
        },
    ]


def test_rows_are_streamed_while_others_write(address):
    with served(address) as database:
        person = new_person(database)
        for position in range(3):
            answer(database, put(database, person, position, (0, 1, 2)), (0,))
        rows = answer_rows(database)
        next(rows)
        answer(database, put(database, person, 3, (0, 1, 2)), (0,))
        assert len(list(rows)) == 2
        assert len(list(answer_rows(database))) == 4


def test_what_serves_people_loads_no_numpy():
    parts = ("writer", "forgetting", "answer_rows", "database", "people", "schema")
    program = (
        f"import sys; {'; '.join(f'import tete.collecting.{part}' for part in parts)};"
        "print(sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'psycopg'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
