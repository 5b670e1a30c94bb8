"""Small studies with a few answers, for tests of all that stores and reads them."""

from contextlib import contextmanager

from tete.collecting.database import Database
from tete.collecting.items import Item
from tete.collecting.people import add_answer, add_person, add_question
from tete.collecting.study import Asked, QuestionKind, Study

NAMES = ("espresso", "latte", "mocha", "tea", "cocoa", "milk", "water", "juice", "soda")


def some_items(names=NAMES):
    return [Item(number, name, "text", name.upper(), name, None, "") for number, name in enumerate(names)]


@contextmanager
def served(address, question="triplet", *, names=NAMES, **settings):
    """A study that is open as a server has it."""
    study = Study(question=QuestionKind.parse(question), **settings)
    database = Database.create_or_open(address, study, some_items(names))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def read(address):
    database = Database.open_to_read(address)
    try:
        yield database
    finally:
        database.close()


def new_person(database, source="page", seed=0, **identity):
    with database.writing.begin() as connection:
        return add_person(connection, source, identity, seed).number


def put(database, person, position, shown, role="balanced", **details):
    """The number of a question that was put to a person."""
    with database.writing.begin() as connection:
        return add_question(connection, Asked(0, person, position, role, tuple(shown), **details)).number


def answer(database, question, choice, revision=0, *, undone=False, ms=None):
    with database.writing.begin() as connection:
        return add_answer(connection, question, revision, choice, undone, ms)
