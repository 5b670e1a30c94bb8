"""Loaders of feature data, and generators of surfaces whose flat truth is known."""

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from tete.core.randomness import RandomState, make_generator
from tete.core.validation import check_interval, check_whole
from tete.datasets.folder import Folder, load_arrays
from tete.datasets.registry import data_set

__all__ = [
    "load_coil20",
    "load_digits",
    "load_faces",
    "load_fashion_mnist",
    "load_letters",
    "load_mammoth",
    "load_mit_scenes",
    "load_mnist",
    "load_usps",
    "load_wine",
    "make_sphere",
    "make_swiss_roll",
]

CLOTHES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
DIGITS = tuple("0123456789")


def load_wine() -> Bunch:
    """Wine: 178 x 13 measurements, three growers; `feature_names` has the columns."""
    wine = sklearn_datasets.load_wine()
    return data_set("wine").bunch(
        data=wine.data,
        target=wine.target,
        target_names=tuple(str(name) for name in wine.target_names),
        feature_names=tuple(wine.feature_names),
    )


def load_digits() -> Bunch:
    """Digits: 1,797 x 64 pixels."""
    digits = sklearn_datasets.load_digits()
    return data_set("digits").bunch(data=digits.data, target=digits.target, target_names=DIGITS, images=digits.images)


def make_sphere(n: int = 1000, *, random_state: RandomState = None) -> Bunch:
    """Points drawn uniformly from the unit sphere: normal draws in three dimensions, divided by their length.

    The truth has longitude and latitude; the target is the latitude, which colours a map well.
    """
    check_whole("n", n, least=1)
    draws = make_generator(random_state).normal(size=(n, 3))
    points = draws / np.linalg.norm(draws, axis=1, keepdims=True)
    longitude, latitude = np.arctan2(points[:, 1], points[:, 0]), np.arcsin(points[:, 2])
    return data_set("sphere").bunch(
        data=points,
        target=latitude,
        truth=np.column_stack([longitude, latitude]),
        truth_names=("longitude", "latitude"),
    )


def make_swiss_roll(n: int = 3000, *, noise: float = 0.0, random_state: RandomState = None) -> Bunch:
    """Scikit-learn's Swiss roll. The target is the angle along the roll, the truth the place on the flat rectangle.

    `noise` is the standard deviation of normal draws added to the points.
    """
    check_whole("n", n, least=1)
    check_interval("noise", noise, 0.0, np.inf)
    seed = int(make_generator(random_state).integers(2**32))
    points, angle = sklearn_datasets.make_swiss_roll(n, noise=noise, random_state=seed)
    # The roll is the curve (t cos t, t sin t), whose length up to t is this; the height needs no unrolling.
    length = (angle * np.sqrt(1.0 + angle**2) + np.arcsinh(angle)) / 2.0
    return data_set("swiss_roll").bunch(
        data=points,
        target=angle,
        truth=np.column_stack([length, points[:, 1]]),
        truth_names=("length", "height"),
    )


def load_mnist(*, folder: Folder = None, download: bool = False) -> Bunch:
    """MNIST: 70,000 x 784 pixels from 0 to 255, the first 60,000 for training. Public: `download` fetches it."""
    return _load_pictures("mnist", 28, DIGITS, folder, download)


def load_fashion_mnist(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Fashion-MNIST: 70,000 x 784 pixels from 0 to 255. Public: `download` fetches it."""
    return _load_pictures("fashion_mnist", 28, CLOTHES, folder, download)


def load_usps(*, folder: Folder = None, download: bool = False) -> Bunch:
    """USPS: 11,000 digits x 256 pixels from 0 to 255."""
    return _load_pictures("usps", 16, DIGITS, folder, download)


def load_coil20(*, folder: Folder = None, download: bool = False) -> Bunch:
    """COIL-20: 72 views of each of 20 objects x 1,024 pixels; `angle` has the degrees."""
    names = tuple(f"object {number}" for number in range(1, 21))
    return _load_pictures("coil20", 32, names, folder, download, extras=("angle",))


def load_faces(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Faces: 698 views x 1,024 pixels from 0 to 1; the truth has pan, tilt and light."""
    arrays = load_arrays("faces", folder, download=download)
    names = ("pan", "tilt", "light")
    return data_set("faces").bunch(
        data=arrays["X"],
        images=arrays["X"].reshape(-1, 32, 32),
        truth=np.column_stack([arrays[name] for name in names]),
        truth_names=names,
    )


def load_mit_scenes(*, folder: Folder = None, download: bool = False) -> Bunch:
    """MIT Scenes: GIST features of 2,688 photographs of eight kinds; `images` has them with 64 x 64 pixels."""
    arrays = load_arrays("mit_scenes", folder, download=download)
    return data_set("mit_scenes").bunch(
        data=arrays["gist"],
        target=arrays["y"],
        target_names=tuple(arrays["class_names"].tolist()),
        names=tuple(arrays["files"].tolist()),
        images=arrays["thumb64"],
    )


def load_letters(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Letters: 20,000 x 16 measurements of printed capital letters. Public: `download` fetches it."""
    arrays = load_arrays("letters", folder, download=download)
    names = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return data_set("letters").bunch(data=arrays["X"], target=arrays["y"], target_names=names)


def load_mammoth(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Mammoth: 50,000 points on a skeleton, in three dimensions."""
    return data_set("mammoth").bunch(data=load_arrays("mammoth", folder, download=download)["X"])


def _load_pictures(
    name: str, side: int, classes: tuple[str, ...], folder: Folder, download: bool, extras: tuple[str, ...] = ()
) -> Bunch:
    """Square pictures with their classes; `images` is a view of `data`."""
    arrays = load_arrays(name, folder, download=download)
    return data_set(name).bunch(
        data=arrays["X"],
        target=arrays["y"],
        target_names=classes,
        images=arrays["X"].reshape(-1, side, side),
        **{extra: arrays[extra] for extra in extras},
    )
