"""Docstrings that are complete by themselves, although every parameter is described in one place.

Estimators share a dozen parameters, and many functions take the same answers. `filled_from` puts what another docstring
says about a parameter into a docstring that does not say it.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

__all__ = ["filled_from"]

Documented = TypeVar("Documented", bound=Callable[..., object])

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", flags=re.MULTILINE)


def filled_from(*sources: Callable[..., object]) -> Callable[[Documented], Documented]:
    """A decorator that completes the docstring of a function or class; on a dataclass it is the outermost one.

    Parameters that the docstring does not describe are described as in the first of the sources that does, all in the
    order of the signature. A class that derives from a source gets the descriptions of its attributes too. Sources
    describe each parameter by itself ("X, y : ..." cannot be taken apart).
    """

    def fill(target: Documented) -> Documented:
        if target.__doc__ is None or any(source.__doc__ is None for source in sources):
            return target  # python -OO has no docstrings
        sections = _sections(target.__doc__)
        known = {**_inherited("Parameters", sources), **_entries(sections.get("Parameters", ""))}
        parameters = [known[name] for name in inspect.signature(target).parameters if name in known]
        bases = [source for source in sources if isinstance(target, type) and source in target.__mro__]
        attributes = {**_inherited("Attributes", bases), **_entries(sections.get("Attributes", ""))}
        first = {"": sections.pop("")}
        if parameters:
            first["Parameters"] = "\n".join(dict.fromkeys(parameters))
        if attributes:
            first["Attributes"] = "\n".join(dict.fromkeys(attributes.values()))
        target.__doc__ = (
            "\n\n".join(_written({**first, **{n: b for n, b in sections.items() if n not in first}})) + "\n"
        )
        return target

    return fill


def _inherited(section: str, sources: Sequence[Callable[..., object]]) -> dict[str, str]:
    """What the sources describe, by name; the first source counts most."""
    found: dict[str, str] = {}
    for source in reversed(sources):
        found |= _entries(_sections(source.__doc__ or "").get(section, ""))
    return found


def _sections(docstring: str) -> dict[str, str]:
    """The text under each heading, and what comes before them under the heading ""."""
    before, *rest = HEADING.split(inspect.cleandoc(docstring))
    texts = {"": before, **dict(zip(rest[::2], rest[1::2], strict=True))}
    return {heading: text.strip("\n") for heading, text in texts.items()}


def _entries(text: str) -> dict[str, str]:
    """The descriptions in a section by name; each begins in the first column, and one may be of several names."""
    entries = re.split(r"\n(?=\S)", text) if text else []
    return {name.strip(" *"): entry for entry in entries for name in entry.split("\n")[0].split(" : ")[0].split(",")}


def _written(sections: dict[str, str]) -> Iterator[str]:
    for heading, text in sections.items():
        yield f"{heading}\n{'-' * len(heading)}\n{text}" if heading else text
