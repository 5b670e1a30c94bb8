"""Small studies in databases, answered by simulated people without a server."""

from tete.collecting.asking import Asker
from tete.collecting.database import Database
from tete.collecting.items import Item
from tete.collecting.people import add_answer, add_person, add_question
from tete.collecting.simulated_people import HiddenMap, Question, SimulatedPerson
from tete.collecting.study import QuestionKind, Study


def make_items(count):
    return [Item(number, f"item {number}", "text", "", f"item {number}", None, "") for number in range(count)]


def make_study(path, n_items=12, kind="triplet", **settings):
    return Database.create_or_open(path, Study(question=QuestionKind.parse(kind), **settings), make_items(n_items))


def answer(database, n_people, *, seed=1, source="page", first=0):
    """Let people answer everything; gives the hidden map and what kind of person each number is."""
    hidden, kinds = HiddenMap(seed), {}
    asker = Asker(database.study, database.items, [0] * len(database.items))
    n_picks = database.study.question.n_picks
    with database.writing.begin() as connection:
        for number in range(first, first + n_people):
            judge = SimulatedPerson(hidden, seed, number)
            person = add_person(connection, source, {}, seed=number)
            kinds[person.number], asked = judge.kind, []
            while (drawn := asker.draw(number, source, asked, len(asked), person.number)) is not None:
                asked.append(add_question(connection, drawn))
                first_choice = int(database.study.question.has_anchor)
                anchor = drawn.shown[0] if first_choice else None
                choice = judge.answer(Question(anchor, drawn.shown[first_choice:], n_picks))
                add_answer(connection, asked[-1].number, 0, choice, undone=False, ms=800.0)
    return hidden, kinds
