"""Small stand-ins for the experiments' data sets, and experiments cut down to seconds."""

import dataclasses
import sys
import types
from functools import cache

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from tete.comparisons.triplets import Triplets
from tete.datasets import make_sphere, make_swiss_roll, make_uniform_triplets
from tete.experiments import figure6, inputs, load_experiment

SMALL = {"n_points": 60, "per_point": 8}


@cache
def digits():
    pixels, target = load_digits(return_X_y=True)
    return Bunch(data=pixels[:300], target=target[:300])


def named_answers(n_objects=24, **content):
    rng = np.random.default_rng(0)
    names = tuple(f"thing <{number}> & co" for number in range(n_objects))
    rows = make_uniform_triplets(rng.normal(size=(n_objects, 2)), 600, random_state=0).to_array()
    return Bunch(triplets=Triplets.from_array(rows, names=names), names=names, **content)


def music():
    rng = np.random.default_rng(1)
    genres = rng.random((24, 4)) < 0.4
    genres[:6] = np.eye(4, dtype=bool)[[0, 1, 2, 3, 0, 1]]
    return named_answers(
        target=rng.integers(3, size=24),
        target_names=("rock", "pop", "other"),
        genres=genres,
        published_map=rng.normal(size=(24, 2)),
    )


def eggs():
    truth = np.sort(np.random.default_rng(2).random(15))[:, None]
    return Bunch(triplets=make_uniform_triplets(truth, 300, random_state=0), truth=truth)


def faces():
    rng = np.random.default_rng(3)
    return Bunch(data=rng.random((70, 30)), target=None, truth=rng.random((70, 3)))


def stand_in(monkeypatch):
    """Replace every data set and openTSNE by something small; threads do not pay here."""
    monkeypatch.setattr("tete.experiments.runner.usable_cores", lambda: 1)
    sources = dict.fromkeys(("MNIST", "MIT Scenes", "COIL-20", "USPS", "Letters", "Wine"), digits)
    sources |= {"Food": named_answers, "Music": music, "30 alien eggs": eggs, "300 alien eggs": eggs, "Faces": faces}
    sources["Sphere"] = lambda: make_sphere(80, random_state=0)
    sources["Swiss Roll"] = lambda: make_swiss_roll(80, random_state=0)
    for name, source in sources.items():
        monkeypatch.setitem(inputs.SOURCES, name, source)
    monkeypatch.setattr(figure6, "GENERATORS", {})
    peer = types.ModuleType("openTSNE")
    peer.__spec__ = types.SimpleNamespace(name="openTSNE")
    peer.TSNE = lambda **_: types.SimpleNamespace(fit=lambda X: X[:, :2])
    monkeypatch.setitem(sys.modules, "openTSNE", peer)
    forget()


def forget():
    for cached in (inputs.load, inputs.draw_rows, figure6._rows, figure6._warm_up):
        cached.cache_clear()


def small(name):
    """An experiment whose quick settings are smaller still."""
    experiment = load_experiment(name)
    first = [each for each in experiment.settings(True) if each.get("seed", 0) == 0 and each.get("fold", 0) == 0]
    shrunk = [setting | {key: SMALL[key] for key in SMALL if key in setting} for setting in first]
    return dataclasses.replace(experiment, settings=lambda quick: shrunk)
