"""Loaders of feature data, and generators of surfaces whose flat truth is known."""

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from tete.core.docstrings import filled_from
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
    """Wine: 178 x 13 measurements, three growers.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names` and `feature_names`. Also `title`, `description`, `licence`, `citation`.

    Examples
    --------
    >>> from tete.datasets import load_wine
    >>> load_wine().data.shape
    (178, 13)
    """
    wine = sklearn_datasets.load_wine()
    return data_set("wine").bunch(
        data=wine.data,
        target=wine.target,
        target_names=tuple(str(name) for name in wine.target_names),
        feature_names=tuple(wine.feature_names),
    )


def load_digits() -> Bunch:
    """Digits: 1,797 x 64 pixels.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names` and `images`. Also `title`, `description`, `licence`, `citation`.

    Examples
    --------
    >>> from tete.datasets import load_digits
    >>> load_digits().data.shape
    (1797, 64)
    """
    digits = sklearn_datasets.load_digits()
    return data_set("digits").bunch(data=digits.data, target=digits.target, target_names=DIGITS, images=digits.images)


def make_sphere(n_points: int = 1000, *, random_state: RandomState = 0) -> Bunch:
    """Points drawn uniformly from the unit sphere: normal draws in three dimensions, divided by their length.

    Parameters
    ----------
    n_points : int, default=1000
        How many.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Bunch
        `data`; `target`, the latitude, which colours a map well; `truth` and `truth_names`: longitude and latitude.
        Also `title`, `description`, `licence`, `citation`.

    Examples
    --------
    >>> from tete.datasets import make_sphere
    >>> make_sphere(100).data.shape
    (100, 3)
    """
    check_whole("n_points", n_points, least=1)
    draws = make_generator(random_state).normal(size=(n_points, 3))
    points = draws / np.linalg.norm(draws, axis=1, keepdims=True)
    longitude, latitude = np.arctan2(points[:, 1], points[:, 0]), np.arcsin(points[:, 2])
    return data_set("sphere").bunch(
        data=points,
        target=latitude,
        truth=np.column_stack([longitude, latitude]),
        truth_names=("longitude", "latitude"),
    )


def make_swiss_roll(n_points: int = 3000, *, noise: float = 0.0, random_state: RandomState = 0) -> Bunch:
    """Scikit-learn's Swiss roll, with its flat truth.

    Parameters
    ----------
    n_points : int, default=3000
        How many.
    noise : float, default=0.0
        Standard deviation of normal draws added to the points.
    random_state : int, generator or None, default=0
        Seed of the draws; None takes another one each time.

    Returns
    -------
    Bunch
        `data`; `target`, the angle along the roll; `truth` and `truth_names`: the place on the flat rectangle.
        Also `title`, `description`, `licence`, `citation`.

    Examples
    --------
    >>> from tete.datasets import make_swiss_roll
    >>> roll = make_swiss_roll(100)
    >>> roll.data.shape, roll.truth_names
    ((100, 3), ('length', 'height'))
    """
    check_whole("n_points", n_points, least=1)
    check_interval("noise", noise, 0.0, np.inf)
    seed = int(make_generator(random_state).integers(2**32))
    points, angle = sklearn_datasets.make_swiss_roll(n_points, noise=noise, random_state=seed)
    # The roll is the curve (t cos t, t sin t), whose length up to t is this; the height needs no unrolling.
    length = (angle * np.sqrt(1.0 + angle**2) + np.arcsinh(angle)) / 2.0
    return data_set("swiss_roll").bunch(
        data=points,
        target=angle,
        truth=np.column_stack([length, points[:, 1]]),
        truth_names=("length", "height"),
    )


@filled_from(load_arrays)
def load_mnist(*, folder: Folder = None, download: bool = False) -> Bunch:
    """MNIST: 70,000 x 784 pixels from 0 to 255, the first 60,000 for training. Public: `download` fetches it.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names` and `images`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_mnist
    >>> load_mnist(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_mnist() needs ...
    """
    return _load_pictures("mnist", 28, DIGITS, folder, download)


@filled_from(load_arrays)
def load_fashion_mnist(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Fashion-MNIST: 70,000 x 784 pixels from 0 to 255. Public: `download` fetches it.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names` and `images`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_fashion_mnist
    >>> load_fashion_mnist(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_fashion_mnist() needs ...
    """
    return _load_pictures("fashion_mnist", 28, CLOTHES, folder, download)


@filled_from(load_arrays)
def load_usps(*, folder: Folder = None, download: bool = False) -> Bunch:
    """USPS: 11,000 digits x 256 pixels from 0 to 255.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names` and `images`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_usps
    >>> load_usps(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_usps() needs ...
    """
    return _load_pictures("usps", 16, DIGITS, folder, download)


@filled_from(load_arrays)
def load_coil20(*, folder: Folder = None, download: bool = False) -> Bunch:
    """COIL-20: 72 views of each of 20 objects x 1,024 pixels.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names`, `images` and `angle`, in degrees.
        Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_coil20
    >>> load_coil20(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_coil20() needs ...
    """
    names = tuple(f"object {number}" for number in range(1, 21))
    return _load_pictures("coil20", 32, names, folder, download, extras=("angle",))


@filled_from(load_arrays)
def load_faces(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Faces: 698 views x 1,024 pixels from 0 to 1.

    Returns
    -------
    Bunch
        `data`, `images`, and `truth` and `truth_names`: pan, tilt and light.
        Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_faces
    >>> load_faces(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_faces() needs ...
    """
    arrays = load_arrays("faces", folder, download=download)
    names = ("pan", "tilt", "light")
    return data_set("faces").bunch(
        data=arrays["X"],
        images=arrays["X"].reshape(-1, 32, 32),
        truth=np.column_stack([arrays[name] for name in names]),
        truth_names=names,
    )


@filled_from(load_arrays)
def load_mit_scenes(*, folder: Folder = None, download: bool = False) -> Bunch:
    """MIT Scenes: GIST features of 2,688 photographs of eight kinds.

    Returns
    -------
    Bunch
        `data`, `target`, `target_names`, `names` and `images`, the photographs with 64 x 64 pixels.
        Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_mit_scenes
    >>> load_mit_scenes(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_mit_scenes() needs ...
    """
    arrays = load_arrays("mit_scenes", folder, download=download)
    return data_set("mit_scenes").bunch(
        data=arrays["gist"],
        target=arrays["y"],
        target_names=tuple(arrays["class_names"].tolist()),
        names=tuple(arrays["files"].tolist()),
        images=arrays["thumb64"],
    )


@filled_from(load_arrays)
def load_letters(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Letters: 20,000 x 16 measurements of printed capital letters. Public: `download` fetches it.

    Returns
    -------
    Bunch
        `data`, `target` and `target_names`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_letters
    >>> load_letters(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_letters() needs ...
    """
    arrays = load_arrays("letters", folder, download=download)
    names = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return data_set("letters").bunch(data=arrays["X"], target=arrays["y"], target_names=names)


@filled_from(load_arrays)
def load_mammoth(*, folder: Folder = None, download: bool = False) -> Bunch:
    """Mammoth: 50,000 points on a skeleton, in three dimensions.

    Returns
    -------
    Bunch
        `data`. Also `title`, `description`, `licence`, `citation`.

    Raises
    ------
    MissingDataError
        If the file is absent and not fetched; the message says what to put where.

    Examples
    --------
    >>> from tete.datasets import load_mammoth
    >>> load_mammoth(folder="elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tete.exceptions.MissingDataError: load_mammoth() needs ...
    """
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
