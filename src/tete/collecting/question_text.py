"""Questions as JSON for the page. What an item looks like in it is written once."""

from collections.abc import Sequence

from tete.collecting.items import Item
from tete.collecting.json_text import dump
from tete.collecting.study import Asked, QuestionKind

__all__ = ["QuestionWriter"]


class QuestionWriter:
    """Writes questions about these items."""

    def __init__(self, kind: QuestionKind, items: Sequence[Item]) -> None:
        self._kind, self._items = kind, items
        self._texts: dict[int, str] = {}

    def write(self, asked: Asked, revision: int) -> str:
        """One question. Which answer is right is said of practice alone."""
        items = [self._texts.get(number) or self._item(number) for number in asked.shown]
        anchor, choices = (items[0], items[1:]) if self._kind.has_anchor else ("null", items)
        practice = asked.role == "practice"
        right = f'"right":{list(asked.right or ())},' if practice else ""
        return (
            f'{{"question":{asked.number},"position":{asked.position},"revision":{revision},'
            f'"practice":{"true" if practice else "false"},{right}"anchor":{anchor},"choices":[{",".join(choices)}]}}'
        )

    def _item(self, number: int) -> str:
        item = self._items[number]
        text = dump({"item": number, "kind": item.kind, "text": item.text, "label": item.label})
        self._texts[number] = text
        return text
