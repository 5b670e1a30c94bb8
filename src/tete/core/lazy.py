"""What is loaded when it is first used, so that importing costs no more than is used."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

__all__ = ["deferred", "lazy_names", "set_aside"]

# scikit-learn's base imports them for one rare function each, which takes longer than all else that a small fit loads.
RARELY_USED = "scipy.stats"
OFTEN_UNUSED = "pandas"  # and others ask whether it is loaded, to tell whether a table can be one of its data frames


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package; `homes` says for each name the module it lives in.

    Of the package's own `modules`, those that people use by their names are loaded as well.
    """

    def get(name: str) -> object:
        if name not in modules and name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        deferred(RARELY_USED)
        with set_aside(OFTEN_UNUSED):
            found = import_module(f"{package}.{name}" if name in modules else homes[name])
        return found if name in modules else getattr(found, name)

    def names() -> list[str]:
        return sorted(homes)

    return get, names


class _Deferred(ModuleType):
    """Stands in for a module that nobody has used yet; the first name that is asked for imports the module itself."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)
        return getattr(import_module(self.__name__), name)


def deferred(*names: str) -> None:
    """Let ``import`` of these modules cost nothing until one of their names is used; the loaded ones stay loaded.

    The import itself is then Python's own, with its locks. A module that is not installed stays so.
    """
    for name in names:
        parent, _, child = name.rpartition(".")
        if name in sys.modules or (spec := find_spec(name)) is None:
            continue
        module = module_from_spec(spec)
        module.__class__ = _Deferred
        vars(module).pop("__path__", None)  # so that a submodule's import asks for it, which imports the module
        sys.modules[name] = module
        if parent:
            setattr(import_module(parent), child, module)


@contextmanager
def set_aside(name: str) -> Iterator[None]:
    """Defer a module for what is imported inside; afterwards it is as absent as before, unless it was used.

    What was imported meanwhile keeps the stand-in, which imports the module when one of its names is used.
    """
    absent = name not in sys.modules
    deferred(name)
    try:
        yield
    finally:
        if absent and isinstance(sys.modules.get(name), _Deferred):
            sys.modules.pop(name, None)
