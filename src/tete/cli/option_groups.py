"""Options that belong together, told once: a dataclass of them stands for all in the signature of a command."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

__all__ = ["gathers"]

LAST = {"theme", "force", "as_json"}  # what all commands have comes after what is special to one


def gathers(**groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace parameters of a command by the options that they stand for, a dataclass for each."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        kept = _signature(command, groups)

        @functools.wraps(command)
        def gathered(**given: Any) -> None:
            made = {
                name: group(**{field.name: given.pop(field.name) for field in fields(group)})
                for name, group in groups.items()
            }
            command(**made, **given)

        vars(gathered)["__signature__"] = inspect.Signature(kept)
        gathered.__annotations__ = {each.name: each.annotation for each in kept}
        return gathered

    return decorate


def _signature(command: Callable[..., None], groups: dict[str, type[Any]]) -> list[inspect.Parameter]:
    """The command's own parameters with the groups' fields among them."""
    parameters = inspect.signature(command).parameters
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, each in parameters.items() if name not in groups]
    last = next(place for place, each in enumerate(own) if each.name in LAST)
    return [*own[:last], *(option for group in groups.values() for option in _options(group)), *own[last:]]


def _options(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]
