"""Questions whose answer everybody knows, as a study gives them: names of items, checked against what there is."""

from collections.abc import Sequence
from typing import Any

from tete.collecting.items import Item
from tete.collecting.setting_rules import Writing
from tete.collecting.study import KnownQuestion, QuestionKind

__all__ = ["known_questions"]

MOST = 1_000


def known_questions(
    name: str, given: Sequence[dict[str, Any]], kind: QuestionKind, items: Sequence[Item], writing: Writing
) -> tuple[KnownQuestion, ...]:
    """What the sections called `name` ask: an anchor where the kind of question has one, choices, and what is right."""
    if len(given) > MOST:
        writing.refuse(name, f"have at most {MOST:,} questions", len(given))
    names = {item.name for item in items}
    return tuple(
        _question(f"{name} {number}", each, kind, names, writing) for number, each in enumerate(given, start=1)
    )


def _question(name: str, given: dict[str, Any], kind: QuestionKind, names: set[str], writing: Writing) -> KnownQuestion:
    expected = {"anchor", "choices", "right"} if kind.has_anchor else {"choices", "right"}
    if set(given) != expected:
        writing.refuse(name, f"have {', '.join(sorted(expected))} for the question {kind}", sorted(given))
    anchor = _names(f"{name}, anchor", [given["anchor"]], names, writing) if kind.has_anchor else ()
    choices = _names(f"{name}, choices", given["choices"], names, writing)
    right = given["right"] if isinstance(given["right"], list) else [given["right"]]
    if len(choices) != kind.n_choices:
        writing.refuse(f"{name}, choices", f"be {kind.n_choices} for the question {kind}", list(choices))
    if not 1 <= len(right) <= kind.n_picks or any(choices.count(each) != 1 for each in right):
        rule = "be one of the choices" if kind.n_picks == 1 else f"be 1 to {kind.n_picks} of the choices"
        writing.refuse(f"{name}, right", f"{rule}, each there once", right)
    return KnownQuestion(anchor + choices, tuple(right))


def _names(name: str, given: Any, names: set[str], writing: Writing) -> tuple[str, ...]:
    if not isinstance(given, list):
        writing.refuse(name, "be a list of names of items", given)
    for each in given:
        if not isinstance(each, str) or each not in names:
            writing.refuse(name, "name items", each)
    return tuple(given)
