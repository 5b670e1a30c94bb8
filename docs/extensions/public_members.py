"""Which members of a class the reference shows: those of tete, not what scikit-learn and others gave it."""

from typing import Any

from sphinx.application import Sphinx


def home_of(member: Any) -> str:
    """The module that a method or property was written in."""
    inner = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    return getattr(inner, "__module__", None) or ""


def skips(_app: Sphinx, _what: str, name: str, member: Any, skip: bool, _options: Any) -> bool | None:
    """Whether a member is left out; None where Sphinx may decide."""
    request = name.startswith("set_") and name.endswith("_request")
    return True if skip or request or not home_of(member).startswith("tete") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask this file about each member."""
    app.connect("autodoc-skip-member", skips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
