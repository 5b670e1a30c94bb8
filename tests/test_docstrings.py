"""Every public name is documented completely, by numpydoc's own validation, and in one vocabulary."""

import ast
import dataclasses
import importlib
import inspect
import re

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

from test_architecture import SOURCE

PACKAGES = ("tete", "tete.metrics", "tete.io", "tete.datasets", "tete.anndata", "tete.tempered")
LEFT_OUT = {
    "SS05": "a function that returns a thing may be named by the thing",
    "SA01": "what belongs together is named where it matters, in a sentence",
    "ES01": "one line is enough where it says everything",
    "GL02": "a docstring of one line ends on that line, and a composed one has no quotes",
    "PR06": "types are said in words",
    "RT02": "types are said in words",
}


def public_callables():
    """Names of all public functions, classes and exceptions; each object once, where it is listed first."""
    seen = set()
    for package in PACKAGES:
        for name in importlib.import_module(package).__all__:
            found = getattr(importlib.import_module(package), name)
            if id(found) not in seen:
                seen.add(id(found))
                yield f"{package}.{name}"


def public_methods():
    """Public methods and properties of public classes, inherited ones too, but not those of scikit-learn."""
    for owner in public_callables():
        found = load(owner)
        for name in dir(found) if inspect.isclass(found) else ():
            if name.startswith("_") or (name.startswith("set_") and name.endswith("_request")):
                continue
            home = next(base for base in found.__mro__ if name in vars(base))
            member = inspect.getattr_static(found, name)
            if home.__module__.startswith("tete") and (callable(getattr(found, name)) or isinstance(member, property)):
                yield f"{owner}.{name}"


def load(name):
    return Validator._load_obj(name)


class Described(Validator):
    """Fields of a result, which the library makes, are described once, as attributes; nobody makes a protocol."""

    def __init__(self, obj_name):
        super().__init__(get_doc_object(load(obj_name)))

    @property
    def signature_parameters(self):
        return (
            ()
            if getattr(self.obj, "_is_protocol", False) and inspect.isclass(self.obj)
            else super().signature_parameters
        )

    @property
    def doc_all_parameters(self):
        described = super().doc_all_parameters
        if dataclasses.is_dataclass(self.obj) and not described:
            described = self._doc_parameters(["Attributes"])
        return described


def mistakes(name, *, example):
    ignored = {*LEFT_OUT, *(() if example else ("EX01",))}
    return [
        f"{code}: {message}"
        for code, message in validate(name, validator_cls=Described)["errors"]
        if code not in ignored
    ]


CALLABLES, METHODS = list(public_callables()), list(public_methods())


@pytest.mark.parametrize("name", CALLABLES)
def test_public_functions_and_classes_are_documented(name):
    assert not mistakes(name, example=True)


@pytest.mark.parametrize("name", METHODS)
def test_public_methods_are_documented(name):
    assert not mistakes(name, example=False)


def test_exceptions_say_what_they_mean():
    exceptions = importlib.import_module("tete.exceptions")
    kinds = {
        name for name, found in vars(exceptions).items() if isinstance(found, type) and issubclass(found, Exception)
    }
    assert set(exceptions.__all__) == kinds
    assert all(inspect.getdoc(getattr(exceptions, name)).splitlines()[0].endswith(".") for name in kinds)


SEEDED = [
    name
    for name in CALLABLES + METHODS
    if callable(load(name)) and "random_state" in inspect.signature(load(name)).parameters
]


@pytest.mark.parametrize("name", SEEDED)
def test_seeds_have_one_default_for_estimators_and_one_for_functions(name):
    default = None if hasattr(load(name), "fit") else 0
    assert inspect.signature(load(name)).parameters["random_state"].default == default
    (described,) = [line for line in inspect.getdoc(load(name)).splitlines() if line.startswith("random_state : ")]
    assert described == f"random_state : int, generator or None, default={default}"


def test_the_library_does_not_speak_of_flags():
    """Where messages are made: outside the command, a text never names one of its options."""
    for path in SOURCE.rglob("*.py"):
        if path.parent.name != "cli" and path.stem != "html_report":
            texts = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
            flag = r"(^|[\s`]|(?<!var)\()--[a-z]"  # var(--ink) is a style sheet's
            assert not any(re.search(flag, text) for text in texts if isinstance(text, str)), path


def test_defaults_are_documented_as_they_are():
    """A parameter that says default=... has that default, wherever it can be read."""
    for name in CALLABLES + METHODS:
        if not callable(load(name)):
            continue
        parameters = inspect.signature(load(name)).parameters
        for line in inspect.getdoc(load(name)).splitlines():
            said = re.match(r"(\w+) : .*, default=(.+)$", line)
            if said and said[1] in parameters:
                assert ast.literal_eval(said[2]) == parameters[said[1]].default, f"{name}: {line}"
