"""Public names that are loaded when they are first used, so that importing a package costs nothing."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package; `homes` says for each name the module it lives in.

    Of the package's own `modules`, those that people use by their names are loaded as well.
    """

    def get(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    def names() -> list[str]:
        return sorted(homes)

    return get, names
