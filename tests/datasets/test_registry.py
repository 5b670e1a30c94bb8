"""Every data set has the shape that the registry says; real data where their folder is present."""

import re
from pathlib import Path

import numpy as np
import pytest

from tete import Triplets, datasets
from tete.datasets.registry import data_sets

REGISTRY = data_sets()
FETCHED = [name for name, entry in REGISTRY.items() if entry.file is not None]
PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def call_of(entry):
    """The function that loads a data set, and its arguments."""
    function, argument = re.fullmatch(r"(\w+)\((.*)\)", entry.loader).groups()
    arguments = [int(argument) if argument.isdigit() else argument.strip("'")] if argument else []
    return getattr(datasets, function), *arguments


def check_shape(name, bunch):
    """What all data sets have in common."""
    entry = REGISTRY[name]
    n_objects, second = entry.shape
    assert [bunch[key] for key in ("title", "description", "licence", "citation")] == [
        getattr(entry, key) for key in ("title", "description", "licence", "citation")
    ]
    assert ("data" in bunch) != ("triplets" in bunch)
    if "data" in bunch:
        assert bunch.data.shape == (n_objects, second)
        assert np.isfinite(bunch.data).all()
    else:
        assert isinstance(bunch.triplets, Triplets)
        assert (bunch.triplets.n_objects, len(bunch.triplets)) == (n_objects, second)
        assert bunch.triplets.names == bunch.names
    for key in ("target", "names", "images", "truth", "angle", "taste", "genres", "published_map"):
        assert bunch.get(key) is None or len(bunch[key]) == n_objects, key
    if bunch.target_names is not None:
        assert set(np.unique(bunch.target)) == set(range(len(bunch.target_names)))
    if "images" in bunch:
        assert bunch.images.ndim == 3


@pytest.mark.parametrize("name", [name for name in REGISTRY if name not in FETCHED])
def test_what_needs_no_file(name):
    loader, *arguments = call_of(REGISTRY[name])
    check_shape(name, loader(*arguments))


@pytest.mark.parametrize("name", FETCHED)
def test_what_needs_a_file(name, load):
    check_shape(name, load(*call_of(REGISTRY[name])))


class TestRegistry:
    def test_every_loader_is_listed(self):
        called = {entry.loader.split("(")[0] for entry in REGISTRY.values()}
        public = {name for name in datasets.__all__ if name.startswith("load_")}
        assert called == public | {"make_sphere", "make_swiss_roll"}

    @pytest.mark.parametrize("name", FETCHED)
    def test_a_file_can_be_checked(self, name):
        entry = REGISTRY[name]
        assert entry.openml or re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
        assert entry.url is None or (entry.url.startswith("https://") and entry.values_sha256)

    def test_the_page_has_the_table_of_the_registry(self):
        lines = [
            f"| {entry.title} | `{entry.loader}` | {entry.shape[0]:,} | {entry.shape[1]:,} | {entry.licence} | "
            f"{f'`{entry.file}`' if entry.file else 'none'} | "
            f"{'`download=True`' if entry.can_be_fetched else entry.source if entry.file else 'nothing to get'} |"
            for entry in REGISTRY.values()
        ]
        found = [line for line in PAGE.read_text().splitlines() if re.match(r"\|.*`(load|make)_", line)]
        assert found == lines, "docs/datasets.md should have these lines:\n" + "\n".join(lines)
