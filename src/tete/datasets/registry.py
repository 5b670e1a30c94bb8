"""The list of data sets, `registry.toml`: where each comes from, what its file must be, and whom to cite."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from sklearn.utils import Bunch

__all__ = ["DataSet", "OpenMLSource", "data_set", "data_sets"]


@dataclass(frozen=True, kw_only=True)
class OpenMLSource:
    """A data set on OpenML."""

    name: str
    version: int


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """What is known of a data set without having it.

    `loader` is the call that gives it. `shape` is (rows, columns) of features, or (objects, triplets) of comparisons.
    `file` is relative to the data folder, and None for what needs no file. It must have `sha256`. A file that is not
    at hand can be made from `openml` or from `url`; what is in it must have `values_sha256` then.
    """

    title: str
    loader: str
    shape: tuple[int, int]
    source: str
    licence: str
    citation: str
    description: str
    file: str | None = None
    sha256: str | None = None
    openml: OpenMLSource | None = None
    url: str | None = None
    values_sha256: str | None = None

    @property
    def can_be_fetched(self) -> bool:
        """Whether a public place is known."""
        return self.openml is not None or self.url is not None

    def bunch(self, **content: Any) -> Bunch:
        """The content with all that is to be known about it; `target`, `target_names` and `names` may be None."""
        about = {"title": self.title, "description": self.description}
        terms = {"licence": self.licence, "citation": self.citation}
        return Bunch(**({"target": None, "target_names": None, "names": None} | content | about | terms))


def data_sets() -> dict[str, DataSet]:
    """All data sets by name."""
    return {name: _entry(**fields) for name, fields in _registry().items()}


def data_set(name: str) -> DataSet:
    """One data set."""
    return _entry(**_registry()[name])


def _registry() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("tete.datasets").joinpath("registry.toml").read_text(encoding="utf-8"))


def _entry(**fields: Any) -> DataSet:
    if "openml" in fields:
        fields["openml"] = OpenMLSource(**fields["openml"])
    return DataSet(**(fields | {"shape": tuple(fields["shape"])}))
