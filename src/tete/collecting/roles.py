"""Which kinds of question a person is asked, in which order: a plan drawn once, the same whenever it is drawn again.

practice ... | fresh questions (test, adaptive, balanced), catch questions among them, repeats in the later half
"""

from dataclasses import replace
from math import comb
from random import Random

from tete.collecting.study import QuestionKind, Study

__all__ = ["FRESH", "fitting", "is_program", "n_known", "n_questions", "roles_of"]

FRESH = ("test", "balanced", "adaptive")  # roles of questions that were not asked before
FIRST_CATCH = 3  # questions that come before the first catch question: people who just begin make honest mistakes


def is_program(source: str) -> bool:
    """Whether the judge is a program, which needs no practice and is asked everything in both orders."""
    return source.startswith("model:")


def n_questions(kind: QuestionKind, n_items: int) -> int:
    """How many different questions there are about so many items."""
    if kind.has_anchor:
        return n_items * comb(n_items - 1, kind.n_choices)
    return comb(n_items, kind.n_choices)


def n_known(kind: QuestionKind, n_items: int) -> int:
    """How many questions have the anchor among the choices or, of odd-one-out, two that are the same."""
    if kind.has_anchor:
        return n_items * comb(n_items - 1, kind.n_choices - 1)
    return n_items * (n_items - 1)


def fitting(study: Study, n_items: int) -> Study:
    """The study with as many questions for each person as so few items have: nobody is asked the same one twice."""
    known = n_known(study.question, n_items)
    practice = min(study.practice, known + len(study.known_practice))
    left = known - max(practice - len(study.known_practice), 0)
    catch = min(study.catch, left + len(study.known_catch))
    fresh = min(study.per_person - study.catch - study.repeat, n_questions(study.question, n_items))
    repeat = min(study.repeat, fresh)
    return replace(study, practice=practice, catch=catch, repeat=repeat, per_person=catch + repeat + fresh)


def roles_of(study: Study, seed: int, source: str) -> list[str]:
    """The plan of one person: the role of each question, in order.

    Catch questions are spread out, not among the first three and never adjacent, repeats are in the later half, where
    there is room for it. The seeds of the study and of the person decide, in any process.
    """
    # Strings seed it through SHA-512, not through Python's own hash, which differs from process to process.
    rng = Random(f"roles {study.seed} {seed}")  # noqa: S311
    count = study.per_person
    catch = _spread(count, study.catch, rng)
    repeat = _late(count, study.repeat, catch, rng)
    fresh = _fresh(study, rng)
    roles = ["catch" if place in catch else "repeat" if place in repeat else fresh.pop() for place in range(count)]
    if not is_program(source):
        return ["practice"] * study.practice + roles
    return [each for role in roles for each in ((role, "swapped") if role in FRESH else (role,))]


def _fresh(study: Study, rng: Random) -> list[str]:
    """Roles of the questions that are neither catch nor repeat, in random order."""
    count = study.per_person - study.catch - study.repeat
    test = round(study.test * count)
    adaptive = round(study.adaptive * (count - test))
    fresh = ["test"] * test + ["adaptive"] * adaptive + ["balanced"] * (count - test - adaptive)
    rng.shuffle(fresh)
    return fresh


def _spread(count: int, wanted: int, rng: Random) -> set[int]:
    """Random places, at least two apart: one in each of `wanted` equal stretches, which end in one free place."""
    if not wanted:
        return set()
    for first in range(FIRST_CATCH, -1, -1):  # where there is no room, earlier ones are allowed before adjacent ones
        stretch = (count - first + 1) / wanted
        if stretch >= 2:
            return {first + int(place * stretch + rng.random() * (stretch - 2)) for place in range(wanted)}
    return {place * count // wanted for place in range(wanted)}


def _late(count: int, wanted: int, taken: set[int], rng: Random) -> set[int]:
    """Random places of the later half, and the last ones before it if these are not enough."""
    free = [place for place in range(count) if place not in taken]
    late = [place for place in free if 2 * place >= count]
    return set(rng.sample(late, wanted) if len(late) >= wanted else free[len(free) - wanted :])
