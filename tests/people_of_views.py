"""Simulated people of whom some have another map in mind, some toss coins and some answer the reverse."""

import numpy as np

from tete import Triplets


def answered(rows, seen, rng, sharpness=3.0):
    """The rows with near and far as people answer who see the places `seen` of the three objects of each."""
    near, far = (np.linalg.norm(seen[:, 0] - seen[:, column], axis=1) for column in (1, 2))
    second = rng.random(len(rows)) > 1.0 / (1.0 + np.exp(-sharpness * (far - near)))
    return np.where(second[:, None], rows[:, [0, 2, 1]], rows)


def questions(n_objects, count, rng):
    return np.argsort(rng.random((count, n_objects)), axis=1)[:, :3]


def study(seed=0, *, n_people=18, each=120, second=6, n_random=2, n_reversed=1, n_objects=20):
    """Answers, the view of each person, and what each is: 0 as they see it, 1 at random, 2 reversed."""
    rng = np.random.default_rng(seed)
    maps = rng.normal(size=(2, n_objects, 2))
    view = (np.arange(n_people) < second).astype(int)
    kind = np.repeat([0, 2, 1], [n_people - n_random - n_reversed, n_reversed, n_random])
    people = np.repeat(np.arange(n_people), each)
    rows = questions(n_objects, len(people), rng)
    rows = answered(rows, maps[view[people][:, None], rows], rng)
    turned = (kind[people] == 2) | ((kind[people] == 1) & (rng.random(len(people)) < 0.5))
    rows = np.where(turned[:, None], rows[:, [0, 2, 1]], rows)
    names = np.array([f"p{number:02d}" for number in range(n_people)])
    return Triplets.from_array(rows, annotators=names[people], n_objects=n_objects), view, kind


def continuum(seed=0, *, n_people=20, each=200, n_objects=20, spread=1.0):
    """People who weigh the two axes of one map differently."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(n_objects, 2))
    scales = np.exp(spread * rng.normal(size=(n_people, 2)))
    people = np.repeat(np.arange(n_people), each)
    rows = questions(n_objects, len(people), rng)
    rows = answered(rows, places[rows] * scales[people][:, None, :], rng)
    return Triplets.from_array(rows, annotators=people, n_objects=n_objects)
