"""The data sets of the experiments by their names in the paper, each loaded once in a process."""

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tete import datasets

__all__ = ["SOURCES", "draw_rows", "load", "missing_data"]

SOURCES: dict[str, Callable[[], Any]] = {
    "MNIST": datasets.load_mnist,
    "MIT Scenes": datasets.load_mit_scenes,
    "Food": datasets.load_food,
    "Music": datasets.load_music,
    "Wine": datasets.load_wine,
    "Sphere": partial(datasets.make_sphere, 1000, random_state=0),
    "Swiss Roll": partial(datasets.make_swiss_roll, 3000, random_state=0),
    "Faces": datasets.load_faces,
    "COIL-20": datasets.load_coil20,
    "USPS": datasets.load_usps,
    "Letters": datasets.load_letters,
    "30 alien eggs": partial(datasets.load_alien_eggs, 30),
    "300 alien eggs": partial(datasets.load_alien_eggs, 300),
    "Digits": datasets.load_digits,
}


@lru_cache(maxsize=2)
def load(name: str) -> Any:
    """A data set."""
    return SOURCES[name]()


def missing_data(names: Iterable[str]) -> dict[str, str]:
    """Of these data sets the ones that are not there, and what their loaders say about it."""
    missing = {}
    for name in sorted(names):
        try:
            load(name)
        except FileNotFoundError as error:
            missing[name] = str(error)
    return missing


@lru_cache(maxsize=4)
def draw_rows(name: str, n_points: int, seed: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Some rows of a data set with their labels, drawn without replacement."""
    found = load(name)
    rows = np.random.default_rng(seed).choice(len(found.data), n_points, replace=False)
    return np.asarray(found.data[rows], dtype=np.float64), np.asarray(found.target)[rows]
